"""partial_fit and unlearn of files on a cluster: the workers add up what threads would."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

import samara
from samara import ELMClassifier, ELMRegressor
from samara.errors import InputError
from tests.oracles import relative_gap
from tests.raw_tables import mixed_table


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Three files of several row groups, with texts, gaps and weights."""
    made = tmp_path_factory.mktemp("batches")
    for number in range(3):
        pq.write_table(mixed_table(500, number), made / f"{number}.parquet", row_group_size=110)
    return made


def scan(folder, number, where=None):
    return samara.scan(folder / f"{number}.parquet", target="y", weight="w", where=where)


@pytest.mark.parametrize(
    ("update", "where"), [("information", None), ("information", "rooms > 0"), ("qr", None)]
)
def test_batches_are_added_up_on_the_workers(cluster, folder, update, where):
    """Three files one after the other, also where nobody has counted their rows."""
    here, there = (
        ELMRegressor(12, alpha=[0.1, 1.0], update=update, engine=engine, random_state=0)
        for engine in (None, cluster)
    )
    for number in range(3):
        here.partial_fit(scan(folder, number, where))
        there.partial_fit(scan(folder, number, where))
    assert there.alpha_ == here.alpha_
    assert relative_gap(there.model_.coef, here.model_.coef) < 1e-9


def test_what_was_learned_there_is_unlearned_there(cluster, tmp_path):
    """Numbers only: rows that were encoded by the target can't be unlearned anywhere."""
    rng = np.random.default_rng(0)
    for name in "ab":
        X = rng.normal(size=(600, 2))
        table = pa.table({"u": X[:, 0], "v": X[:, 1], "y": np.sin(X[:, 0]) + X[:, 1]})
        pq.write_table(table, tmp_path / f"{name}.parquet", row_group_size=100)
    a, b = (samara.scan(tmp_path / f"{name}.parquet", target="y") for name in "ab")
    model = ELMRegressor(10, alpha=1.0, engine=cluster, random_state=0).partial_fit(a)
    expected = model.coef_.copy()
    model.partial_fit(b)
    assert relative_gap(model.coef_, expected) > 1e-3
    model.unlearn(b)
    assert relative_gap(model.coef_, expected) < 1e-9
    with pytest.raises(InputError, match="1,200 rows to unlearn, but only 600 were learned"):
        model.unlearn(samara.scan(tmp_path, target="y"))


def test_a_class_that_turns_up_later(cluster, tmp_path):
    """Labels keep their columns, whichever file brought them, as texts and as whole numbers."""
    rng = np.random.default_rng(1)
    tables = []
    for labels in (["no", "yes"], ["maybe", "no", "yes"]):
        X = rng.normal(size=(400, 2))
        place = np.digitize(X[:, 0], [-0.3, 0.3]) if len(labels) == 3 else (X[:, 0] > 0).astype(int)
        kind = np.array(labels)[place]
        tables.append(pa.table({"u": X[:, 0], "v": X[:, 1], "kind": kind, "number": place + 5}))
        pq.write_table(tables[-1], tmp_path / f"{len(labels)}.parquet", row_group_size=90)
    for target, other in (("kind", "number"), ("number", "kind")):
        model = ELMClassifier(10, alpha=1.0, random_state=0)
        here, there = clone(model), clone(model).set_params(engine=cluster)
        for count in (2, 3):
            rows = samara.scan(tmp_path / f"{count}.parquet", target=target, columns=["u", "v"])
            here.partial_fit(rows)
            there.partial_fit(rows)
        assert there.classes_.tolist() == here.classes_.tolist()
        assert len(there.classes_) == 3
        assert relative_gap(there.model_.coef, here.model_.coef) < 1e-9
        assert other not in there.feature_names_in_


def test_forgetting_reads_the_rows_here(cluster, folder):
    """Their order counts, so that they are not added up in parts."""
    models = [
        ELMRegressor(8, alpha=1.0, forget=0.99, engine=engine, random_state=0).partial_fit(scan(folder, 0))
        for engine in (None, cluster)
    ]
    assert relative_gap(models[1].coef_, models[0].coef_) < 1e-9
