"""Annealed weights with hidden variables, and the table of the chapter, Elidan (2004)."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain
from math import log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from tacit.experiments.elidan import parameters, structures, table
from tacit.experiments.elidan.crossing import crossed, held_out, whole
from tacit.experiments.elidan.domains import domain
from tacit.experiments.elidan.judged import Judged, bits
from tacit.experiments.elidan.table_told import ADVERSARY, PLAIN, RANDOM, RESTARTS, Done, Line
from tacit.experiments.elidan.trials import Spread, Trials, of_equal_effort, reached
from tacit.experiments.elidan.unseen import GOLDEN, HIDDEN, Unseen
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"
NAMES = (parameters.NAME, structures.NAME, table.NAME)
values = st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=12)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    return {name: run(find(name), Settings("smoke", progress=False)) for name in NAMES}


def judged(method: str, train: float, test: float = 0.0, effort: int = 1) -> Judged:
    return Judged(method, train, test, effort, 0.5)


def by_method(outcome: Outcome) -> dict[str, Any]:
    return {row["method"]: row for row in outcome.plain["rows"]}


# cases


def test_four_variables_are_hidden_with_their_true_numbers_of_states() -> None:
    unseen = Unseen.drawn(3, 20, 30)
    states = {name: unseen.truth[name].values.shape[-1] for name in HIDDEN}
    assert states == HIDDEN == unseen.hidden
    for cases, many in ((unseen.train, 20), (unseen.test, 30)):
        assert len(cases) == many
        assert {*cases.names, *HIDDEN} == set(unseen.truth.dag.names)
    per_case = tc.log_likelihood(unseen.truth, unseen.train).per_case
    assert unseen.golden().train == pytest.approx(per_case.mean())


@given(st.integers(10, 60), st.integers(2, 6), st.integers(0, 2**31))
def test_folds_are_disjoint_exhaustive_and_fixed_by_the_seed(
    cases: int, folds: int, seed: int
) -> None:
    variable = tc.Discrete("x", tuple(str(at) for at in range(cases)))
    held = tc.Dataset({"x": variable}, {"x": np.arange(cases)})
    parts = crossed(held, folds, seed)
    out = [part.test["x"].tolist() for part in parts]
    assert sorted(chain(*out)) == list(range(cases))
    assert max(map(len, out)) - min(map(len, out)) <= 1
    for part in parts:
        assert {*part.train["x"].tolist()} == {*range(cases)} - {*part.test["x"].tolist()}
        assert len(part.train) + len(part.test) == cases
    again = crossed(held, folds, seed)
    assert [part.test["x"].tolist() for part in again] == out


def test_other_seeds_make_other_folds() -> None:
    held = domain("rosetta").train
    first, second = (crossed(held, 5, seed)[0].test.fingerprint() for seed in (1, 2))
    assert first != second


@pytest.mark.parametrize("name", ["soybean", "rosetta"])
def test_a_domain_is_put_together_case_by_case(name: str) -> None:
    made = domain(name)
    cases = whole(made)
    first = np.arange(len(made.train))
    assert cases.take(first).fingerprint() == made.train.fingerprint()
    rest = np.arange(len(made.train), len(cases))
    assert cases.take(rest).fingerprint() == made.test.fingerprint()


def test_differences_of_folds_are_those_of_all_cases_held_out() -> None:
    parts = crossed(domain("tb").train.take(np.arange(53)), 5, 4)
    dags = [tc.Dag(dict.fromkeys(parts[0].train.names, ())),
            tc.Dag.parse("hiv -> site -> smear <- gender")]  # fmt: skip
    dags[1] = tc.Dag({**dags[0].parents, **dags[1].parents})
    means, each = [], []
    for dag in dags:
        networks = [tc.fit(dag, part.train, prior=tc.BDeu(5)).network for part in parts]
        pairs = list(zip(networks, parts, strict=True))
        means.append([bits(network, part.test) for network, part in pairs])
        each.append(np.concatenate([
            tc.log_likelihood(network, part.test).per_case for network, part in pairs
        ]))  # fmt: skip
    found = held_out([len(part.test) for part in parts], means[1], means[0])
    assert found.mean == pytest.approx((each[1] - each[0]).mean() / log(2))
    apart = np.array(means[1]) - np.array(means[0])
    assert found.error == pytest.approx(apart.std(ddof=1) / 5**0.5)
    assert found.pairs == 5


# how runs spread


@given(values)
def test_a_curve_says_how_many_runs_reach_a_value(held: list[float]) -> None:
    for value, share in reached(held):
        assert share == pytest.approx(100 * sum(each >= value for each in held) / len(held))
    assert [value for value, _ in reached(held)] == sorted(held)


def test_spreads_are_those_of_sorted_values() -> None:
    runs = [judged("a", train, -train) for train in (4.0, 0.0, 2.0, 3.0, 1.0, 5.0)]
    train, test = Spread.of(runs, "train", origin=1.0), Spread.of(runs, "test")
    assert (train.mean, train.best, train.chosen) == (1.5, 4.0, 4.0)
    assert train.marks == pytest.approx((0.0, 1.5, 3.0))
    assert (test.best, test.chosen) == (0.0, -5.0)


@given(st.lists(st.tuples(st.floats(-1, 1), st.integers(1, 9)), min_size=1, max_size=8),
       st.integers(1, 40))  # fmt: skip
def test_restarts_of_equal_effort_stop_when_it_is_spent(
    made: list[tuple[float, int]], budget: int
) -> None:
    runs = [judged("a", train, 2 * train, effort) for train, effort in made]
    taken: list[Judged] = []
    while len(taken) < len(runs) and sum(each.evaluations for each in taken) < budget:
        taken.append(runs[len(taken)])
    found = of_equal_effort(runs, budget, "b")
    assert found.train == max(each.train for each in taken)
    assert found.test == 2 * found.train
    assert found.evaluations == sum(each.evaluations for each in taken)


def test_shares_and_costs_are_averages_over_data_sets() -> None:
    sets = [
        [judged("EM", 1, effort=10), judged("EM", 3, effort=30), judged("new", 2, effort=50)],
        [judged("EM", 1, effort=10), judged("EM", 2, effort=30), judged("new", 0, effort=70)],
    ]
    trials = Trials(sets, "EM")
    assert trials.above("new", "train", "EM") == pytest.approx(0.25)
    assert trials.cost("new") == pytest.approx(3.0)
    assert trials.spread("new", "train").mean == pytest.approx((0 - 1.5) / 2)
    assert trials.curve("new", "train") == [[-1.5, 100.0], [0.0, 50.0]]


# parameters


def test_a_run_is_the_fit_from_its_start() -> None:
    unseen = Unseen.drawn(5, 100, 200, 1)
    found = parameters.learned("EM", unseen, parameters.STEPS, 2)
    same = tc.fit(unseen.truth.dag, unseen.train, hidden={"HR": 3}, prior=tc.BDeu(5),
                  method=parameters.STEPS, seed=5002)  # fmt: skip
    per_case = tc.log_likelihood(same.network, unseen.train).per_case
    assert found.train == pytest.approx(per_case.mean())
    assert found.test == pytest.approx(
        tc.log_likelihood(same.network, unseen.test).per_case.mean() / log(2)
    )
    assert found.evaluations == len(same.trace) - 1


def test_em_from_the_truth_comes_no_lower_than_the_truth_on_what_it_climbs() -> None:
    unseen = Unseen.drawn(5, 100, 200, 1)
    assert parameters.from_truth(unseen).train > unseen.golden().train


@pytest.mark.parametrize(("lead", "holds"), [(0.1, True), (-0.1, False)])
def test_claims_about_em_follow_the_runs(lead: float, holds: bool) -> None:
    runs = [judged("EM", train, -1, 10) for train in (-3.0, -2.0, -1.0)]
    top = -1 + lead if holds else -3 + lead
    runs += [judged(name, top, -1) for name in
             (parameters.ADVERSARY, parameters.SLOW, parameters.RANDOM)]  # fmt: skip
    runs += [judged(parameters.RESTARTS, -1, -1), judged(parameters.TRUTH, -1, -1)]
    runs.append(judged(GOLDEN, -4, 0 if holds else -2))
    claims = parameters.claims(Trials([runs, runs], "EM"))
    assert [claim.holds for claim in claims] == [holds] * 6


def test_pairs_begin_at_the_same_place() -> None:
    sets = [[judged("EM", 1), judged("EM", 4), judged("new", 2), judged("new", 3)]]
    assert parameters.higher(Trials(sets, "EM"), "new") == (1, 2)


# structures


def test_silver_is_the_true_dag_fitted_from_the_true_parameters() -> None:
    unseen = Unseen.drawn(2, 150, 500, 1)
    found = structures.silver(unseen)
    same = tc.fit(unseen.truth, unseen.train, hidden={"HR": 3}, prior=tc.BDeu(5), start="given",
                  method=tc.EM(restarts=1))  # fmt: skip
    assert found.test == pytest.approx(bits(same.network, unseen.test), abs=1e-3)


@pytest.mark.parametrize("holds", [True, False])
def test_claims_about_structural_em_follow_the_runs(holds: bool) -> None:
    sign = 1 if holds else -1
    low, top = 0.1 if holds else 2.0, 4.0 * sign
    runs = [judged("SEM", at, -9 + at, 10) for at in (-low, 0.0, low)]
    random = 0.5 + 2 * np.arange(3) if holds else np.array([-2.1, -2.0, -1.5])
    runs += [judged("random", at, -9 + at, 20) for at in random]
    runs.append(judged("adversary", top, -9 + top))
    runs += [judged("SEM, equal effort", 0.0), judged("silver", 5.0, -4), judged(GOLDEN, 0, -3.0)]
    claims = structures.claims(Trials([runs], "SEM"))
    assert [claim.holds for claim in claims] == [holds] * 6


# the table


def test_a_row_holds_the_mean_the_mark_and_the_adversary_above_restarts() -> None:
    task = table.TASKS[0]
    folds = [
        Done(task, "", held, [judged(PLAIN, 0, 0), judged(ADVERSARY, 3, adversary),
                              *(judged(RANDOM, 1, test) for test in randoms),
                              judged(RESTARTS, 2, base)])
        for held, adversary, randoms, base in ((10, 1.0, (0, 1, 2, 3, 4, 5), 0.5),
                                               (30, 2.0, (1, 1, 1, 1, 1, 7), 1.0))
    ]  # fmt: skip
    line = Line.of(task, folds)
    assert line.adversary.mean == pytest.approx((10 * 0.5 + 30 * 1.0) / 40)
    assert line.mean.mean == pytest.approx((10 * 2.0 + 30 * 1.0) / 40)
    assert line.mark.mean == pytest.approx((10 * 3.5 + 30 * 0.0) / 40)
    assert line.score(ADVERSARY).mean == pytest.approx(1.0)


def test_the_printed_rows_are_those_of_the_paper() -> None:
    printed = {(task.verb, task.domain): task.paper for task in table.TASKS}
    assert printed[("SEM", "soybean")] == (0.19, 0.32, 0.19)
    assert round(0.19 * 376) == 71
    assert np.sum(list(printed.values()), axis=0) == pytest.approx([0.52, 1.48, 1.04])


def test_real_cases_take_the_place_of_stand_ins(tmp_path: Path) -> None:
    rows = ["a,b", *(f"{at % 2},{at % 3}" for at in range(60))]
    (tmp_path / "uci_soybean.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    size = replace(table.SIZES["smoke"], tasks=(table.TASKS[4],))
    piece = table.drawn(table.TASKS[4], 1, size, Settings(data=tmp_path))
    assert piece.source.startswith("uci_soybean.csv, 60 cases")
    assert piece.fold.train.names == ("a", "b")
    assert (len(piece.fold.train), len(piece.fold.test)) == (48, 12)


def test_structural_em_restarts_come_no_lower_than_their_first_run(
    outcomes: dict[str, Outcome],
) -> None:
    rows = outcomes[table.NAME].plain["rows"]
    scores = {run["method"]: run["train"] for run in rows[1]["folds"][0]["runs"]}
    assert (rows[1]["task"], rows[1]["domain"]) == ("SEM", "rosetta")
    assert scores[RESTARTS] >= scores[PLAIN] - 1e-9


# all of them


@pytest.mark.parametrize("name", NAMES)
def test_a_small_run_has_all_methods_and_figures(name: str, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[name]
    assert outcome.done == outcome.asked
    assert outcome.name == name
    assert all(len(row) == len(grid.heads) for grid in outcome.tables for row in grid.rows)
    assert "paper" in str(outcome)


@pytest.mark.parametrize("name", NAMES[:2])
def test_nothing_learned_from_few_cases_predicts_as_the_truth_does(
    name: str, outcomes: dict[str, Outcome]
) -> None:
    methods = by_method(outcomes[name])
    tests = {method: [each["test"] for runs in told["runs"] for each in runs]
             for method, told in methods.items()}  # fmt: skip
    golden = max(tests.pop("golden"))
    assert all(max(held) < golden for held in tests.values())
    if "silver" in tests:
        silver = tests.pop("silver")[0]
        assert all(max(held) < silver for held in tests.values())


@pytest.mark.parametrize("name", NAMES[:2])
def test_annealing_takes_more_effort_than_the_method_it_wraps(
    name: str, outcomes: dict[str, Outcome]
) -> None:
    told = by_method(outcomes[name])
    slow = "adversary, slow" if name == parameters.NAME else "adversary"
    assert told[slow]["cost"] > 1


def test_a_run_again_is_identical(outcomes: dict[str, Outcome]) -> None:
    again = run(find(table.NAME), Settings("smoke", progress=False))
    assert again.plain == outcomes[table.NAME].plain
    assert again.tables == outcomes[table.NAME].tables


@pytest.mark.full
@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_what_comes_out(name: str) -> None:
    outcome = run(find(name), Settings("default", progress=False))
    page = PAGE.read_text(encoding="utf-8")
    assert all(str(grid) in page for grid in outcome.tables if "seconds" not in grid.heads)
