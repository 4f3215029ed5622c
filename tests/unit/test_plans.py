"""Memory arithmetic: parsing, monotone peaks, refusals that say what fits, and reasons."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samara.costs import Shape, flops, format_bytes, parse_memory, passes, peak_bytes
from samara.errors import BudgetError, InputError
from samara.plans import Budget, make_plan
from samara.weighing import choose_solver

SHAPE = Shape(n_rows=50_000, n_inputs=20, n_targets=2, n_hidden=300)
SOLVERS = ["gram", "qr", "dual", "svd"]
SELECTIONS = [(None, 1), ("kfold", 5), ("loo", 1), ("gcv", 1)]


@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (None, None),
        ("200MB", 200_000_000),
        ("1.5 GiB", 3 * 2**29),
        ("10 kb", 10_000),
        ("7", 7),
        ("2Ti", 2**41),
        (123, 123),
        (1.9e6, 1_900_000),
        (" 64 mib ", 2**26),
    ],
)
def test_parse_memory(given_, expected):
    """Decimal and binary units, any case, spaces, plain numbers."""
    assert parse_memory(given_) == expected


@pytest.mark.parametrize("bad", ["", "MB", "-3MB", "1,5GB", "10 parsecs", 0, -5, float("nan"), float("inf")])
def test_parse_memory_refuses(bad):
    """What is not an amount of memory is refused, and named."""
    with pytest.raises(InputError, match="memory must"):
        parse_memory(bad)


@pytest.mark.parametrize(("count", "text"), [(12, "12 B"), (1234567, "1.23 MB"), (5_000_000_000, "5 GB")])
def test_format_bytes(count, text):
    """Three digits and a unit."""
    assert format_bytes(count) == text


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("selection", "n_folds"), SELECTIONS)
@given(data=st.data())
def test_the_peak_grows_with_everything(solver, selection, n_folds, data):
    """More nodes, rows a block, workers, inputs, targets or folds never need less memory."""
    base = replace(SHAPE, n_rows=3000, selection=selection, n_folds=n_folds)
    whole = st.integers(1, 2000)
    for name in ("n_hidden", "n_inputs", "n_targets", "n_rows"):
        few, more = sorted(data.draw(st.tuples(whole, whole)))
        sizes = [peak_bytes(replace(base, **{name: count}), solver, 512, 2) for count in (few, more)]
        assert sizes[0] <= sizes[1]
    few, more = sorted(data.draw(st.tuples(whole, whole)))
    assert peak_bytes(base, solver, few, 2) <= peak_bytes(base, solver, more, 2)
    few, more = sorted(data.draw(st.tuples(st.integers(1, 64), st.integers(1, 64))))
    assert peak_bytes(base, solver, 512, few) <= peak_bytes(base, solver, 512, more)


@pytest.mark.parametrize("solver", ["gram", "qr"])
def test_the_peak_of_a_streamed_fit_does_not_grow_with_the_rows(solver):
    """A billion rows need what a million do."""
    million, billion = (peak_bytes(replace(SHAPE, n_rows=n), solver, 2048, 2) for n in (10**6, 10**9))
    assert million == billion


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize(("selection", "n_folds"), SELECTIONS)
@given(megabytes=st.integers(14, 400), workers=st.integers(1, 4), n_hidden=st.integers(1, 3000))
def test_a_plan_keeps_to_its_budget_or_says_what_fits(
    solver, selection, n_folds, megabytes, workers, n_hidden
):
    """The predicted peak is inside the budget, or the refusal names the most nodes that fit."""
    shape = replace(SHAPE, n_rows=4000, n_hidden=n_hidden, selection=selection, n_folds=n_folds)
    budget = Budget(megabytes * 10**6, workers)
    try:
        plan = make_plan(shape, solver, budget, "why")
    except BudgetError as error:
        text = str(error)
        assert f"{n_hidden:,} nodes by {solver} need" in text
        assert format_bytes(megabytes * 10**6) in text
        found = re.search(r"at most ([\d,]+) nodes", text)
        if found is None:
            assert "Give more memory" in text
            fits, too_many = None, 1
        else:
            fits = int(found[1].replace(",", ""))
            too_many = fits + 1
        if fits:
            assert make_plan(replace(shape, n_hidden=fits), solver, budget, "why").peak_bytes <= budget.memory
        with pytest.raises(BudgetError):
            make_plan(replace(shape, n_hidden=too_many), solver, budget, "why")
    else:
        assert plan.peak_bytes <= budget.memory
        assert 1 <= plan.workers <= workers


def test_a_small_budget_takes_smaller_blocks_before_fewer_workers():
    """Blocks shrink first; the reason says so."""
    roomy = make_plan(SHAPE, "gram", Budget(None, 2), "why")
    tight = make_plan(SHAPE, "gram", Budget(roomy.peak_bytes - 1, 2), "why")
    assert tight.workers == 2
    assert tight.block_rows < roomy.block_rows
    assert any("memory holds" in reason for reason in tight.reasons)
    assert "full speed" in roomy.reasons[-1]


def test_a_block_asked_for_is_used():
    """An engine's own block size goes before the plan's."""
    assert make_plan(SHAPE, "gram", Budget(None, 3, 77), "why").block_rows == 77


@pytest.mark.parametrize(
    ("shape", "solver", "reason"),
    [
        (SHAPE, "gram", "normal equations"),
        (replace(SHAPE, smallest_alpha=0.0), "qr", "triangle"),
        (replace(SHAPE, smallest_alpha=1e-12, trace=1e6), "qr", "1.0e-12"),
        (replace(SHAPE, smallest_alpha=1.0, trace=1e6), "gram", "normal equations"),
        (replace(SHAPE, n_rows=100), "dual", "100 rows < 300 columns"),
        (replace(SHAPE, n_rows=100, smallest_alpha=0.0), "svd", "too small"),
        (replace(SHAPE, n_rows=310, n_link=20), "dual", "310 rows < 320 columns"),
    ],
)
def test_the_solver_is_chosen_for_a_reason(shape, solver, reason):
    """Shape and smallest ridge decide, and the reason names the numbers."""
    name, why = choose_solver(shape, "auto")
    assert name == solver
    assert reason in why


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_solver_asked_for_is_used(solver):
    """No silent swap."""
    assert choose_solver(SHAPE, solver) == (solver, "as asked")


def test_single_precision_needs_less():
    """float32 hidden rows take less memory and no more flops."""
    single = replace(SHAPE, dtype="float32")
    assert peak_bytes(single, "gram", 4096, 1) < peak_bytes(SHAPE, "gram", 4096, 1)


def test_passes_and_flops():
    """A look and the summary; one more a size for leave-one-out; flops of the products at least."""
    assert passes(SHAPE, "gram") == (2, 2)
    assert passes(replace(SHAPE, selection="loo", n_sizes=3), "gram") == (5, 5)
    assert passes(replace(SHAPE, selection="loo", n_sizes=3), "dual") == (2, 2)
    assert flops(SHAPE, "gram") >= SHAPE.n_rows * SHAPE.n_hidden**2


def test_a_plan_prints_itself():
    """Solver, passes, peak, limit and every reason, a line each."""
    text = str(make_plan(SHAPE, "auto", Budget(10**9, 2), "selection none: given"))
    assert text.startswith("solver gram, selection none, 2 passes")
    assert "limit 1 GB" in text
    assert len(text.splitlines()) == 5
