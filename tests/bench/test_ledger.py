"""What a benchmark keeps: cells, those to be measured again, and what there was no time for."""

from bench.ledger import Ledger


def test_a_part_is_measured_again_when_there_is_time(tmp_path):
    file = tmp_path / "cells.json"
    ledger = Ledger(file, None)
    for key in ("pca/a", "pca/b", "deep/a"):
        ledger.cell(key, lambda: {"value": 1})
    late = Ledger(file, minutes=-1)
    late.renew_part("pca/")
    assert late.cell("pca/a", lambda: {"value": 2}) == {"value": 1}
    assert late.cell("new", lambda: {"value": 2}) is None
    assert late.cell("deep/a", lambda: {"value": 2}) == {"value": 1}
    assert late.missing == ["pca/a", "new"]
    late.save()
    again = Ledger(file, None)
    assert again.stale == {"pca/a", "pca/b"}
    assert again.cell("pca/a", lambda: {"value": 2}) == {"value": 2}
    assert again.cell("pca/a", lambda: {"value": 3}) == {"value": 2}
    assert again.cell("deep/a", lambda: {"value": 2}) == {"value": 1}
    assert again.missing == []


def test_nothing_is_measured_while_it_is_closed():
    ledger = Ledger(None, None)
    ledger.cell("a", lambda: {"value": 1})
    ledger.renew(["a", "never measured"])
    ledger.closed = True
    assert ledger.cell("a", lambda: {"value": 2}) == {"value": 1}
    assert ledger.cell("never measured", lambda: {"value": 2}) is None
    assert ledger.missing == []
    assert ledger.stale == {"a"}
