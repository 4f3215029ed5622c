"""``python -m bench.peers --data DIR``."""

from bench.contest.means import parser
from bench.peers.command import run

if __name__ == "__main__":
    run(**vars(parser("All peers beside samara on all data sets.").parse_args()))
