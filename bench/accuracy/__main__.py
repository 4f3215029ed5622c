"""``python -m bench.accuracy --data DIR``."""

from bench.accuracy.command import run
from bench.contest.means import parser

if __name__ == "__main__":
    run(**vars(parser("AutoELM beside boosting, forests and others on all tables.").parse_args()))
