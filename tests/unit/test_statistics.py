"""tc.Statistics: batches, merging, taking away, fading, new states, files, representations."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import naive_counts
import tacit as tc
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import (
    CasesError,
    ColumnError,
    CycleError,
    FormatError,
    MissingError,
    NetworkError,
    OptionError,
    StateError,
    WeightError,
)
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines import axes as engine_axes
from tacit.engines import tables, union
from tacit.engines.statistics import Statistics, load_statistics
from tacit.families.counts import Counts, SparseCounts
from tacit.families.moments import Moments
from tacit.families.table import uniform_table


def cases(weights: Any = None, **columns: tuple[str, list[int]]) -> Dataset:
    """cases(A=("no yes", [0, 1])): states that were found, not declared."""
    axes = {name: Discrete(name, tuple(told.split()), True) for name, (told, _) in columns.items()}
    codes = {name: np.array(each, dtype=np.int64) for name, (_, each) in columns.items()}
    return Dataset(axes, codes, weights)


def network(dag: str, **states: str) -> Network:
    structure = Dag.parse(dag)
    axes = {name: Discrete(name, tuple(told.split())) for name, told in states.items()}
    return Network.of(
        uniform_table(tuple(axes[each] for each in (*structure.parents[name], name)))
        for name in structure.names
    )


FIRST = cases(A=("no yes", [0, 1, 1, 1]), B=("1 2", [0, 1, 1, 0]))
SECOND = cases(A=("no yes", [0, 0]), B=("2 10", [0, 1]))


def test_a_batch_is_counted_family_by_family() -> None:
    counted = Statistics("A -> B").update(FIRST)
    assert counted.cases == 4
    assert counted.total_weight == 4
    assert counted.counts["A"].values.tolist() == [1, 3]
    assert counted["B"].values.tolist() == [[1, 0], [1, 2]]
    assert list(counted.variables) == ["A", "B"]


def test_new_states_are_taken_in_natural_order_whichever_batch_brings_them() -> None:
    start = Statistics(Dag.parse("A -> B"))
    one = start.update(FIRST).update(SECOND)
    other = start.update(SECOND).update(FIRST)
    merged = start.update(SECOND) + start.update(FIRST)
    for counted in (one, other, merged):
        assert counted.variables["B"] == Discrete("B", ("1", "2", "10"))
        assert counted["B"].values.tolist() == [[1, 1, 1], [1, 2, 0]]
        assert counted.cases == 6


def test_a_declared_order_that_lists_all_states_is_kept() -> None:
    declared = Dataset({"S": Discrete("S", ("low", "high", "worst"))}, {"S": np.array([0, 2])})
    found = cases(S=("high low", [0, 1, 1]))
    for one, other in ((declared, found), (found, declared)):
        counted = Statistics("S").update(one).update(other)
        assert counted.variables["S"] == Discrete("S", ("low", "high", "worst"))
        assert not counted.variables["S"].inferred_order
        assert counted["S"].values.tolist() == [3, 1, 1]


def test_orders_that_contradict_each_other_give_way_to_the_natural_one() -> None:
    one = Dataset({"S": Discrete("S", ("b", "a"))}, {"S": np.array([0, 0])})
    other = Dataset({"S": Discrete("S", ("a", "b"))}, {"S": np.array([0, 0, 0])})
    for first, second in ((one, other), (other, one)):
        counted = Statistics("S").update(first).update(second)
        assert counted.variables["S"] == Discrete("S", ("a", "b"))
        assert counted.variables["S"].inferred_order
        assert counted["S"].values.tolist() == [3, 2]


def test_a_network_fixes_the_states() -> None:
    start = Statistics(network("A -> B", A="yes no", B="1 2 10"))
    assert start["B"].values.tolist() == [[0, 0, 0], [0, 0, 0]]
    counted = start.update(FIRST).update(SECOND)
    assert counted.variables["A"].states == ("yes", "no")
    assert counted["B"].values.tolist() == [[1, 2, 0], [1, 1, 1]]
    with pytest.raises(StateError) as caught:
        Statistics(network("A -> B", A="yes no", B="1 2")).update(SECOND)
    assert "'B' has no state '10'" in str(caught.value)
    assert "states of 'B': 1, 2" in str(caught.value)
    with pytest.raises(StateError, match="'B' has no state '10'"):
        _ = Statistics(network("A -> B", A="yes no", B="1 2")) + Statistics("A -> B").update(SECOND)


def test_fixed_states_win_over_learned_ones_in_a_merge() -> None:
    fixed = Statistics(network("A -> B", A="yes no", B="10 2 1"))
    learned = Statistics("A -> B").update(FIRST)
    for merged in (fixed + learned, learned + fixed):
        assert merged.fixed
        assert merged.variables["B"].states == ("10", "2", "1")
        assert merged["B"].values.tolist() == [[0, 2, 1], [0, 0, 1]]


def test_an_empty_start_adds_nothing_on_either_side() -> None:
    counted = Statistics("A -> B").update(FIRST)
    for same in (counted + Statistics("A -> B"), Statistics("A -> B") + counted):
        assert same.cases == 4
        assert_array_equal(same["B"].values, counted["B"].values)
    assert (counted - Statistics("A -> B")).cases == 4
    assert (Statistics("A") + Statistics("A")).cases == 0


def test_taking_cases_away_is_counting_without_them() -> None:
    everything = Statistics("A -> B").update(FIRST).update(SECOND)
    left = everything - Statistics("A -> B").update(FIRST)
    assert left.cases == 2
    assert left.total_weight == 2
    assert left["B"].values.tolist() == [[0, 1, 1], [0, 0, 0]]


def test_more_cannot_be_taken_away_than_was_counted() -> None:
    one, two = Statistics("A -> B").update(SECOND), Statistics("A -> B").update(FIRST)
    with pytest.raises(CasesError) as caught:
        _ = one - two
    assert str(caught.value) == "4 cases cannot be taken away from 2 cases"
    with pytest.raises(CasesError) as caught:
        _ = two - one
    assert str(caught.value) == (
        "more cases are taken away than were counted: a count would become -1"
    )


def test_fading_scales_what_was_counted_and_keeps_the_number_of_cases() -> None:
    faded = 0.5 * Statistics("A -> B").update(FIRST)
    assert faded.cases == 4
    assert faded.total_weight == 2
    assert faded["A"].values.tolist() == [0.5, 1.5]
    assert (np.float64(2) * faded)["A"].values.tolist() == [1, 3]
    assert (0 * faded)["A"].values.tolist() == [0, 0]
    for strength in (-1, float("nan"), float("inf")):
        with pytest.raises(OptionError, match="a number, 0 or more"):
            _ = strength * faded
    with pytest.raises(TypeError):
        _ = "2" * faded


def test_weights_may_come_with_the_batch_or_beside_it() -> None:
    weighted = cases([2.0, 1.0], A=("a b", [0, 1]))
    assert Statistics("A").update(weighted)["A"].values.tolist() == [2, 1]
    beside = Statistics("A").update(weighted, weights=[0.25, 4])
    assert beside["A"].values.tolist() == [0.25, 4]
    assert beside.total_weight == 4.25
    assert beside.cases == 2
    with pytest.raises(WeightError):
        Statistics("A").update(weighted, weights=[1, -1])


def test_missing_cells_are_refused_unless_asked_for() -> None:
    holes = cases(A=("no yes", [0, -1, 1]), B=("x y", [1, 1, -1]), C=("p q", [0, 1, 1]))
    with pytest.raises(MissingError, match="2 cells of 3 cases are missing: A 1, B 1"):
        Statistics("A -> B; C").update(holes)
    counted = Statistics("A -> B; C").update(holes, missing="available")
    assert counted["A"].values.tolist() == [1, 1]
    assert counted["B"].values.tolist() == [[0, 1], [0, 0]]
    assert counted["C"].values.tolist() == [1, 2]
    assert counted.cases == 3


def test_continuous_families_keep_moments() -> None:
    axes = {"X": Continuous("X"), "Y": Continuous("Y")}
    one = Dataset(axes, {"X": np.array([1.0, 2.0]), "Y": np.array([0.0, 5.0])})
    two = Dataset(axes, {"X": np.array([4.0]), "Y": np.array([1.0])})
    counted = Statistics("X -> Y").update(one).update(two)
    weight, means, scatter = naive_counts.moments([[1.0, 2.0, 4.0], [0.0, 5.0, 1.0]])
    moments = counted["Y"]
    assert isinstance(moments, Moments)
    assert moments.weight == weight
    assert_allclose(moments.means, means)
    assert_allclose(moments.scatter, scatter)
    back = counted - Statistics("X -> Y").update(two)
    assert_allclose(back["Y"].scatter, Statistics("X -> Y").update(one)["Y"].scatter, atol=1e-12)


def test_a_variable_cannot_have_states_here_and_reals_there() -> None:
    states = Statistics("A").update({"A": ["high", "low"]})
    with pytest.raises(CasesError) as caught:
        states.update({"A": [1.5, 2.25]})
    assert str(caught.value) == (
        "A has states in some cases and takes real values in others"
        "\n\nread all of them alike: tc.read_cases takes continuous=[...] and discrete=[...]"
    )
    with pytest.raises(CasesError, match="A has states in some cases"):
        _ = Statistics("A").update({"A": [1.5, 2.25]}) + states


def test_what_took_real_values_once_stays_real() -> None:
    counted = Statistics("A").update({"A": [1.5, 2.25]}).update({"A": [1, 2, 2]})
    moments = counted["A"]
    assert isinstance(moments, Moments)
    assert moments.weight == 5
    assert moments.means.tolist() == [8.75 / 5]


def test_batches_come_in_every_form_that_cases_have(tmp_path: Path) -> None:
    plain = {"A": ["no", "yes", "yes", "yes"], "B": [1, 2, 2, 1]}
    path = tmp_path / "cases.csv"
    path.write_text("A,B,ignored,times\nno,1,x,1\nyes,2,y,1\nyes,2,z,1\nyes,1,u,1\n")
    truth = Statistics("A -> B").update(FIRST)
    for batch in (plain, pl.DataFrame(plain), pd.DataFrame(plain), path, str(path)):
        counted = Statistics("A -> B").update(batch)
        assert counted["B"].values.tolist() == truth["B"].values.tolist()
        assert dict(counted.variables) == dict(truth.variables)
    assert Statistics("A -> B").update(path, weights="times").total_weight == 4


def test_no_family_joins_states_and_a_real_parent() -> None:
    axes: dict[str, Variable] = {"A": Discrete("A", ("x", "y")), "Y": Continuous("Y")}
    data = Dataset(axes, {"A": np.array([0]), "Y": np.array([1.0])})
    with pytest.raises(NetworkError, match=r"^A has states and its parent Y takes real values"):
        Statistics("Y -> A").update(data)


def test_columns_the_dag_does_not_name_are_left_alone() -> None:
    counted = Statistics("B").update(FIRST)
    assert list(counted.variables) == ["B"]
    with pytest.raises(ColumnError, match="the cases have no column 'C'"):
        Statistics("A -> C").update(FIRST)


def test_statistics_of_different_dags_do_not_mix() -> None:
    with pytest.raises(NetworkError) as caught:
        _ = Statistics("A -> B") + Statistics("A <- B")
    assert str(caught.value) == (
        "statistics of different dags do not mix\n\none:   A; A -> B\nother: B -> A; B"
    )
    with pytest.raises(TypeError):
        _ = Statistics("A") + 1


def test_what_is_no_structure_is_refused() -> None:
    with pytest.raises(OptionError, match="a structure is a Dag, its text, a Network or a file"):
        Statistics(7)
    with pytest.raises(CycleError):
        Statistics("A -> B -> A")
    with pytest.raises(FormatError, match="there is no file"):
        Statistics("nowhere.bif")


def test_asking_for_a_variable_that_is_not_there_helps() -> None:
    with pytest.raises(CasesError, match="no cases were counted yet, so nothing is known of A"):
        _ = Statistics("A")["A"]
    with pytest.raises(ValueError, match="the dag has no variable 'Smokr'; did you mean 'Smoker'"):
        _ = Statistics("Smoker")["Smokr"]


def test_a_fit_wants_statistics_that_have_counted_something() -> None:
    with pytest.raises(OptionError, match="no cases were counted yet"):
        tc.fit("A", Statistics("A"))
    fit = tc.fit("A -> B", Statistics("A -> B").update(FIRST), estimate=tc.ML())
    assert fit.network["B"].values.tolist() == [[1, 0], [1 / 3, 2 / 3]]


def test_statistics_are_frozen() -> None:
    counted = Statistics("A -> B").update(FIRST)
    with pytest.raises(AttributeError):
        counted.cases = 5
    with pytest.raises(TypeError):
        counted.counts["A"] = counted.counts["B"]
    with pytest.raises(ValueError, match="read-only"):
        counted["A"].values[0] = 7


def test_they_print_as_a_table() -> None:
    counted = 0.5 * Statistics("A -> B").update(FIRST)
    assert repr(counted) == "<Statistics of 4 cases, weighing 2, 2 variables>"
    assert str(counted) == (
        "Statistics of 4 cases, weighing 2, 2 variables\n"
        "  variable  parents  kept         weight\n"
        "  A         -        2 cells           2\n"
        "  B         A        2 x 2 cells       2"
    )
    assert "<td" in counted._repr_html_()
    assert repr(Statistics("A")) == "<Statistics of 0 cases, 1 variable>"


# --- tables too large to keep ----------------------------------------------------------------


@pytest.fixture
def small_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables of more than 4 cells count as too large to keep; none fits a byte."""
    for module in (tables, union, engine_axes):
        monkeypatch.setattr(module, "DENSE_CELLS", 4)
    monkeypatch.setattr(tables, "CELLS", 4)


@pytest.mark.usefixtures("small_tables")
def test_sparse_counts_are_merged_taken_away_and_extended_like_dense_ones(tmp_path: Path) -> None:
    start = Statistics("A -> B")
    one, two = start.update(FIRST), start.update(SECOND)
    assert isinstance(one["B"], Counts)
    both = one + two  # 2 x 2 cells become 2 x 3, too many
    assert isinstance(both["B"], SparseCounts)
    assert both["B"].dense().values.tolist() == [[1, 1, 1], [1, 2, 0]]
    assert (both + both)["B"].dense().values.tolist() == [[2, 2, 2], [2, 4, 0]]
    assert (0.5 * both)["B"].total == 3
    left = both - two
    assert isinstance(left["B"], SparseCounts)
    assert left["B"].dense().values.tolist() == [[1, 0, 0], [1, 2, 0]]
    assert left["B"].at.size == 3
    more = both + start.update(cases(A=("no yes", [0]), B=("0 1", [0])))
    assert more.variables["B"].states == ("0", "1", "2", "10")
    assert more["B"].dense().values.tolist() == [[1, 1, 1, 1], [0, 1, 2, 0]]
    with pytest.raises(CasesError, match="more cases are taken away than were counted"):
        _ = both - start.update(cases(A=("no yes", [1]), B=("1 2 10", [2])))
    both.save(tmp_path / "sparse.json")
    loaded = load_statistics(tmp_path / "sparse.json")
    assert isinstance(loaded["B"], SparseCounts)
    assert_array_equal(loaded["B"].at, both["B"].at)
    assert_array_equal(loaded["B"].values, both["B"].values)


# --- files -----------------------------------------------------------------------------------


def mixed() -> Statistics:
    axes: dict[str, Variable] = {
        "größe": Discrete("größe", ("klein", "sehr groß")),
        "B": Discrete("B", ("1", "2"), True),
        "X": Continuous("X"),
    }
    random = np.random.default_rng(2)
    columns = {"größe": random.integers(0, 2, 9), "B": random.integers(0, 2, 9)}
    data = Dataset(axes, {**columns, "X": random.normal(size=9)}, random.random(9))
    return Statistics('"größe" -> B; X').update(data)


@pytest.mark.parametrize("name", ["kept.json", "kept.json.gz"])
def test_what_is_saved_comes_back_to_the_last_bit(tmp_path: Path, name: str) -> None:
    before = mixed()
    before.save(tmp_path / name)
    after = load_statistics(tmp_path / name)
    assert after.to_plain() == before.to_plain()
    assert after.dag == before.dag
    assert dict(after.variables) == dict(before.variables)
    assert after.variables["B"].inferred_order
    assert_array_equal(after["B"].values, before["B"].values)
    assert_array_equal(after["X"].scatter, before["X"].scatter)
    assert (after.cases, after.total_weight) == (before.cases, before.total_weight)
    assert (after - before).total_weight == 0
    if name.endswith(".gz"):
        assert gzip.decompress((tmp_path / name).read_bytes()).startswith(b"{")


def test_statistics_travel_between_processes() -> None:
    before = mixed()
    assert pickle.loads(pickle.dumps(before)).to_plain() == before.to_plain()
    empty = Statistics("A -> B")
    assert Statistics.from_plain(json.loads(json.dumps(empty.to_plain()))).dag == empty.dag


def damaged(**changes: Any) -> Any:
    plain = json.loads(json.dumps(Statistics("A -> B").update(FIRST).to_plain()))
    for place, value in changes.items():
        at = plain
        *outer, last = place.split("__")
        for key in outer:
            at = at[key]
        at[last] = value
    return plain


DAMAGE: list[tuple[dict[str, Any], str]] = [
    ({"format": "tacit-fit"}, "this JSON holds something else; wanted is"),
    ({"version": 2}, "version 2 of this format is not known here; this release reads version 1"),
    ({"parents": None}, "'parents' is missing or of the wrong kind"),
    ({"parents": {"A": ["B"], "B": ["A"]}}, "the arcs form a cycle"),
    ({"parents": {"A": [], "B": ["A"], "C": []}}, "every variable of the dag needs its states"),
    (
        {"variables": [{"name": "A"}, {"name": "B", "states": ["1", "2"]}]},
        "A do not fit its variables",
    ),
    ({"variables": [7]}, "a variable must be an object with a name"),
    ({"variables": [{"name": "A", "states": "no"}]}, "the states of 'A' must be a list"),
    ({"variables": []}, "every variable of the dag needs its states"),
    ({"cases": -1}, "'cases' is missing or of the wrong kind"),
    ({"cases": True}, "'cases' is missing or of the wrong kind"),
    ({"total_weight": "much"}, "'total_weight' must be a number, not 'much'"),
    ({"total_weight": -1.0}, "'total_weight' must be a finite number, 0 or more"),
    ({"counts__A": 7}, "None are no statistics"),
    ({"counts__A__values": [1, 2, 3]}, "counts of the shape (2,) need 2 numbers, not 3"),
    ({"counts__A__values": [1, -2]}, "counts must be a list of numbers, 0 or more"),
    ({"counts__A__values": [1, None]}, "'values' must hold finite numbers"),
    ({"counts__A__values": [1, "x"]}, "'values' must hold numbers"),
    ({"counts__A__values": [1, [2]]}, "'values' must hold numbers"),
    ({"counts__A__shape": []}, "the shape of counts must be a list of numbers of states"),
    ({"counts__A__shape": [10**9]}, "need 1,000,000,000 numbers, not 2"),
    ({"counts__A__shape": [10**30]}, "the shape of counts must be a list of numbers of states"),
    ({"counts__A": {"statistics": "counts", "shape": [1], "values": [1]}}, "do not fit its variab"),
    (
        {"counts__A": {"statistics": "moments", "weight": 1, "means": [1], "scatter": [[1]]}},
        "the statistics of A do not fit its variables",
    ),
    (
        {"counts__A": {"statistics": "moments", "weight": 1, "means": [1], "scatter": [1]}},
        "a square table of co-products",
    ),
    (
        {
            "counts__A": {
                "statistics": "sparse counts",
                "shape": [2],
                "at": [1, 0],
                "values": [1, 1],
            }
        },
        "the positions of counts must rise",
    ),
    (
        {"counts__A": {"statistics": "sparse counts", "shape": [2], "at": [2], "values": [1]}},
        "every count needs its position in the table",
    ),
    (
        {"counts__A": {"statistics": "sparse counts", "shape": [2], "at": ["0"], "values": [1]}},
        "'at' must be a list of positions",
    ),
]


@pytest.mark.parametrize(("changes", "said"), DAMAGE)
def test_a_damaged_file_is_one_message_that_names_it(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    path = tmp_path / "damaged.json"
    path.write_text(json.dumps(damaged(**changes)))
    with pytest.raises(FormatError) as caught:
        load_statistics(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert said in str(caught.value)


def test_a_file_that_is_cut_short_or_not_there_is_one_message(tmp_path: Path) -> None:
    path = tmp_path / "short.json"
    path.write_text(json.dumps(damaged())[:50])
    with pytest.raises(FormatError, match="the JSON is damaged here"):
        load_statistics(path)
    with pytest.raises(FormatError, match="there is no file"):
        load_statistics(tmp_path / "none.json")
    with pytest.raises(FormatError, match="cannot be written"):
        mixed().save(tmp_path / "no" / "folder.json")


def test_a_name_that_no_file_can_hold_writes_nothing(tmp_path: Path) -> None:
    counted = Statistics('"\ud800"')
    with pytest.raises(FormatError, match="half a character"):
        counted.save(tmp_path / "odd.json")
    assert list(tmp_path.iterdir()) == []
