"""Structural EM over columns of states and of real values together. [HV2 3.6; Friedman 1997]"""

from __future__ import annotations

from itertools import pairwise, permutations
from math import log, pi
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize

import naive_mixed
import tacit as tc
from mixed import beneath, found_in, mixed_network
from tacit.engines.completed import complete
from tacit.engines.mixed_scores import mixed_scorer
from tacit.knowledge.limits import reasons_of
from tacit.learn.fits import Stop
from tacit.learn.structure.question import joinable
from tacit.learn.structure.sem_job import Job
from tacit.learn.structure.sem_mixed import led_up, opened_mixed, round_at_mixed
from tacit.learn.structure.sem_scorer import completed_scorer

PLAIN = tc.HillClimb(restarts=0)


def gappy(network: tc.Network, cases: int, seed: int, share: float = 0.1) -> tc.Dataset:
    return tc.sample(network, cases, seed=seed, missing=tc.AtRandom(share))


# --- scores of completed cases -------------------------------------------------------------------


def summed(network: tc.Network, data: tc.Dataset, axes: list[str]) -> dict[tuple, tuple]:
    sums: dict[tuple, tuple] = {}
    for case in range(len(data)):
        for at, parts in naive_mixed.expected_family(
            network, found_in(network, data, case), axes
        ).items():
            before = sums.get(at, (0.0, 0.0, 0.0))
            sums[at] = tuple(a + b for a, b in zip(before, parts, strict=True))
    return sums


def line_of(parts: tuple) -> tuple[np.ndarray, float, float]:
    """Slopes with -1 behind them, intercept and variance of least squares, from E[1], E[z],
    E[z zᵀ]."""
    weight, first, second = parts
    scatter = second - np.outer(first, first) / weight
    slopes = np.linalg.lstsq(scatter[:-1, :-1], scatter[:-1, -1], rcond=None)[0]
    off = np.append(slopes, -1.0)
    return off, -float(off @ first) / weight, float(off @ scatter @ off) / weight


def greatest(sums: dict[tuple, tuple], parameters: int) -> float:
    """The log-likelihood of least squares in every configuration; of all cases where a
    configuration is expected in no more than its parameters."""
    whole, total = tuple(sum(parts) for parts in zip(*sums.values(), strict=True)), 0.0
    for parts in sums.values():
        weight, first, second = parts
        off, level, variance = line_of(parts if weight > parameters else whole)
        squares = off @ second @ off + 2 * level * (off @ first) + weight * level**2
        total -= (weight * log(2 * pi * variance) + squares / variance) / 2
    return total


@pytest.mark.parametrize("seed", [0, 2, 4])
def test_scores_of_completed_cases_are_those_of_every_completion(seed: int) -> None:
    network = mixed_network(seed, states=2, reals=3)
    data = gappy(network, 40, seed, 0.3)
    scorer = completed_scorer(complete(network, data), dict(data.variables), tc.BIC())
    place = {name: at for at, name in enumerate(data.names)}
    reals = [name for name in data.names if name.startswith("X")]
    for child, near in permutations(reals, 2):
        for by in ([], ["A0"], ["A1"]):
            sums = summed(network, data, [*by, near, child])
            price = log(40) / 2 * 3 * np.prod([len(network.variables[n].states) for n in by])
            who = tuple(sorted(place[each] for each in (*by, near)))
            assert scorer.family(place[child], who) == pytest.approx(greatest(sums, 3) - price)
            if by:
                added = scorer.adding(place[child], (place[by[0]],), np.array([place[near]]))
                assert added[0] == pytest.approx(greatest(sums, 3) - price)
    counts = np.zeros([len(network.variables[name].states) for name in ("A0", "A1")])
    for at, (weight, *_) in summed(network, data, ["A0", "A1"]).items():
        counts[at] = weight
    shares = counts / counts.sum(axis=1, keepdims=True)
    price = log(40) / 2 * counts.shape[0] * (counts.shape[1] - 1)
    best = float((counts * np.log(shares)).sum()) - price
    assert scorer.family(place["A1"], (place["A0"],)) == pytest.approx(best)
    assert scorer.family(place["A1"], (place["X0"],)) == -np.inf


def test_with_nothing_missing_families_score_as_in_a_search() -> None:
    network = mixed_network(3)
    for data in (tc.sample(network, 80, seed=1), gappy(network, 80, 1, 0.0).with_weights(
        np.random.default_rng(0).uniform(0, 2, 80)
    )):  # fmt: skip
        ours = completed_scorer(complete(network, data), dict(data.variables), tc.AIC())
        plain = mixed_scorer(data, tc.AIC())
        for child in range(len(data.names)):
            for other in set(range(len(data.names))) - {child}:
                assert ours.family(child, (other,)) == pytest.approx(plain.family(child, (other,)))


def test_lines_that_are_drawn_again_score_as_the_cases_they_are_of() -> None:
    """Restarts by resampling: a case of weight two is the case twice."""
    network = mixed_network(1)
    data = gappy(network, 50, 2, 0.2)
    often = np.arange(50) % 3
    held = complete(network, data)
    again = complete(network, data.take(np.repeat(np.arange(50), often)))
    variables = dict(data.variables)
    ours = completed_scorer(held, variables, tc.BIC()).weighted(often * 1.0)
    theirs = completed_scorer(again, variables, tc.BIC())
    for child, who in ((6, (0, 3)), (5, (1,)), (4, ()), (2, (0,))):
        assert ours.family(child, who) == pytest.approx(theirs.family(child, who), abs=1e-7)


# --- rounds --------------------------------------------------------------------------------------


def job(data: tc.Dataset, hidden: dict[str, int] | None = None, **more: object) -> Job:
    unseen = {n: tc.Discrete(n, tuple("123456"[:k])) for n, k in (hidden or {}).items()}
    variables = {**data.variables, **unseen}
    empty = {name: np.full(len(data), -1) for name in unseen}
    whole = tc.Dataset(variables, {**data.columns, **empty})
    limits = joinable(whole, reasons_of(None, tuple(variables), None))
    return Job(data, variables, tuple(unseen), tc.BIC(), limits, **more)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("steps", [1, 10])
def test_no_round_lowers_the_score_of_what_was_observed(seed: int, steps: int) -> None:
    """Each gains at least what its search gained at the expected statistics, whatever the steps of
    EM; here no configuration of the dags in question has too few cases."""
    if seed % 2:
        network = mixed_network(seed, states=2, reals=3)
        asked = job(gappy(network, 400, seed, 0.15), steps=steps)
        dag = tc.Dag(dict.fromkeys(asked.names, ()))
    else:
        columns, _ = beneath(seed, 400, 0.1)
        asked = job(tc.read_cases(columns), {"H": 2}, steps=steps)
        dag = tc.Dag({name: () if name == "H" else ("H",) for name in asked.names})
    here = opened_mixed(asked, dag, (seed, 0), 0, None, 3)
    gained = []
    for _ in range(5):
        step = round_at_mixed(asked, here.network, asked.weights)
        after = step.hypothesis
        gained.append(step.after - step.before)
        assert after.objective - here.objective >= gained[-1] - 1e-7 * abs(here.objective)
        price = log(400) / 2 * after.network.free_parameters
        observed = float(tc.log_likelihood(after.network, asked.cases))
        assert after.log_likelihood == pytest.approx(observed, abs=1e-6)
        assert after.objective == pytest.approx(observed - price, abs=1e-6)
        here = after
    assert gained[0] > 10


def test_the_trace_never_falls_and_ends_where_the_score_says() -> None:
    for seed in range(3):
        data = gappy(mixed_network(seed), 300, seed, 0.12)
        found = tc.structural_em(data, seed=1)
        assert found.stop is Stop.CONVERGED
        assert all(after >= before for before, after in pairwise(found.trace))
        assert found.score == found.trace[-1]


def test_rounds_by_ideal_parents_are_those_of_plain_climbing_with_fewer_families() -> None:
    """With all candidates step by step, with one exact candidate to the same score."""
    for seed in range(2):
        data = gappy(mixed_network(seed, states=3, reals=5), 200, seed)
        every = len(data.names)
        plain = tc.structural_em(data, method=tc.HillClimb(restarts=0, replace=True), seed=1)
        for similarity in ("exact", "ideal"):
            method = tc.IdealParent(k=every, similarity=similarity)
            whole = tc.structural_em(data, method=method, seed=1)
            assert [*map(str, whole.moves)] == [*map(str, plain.moves)]
            assert whole.score == pytest.approx(plain.score)
        few = tc.structural_em(data, method=tc.IdealParent(k=1), seed=1)
        assert few.score == pytest.approx(plain.score)
        assert few.evaluations < 0.9 * plain.evaluations
        assert all(b >= a - 1e-6 * abs(a) for a, b in pairwise(few.trace))


def test_ideal_parents_search_around_a_hidden_variable_with_states() -> None:
    columns, _ = beneath(1, 300, gaps=0.05)
    asked = {"hidden": {"H": 2}, "seed": 1, "restarts": 1}
    found = tc.structural_em(columns, method=tc.IdealParent(), **asked)
    plain = tc.structural_em(columns, **asked)
    assert found.score >= plain.score - 1e-3 * abs(plain.score)
    assert "H" in found.dag.parents["X1"]
    page = str(tc.report(found))
    assert "method=tc.IdealParent()" in page
    assert "--method ideal" in page
    few = {name: columns[name] for name in ("X0", "X1", "X2", "X3", "X4")}
    reals = tc.structural_em(few, method=tc.IdealParent(), **asked)
    assert all(b >= a - 1e-6 * abs(a) for a, b in pairwise(reals.trace))


def test_whole_cases_are_a_plain_search() -> None:
    for seed in (1, 3):
        data = tc.sample(mixed_network(seed), 300, seed=seed)
        for score in (tc.BIC(), tc.AIC()):
            plain = tc.search(data, score=score, method=PLAIN)
            same = tc.structural_em(data, score=score, seed=1)
            assert same.dag == plain.dag
            assert same.score == pytest.approx(plain.score, abs=1e-6)
            for name, family in plain.network.families.items():
                if isinstance(family, tc.Table):
                    assert_allclose(same.network[name].values, family.values)
                else:
                    assert_allclose(same.network[name].sd, family.sd)


def test_other_labels_and_another_order_of_columns_and_cases_change_nothing_else() -> None:
    data = gappy(mixed_network(3), 300, 5, 0.12)
    one = tc.structural_em(data, seed=1)
    order = [*reversed(data.names)]
    turned, variables = {}, {}
    for name in order:
        variable, column = data.variables[name], np.asarray(data[name])[::-1]
        if isinstance(variable, tc.Discrete):
            many = len(variable.states)
            turned[f"{name}_"] = np.where(column < 0, -1, many - 1 - column)
            states = tuple(f"new {state}" for state in reversed(variable.states))
            variables[f"{name}_"] = tc.Discrete(f"{name}_", states)
        else:
            turned[f"{name}_"] = column
            variables[f"{name}_"] = tc.Continuous(f"{name}_")
    other = tc.structural_em(tc.Dataset(variables, turned), seed=1)
    assert other.score == pytest.approx(one.score, abs=1e-4)
    ours = {frozenset((f"{a}_", f"{b}_")) for a, b in one.dag.arcs}
    assert {frozenset(arc) for arc in other.dag.arcs} == ours


@pytest.mark.parametrize("seed", range(3))
def test_dags_found_with_gaps_suit_the_whole_cases_nearly_as_well_as_those_found_on_them(
    seed: int,
) -> None:
    """With a tenth of the cells gone they keep 95% of what arcs gain on the whole cases."""
    network = mixed_network(seed, 3, 4)
    whole, gaps = tc.sample(network, 500, seed=seed), gappy(network, 500, seed)
    method = tc.Tabu()
    best, found = tc.search(whole, method=method), tc.structural_em(gaps, method=method, seed=1)
    nothing = tc.score("; ".join(whole.names), whole).total
    lost = best.score - tc.score(found.dag, whole).total
    assert lost < 0.05 * (best.score - nothing)


@pytest.mark.full
def test_planted_links_are_found_with_gaps_as_often_as_nearly_without() -> None:
    shares = {"whole": [], "gaps": []}
    for seed in range(20):
        network = mixed_network(seed, 3, 4)
        truth = {frozenset(arc) for arc in network.dag.arcs}
        whole, gaps = tc.sample(network, 800, seed=seed), gappy(network, 800, seed)
        for name, dag in (
            ("whole", tc.search(whole, method=tc.Tabu()).dag),
            ("gaps", tc.structural_em(gaps, method=tc.Tabu(), seed=1).dag),
        ):
            found = {frozenset(arc) for arc in dag.arcs}
            shares[name].append(len(found & truth) / max(1, len(truth)))
    assert np.mean(shares["gaps"]) > np.mean(shares["whole"]) - 0.05


# --- rules, options, ends ------------------------------------------------------------------------


def test_rules_hold_and_no_state_has_a_real_parent() -> None:
    data = gappy(mixed_network(1), 200, 3, 0.1)
    rules = "require X3 -> X0; forbid A0 -> *; at most 2 parents"
    found = tc.structural_em(data, knowledge=rules, method=tc.HillClimb(restarts=1), seed=1)
    assert ("X3", "X0") in found.dag.arcs
    assert not found.dag.children["A0"]
    assert max(len(who) for who in found.dag.parents.values()) <= 2
    for name in ("A0", "A1", "A2"):
        assert all(who.startswith("A") for who in found.dag.parents[name])


def test_checkpoints_go_on_to_the_same_bits(tmp_path: Path) -> None:
    columns, _ = beneath(4, 150, 0.05)
    options = {"hidden": {"H": 2}, "restarts": 2, "seed": 3}
    whole = tc.structural_em(columns, **options)
    path = tmp_path / "rounds.ckpt"

    def ends_early(done: int, total: int, score: float | None = None) -> None:
        del total, score
        if done >= 2:
            raise KeyboardInterrupt

    tc.structural_em(columns, progress=ends_early, checkpoint=path, **options)
    again = tc.structural_em(columns, checkpoint=path, resume=True, **options)
    assert again.score == whole.score
    assert again.dag == whole.dag


def test_a_network_to_start_from_lends_its_numbers() -> None:
    columns, _ = beneath(2, 300)
    found = tc.structural_em(columns, hidden={"H": 2}, seed=1, restarts=2)
    again = tc.structural_em(columns, start=found.network, hidden="rest", restarts=1, seed=5)
    assert again.dag == found.dag
    assert again.score == pytest.approx(found.score, abs=0.01)
    assert_allclose(
        tc.query(again.network, "H").values, tc.query(found.network, "H").values, atol=0.01
    )


def test_configurations_of_few_cases_have_no_variance_of_their_own() -> None:
    """Two cases of a rare state lie close together; their own sd would be worth any score."""
    random = np.random.default_rng(0)
    rare = np.where(np.arange(60) < 2, "rare", np.where(np.arange(60) % 2, "b", "c")).astype(object)
    value = random.normal(size=60)
    value[:2] = 0.3, 0.3 + 1e-9
    rare[5] = None
    data = tc.read_cases({"K": rare, "X": value})
    asked = job(data)
    dag = tc.Dag.parse("K -> X")
    here = opened_mixed(asked, dag, (1,), 0, None, 50)
    states = list(asked.variables["K"].states)
    assert here.network["X"].sd[states.index("rare")] == pytest.approx(np.std(value), rel=0.2)
    assert here.objective < 0
    assert led_up(asked, here.network, asked.weights, 5).objective == pytest.approx(here.objective)


def test_many_equal_values_give_an_answer_and_a_note() -> None:
    """The likelihood of a state that holds the equal values has no maximum; a weak prior has."""
    column = {"X": [0.0] * 15 + [1.5, 2.5, 0.3, 2.2, 3.1]}
    found = tc.structural_em(column, hidden={"H": 2}, seed=1)
    assert np.isfinite(found.score)
    assert any("the noise of X would shrink to nothing" in note for note in found.notes)
    sds = found.network["X"].sd
    assert sds.min() > 0.001 * np.std(column["X"])


def test_families_without_a_most_likely_line_score_as_the_most_probable_ones() -> None:
    """The stated objective, maximised by a solver: a pseudo-case a hundredth as wide as columns,
    whose part is not counted in the end."""
    rng = np.random.default_rng(2)
    kind = rng.integers(0, 2, 40)
    x = np.where(kind == 1, 0.25, rng.normal(0, 1, 40))
    y = rng.normal(size=40)
    data = tc.read_cases({"K": np.where(kind == 1, "one", "two"), "X": x, "Y": y})
    network = tc.fit("K -> X; Y", data, estimate=tc.PosteriorMean(),
                     prior=[tc.BDeu(1), tc.NormalGamma()]).network  # fmt: skip
    scorer = completed_scorer(complete(network, data), dict(data.variables), tc.LogLikelihood())
    place = {name: at for at, name in enumerate(data.names)}
    mean, sd, wide, high = x.mean(), x.std(), y.std(), y.mean()

    def lines(own: np.ndarray, cases: slice | np.ndarray) -> tuple[float, float]:
        slope, level, log_sd = own
        off = x[cases] - level - slope * y[cases]
        told = -len(off) * (log(2 * pi) / 2 + log_sd) - (off**2).sum() / np.exp(2 * log_sd) / 2
        pseudo = sd**2 + (slope * wide) ** 2 + (mean - level - slope * high) ** 2
        return told, -log_sd - 1e-4 * pseudo / np.exp(2 * log_sd) / 2

    total = 0.0
    for cases in (kind == 0, kind == 1):
        best = minimize(
            lambda own, cases=cases: -sum(lines(own, cases)), np.array([0.0, 0.2, 0.0]),
            method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 20_000},
        )  # fmt: skip
        assert best.success
        total += lines(best.x, cases)[0]
    ours = scorer.family(place["X"], (place["K"], place["Y"]))
    assert ours == pytest.approx(total, abs=1e-4)


# --- hidden variables with states ----------------------------------------------------------------


def agreement(posterior: np.ndarray, hidden: np.ndarray) -> float:
    """The share of cases in the right class, under the best naming of the classes."""
    states = posterior.shape[1]
    most = posterior.argmax(axis=1)
    return max(
        float(np.mean(np.array(order)[most] == hidden)) for order in permutations(range(states))
    )


@pytest.mark.parametrize("kinds", ["both", "reals"])
@pytest.mark.parametrize(("states", "gaps"), [(2, 0.0), (3, 0.0), (2, 0.1)])
def test_a_planted_hidden_variable_with_states_is_found(
    kinds: str, states: int, gaps: float
) -> None:
    columns, hidden = beneath(3, 400 if gaps else 600, gaps, states, kinds)
    found = tc.structural_em(columns, hidden={"H": states}, seed=1, restarts=2 if gaps else 4)
    wanted = {frozenset(("H", name)) for name in columns if name != "X4"} | {
        frozenset(("X0", "X4"))
    }
    links = {frozenset(arc) for arc in found.dag.arcs}
    assert wanted <= links <= wanted | ({frozenset(("H", "X4"))} if gaps else set())
    assert agreement(np.asarray(tc.predict(found.network, columns)["H"]), hidden) > 0.94
    shares = tc.query(found.network, "H").values
    assert (np.diff(shares) <= 1e-9).all()  # the most common first
    assert found.found.hidden == {"H": states}
    assert found.log_likelihood == pytest.approx(
        float(tc.log_likelihood(found.network, columns)), abs=1e-6
    )


def test_with_it_the_score_is_higher_than_without_where_it_was_and_lower_where_none_was() -> None:
    columns, _ = beneath(6, 400)
    without = tc.search(columns, method=tc.HillClimb(restarts=2), seed=1)
    assert tc.structural_em(columns, hidden={"H": 2}, seed=1, restarts=3).score > without.score + 20
    data = tc.sample(mixed_network(2), 400, seed=3)
    alone = tc.search(data, seed=1)
    found = tc.structural_em(data, hidden={"H": 2}, start=alone.dag, seed=1, restarts=1)
    assert found.score < alone.score + 3


def test_reports_saved_fits_and_prints_know_it(tmp_path: Path) -> None:
    columns, _ = beneath(3, 300, 0.05)
    found = tc.structural_em(columns, hidden={"H": 2}, seed=1, restarts=2)
    assert "structural EM with HillClimb(restarts=0) and score BIC()" in str(found)
    found.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.score == found.score
    tc.report(found).save(tmp_path / "report.html")
    told = (tmp_path / "report.html").read_text()
    assert "tc.structural_em(" in told
    assert "hidden=" in told
