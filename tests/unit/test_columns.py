"""Columns that say nothing of others are set aside by all that learns structure, and told."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from commands import run, run_json
from tacit.learn.columns import columns_of, idle_columns, names_said
from tacit.reporting.facts import facts

CASES = 80
RANDOM = np.random.default_rng(3)
CAUSE = RANDOM.integers(0, 2, CASES)
IDLE = {
    "Void": [None] * CASES,
    "Still": [2.5] * CASES,
    "Same": ["t"] * (CASES - 1) + [None],
    "Who": [f"patient {number}" for number in range(CASES)],
}
WHY = {
    "Void": "empty",
    "Still": "one value throughout",
    "Same": "one value throughout",
    "Who": "a different value in every case",
}
NOTE = (
    "set aside: 'Void' (empty); 'Still', 'Same' (one value throughout); 'Who' (a different value "
    "in every case); as_given=True keeps them"
)


def shown(share: float) -> list[str]:
    """A sign of the cause that errs as often as that."""
    return np.where((RANDOM.random(CASES) < share) ^ (CAUSE == 1), "yes", "no").tolist()


STATES: dict[str, Any] = {name: shown(0.12) for name in "ABCD"}
REALS = {name: (3 * CAUSE + RANDOM.normal(size=CASES)).tolist() for name in "UVXY"}
BOTH = {**{name: STATES[name] for name in "AB"}, **{name: REALS[name] for name in "XY"}}
QUICK: dict[str, Any] = {"method": tc.HillClimb(restarts=0), "seed": 1}
FEW: dict[str, Any] = {"most": 1, "tries": 2, "shown": 1, "restarts": 0, "bootstrap": 0, "seed": 1}


def among(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns with those that say nothing between them."""
    first, *others = columns
    return {
        "Void": IDLE["Void"],
        first: columns[first],
        "Who": IDLE["Who"],
        **{name: columns[name] for name in others},
        "Still": IDLE["Still"],
        "Same": IDLE["Same"],
    }


def with_gap(columns: dict[str, Any]) -> dict[str, Any]:
    """The columns with a cell missing in the first of them."""
    first = next(iter(columns))
    return {**columns, first: [None, *columns[first][1:]]}


# --- which columns say nothing -------------------------------------------------------------------


def naive(values: list[str | None], weights: list[int]) -> str | None:
    """Why a column of names says nothing, read off value by value."""
    there = [(value, weight) for value, weight in zip(values, weights, strict=True) if weight]
    if len(there) < 2:
        return None
    known = [(value, weight) for value, weight in there if value is not None]
    if not known:
        return "empty"
    different = {value for value, _ in known}
    if len(different) == 1:
        return "one value throughout"
    cases = sum(weight for _, weight in known)
    if cases < 10 or len(different) < Fraction(95, 100) * cases:
        return None
    nearly = "" if len(different) == cases else "nearly "
    return f"a different value in {nearly}every case"


@given(
    st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(0, 3), st.integers(0, 10**6)),
            st.sampled_from([1, 1, 1, 1, 0, 2]),
        ),
        min_size=1,
        max_size=60,
    )
)
def test_a_column_of_names_says_nothing_as_its_values_show(cells: list[Any]) -> None:
    values = [None if value is None else f"n{value}" for value, _ in cells]
    weights = [weight for _, weight in cells]
    data = tc.read_cases({"A": values}, weights=np.array(weights, dtype=float))
    found = {name: why.value for name, why in idle_columns(data).items()}
    assert found.get("A") == naive(values, weights)


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([0.1] * 30, "one value throughout"),
        ([0.0] * 30, "one value throughout"),
        ([1e300] * 30, "one value throughout"),
        ([1e300, -1e300] * 15, None),
        ([1e-300, 2e-300] * 15, None),
        ([1e9 + 0.25, 1e9 + 0.5] * 15, None),
        ([1.0, 1.0 + 2e-16] * 15, "one value throughout"),
        ([float(number) for number in range(101, 131)], None),
        ([None] * 29 + [4.5], "one value throughout"),
        (list(range(15)), None),
        ([f"n{number}" for number in range(19)] + ["n0"], "a different value in nearly every case"),
        ([f"n{number}" for number in range(18)] + ["n0", "n1"], None),
    ],
)
def test_what_counts_as_one_value_or_as_a_name_of_each_case(
    values: list[Any], why: str | None
) -> None:
    """Numbers tell more than that they differ, so they are no names, few or many."""
    found = idle_columns(tc.read_cases({"A": values, "B": ["u", *["v"] * (len(values) - 1)]}))
    assert {name: each.value for name, each in found.items()} == ({"A": why} if why else {})


def test_only_cases_that_count_tell() -> None:
    data = tc.read_cases({"A": ["x", "x", "y"], "B": ["u", "v", "v"]})
    assert not idle_columns(data)
    assert list(idle_columns(data.with_weights(np.array([1.0, 2.0, 0.0])))) == ["A"]
    assert not idle_columns(data.with_weights(np.array([1.0, 0.0, 0.0])))
    many = tc.read_cases({"A": [f"kind {number}" for number in range(12)], "n": [5] * 12},
                         weights="n")  # fmt: skip
    assert not idle_columns(many)


# --- every learner of structure ------------------------------------------------------------------

Learner = Callable[..., Any]
LEARNERS: dict[str, tuple[Learner, dict[str, Any], dict[str, Any]]] = {
    "search": (tc.search, STATES, QUICK),
    "search, mixed": (tc.search, BOTH, QUICK),
    "search, real": (tc.search, REALS, QUICK),
    "search, exact": (tc.search, STATES, {"method": tc.Exact(), "seed": 1}),
    "search, hidden parents": (
        tc.search,
        REALS,
        {"method": tc.IdealParent(hidden=True, most_hidden=1), "seed": 1},
    ),
    "structural EM": (tc.structural_em, with_gap(STATES), {"seed": 1}),
    "structural EM, mixed": (tc.structural_em, with_gap(BOTH), {"seed": 1}),
    "structural EM, real": (tc.structural_em, with_gap(REALS), {"seed": 1}),
    "structural EM, hidden": (tc.structural_em, STATES, {"hidden": {"H": 2}, "restarts": 1,
                                                         "seed": 1}),
    "hidden variables": (tc.propose_hidden, STATES, FEW),
    "hidden variables, mixed": (tc.propose_hidden, BOTH, {**FEW, "least": 3}),
    "hidden variables, real": (tc.propose_hidden, REALS, {"most": 1, "seed": 1}),
    "hierarchy": (tc.learn_hierarchy, STATES, {"seed": 1}),
}  # fmt: skip


def settings_of(found: Any) -> dict[str, Any]:
    """Where the settings of a learner speak of columns."""
    settings = found.settings
    for inner in ("hidden_search", "hierarchy"):
        settings = settings.get(inner, settings)
    return dict(settings)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_goes_on_without_columns_that_say_nothing(name: str) -> None:
    learn, columns, options = LEARNERS[name]
    found = learn(among(columns), **options)
    without = learn(columns, **options)
    assert found.network == without.network
    assert found.log_likelihood == without.log_likelihood
    assert [note for note in found.notes if note.startswith("set aside")] == [NOTE]
    assert not any("set aside" in note for note in without.notes)
    assert not any("no variable" in note or "no value in any" in note for note in found.notes)
    assert f"note: {NOTE}" in str(found)
    said = settings_of(found)
    assert said["set_aside"] == {each: WHY[each] for each in said["set_aside"]}
    assert set(said["set_aside"]) == set(IDLE)
    assert not said.get("left_out")
    assert "as_given" not in said
    assert "set_aside" not in settings_of(without)


def asked_again(found: Any) -> dict[str, Any]:
    """The last section of a report: the call and the command."""
    return next(dict(part) for part in facts(found)["sections"] if part["kind"] == "again")


@pytest.mark.parametrize("name", LEARNERS)
def test_what_was_set_aside_is_in_the_report_and_to_do_it_again_does_it_again(
    name: str, tmp_path: Path
) -> None:
    learn, columns, options = LEARNERS[name]
    first = next(iter(columns))
    columns = {**columns, "Left": columns[first]}
    tc.write_cases(tc.read_cases(among(columns), continuous="Void"), tmp_path / "cases.csv")
    found = learn(str(tmp_path / "cases.csv"), leave_out=["Left"], **options)
    assert NOTE in " ".join(str(tc.report(found)).split())
    again = asked_again(found)
    scope: dict[str, Any] = {}
    exec(again["python"], scope)
    last = scope.get("found")
    assert last is not None
    assert last.network == found.network
    assert "leave_out=['Left']" in again["python"]
    assert "as_given" not in again["python"]
    assert "Void" not in again["python"]
    if again["command"] is not None:
        assert "--leave-out Left" in again["command"]
        assert "--as-given" not in again["command"]


@pytest.mark.parametrize("name", ["search", "structural EM", "hidden variables", "hierarchy"])
def test_columns_as_given_are_kept_and_asked_for_again(name: str) -> None:
    learn, columns, options = LEARNERS[name]
    idle = {"Same": [*IDLE["Same"][:-1], "t"], "Who": IDLE["Who"]}
    for as_given, kept in ((True, {"Same", "Who"}), (["Same"], {"Same"}), ("Same", {"Same"})):
        found = learn({**columns, **idle}, as_given=as_given, **options)
        assert set(idle) & set(found.network) == kept
        said = settings_of(found)
        assert said["as_given"] == (True if as_given is True else ["Same"])
        again = asked_again(found)
        assert f"as_given={said['as_given']}" in again["python"]
        if again["command"] is not None:
            words = "--as-given" if as_given is True else "--discrete Same"
            assert words in again["command"]


def test_a_constant_column_beside_real_values_is_an_error_as_before_if_it_is_kept() -> None:
    for as_given in (True, ["Still"]):
        with pytest.raises(tc.CasesError) as caught:
            tc.structural_em(with_gap({**BOTH, "Still": IDLE["Still"]}), as_given=as_given)
        assert str(caught.value) == (
            "Still has the same value in all cases, so no Gaussian fits it\n\nleave the column out"
        )


# --- what other arguments name -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("learn", "columns", "options"),
    [
        (tc.search, STATES, {"knowledge": "require A -> Same"}),
        (tc.search, STATES, {"knowledge": "order Same < B"}),
        (tc.search, STATES, {"knowledge": "P(Same=t) >= 0.5"}),
        (tc.search, STATES, {"start": "A -> Same"}),
        (tc.search, STATES, {"start": tc.Dag({"Same": (), "A": ()})}),
        (tc.search, STATES, {"method": tc.TAN("Same"), "score": tc.LogLikelihood()}),
        (tc.search, STATES, {"method": tc.ChowLiu("Same")}),
        (tc.search, STATES, {"dag_prior": tc.ArcBeliefs({("A", "Same"): 0.6})}),
        (tc.search, STATES, {"prior": tc.Dirichlet({"Same": 1.0})}),
        (tc.search, STATES, {"families": {"Same": tc.TreeTable}}),
        (tc.structural_em, STATES, {"start": "Same; A -> B"}),
        (tc.structural_em, STATES, {"knowledge": "forbid A -> Same", "hidden": {"H": 2},
                                    "restarts": 1}),
        (tc.propose_hidden, STATES, {**FEW, "knowledge": "forbid A -> Same"}),
        (tc.propose_hidden, STATES, {**FEW, "network": "A -> B; Same"}),
        (tc.propose_hidden, STATES, {**FEW, "refuse": [("A", "Same")]}),
        (tc.propose_hidden, STATES, {**FEW, "children": {"S": ["A", "B", "Same"]}, "most": 0}),
        (tc.learn_hierarchy, STATES, {"start": "H -> A, B, C, D, Same"}),
    ],
)  # fmt: skip
def test_what_another_argument_names_is_kept(
    learn: Learner, columns: dict[str, Any], options: dict[str, Any]
) -> None:
    whole = {**columns, "Same": ["t"] * CASES, "Who": IDLE["Who"]}
    found = learn(whole, **{"seed": 1, **options})
    assert "Same" in found.network
    assert "Who" not in found.network
    assert settings_of(found)["set_aside"] == {"Who": WHY["Who"]}


def test_names_are_found_wherever_they_stand() -> None:
    rules = tc.parse_knowledge("require A -> B; order C < D; P(E=yes | F=no) >= 0.1")
    assert names_said(rules) >= set("ABCDEF")
    assert names_said(tc.Dag.parse("G -> H"), None, {"I": tc.SigmoidGaussian}, ["J"], 3) == set(
        "GHIJ"
    )
    annealed = tc.WeightAnnealing(tc.Tabu(25, restarts=0))
    assert not names_said(annealed) & set("ABC")


# --- too few columns, wrong words ----------------------------------------------------------------


@pytest.mark.parametrize("learn", [tc.search, tc.structural_em, tc.propose_hidden])
def test_nothing_left_is_one_message(learn: Learner) -> None:
    with pytest.raises(tc.CasesError) as caught:
        learn({name: IDLE[name] for name in ("Void", "Who")})
    assert str(caught.value) == (
        "no column is left to learn from: 'Void' (empty); 'Who' (a different value in every case)"
        "\n\nas_given=True keeps them"
    )


def test_too_few_columns_left_for_a_hidden_variable_says_what_was_set_aside() -> None:
    few = {"A": STATES["A"], "B": STATES["B"], "Who": IDLE["Who"]}
    aside = "set aside: 'Who' (a different value in every case); as_given=True keeps it"
    with pytest.raises(tc.CasesError) as caught:
        tc.propose_hidden(few)
    assert str(caught.value) == (
        "a hidden variable shows in links among three variables or more, and there are 2: A, B"
        f"\n\n{aside}"
    )
    with pytest.raises(tc.CasesError) as caught:
        tc.learn_hierarchy(few)
    assert str(caught.value) == (
        "a hierarchy stands above three variables or more, and there are 2\n\ncolumns: A, B"
        f"\n\n{aside}"
    )


def test_a_column_to_keep_that_is_not_there_is_named() -> None:
    with pytest.raises(tc.ColumnError) as caught:
        tc.search({**STATES, "Same": ["t"] * CASES}, as_given=["Some"])
    assert str(caught.value) == (
        "there is no column Some to keep; did you mean 'Same'?\n\ncolumns: A, B, C, D, Same"
    )
    with pytest.raises(tc.OptionError, match="as_given takes a name or a list of names, not 3"):
        tc.search(STATES, as_given=3)  # type: ignore[arg-type]


def test_one_case_alone_sets_nothing_aside() -> None:
    data = tc.read_cases({"A": ["x"], "B": [None]})
    assert columns_of(data).cases is data


# --- the command line ----------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with cases, as a command finds them."""
    monkeypatch.chdir(tmp_path)
    tc.write_cases(tc.read_cases(among(STATES), continuous="Void"), "cases.csv")
    return tmp_path


WORDS = NOTE.replace("as_given=True", "--as-given")


def test_a_search_whose_only_gaps_are_in_idle_columns_is_one_of_complete_cases(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    words = ("search", "cases.csv", "--restarts", "0", "--seed", "1", "-o", "out.bif")
    told = run(capsys, *words)
    assert f"note: {WORDS}" in told.splitlines()
    assert "structural EM" not in told
    plain = run_json(capsys, *words)
    assert plain["set_aside"] == {name: WHY[name] for name in ("Void", "Who", "Still", "Same")}
    assert WORDS in plain["notes"]


def test_hidden_sets_aside_what_says_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    words = ("hidden", "cases.csv", "--most", "1", "--tries", "2", "--shown", "1", "--restarts",
             "0", "--bootstrap", "0", "--seed", "1", "-o", "out.json", "--posterior",
             "with.csv")  # fmt: skip
    assert f"note: {WORDS}" in run(capsys, *words).splitlines()
    assert set(tc.read("out.json").variables) >= set("ABCD")
    assert not set(tc.read("out.json").variables) & set(IDLE)
    assert set(tc.read_cases("with.csv").names) >= {*IDLE, *"ABCD"}


def test_as_given_and_columns_that_options_name_are_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    del folder
    words = ("search", "cases.csv", "--restarts", "1", "--seed", "1", "-o", "out.json")
    run(capsys, *words, "--discrete", "Same", "--quiet")
    assert set(tc.read("out.json").variables) == {*"ABCD", "Same"}
    run(capsys, *words, "--weights", "Still", "--continuous", "Still", "--quiet")
    assert set(tc.read("out.json").variables) == {*"ABCD", "Who"}  # each stands for 2.5 cases
    run(capsys, *words, "--as-given", "--leave-out", "Void", "--leave-out", "Still", "--quiet")
    assert set(tc.read("out.json").variables) == {*"ABCD", "Same", "Who"}
    from tacit.cli.main import execute

    assert execute([*words, "--as-given"]) == 2
    assert "Void" in capsys.readouterr().err


def test_advice_is_about_the_columns_that_a_search_would_keep() -> None:
    assert tc.advise(among(STATES)).call == tc.advise(STATES).call
    assert tc.advise(among(STATES), "seek").call == tc.advise(STATES, "seek").call
