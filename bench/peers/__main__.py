"""``python -m bench.peers --data DIR``."""

import argparse
from pathlib import Path

from bench.peers.command import run


def main() -> None:
    parser = argparse.ArgumentParser(description="All peers beside samara on all data sets.")
    parser.add_argument("--sets", type=lambda text: text.split(","), help="names with commas (default all)")
    parser.add_argument("--quick", action="store_true", help="a few rows of a few sets, nothing written")
    parser.add_argument("--data", type=Path, help="folder of data sets (default: the variable SAMARA_DATA)")
    parser.add_argument("--minutes", type=float, help="begin nothing new after so many minutes")
    parser.add_argument("--fresh", action="store_true", help="measure these sets again")
    parser.add_argument("--threads", type=int, help="cores for every contender (default all)")
    run(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
