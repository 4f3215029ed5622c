"""What a table is measured with: the folder of data, how much of it to do, and the cells already there."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.ledger import Cell, Ledger

LARGE = 10_000  # rows from which on repeats are cut
FEWEST = 2


@dataclass(frozen=True)
class Run:
    """One run over a paper's tables; every cell it measures is kept, and another run goes on there."""

    ledger: Ledger
    data: Path | None = None  # the folder of data sets
    quick: bool = False  # few repeats, small n: to see that it runs
    threads: int = 2

    def cell(self, key: str, measure: Callable[[], Cell]) -> Cell | None:
        """What was measured under this key, now or before; None: there was no time left."""
        return self.ledger.cell(key, measure)

    def cells(self, key: str, repeats: int, measure: Callable[[int], Cell]) -> list[Cell]:
        """The cells ``key/0``, ``key/1`` ... of all repeats there was time for; ``measure`` gets a seed."""
        made: list[Cell] = []
        for seed in range(repeats):
            one = self.cell(f"{key}/{seed}", lambda seed=seed: measure(seed))
            if one is not None:
                made.append(one)
        return made

    def repeats(self, wanted: int, n_rows: int = 0) -> int:
        """As many as the paper's; fewer for large sets, two (or one) with --quick."""
        if self.quick:
            return min(wanted, FEWEST)
        return wanted if n_rows <= LARGE else max(FEWEST, wanted * LARGE // n_rows)

    def missing(self, name: str) -> str:
        """Why a set can't be had; empty where it is there."""
        return "" if there(name, self.data) else absent(name)


def there(name: str, folder: Path | None) -> bool:
    """Whether a set can be had; letter comes with the package."""
    return name == "letter" or (folder is not None and (Path(folder) / f"{name}.parquet").exists())


def absent(name: str) -> str:
    """What is said of a set whose file is not there."""
    return f"no {name}.parquet in the folder of --data or SAMARA_DATA"


def table_of(name: str, folder: Path | None) -> Any:
    """All columns of a set as a pandas frame; the target in ``target``, official rows in ``split``."""
    import pandas as pd

    from samara.sources.whole import read_whole

    if name == "letter" and not (folder and (Path(folder) / "letter.parquet").exists()):
        from samara.datasets import load_letter

        X, y = load_letter()
        return pd.DataFrame(X).add_prefix("x").assign(target=y)
    if folder is None or not there(name, folder):
        raise FileNotFoundError(absent(name))
    return read_whole(Path(folder) / f"{name}.parquet").to_pandas()  # one that is damaged is named
