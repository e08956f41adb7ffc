"""Structural EM: completions against enumeration, and what no round may do."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_completions as naive
import tacit as tc
from gappy import gappy, leaves_of, network
from naive_inference import cases_in
from tacit.core.independence import markov_blanket
from tacit.engines.table_scores import Columns, TableScorer
from tacit.estimate.scores.tables import table_score
from tacit.infer.flat import layout_of
from tacit.knowledge.limits import Limits
from tacit.learn.structure import completing, sem_scorer, sem_splitting
from tacit.learn.structure.completing import completed
from tacit.learn.structure.sem_job import Job, mask_of
from tacit.learn.structure.sem_rounds import explained, opened, refitted, round_at
from tacit.learn.structure.sem_running import Course, run_structural_em
from tacit.learn.structure.sem_scorer import ExpectedPriorScorer, expected_scorer

SEEDS = st.integers(0, 10_000)
TEXTS = (
    "A -> B -> C; A -> C; C -> D; H -> A; H -> D",
    "H -> A; H -> B; H -> C; G -> C; G -> D; H -> G",
    "A; B -> C; C -> D; B -> D",
)
STATES = {"B": 3, "D": 3, "H": 2, "G": 3}


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize(("most", "few"), [((4096, 256), 32), ((4096, 256), 0), ((3, 256), 32)])
def test_counts_of_any_family_are_those_of_every_completion(
    text: str, most: tuple[int, int], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where pieces are written out whole, and where large ones are cut apart by setting cells
    in every way."""
    monkeypatch.setattr(sem_splitting, "MOST", most)
    monkeypatch.setattr(completing, "FEW_KINDS", few)
    truth = network(text, STATES, seed=len(text))
    data = gappy(truth, 25, 0.3, seed=3, hidden="H G", weighted=True)
    names = truth.dag.names
    found = completed(data, truth, names)
    assert found.split.drawn == 0
    assert (len(found.split.case) > len(data)) == (most[0] == 3)
    cases = cases_in(data)
    for family in (*combinations(range(len(names)), 2), (2, 0, 1), (3, 1, 0, 2)):
        exact = naive.expected(truth, data, cases, [names[at] for at in family])
        assert_allclose(found.counts(family), exact, atol=1e-10)


def test_cells_that_are_drawn_are_right_on_average(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sem_splitting, "MOST", (3, 1))
    truth = network(TEXTS[1], STATES, seed=5)
    data, family = gappy(truth, 20, 0.3, seed=3, hidden="H G"), (1, 4, 0)
    names = truth.dag.names
    many = [completed(data, truth, names, seed) for seed in range(400)]
    assert all(found.split.drawn == 20 for found in many)
    counts = np.array([found.counts(family) for found in many])
    exact = naive.expected(truth, data, cases_in(data), [names[at] for at in family])
    error, common = counts.std(axis=0) / np.sqrt(len(many)), exact > 0.3
    off = np.abs(counts.mean(axis=0) - exact)
    assert common.sum() >= 6
    assert (off <= 5 * error)[common].all()
    assert (off <= 0.1).all()
    assert_allclose(counts[7], completed(data, truth, names, 7).counts(family), rtol=0)


@pytest.fixture(
    params=[(0, 10, (9999, 1)), (99, 0, (0, 0)), (99, 10**9, (0, 0)), (0, 0, (0, 0))],
    ids=["whole", "alone", "together", "grown"],
)
def writing(request: pytest.FixtureRequest) -> Iterator[None]:
    """The ways in which candidates may be counted that depend on what is written out."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (completing, sem_scorer):
            patch.setattr(module, "FEW_KINDS", request.param[0])
        patch.setattr(sem_scorer, "ALONE", request.param[1])
        patch.setattr(completing, "GROWN", request.param[2])
        yield


@pytest.mark.usefixtures("writing")
@given(SEEDS)
@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_scores_of_completed_cases_are_those_of_their_expected_counts(seed: int) -> None:
    truth = network(TEXTS[seed % 3], STATES, seed=seed)
    data = gappy(truth, 15, 0.25, seed=seed, hidden="H G", weighted=True)
    names, cases = truth.dag.names, cases_in(data)
    here = completed(data, truth, names)
    scorer = expected_scorer(here, tc.BDeu(5))
    child, parent, *others = np.random.default_rng(seed).permutation(len(names)).tolist()
    added = scorer.adding(child, (parent,), np.array(others))
    for other, score in zip(others, added.tolist(), strict=True):
        who = tuple(sorted((parent, other)))
        family = [names[at] for at in (*who, child)]
        counts = naive.expected(truth, data, cases, family)
        assert score == pytest.approx(naive.bde(counts, 5 / counts.size), abs=1e-9)
        assert scorer.family(child, who) == pytest.approx(score, abs=1e-9)
        slow = ExpectedPriorScorer(here, tc.BDeu(5))
        assert slow.family(child, who) == pytest.approx(score, abs=1e-9)
    rows = counts.reshape(-1, counts.shape[-1])
    shares = rows / np.where(
        rows.sum(axis=1, keepdims=True) > 0, rows.sum(axis=1, keepdims=True), 1
    )
    best = float((rows[rows > 0] * np.log(shares[rows > 0])).sum())
    weight = float(data.weights.sum()) if data.weights is not None else len(data)
    price = np.log(weight) / 2 * rows.shape[0] * (rows.shape[1] - 1)
    greatest = expected_scorer(here, tc.BIC()).family(child, who)
    assert greatest == pytest.approx(best - price, abs=1e-8)


def test_with_nothing_missing_families_score_as_in_a_search() -> None:
    truth = network(TEXTS[2], STATES, seed=1)
    data = gappy(truth, 200, 0.0, seed=4, weighted=True)
    names = truth.dag.names
    for score in (tc.BDeu(2), tc.BIC(), tc.QNML()):
        known = table_score(score)
        assert known is not None
        plain = TableScorer.of(Columns.of(data, names), known)
        ours = expected_scorer(completed(data, truth, names), score)
        others = np.array([0, 1, 3])
        assert_allclose(ours.adding(2, (), others), plain.adding(2, (), others))
        assert ours.family(3, (0, 2)) == pytest.approx(plain.family(3, (0, 2)))
        fewer = np.arange(200) % 3.0
        assert_allclose(
            ours.weighted(fewer).adding(1, (0,), others[2:]),
            plain.weighted(fewer).adding(1, (0,), others[2:]),
        )


# --- the Cheeseman-Stutz score ------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS)
def test_cheeseman_stutz_is_the_score_of_expected_counts_and_the_entropy_left(text: str) -> None:
    """log P(D | θ) - E log P(D* | θ) is the entropy of the completions."""
    truth = network(text, STATES, seed=2)
    data = gappy(truth, 20, 0.2, seed=3, hidden="H G", weighted=True)
    cases = cases_in(data)
    counts = {
        name: naive.expected(truth, data, cases, (*truth.dag.parents[name], name)) for name in truth
    }
    by_hand = naive.bdeu(truth, counts, 5) + naive.entropy(truth, data, cases)
    assert tc.cheeseman_stutz(truth, data, tc.BDeu(5)) == pytest.approx(by_hand, abs=1e-9)


@given(SEEDS)
@settings(max_examples=10)
def test_cheeseman_stutz_lies_below_the_log_marginal_likelihood(seed: int) -> None:
    """Of four or five cases it can be added up over all of their completions."""
    truth = network("H -> A; H -> B; A -> B", {"H": 2}, seed=seed)
    data = gappy(truth, 5, 0.2, seed=seed, hidden="H")
    exact = naive.log_evidence(truth, cases_in(data), 2.0)
    assert tc.cheeseman_stutz(truth, data, tc.BDeu(2)) <= exact + 1e-9
    fitted = tc.fit("H -> A; H -> B; A -> B", data, hidden={"H": ("s0", "s1")}, prior=tc.BDeu(2))
    assert tc.cheeseman_stutz(fitted, data, tc.BDeu(2)) <= exact + 1e-9


def test_cheeseman_stutz_is_bde_when_nothing_is_missing_or_hidden_has_one_state() -> None:
    """T5."""
    truth = network(TEXTS[2], STATES, seed=3)
    data = gappy(truth, 100, 0.0)
    fitted = tc.fit(truth.dag, data, prior=tc.BDeu(5))
    exact = fitted.log_marginal_likelihood
    assert tc.cheeseman_stutz(fitted, data, tc.BDeu(5)) == pytest.approx(exact, abs=1e-9)
    assert tc.cheeseman_stutz(truth, data, tc.BDeu(5)) == pytest.approx(exact, abs=1e-9)
    only = tc.Discrete("H", ("all",))
    axes = [truth.variables["B"], only, truth.variables["C"]]
    wider = [truth[name] for name in "ABD"]
    values = np.asarray(truth["C"].values)[:, None, :]
    tables = [*wider, tc.table(only, [], [1.0]), tc.table(axes[-1], axes[:-1], values)]
    one = tc.Network.of(tables)
    assert tc.cheeseman_stutz(one, data, tc.BDeu(5)) == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("states", [2, 3, 5])
def test_a_hidden_variable_without_arcs_lowers_cheeseman_stutz(states: int) -> None:
    """T5: it changes nothing in truth."""
    truth = network(TEXTS[2], STATES, seed=3)
    data = gappy(truth, 100, 0.1)
    idle = tc.Discrete("H", tuple(map(str, range(states))))
    wider = tc.Network.of(
        [*(truth[name] for name in truth), tc.table(idle, [], [1 / states] * states)]
    )
    alone = tc.cheeseman_stutz(truth, data, tc.BDeu(5))
    assert tc.cheeseman_stutz(wider, data, tc.BDeu(5)) < alone - 1


# --- rounds -------------------------------------------------------------------------------------


def job(data: tc.Dataset, truth: tc.Network, hidden: str, score: object, **more: object) -> Job:
    variables = {**data.variables, **{name: truth.variables[name] for name in hidden.split()}}
    limits = Limits.none(tuple(variables))
    prior = score if isinstance(score, tc.Prior) else None
    return Job(data, variables, tuple(hidden.split()), score, limits, prior=prior, **more)


def above_all(job: Job) -> tc.Dag:
    hidden = set(job.hidden)
    return tc.Dag({name: () if name in hidden else job.hidden for name in job.names})


@pytest.mark.parametrize("score", [tc.BIC(), tc.MDL(), tc.AIC()])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_penalised_scores_of_what_was_observed_never_fall(score: object, seed: int) -> None:
    """T5: an expected gain is at least that gain in truth, for any number of EM steps a round."""
    truth = network(TEXTS[1], STATES, seed=seed, sharp=0.5)
    data = gappy(truth, 300, 0.1, seed=seed, hidden="H G")
    terms = tc.DescriptionLength().terms((*data.names, "H", "G")) if score == tc.MDL() else None
    for steps in (1, 10):
        asked = job(data, truth, "H G", score, steps=steps, terms=terms)
        runs = run_structural_em(asked, Course(above_all(asked), 2, 12, seed))
        for run in runs:
            changes = np.diff(run.objectives)
            assert (changes >= -1e-7 * abs(run.begin)).all()
            assert len(run.trace) >= 1
            gained = [each.after - each.before for each in run.trace]
            early = slice(0, len(gained) - 1)
            assert (changes[early] >= np.array(gained)[early] - 1e-6).all()
        best = max((run.best for run in runs), key=lambda each: each.objective)
        price = sum(table_price(best.network, name, score, 300) for name in best.network)
        extra = (
            0.0
            if terms is None
            else sum(terms.by_size[len(w)] for w in best.network.dag.parents.values())
        )
        observed = tc.log_likelihood(best.network, data)
        assert best.objective == pytest.approx(observed - price + extra, abs=1e-6)


def test_under_a_prior_the_best_network_that_was_met_is_kept() -> None:
    """Its rounds may fall: the score of expected counts is an approximation. [HV1 1.8]"""
    truth = network(TEXTS[1], STATES, seed=4, sharp=0.5)
    data = gappy(truth, 200, 0.15, seed=4, hidden="H G")
    asked = job(data, truth, "H G", tc.BDeu(5), steps=1)
    for run in run_structural_em(asked, Course(above_all(asked), 3, 12, 4)):
        assert run.best.objective >= max(run.objectives) - 1e-6
        again = tc.cheeseman_stutz(run.best.network, data, tc.BDeu(5))
        assert run.best.objective == pytest.approx(again, abs=1e-8)


def table_price(network: tc.Network, name: str, score: object, cases: int) -> float:
    each = 1.0 if score == tc.AIC() else np.log(cases) / 2
    return each * network[name].free_parameters


@pytest.mark.parametrize("seed", [0, 1, 2, 3])
def test_moves_stay_within_the_mask(seed: int) -> None:
    """Outside the Markov blanket of H no parent set changes. [HV1 1.8]"""
    truth = leaves_of("H", "ABCDEFG")
    data = gappy(truth, 400, 0.05, seed=seed, hidden="H")
    asked = job(data, truth, "H", tc.BDeu(5), around=("H",))
    start = tc.Dag.parse("A; B; C; D; E; F; G; H; H -> A; H -> B; D -> A; F -> E; G -> F; D -> G")
    here = opened(asked, start, (seed,), 0).network
    moved = 0
    for number in range(4):
        if "H" not in here:
            break
        inside = {"H"} | markov_blanket(here, "H")
        assert mask_of(here.dag, ("H",)) == inside
        step = round_at(asked, here, asked.weights, number)
        after = step.hypothesis.network.dag
        changed = {n for n in after.parents if set(after.parents[n]) != set(here.dag.parents[n])}
        assert changed <= inside
        for move in step.moves:
            assert move.head in inside
            assert move.verb != "reverse" or move.tail in inside
        moved, here = moved + len(step.moves), step.hypothesis.network
    assert moved > 0
    free = round_at(
        job(data, truth, "H", tc.BDeu(5)), opened(asked, start, (0,), 0).network, asked.weights
    )
    assert any(move.head not in {"H"} | markov_blanket(start, "H") for move in free.moves)


def test_a_round_at_weights_is_a_round_over_copies_of_the_cases() -> None:
    truth = leaves_of("H", "ABCD")
    data = gappy(truth, 150, 0.1, seed=1, hidden="H")
    weights = np.arange(150) % 3.0
    copies = data.take(np.repeat(np.arange(150), np.arange(150) % 3))
    one, other = job(data, truth, "H", tc.BDeu(5)), job(copies, truth, "H", tc.BDeu(5))
    here = opened(one, above_all(one), (3,), 1).network
    ours = round_at(one, here, weights)
    theirs = round_at(other, here, other.weights)
    assert ours.hypothesis.network.dag == theirs.hypothesis.network.dag
    assert ours.after == pytest.approx(theirs.after, abs=1e-8)
    assert ours.hypothesis.objective == pytest.approx(theirs.hypothesis.objective, abs=1e-6)


def test_how_well_cases_are_explained_is_the_slope_of_the_log_likelihood() -> None:
    """d log P(cases) / d weight of a case, by differences."""
    truth = leaves_of("H", "ABCD")
    data = gappy(truth, 30, 0.1, seed=1, hidden="H")
    asked = job(data, truth, "H", tc.BDeu(5))
    slopes = explained(asked, truth)
    for case in (0, 7, 29):
        up, down = np.ones(30), np.ones(30)
        up[case], down[case] = 1.5, 0.5
        change = tc.log_likelihood(truth, data.with_weights(up))
        change -= tc.log_likelihood(truth, data.with_weights(down))
        assert slopes[case] == pytest.approx(change, abs=1e-9)


def test_refitting_a_network_where_it_stands_changes_nothing() -> None:
    truth = leaves_of("H", "ABCD")
    asked = job(gappy(truth, 300, 0.1, seed=1, hidden="H"), truth, "H", tc.BDeu(5))
    there = opened(asked, above_all(asked), (3,), 1)
    again = refitted(asked, there.network, asked.weights, 50)
    assert again.objective == pytest.approx(there.objective, abs=1e-3)
    theta = layout_of(there.network.dag, there.network.variables).parameters(there.network)
    after = layout_of(again.network.dag, again.network.variables).parameters(again.network)
    assert_allclose(after, theta, atol=5e-3)
