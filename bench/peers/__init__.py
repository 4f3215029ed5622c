"""Other libraries beside samara: the same rows, splits and machine, each in its own environment."""
