"""Randomized solvers: the numbers promised of them.

``python -m bench.randomized``: ``rsvd`` on Schindler's sets. Results are kept cell by cell: a run goes on
where the last one stopped; with ``--minutes 3`` it begins nothing new after three minutes.
"""

from bench.parts import Parts

if __name__ == "__main__":
    Parts("randomized", "Measure what was promised of the randomized solvers.", ("rsvd",)).main()
