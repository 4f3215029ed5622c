"""Learning as rows arrive: speed, memory, conditioning, and Schindler's Experiments 3 and 6."""
