"""The randomized solvers against the tables of the papers they come from. ``python -m bench.randomized``"""
