"""The rule by which a paper's figure holds, and the pages made from results."""

import json
import math
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from bench.harness import RESULTS, Target
from bench.ledger import Ledger
from bench.papers import command, pages
from bench.papers.running import Run
from bench.papers.tables import Figure, Paper, Table, standard_error


def figure(**fields):
    return Figure(**{"row": "iris", "column": "ELM", "paper": 90.0, "ours": 90.0, **fields})


@pytest.mark.parametrize(
    ("ours", "deviation", "better", "verdict"),
    [
        (91.9, 1.0, "higher", "holds"),
        (92.1, 1.0, "higher", "better"),
        (87.9, 1.0, "higher", "does not hold"),
        (88.1, 1.0, "higher", "holds"),
        (87.9, 1.0, "lower", "better"),
        (92.1, 1.0, "lower", "does not hold"),
        (92.1, 1.0, "same", "does not hold"),
        (90.0, 0.0, "higher", "holds"),
        (90.1, 0.0, "higher", "better"),
        (None, 0.0, "higher", "not measured"),
    ],
)
def test_two_deviations_decide(ours, deviation, better, verdict):
    assert figure(ours=ours, deviation=deviation, better=better).verdict == verdict


def test_both_deviations_count():
    one = figure(ours=93.0, paper_deviation=3.0, deviation=4.0)
    assert one.spread == 5.0
    assert one.difference == pytest.approx(0.6)


def test_no_deviation_is_taken_from_the_test_rows():
    error = standard_error(90.0, 400)
    assert error == pytest.approx(100 * math.sqrt(0.9 * 0.1 / 400))
    assert figure(ours=92.9, rounding=error).verdict == "holds"
    assert figure(ours=93.1, rounding=error).verdict == "better"


def test_without_data_or_a_printed_figure_there_is_no_verdict():
    assert figure(ours=None, missing="no iris.parquet").verdict == "missing"
    assert figure(paper=None).verdict == "not printed"


def rates(run):
    cells = run.cells("rates", run.repeats(5), lambda seed: {"rate": 80.0 + seed})
    found = [cell["rate"] for cell in cells]
    mean = sum(found) / len(found) if found else None
    return [
        figure(ours=mean, deviation=0.5, repeats=len(found)),
        figure(row="a|b", ours=None, missing="no such set"),
    ]


def made_paper(reasons=None, measure=rates):
    table = Table(name="Table 3", title="rates", about="Five splits.", measure=measure, reasons=reasons or {})
    return Paper(
        key="nobody", authors="Nobody", title="Nothing", source="2026", about="About it.", tables=(table,)
    )


@pytest.fixture
def paper(monkeypatch, tmp_path):
    """One paper in the place of all, with results and pages in a folder of the test's own."""
    monkeypatch.setattr(command, "PAPERS", {"nobody": "nobody"})
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    monkeypatch.setattr(command, "load", lambda _: made_paper({"iris, *": "Because it is made up."}))
    return tmp_path


def test_a_run_writes_results_and_pages(paper, capsys):
    found = command.run(pages=paper / "pages")
    assert found == {"nobody": {"Table 3": {"does not hold": 1, "missing": 1}}}
    text = (paper / "pages" / "nobody.md").read_text()
    assert "| iris | ELM (%) | 90 | 82 ± 0.5 | 5 | 0.911 | -16.0 | **does not hold** |" in text
    assert "Because it is made up." in text
    assert "a\\|b" in text
    index = (paper / "pages" / "index.md").read_text()
    assert "Of 1 accuracy figures that could be measured, **0** (0.0 %)" in index
    assert "1 does not hold, 1 missing" in capsys.readouterr().out


def test_a_killed_run_goes_on_where_it_was(paper, monkeypatch):
    command.run(minutes=0, pages=paper / "pages")
    stored = json.loads((paper / "papers" / "nobody.json").read_text())
    assert stored["cells"] == {}
    done = []

    def dies(run):
        def measure(seed):
            if len(done) == 3:
                raise KeyboardInterrupt
            done.append(seed)
            return {"rate": 1.0}

        run.cells("rates", 5, measure)
        return []

    monkeypatch.setattr(command, "load", lambda _: made_paper(measure=dies))
    with pytest.raises(KeyboardInterrupt):
        command.run(pages=paper / "pages")
    kept = json.loads((paper / "papers" / "nobody.json").read_text())
    assert sorted(kept["cells"]) == ["rates/0", "rates/1", "rates/2"]
    assert "Table 3" in kept["tables"]  # what was known before is not lost
    monkeypatch.setattr(command, "load", lambda _: made_paper())
    command.run(pages=paper / "pages")
    kept = json.loads((paper / "papers" / "nobody.json").read_text())
    assert [kept["cells"][f"rates/{seed}"]["rate"] for seed in range(5)] == [1.0, 1.0, 1.0, 83.0, 84.0]


def test_a_run_without_the_data_loses_nothing(paper, monkeypatch):
    command.run(pages=paper / "pages")
    before = (paper / "pages" / "nobody.md").read_text()
    gone = made_paper(measure=lambda run: [replace(one, ours=None, missing="gone") for one in rates(run)])
    monkeypatch.setattr(command, "load", lambda _: gone)
    assert command.run(pages=paper / "pages") == {"nobody": {"Table 3": {"does not hold": 1, "missing": 1}}}
    assert (paper / "pages" / "nobody.md").read_text() == before.replace("no such set", "gone")


def test_fresh_measures_the_cells_of_the_tables_again(paper, monkeypatch):
    command.run(pages=paper / "pages")
    file = paper / "papers" / "nobody.json"
    stored = json.loads(file.read_text())
    stored["cells"] |= {"rates/0": {"rate": 0.0}, "other/0": {"rate": 1.0}}
    file.write_text(json.dumps(stored))
    command.run(fresh=True, pages=paper / "pages")
    cells = json.loads(file.read_text())["cells"]
    assert cells["rates/0"]["rate"] == 80.0
    assert cells["other/0"]["rate"] == 1.0


def test_a_cell_of_two_tables_is_measured_afresh_once(paper, monkeypatch):
    measured = []

    def shared(run):
        run.cells("rates", 5, lambda seed: measured.append(seed) or {"rate": 1.0})
        return []

    table = made_paper(measure=shared).tables[0]
    twice = replace(made_paper(), tables=(table, replace(table, name="Table 4")))
    monkeypatch.setattr(command, "load", lambda _: twice)
    command.run(pages=paper / "pages")
    command.run(fresh=True, pages=paper / "pages")
    assert measured == [0, 1, 2, 3, 4] * 2


def test_fresh_in_pieces_measures_every_cell_once(paper, monkeypatch):
    """What there was no time for stays, and is measured by the next run, which need not be told."""
    measured = []

    def counted(run):
        run.cells("rates", 5, lambda seed: measured.append(seed) or {"rate": 1.0})
        return []

    monkeypatch.setattr(command, "load", lambda _: made_paper(measure=counted))
    file = paper / "papers" / "nobody.json"
    command.run(pages=paper / "pages")
    before = json.loads(file.read_text())
    command.run(fresh=True, minutes=0, pages=paper / "pages")
    kept = json.loads(file.read_text())
    assert kept == before | {"stale": [f"rates/{seed}" for seed in range(5)]}
    assert measured == [0, 1, 2, 3, 4]
    command.run(minutes=0, pages=paper / "pages")
    assert measured == [0, 1, 2, 3, 4]
    command.run(pages=paper / "pages")
    command.run(pages=paper / "pages")
    assert measured == [0, 1, 2, 3, 4] * 2
    assert json.loads(file.read_text())["stale"] == []


def test_a_killed_fresh_run_goes_on_where_it_was(paper, monkeypatch):
    measured, limit = [], [100]

    def dies(run):
        def measure(seed):
            if len(measured) == limit[0]:
                raise KeyboardInterrupt
            measured.append(seed)
            return {"rate": float(len(measured))}

        run.cells("rates", 5, measure)
        return []

    monkeypatch.setattr(command, "load", lambda _: made_paper(measure=dies))
    command.run(pages=paper / "pages")
    limit[0] = 8
    with pytest.raises(KeyboardInterrupt):
        command.run(fresh=True, pages=paper / "pages")
    limit[0] = 100
    command.run(pages=paper / "pages")
    cells = json.loads((paper / "papers" / "nobody.json").read_text())["cells"]
    assert [cells[f"rates/{seed}"]["rate"] for seed in range(5)] == [6.0, 7.0, 8.0, 9.0, 10.0]


def test_how_long_it_took_is_told_where_it_is_known_of_every_cell(paper):
    command.run(pages=paper / "pages")
    file = paper / "papers" / "nobody.json"
    stored = json.loads(file.read_text())
    assert stored["took"].keys() == stored["cells"].keys()
    stored["took"] = dict.fromkeys(stored["cells"], 36.0)
    file.write_text(json.dumps(stored))
    command.run(minutes=0, pages=paper / "pages")
    for name in ("nobody", "index"):
        assert ", in 3 minutes." in (paper / "pages" / f"{name}.md").read_text()
    stored["took"].pop("rates/0")
    file.write_text(json.dumps(stored))
    command.run(minutes=0, pages=paper / "pages")
    assert "minutes." not in (paper / "pages" / "nobody.md").read_text()


def test_a_table_that_fails_is_told_and_counted(paper, monkeypatch, capsys):
    monkeypatch.setattr(command, "load", lambda _: made_paper(measure=lambda run: 1 / 0))
    with pytest.raises(command.TablesFailedError, match="1 tables could not be measured: Nobody, Table 3"):
        command.run(quick=True)
    assert "Table 3: FAILED: ZeroDivisionError" in capsys.readouterr().out
    assert not (paper / "papers").exists()  # --quick keeps nothing


def test_tables_are_named_by_number_or_name():
    tables = {
        name: replace(made_paper().tables[0], name=name) for name in ("Table 3", "Experiment 2 (Fig. 3)")
    }
    asked = ("3", "table 3", "Fig. 3", "experiment 2", "2", "Fig. 2")
    assert [[name for name, one in tables.items() if command.named(one, [text])] for text in asked] == [
        ["Table 3"],
        ["Table 3"],
        ["Experiment 2 (Fig. 3)"],
        ["Experiment 2 (Fig. 3)"],
        [],
        [],
    ]


def test_a_table_that_no_paper_has_is_refused(paper, capsys):
    with pytest.raises(SystemExit, match=r"Unknown table 'table 4'\. .* Known: Table 3\."):
        command.run(tables=["3", "table 4"], fresh=True)
    assert capsys.readouterr().out == ""
    assert not (paper / "papers").exists()


def test_repeats_are_cut_for_large_sets():
    run = Run(Ledger(None, None))
    assert [run.repeats(30, rows) for rows in (500, 10_000, 40_000, 10**7)] == [30, 30, 7, 2]
    assert Run(Ledger(None, None), quick=True).repeats(30) == 2


KEPT = sorted((RESULTS / "papers").glob("*.json"))


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_no_number_of_the_docs_is_typed_by_hand(file):
    """The pages that are committed are those that the results make."""
    report = json.loads(file.read_text())
    folder = command.PAGES
    pictures = {name: pages.picture(folder, file.stem, name).exists() for name in report["tables"]}
    assert (folder / f"{file.stem}.md").read_text() == pages.paper_page(report, pictures)


@pytest.mark.parametrize("file", KEPT, ids=lambda file: file.stem)
def test_every_figure_that_does_not_hold_has_a_reason(file):
    tables = json.loads(file.read_text())["tables"]
    unexplained = [
        (name, one["row"], one["column"])
        for name, table in tables.items()
        for one in table["figures"]
        if one["verdict"] == "does not hold" and not one["reason"]
    ]
    assert unexplained == []


def test_the_front_page_sums_up_all_results():
    reports = {key: json.loads(command.file_of(key).read_text()) for key in command.PAPERS}
    others = pages.comparisons_in(command.PAGES)
    assert (command.PAGES / "index.md").read_text() == pages.index_page(reports, others)
    assert Path(command.PAGES / "index.md").read_text().count("No reason found yet") == 0


def test_the_front_page_says_which_promises_of_a_comparison_are_broken(tmp_path):
    (tmp_path / "peers.md").touch()
    targets = [
        asdict(one) | {"verdict": one.verdict()}
        for one in (
            Target("faster", 2.0, 1.5, True),
            Target("first", 0.5, 1.0, True),
            Target("smaller", None, 3.0),
        )
    ]
    assert pages.comparisons_in(tmp_path, tmp_path) == {"peers": "0 of 0 promises are kept"}
    (tmp_path / "peers.json").write_text(json.dumps({"targets": targets}))
    found = pages.comparisons_in(tmp_path, tmp_path)
    assert found == {
        "peers": "1 of 3 promises are kept. Not kept: first (0.5, promised at least 1); "
        "smaller (not measured, promised at most 3)"
    }
    assert f"- [Samara and its peers](peers.md): {found['peers']}." in pages.index_page({}, found)
    (tmp_path / "peers.json").write_text(json.dumps({"targets": targets[:1]}))
    assert pages.comparisons_in(tmp_path, tmp_path) == {"peers": "1 of 1 promises are kept"}


def test_a_run_that_measures_nothing_keeps_day_and_machine(paper):
    """Pages written again say when, and on what, their figures were measured."""
    command.run(pages=paper / "pages")
    file = command.file_of("nobody")
    kept = json.loads(file.read_text()) | {"date": "2001-02-03", "machine": {"cpu": "an abacus", "cores": 1}}
    file.write_text(json.dumps(kept))
    command.run(pages=paper / "pages", minutes=0)
    assert "1 cores of an abacus, 2001-02-03" in (paper / "pages" / "nobody.md").read_text()
