"""Counting: kernels, plans and the engine that runs them, against loops over cases."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from math import prod

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import naive_counts
from tacit.core.dataset import Dataset
from tacit.core.errors import (
    CasesError,
    ColumnError,
    MissingError,
    NetworkError,
    OptionError,
    SizeError,
)
from tacit.core.variables import Continuous, Discrete
from tacit.engines import tables
from tacit.engines.memory import statistics
from tacit.engines.plans import CELLS, places, plan
from tacit.engines.tasks import chunks, in_order
from tacit.families.counts import Counts, SparseCounts
from tacit.families.moments import Moments


def variable(name: str, states: int) -> Discrete:
    return Discrete(name, tuple(f"s{at}" for at in range(states)))


def dataset(
    sizes: Sequence[int], cases: int, missing: float = 0.0, weighted: bool = False
) -> Dataset:
    """Columns X0, X1, ... with so many states each, skewed towards the first."""
    random = np.random.default_rng(len(sizes) + cases)
    axes = {f"X{at}": variable(f"X{at}", size) for at, size in enumerate(sizes)}
    columns = {}
    for name, axis in axes.items():
        codes = (random.random(cases) ** 2 * len(axis.states)).astype(np.int64)
        columns[name] = np.where(random.random(cases) < missing, -1, codes)
    return Dataset(axes, columns, random.random(cases) if weighted else None)


def families(data: Dataset, *members: Sequence[int]) -> list[tuple[Discrete, ...]]:
    return [tuple(data.variables[f"X{at}"] for at in family) for family in members]


def check(data: Dataset, wanted: list[tuple[Discrete, ...]], **options: object) -> None:
    found = statistics(data, wanted, **options)
    for family in wanted:
        columns = [data[axis.name] for axis in family]
        shape = [len(axis.states) for axis in family]
        truth = naive_counts.counts(columns, shape, data.weights)
        evidence = found[family[-1].name]
        assert not isinstance(evidence, Moments)
        ours = evidence.dense().values
        if data.weights is None:
            assert_array_equal(ours, truth)
        else:
            assert_allclose(ours, truth, rtol=1e-12)


SHAPES = [
    ([2], [[0]]),
    ([2, 3, 4], [[0], [0, 1], [0, 1, 2]]),
    ([4, 4, 4, 4], [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]]),  # just 256 cells
    ([5, 5, 5, 5], [[0], [0, 1], [0, 1, 2], [0, 1, 2, 3]]),  # more than a byte
    ([127, 2], [[0], [0, 1]]),
    ([128, 2], [[0], [0, 1]]),
    ([129, 2], [[0], [0, 1]]),  # int16
    ([40_000, 2], [[0], [0, 1]]),  # int32
    ([1, 1, 2], [[0], [0, 1], [0, 1, 2]]),
    ([2] * 9, [[0, 1, 2, 3, 4, 5, 6, 7], [8, 7, 6, 5, 4, 3, 2, 1, 0]]),
]


@pytest.mark.parametrize(("sizes", "members"), SHAPES)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_are_those_of_a_loop_over_cases(
    sizes: list[int], members: list[list[int]], missing: float, weighted: bool
) -> None:
    data = dataset(sizes, 303, missing, weighted)
    check(data, families(data, *members), missing="available")


@pytest.mark.parametrize("cases", [0, 1, 2, 3, 16_383, 16_384, 16_385, 70_001])
@pytest.mark.parametrize("weighted", [False, True])
def test_blocks_and_chunks_leave_no_case_out(cases: int, weighted: bool) -> None:
    data = dataset([2, 3, 7, 50], cases, weighted=weighted)
    check(data, families(data, [0], [0, 1], [0, 1, 2], [1, 2, 3]))


def test_columns_need_not_lie_one_after_the_other_in_memory() -> None:
    random = np.random.default_rng(3)
    rows = np.asfortranarray(random.integers(0, 2, (500, 6), dtype=np.int8)).copy(order="C")
    axes = {f"X{at}": variable(f"X{at}", 2) for at in range(6)}
    data = Dataset(axes, {name: rows[:, at] for at, name in enumerate(axes)})
    assert not data["X0"].flags.c_contiguous
    check(data, families(data, [0], [0, 1], [0, 1, 2, 3], [0, 1, 2, 3, 4, 5]))


def test_columns_may_start_anywhere_in_memory() -> None:
    random = np.random.default_rng(4)
    record = np.dtype([("first", np.int8), ("wide", np.int32)])  # 5 bytes, never aligned
    rows = np.zeros(1001, dtype=record)
    rows["first"], rows["wide"] = random.integers(0, 2, 1001), random.integers(0, 40_000, 1001)
    axes = {"X0": variable("X0", 2), "X1": variable("X1", 40_000), "X2": variable("X2", 2)}
    odd = random.integers(0, 2, 1002).astype(np.int8)[1:]
    data = Dataset(axes, {"X0": rows["first"], "X1": rows["wide"], "X2": odd})
    check(data, families(data, [0], [0, 1], [0, 2]))


def test_the_number_of_threads_changes_no_bit() -> None:
    data = dataset([2, 3, 4, 30, 30], 200_000, missing=0.1, weighted=True)
    wanted = families(data, [0], [0, 1], [0, 1, 2], [2, 3], [3, 4])
    once = statistics(data, wanted, missing="available", threads=1)
    for threads in (2, 3, 8):
        again = statistics(data, wanted, missing="available", threads=threads)
        for name, evidence in once.items():
            assert_array_equal(evidence.values, again[name].values)


def test_calls_from_many_threads_do_not_disturb_each_other() -> None:
    data = dataset([2, 3, 4, 5], 50_000)
    wanted = families(data, [0], [0, 1], [0, 1, 2], [2, 3])
    truth = statistics(data, wanted, threads=1)
    wrong: list[str] = []

    def count() -> None:
        found = statistics(data, wanted, threads=2)
        wrong.extend(
            name
            for name, evidence in truth.items()
            if not np.array_equal(evidence.values, found[name].values)
        )

    threads = [threading.Thread(target=count) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_codes_changed_behind_the_back_write_to_no_other_memory() -> None:
    codes = np.zeros(1000, dtype=np.int8)
    axes = {"X0": variable("X0", 2), "X1": variable("X1", 200)}
    data = Dataset(axes, {"X0": codes, "X1": np.zeros(1000, dtype=np.int16)})
    codes[:] = 100
    found = statistics(data, families(data, [0], [0, 1]))
    assert found["X1"].total == 0  # outside its table
    codes[:] = -77
    with pytest.raises(MissingError):
        statistics(data, families(data, [0], [0, 1]))


def test_tables_too_large_to_keep_hold_the_cells_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dataset([30, 30, 30], 5_000, missing=0.05, weighted=True)
    wanted = families(data, [0, 1, 2])
    dense = statistics(data, wanted, missing="available")["X2"]
    monkeypatch.setattr(tables, "DENSE_CELLS", 1000)
    monkeypatch.setattr(tables, "SORTED", 700)
    sparse = statistics(data, wanted, missing="available")["X2"]
    assert isinstance(dense, Counts)
    assert isinstance(sparse, SparseCounts)
    assert sparse.at.size < 27_000
    assert (np.diff(sparse.at) > 0).all()
    assert_allclose(sparse.dense().values, dense.values, rtol=1e-12)
    assert_allclose(sparse.total, dense.total, rtol=1e-12)
    with pytest.raises(MissingError):
        statistics(data, wanted)


def test_twenty_four_binary_parents_stay_sparse_without_asking() -> None:
    data = dataset([2] * 25, 100)
    found = statistics(data, families(data, list(range(25))))["X24"]
    assert isinstance(found, SparseCounts)
    assert found.total == 100
    cells = zip(*(data[name] for name in data.names), strict=True)
    places = {sum(int(code) << (24 - at) for at, code in enumerate(cell)) for cell in cells}
    assert found.at.tolist() == sorted(places)


def test_moments_are_those_of_a_loop_over_cases() -> None:
    random = np.random.default_rng(5)
    axes = {name: Continuous(name) for name in "ABC"}
    a = random.normal(1e6, 1, 900)
    columns = {"A": a, "B": 2 * a + random.normal(0, 1e-3, 900), "C": random.normal(0, 5, 900)}
    columns["C"][::7] = np.nan
    for weights in (None, random.random(900)):
        data = Dataset(axes, columns, weights)
        wanted = [(axes["A"],), (axes["A"], axes["B"]), (axes["A"], axes["B"], axes["C"])]
        found = statistics(data, wanted, missing="available")
        for family in wanted:
            ours = found[family[-1].name]
            assert isinstance(ours, Moments)
            each = [columns[axis.name] for axis in family]
            weight, means, scatter = naive_counts.moments(each, weights)
            assert_allclose(ours.weight, weight, rtol=1e-13)
            assert_allclose(ours.means, means, rtol=1e-13)
            assert_allclose(ours.scatter, scatter, rtol=1e-6)
            assert_allclose(np.diag(ours.scatter), np.diag(scatter), rtol=1e-8)


def test_moments_of_many_cases_do_not_depend_on_threads() -> None:
    random = np.random.default_rng(6)
    axes = {name: Continuous(name) for name in "AB"}
    data = Dataset(axes, {"A": random.normal(size=100_001), "B": random.normal(size=100_001)})
    one, two = (
        statistics(data, [(axes["A"], axes["B"])], threads=threads)["B"] for threads in (1, 2)
    )
    assert isinstance(one, Moments)
    assert isinstance(two, Moments)
    assert_array_equal(one.scatter, two.scatter)
    assert_array_equal(one.means, two.means)
    assert_allclose(one.scatter, 100_001 * np.cov(data["A"], data["B"], bias=True), rtol=1e-10)


def test_discrete_and_continuous_families_are_counted_together() -> None:
    axes = {"A": variable("A", 2), "X": Continuous("X")}
    data = Dataset(axes, {"A": np.array([0, 1, 1]), "X": np.array([1.0, 2.0, 6.0])})
    found = statistics(data, [(axes["A"],), (axes["X"],)])
    assert found["A"].values.tolist() == [1, 2]
    assert found["X"].means.tolist() == [3.0]
    assert list(found) == ["A", "X"]


def test_a_hidden_column_takes_part_without_adding_anything() -> None:
    """A variable that was never observed is legal; only its own families stay empty."""
    data = dataset([2, 3, 2], 50)
    columns = {**data.columns, "X1": np.full(50, -1)}
    hidden = Dataset(data.variables, columns)
    wanted = families(data, [0], [0, 1], [1, 2])
    found = statistics(hidden, wanted, missing="available")
    assert found["X0"].total == 50
    assert found["X1"].total == 0
    assert found["X2"].total == 0


# --- plans -----------------------------------------------------------------------------------


def test_a_plan_covers_every_family_once_and_sums_out_the_rest() -> None:
    random = np.random.default_rng(1)
    states = tuple(int(size) for size in random.integers(1, 5, 30))
    complete = tuple(bool(flag) for flag in random.random(30) < 0.7)
    rooms = [places(*each) for each in zip(states, complete, strict=True)]
    candidates = [
        tuple(int(c) for c in random.choice(30, size=random.integers(1, 5), replace=False))
        for _ in range(60)
    ]
    wanted = tuple(f for f in candidates if prod(rooms[column] for column in f) <= CELLS)
    found = plan(wanted, states, complete)
    sizes = [prod(states[column] for column in family) for family in wanted]
    assert found.starts.tolist() == np.cumsum([0, *sizes]).tolist()
    assert set(found.targets.tolist()) == set(range(sum(sizes)))
    assert len(found.groups) - 1 < len(wanted)
    for start, end in zip(found.groups[:-1], found.groups[1:], strict=True):
        used = found.strides[start:end] > 0
        columns = found.columns[start:end][used].tolist()
        assert prod(rooms[column] for column in columns) <= CELLS
        assert len(set(columns)) == len(columns)
        assert (end - start) % 2 == 0


def test_a_missing_cell_has_a_place_behind_the_states() -> None:
    for states in range(1, 128):
        room = places(states, complete=False)
        assert -1 & (room - 1) >= states
        assert places(states, complete=True) == states


# --- tasks -----------------------------------------------------------------------------------


def test_chunks_follow_from_the_number_of_cases_alone() -> None:
    assert chunks(0) == []
    assert chunks(10) == [(0, 10)]
    for cases in (32_768, 100_000, 10_000_000):
        spans = chunks(cases)
        assert spans[0][0] == 0
        assert spans[-1][1] == cases
        assert len(spans) <= 64
        assert all(a[1] == b[0] for a, b in pairwise(spans))


@pytest.mark.parametrize("threads", [1, 3, None])
def test_results_come_in_the_order_of_the_tasks_and_progress_is_told(threads: int | None) -> None:
    told: list[tuple[int, int]] = []
    results = in_order(
        [lambda at=at: at * at for at in range(20)],
        threads,
        lambda done, total: told.append((done, total)),
    )
    assert results == [at * at for at in range(20)]
    assert all(total == 20 for _, total in told)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert threads != 1 or told == [(at, 20) for at in range(1, 21)]


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_error_ends_all_tasks(threads: int) -> None:
    begun: list[int] = []

    def task(at: int) -> None:
        begun.append(at)
        if at == 0:
            raise ValueError("no")
        time.sleep(0.01)

    with pytest.raises(ValueError, match="no"):
        in_order([partial(task, at) for at in range(100)], threads)
    assert begun[0] == 0
    assert len(begun) <= threads


# --- what is refused -------------------------------------------------------------------------


def message(error: type[Exception], data: Dataset, wanted: object, **options: object) -> str:
    with pytest.raises(error) as caught:
        statistics(data, wanted, **options)
    return str(caught.value)


def test_missing_cells_are_refused_with_their_number_and_the_way_out() -> None:
    axes = {"A": variable("A", 2), "bb c": variable("bb c", 300), "D": variable("D", 2)}
    columns = {"A": np.array([0, -1, -1]), "bb c": np.array([299, 1, -1]), "D": np.full(3, -1)}
    data = Dataset(axes, columns)
    said = message(MissingError, data, [(axes["A"],), (axes["A"], axes["bb c"])])
    assert said == (
        '3 cells of 3 cases are missing: A 2, "bb c" 1\n\n'
        "to count each family on the cases that are complete in it, say "
        'method=tc.AvailableCases() in tc.fit, or missing="available" in tc.Statistics.update'
    )


def test_one_missing_real_is_refused_too() -> None:
    axes = {"X": Continuous("X")}
    data = Dataset(axes, {"X": np.array([1.0, np.nan])})
    said = message(MissingError, data, [(axes["X"],)])
    assert said.startswith("1 cell of 2 cases is missing: X 1\n")


def test_no_family_joins_states_and_a_real_parent() -> None:
    axes = {"A": variable("A", 2), "X": Continuous("X")}
    data = Dataset(axes, {"A": np.array([0]), "X": np.array([1.0])})
    assert message(NetworkError, data, [(axes["X"], axes["A"])]) == (
        "A has states and its parent X takes real values: no family joins the two"
        "\n\nturn the arc round, or make the continuous one discrete with tc.discretise"
    )


def test_cases_in_another_code_are_refused() -> None:
    data = dataset([2], 5)
    said = message(CasesError, data, [(Discrete("X0", ("s1", "s0")),)])
    assert said == (
        "the cases hold 'X0' in another code than its family\n\ncases:  s0, s1\nfamily: s1, s0"
    )
    assert "real values" in message(CasesError, data, [(Continuous("X0"),)])


def test_a_table_whose_cells_cannot_be_numbered_is_refused() -> None:
    axes = {f"X{at}": variable(f"X{at}", 100) for at in range(12)}
    data = Dataset(axes, {name: np.zeros(1, dtype=np.int8) for name in axes})
    said = message(SizeError, data, [tuple(axes.values())])
    assert said == (
        "the table of X11 given X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10 has about 10^24 cells, "
        "more than can be told apart\n\nremove parents, or merge states with tc.discretise"
    )


def test_more_parents_than_a_table_has_axes_are_refused() -> None:
    axes = {f"X{at}": variable(f"X{at}", 1) for at in range(70)}
    data = Dataset(axes, {name: np.zeros(1, dtype=np.int8) for name in axes})
    assert message(SizeError, data, [tuple(axes.values())]) == (
        "X69 has 69 parents; a table takes at most 63"
    )


def test_options_that_make_no_sense_are_refused() -> None:
    data = dataset([2], 5)
    wanted = families(data, [0])
    assert message(OptionError, data, wanted, missing="drop") == (
        "missing='drop' must be 'refuse' or 'available'"
    )
    for threads in (0, -1, 2.0, True):
        said = message(OptionError, data, wanted, threads=threads)
        assert said == f"threads={threads!r} must be a whole number, 1 or more"
    assert message(OptionError, data, wanted * 2) == "a variable is the child of two families"
    assert "no column 'Y'" in message(ColumnError, data, [(variable("Y", 2),)])
