"""Small tables on disk, and a way to run the command on them."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from samara.cli import app


def make_table(rows, seed=0):
    """Numbers, texts and gaps, a target of each kind."""
    rng = np.random.default_rng(seed)
    size, weight = rng.standard_normal(rows), rng.uniform(1, 3, rows)
    colour = rng.choice(["red", "green", "blue"], rows)
    price = np.sin(2 * size) + weight * (colour == "red") + 0.1 * rng.standard_normal(rows)
    return pa.table(
        {
            "size": pa.array(np.where(rng.random(rows) < 0.05, np.nan, size), from_pandas=True),
            "weight": weight,
            "colour": colour,
            "price": price,
            "grade": np.where(price > 1, "high", "low"),
            "stars": np.digitize(price, [-0.5, 0.5, 1.5]),
        }
    )


INPUTS = "size,weight,colour"


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A folder with a training and a test table."""
    made = tmp_path_factory.mktemp("tables")
    pq.write_table(make_table(1500), made / "train.parquet", row_group_size=500)
    pq.write_table(make_table(400, seed=1), made / "test.parquet")
    return made


@pytest.fixture(scope="session")
def run():
    """Run a command line; gives exit code, standard output and standard error."""

    def invoke(*arguments):
        return CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)

    return invoke


@pytest.fixture(scope="session")
def model(folder, run):
    """A fitted regression."""
    path = folder / "price.samara"
    done = run(
        "fit", folder / "train.parquet", "--target", "price", "--columns", INPUTS, *SMALL, "--out", path
    )
    assert done.exit_code == 0, done.output
    return path


SMALL = ("--n-hidden", "40")
