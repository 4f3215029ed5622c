"""Learning as rows arrive: speed, memory and conditioning."""
