"""``python -m bench.accuracy --data DIR``."""

import argparse
from pathlib import Path

from bench.accuracy.command import run


def main() -> None:
    parser = argparse.ArgumentParser(description="AutoELM beside boosting, forests and others on all tables.")
    for what in ("sets", "methods"):
        about = f"only these {what}, names with commas (default all)"
        parser.add_argument(f"--{what}", type=lambda text: text.split(","), help=about)
    parser.add_argument("--quick", action="store_true", help="a few rows of a few sets, nothing written")
    parser.add_argument("--data", type=Path, help="folder of data sets (default: the variable SAMARA_DATA)")
    parser.add_argument("--minutes", type=float, help="begin nothing new after so many minutes")
    parser.add_argument("--fresh", action="store_true", help="measure these sets and methods again")
    parser.add_argument("--threads", type=int, help="cores for every method (default all)")
    run(**vars(parser.parse_args()))


if __name__ == "__main__":
    main()
