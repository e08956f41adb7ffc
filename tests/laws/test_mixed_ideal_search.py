"""Laws of searches by ideal parents, and with curves, where some columns have states. [HV2 3.4]"""

from __future__ import annotations

from itertools import pairwise
from math import log

import numpy as np
import pytest

import naive_gaussian_scores as naive
import naive_ideal
import tacit as tc
from tacit.engines.mixed_scores import MixedScorer
from tacit.learn.fits import Stop
from tacit.learn.structure.question import ask
from tacit.learn.structure.running import Run, run

PLAIN = tc.HillClimb(restarts=0, replace=True)
SIZE = 8
CURVES = (None, {"X1": tc.SigmoidGaussian, "X3": tc.SoftplusGaussian}, tc.SigmoidGaussian)
every_curve = pytest.mark.parametrize("curves", CURVES, ids=["lines", "two curves", "sigmoids"])
SIMILARITIES = ("ideal", "current", "exact")
FEW = [
    tc.IdealParent(k=k, similarity=similarity, pooled=pooled)
    for k, pooled in ((1, True), (2, True), (2, False))
    for similarity in SIMILARITIES
]


def drawn(seed, cases=150, states=3, reals=5):
    """Cases of a dag at random of both kinds, and its arcs: lines that differ by configuration."""
    random = np.random.default_rng(seed)
    codes, columns, arcs = [], {}, []
    for at in range(states):
        many, code = int(random.integers(2, 4)), random.integers(0, 2, cases)
        if at:
            above = int(random.integers(at))
            code = np.where(random.random(cases) < 0.75, codes[above], code)
            arcs.append((f"S{above}", f"S{at}"))
        codes.append(np.where(random.random(cases) < 0.15, many - 1, code))
        columns[f"S{at}"] = np.array(["a", "b", "c"])[codes[-1]]
    values = []
    for at in range(reals):
        value = random.normal(size=cases)
        with_states = random.random() < 0.6
        own = codes[int(random.integers(states))]
        if with_states:
            value += np.array([-1.5, 0.0, 1.5])[own] * random.choice([-1, 1])
            who = next(each for each in range(states) if codes[each] is own)
            arcs.append((f"S{who}", f"X{at}"))
        for before in random.permutation(at)[:2]:
            slope = random.choice([-1, 1]) * random.uniform(0.8, 1.4)
            value += slope * values[before] * (np.array([1, 1.5, 0.5])[own] if with_states else 1)
            arcs.append((f"X{before}", f"X{at}"))
        values.append(value)
        columns[f"X{at}"] = value
    names = [str(each) for each in random.permutation(list(columns))]
    return tc.read_cases({name: columns[name] for name in names}), arcs


def path(found):
    return [(move.verb, move.tail, move.head, move.instead) for move in found.moves]


@every_curve
@pytest.mark.parametrize("similarity", SIMILARITIES)
def test_with_all_candidates_the_path_is_that_of_plain_climbing(curves, similarity):
    for seed in range(3):
        data, _ = drawn(seed)
        plain = tc.search(data, method=PLAIN, families=curves, seed=1)
        method = tc.IdealParent(k=SIZE, similarity=similarity, pooled=seed > 0)
        ideal = tc.search(data, method=method, families=curves, seed=1)
        assert path(ideal) == path(plain)
        assert ideal.score == pytest.approx(plain.score, rel=1e-12)
        assert ideal.evaluations <= plain.evaluations


@every_curve
@pytest.mark.parametrize("method", FEW, ids=lambda each: each.describe())
def test_every_step_gains_what_it_says_and_no_dag_breaks_a_rule(curves, method):
    data, _ = drawn(4)
    rules = "forbid X0 -> X2; at most 2 parents; require X4 -> X3; require S0 -> S1"
    prior = tc.ArcPenalty(1.5)
    found = tc.search(
        data, knowledge=rules, method=method, families=curves, dag_prior=prior, seed=1
    )
    assert found.stop is Stop.CONVERGED
    assert all(later > before for before, later in pairwise(found.trace))
    assert sum(move.gain for move in found.moves) == pytest.approx(found.score - found.trace[0])
    assert {("X4", "X3"), ("S0", "S1")} <= set(found.dag.arcs)
    assert ("X0", "X2") not in found.dag.arcs
    assert max(len(who) for who in found.dag.parents.values()) <= 2
    assert not any(a[0] == "X" and b[0] == "S" for a, b in found.dag.arcs)
    assert sum(found.found.families.values()) == pytest.approx(found.score)


def test_one_exact_candidate_is_enough_for_lines_in_configurations():
    """What is foreseen is the gain itself, so the best change is always among those scored."""
    for seed in range(4):
        data, _ = drawn(seed)
        plain = tc.search(data, method=PLAIN)
        for pooled in (False, True):
            one = tc.search(data, method=tc.IdealParent(k=1, pooled=pooled))
            assert one.score == pytest.approx(plain.score)
            assert one.evaluations < plain.evaluations


@pytest.mark.parametrize("curves", CURVES[:2], ids=["lines", "two curves"])
def test_no_family_is_scored_that_is_not_counted(curves, monkeypatch):
    asked = []
    plain = MixedScorer.family, MixedScorer.adding

    def family(self, child, parents):
        asked.append(child)
        return plain[0](self, child, parents)

    def adding(self, child, parents, candidates):
        asked.extend([child] * candidates.size)
        return plain[1](self, child, parents, candidates)

    data, _ = drawn(3)
    counts = []
    for method in (PLAIN, tc.IdealParent(k=2), tc.IdealParent(k=2, pooled=False)):
        question = ask(data, None, None, None, families=curves)
        with monkeypatch.context() as patched:
            patched.setattr(MixedScorer, "family", family)
            patched.setattr(MixedScorer, "adding", adding)
            start = tuple(() for _ in data.names)
            outcome = run(Run(question, method, start, 1, 1, lambda *_: None))
        bent = set() if curves is None else {data.names.index(name) for name in curves}
        assert not bent & set(asked)
        assert curves is not None or outcome.evaluations == len(asked)
        assert outcome.evaluations >= len(asked)
        counts.append(outcome.evaluations)
        asked.clear()
    assert counts[1] < counts[2] < counts[0]


def awkward(seed):
    """Few cases, some of no weight; rare states; columns that stand still or are functions of
    others, in one configuration or in all."""
    random = np.random.default_rng(seed)
    cases = int(random.integers(15, 90))
    group = random.choice(4, cases, p=[0.6, 0.3, 0.07, 0.03])
    a, noise = random.normal(size=(2, cases))
    columns = {
        "G": np.array(list("abcd"))[group],
        "H": np.where(random.random(cases) < 0.3, "x", "y"),
        "A": a,
        "B": 2 * a + (noise if seed % 3 else 0),
        "C": np.where(group == 1, 0.0, random.normal(size=cases) + a),
        "D": group + random.normal(size=cases).round(1) + 0.05,
    }
    data = tc.read_cases(columns, continuous=["A", "B", "C", "D"])
    return data if seed % 4 else data.with_weights(random.integers(0, 4, cases).astype(float))


@pytest.mark.parametrize("seed", range(8))
def test_awkward_columns_are_ranked_and_searched_as_by_plain_climbing(seed):
    data, curves = awkward(seed), {"B": tc.SigmoidGaussian, "C": tc.SoftplusGaussian}
    for families in (None, curves):
        plain = tc.search(data, method=PLAIN, families=families, seed=1)
        for similarity in SIMILARITIES:
            method = tc.IdealParent(k=6, similarity=similarity)
            assert path(tc.search(data, method=method, families=families, seed=1)) == path(plain)
            tc.search(data, method=tc.IdealParent(1, similarity), families=families, seed=1)
        if families is None:
            one = tc.search(data, method=tc.IdealParent(k=1), seed=1)
            assert one.score == pytest.approx(plain.score)


def test_columns_with_states_are_searched_as_in_plain_climbing():
    """Where continuous columns may have no parents, not one family less is scored."""
    data, _ = drawn(1)
    reals = [name for name in data.names if name[0] == "X"]
    rules = "\n".join(f"forbid {a} -> {b}" for b in reals for a in data.names if a != b)
    plain = tc.search(data, knowledge=rules, method=PLAIN)
    ideal = tc.search(data, knowledge=rules, method=tc.IdealParent(k=1))
    assert path(ideal) == path(plain)
    assert len(path(plain)) >= 2
    states = [name for name in data.names if name[0] == "S"]
    alone = tc.search(data.select(states), method=PLAIN)
    assert ideal.evaluations == alone.evaluations + len(reals)


@pytest.mark.parametrize("curves", CURVES[:2], ids=["lines", "two curves"])
@pytest.mark.parametrize("pooled", [False, True], ids=["each", "pooled"])
def test_a_search_taken_up_again_goes_on_as_if_nothing_had_happened(curves, pooled, tmp_path):
    data, _ = drawn(4)
    asked = {
        "method": tc.IdealParent(k=2, pooled=pooled, restarts=1), "families": curves, "seed": 3
    }  # fmt: skip
    whole = tc.search(data, **asked)

    class Stopping:
        def __init__(self, after):
            self.left = after

        def __call__(self, *_):
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt

    for after in (2, 6):
        kept = tmp_path / f"{after}.json"
        broken = tc.search(data, **asked, checkpoint=kept, progress=Stopping(after))
        assert broken.stop is Stop.INTERRUPTED
        again = tc.search(data, **asked, checkpoint=kept, resume=True)
        assert again.score == whole.score
        assert path(again) == path(whole)


@pytest.mark.parametrize("curves", CURVES[1:], ids=["two curves", "sigmoids"])
def test_scores_of_families_are_their_definitions_and_those_of_tc_score(curves):
    data, _ = drawn(2)
    found = tc.search(data, method=tc.IdealParent(k=2), families=curves)
    columns = {name: np.asarray(data[name]) for name in data.names}
    kinds = curves if isinstance(curves, dict) else {f"X{at}": curves for at in range(5)}
    price, straight = log(len(data)) / 2, tc.score(found.dag, data)
    bent = 0
    for name, parents in found.dag.parents.items():
        worth, child = found.found.families[name], columns[name]
        if name not in kinds or not parents:
            assert worth == pytest.approx(straight[name])
            continue
        assert all(each[0] == "X" for each in parents)
        family, own = found.network[name], [columns[each] for each in parents]
        assert type(family) is kinds[name]
        off = child - family.mean(own, len(child))
        expected = naive_ideal.at_best_variance(off) - price * (len(parents) + 3)
        assert worth == pytest.approx(expected, abs=1e-4)
        bent += 1
    assert bent
    for name in ("S0", "X0"):
        own = [columns[each] for each in found.dag.parents[name] if each[0] == "X"]
        states = [each for each in found.dag.parents[name] if each[0] == "S"]
        if name in kinds and (own or states):
            continue
        sizes = [len(data.variables[each].states) for each in states]
        codes = [columns[each] for each in states]
        many = len(getattr(data.variables[name], "states", ()))
        expected = (
            naive.table_score(columns[name], codes, many, sizes, price)
            if many
            else naive.conditional_score(columns[name], own, codes, sizes, price)
            if codes
            else naive.gaussian_score(columns[name], own, price)
        )
        assert found.found.families[name] == pytest.approx(expected)


def test_no_column_with_states_is_a_parent_of_a_curve_and_a_note_says_so():
    data, arcs = drawn(5)
    assert any(a[0] == "S" and b[0] == "X" for a, b in arcs)
    for method in (PLAIN, tc.IdealParent(), tc.Tabu(restarts=0), tc.Exact(2), tc.ChowLiu()):
        found = tc.search(data, method=method, family=tc.SigmoidGaussian, seed=1)
        assert not any(a[0] == "S" and b[0] == "X" for a, b in found.dag.arcs)
        assert any("whose parents are continuous: arcs from" in note for note in found.notes)
    free = tc.search(data, method=tc.IdealParent())
    assert any(a[0] == "S" and b[0] == "X" for a, b in free.dag.arcs)
    assert not any("were no choice" in note for note in free.notes)


def test_bends_beside_states_are_found():
    """A curve over two columns, one of which follows states: its score beats straight lines."""
    random = np.random.default_rng(2)
    group = random.choice(["lo", "hi"], 300)
    dose = random.normal(size=300) + (group == "hi")
    age = random.normal(size=300)
    answer = 1 + 4 / (1 + np.exp(-2 * dose + age)) + random.normal(0, 0.3, 300)
    effect = np.where(group == "hi", 2.0, -1.0) * answer + random.normal(size=300)
    cases = {"Group": group, "Dose": dose, "Age": age, "Answer": answer, "Effect": effect}
    cases |= {f"N{at}": random.normal(size=300) for at in range(4)}
    bent = {"Answer": tc.SigmoidGaussian}
    found = tc.search(cases, method=tc.IdealParent(k=2), families=bent)
    plain = tc.search(cases, method=PLAIN, families=bent)
    assert set(found.dag.parents["Answer"]) == {"Dose", "Age"}
    assert set(found.dag.parents["Effect"]) == {"Group", "Answer"}
    assert found.dag.parents["Dose"] == ("Group",)
    assert found.score == pytest.approx(plain.score)
    assert found.evaluations < 0.6 * plain.evaluations
    assert found.score > tc.search(cases, method=PLAIN).score + 20


def test_planted_dags_of_both_kinds_are_found_with_two_candidates():
    right, found, truth, few, all_ = 0, 0, 0, 0, 0
    for seed in range(6):
        data, arcs = drawn(seed, 500, states=3, reals=9)
        links = {frozenset(arc) for arc in arcs}
        ideal = tc.search(data, method=tc.IdealParent(k=2))
        plain = tc.search(data, method=PLAIN)
        here = {frozenset(arc) for arc in ideal.dag.arcs}
        assert ideal.score == pytest.approx(plain.score)
        right, found, truth = right + len(here & links), found + len(here), truth + len(links)
        few, all_ = few + ideal.evaluations, all_ + plain.evaluations
    assert right >= 0.9 * truth
    assert right >= 0.7 * found
    assert few < 0.5 * all_


def test_names_and_seeds_change_nothing_and_samples_tell_how_sure_arcs_are():
    data, _ = drawn(3)
    asked = {"method": tc.IdealParent(restarts=2), "families": CURVES[1], "seed": 4}
    first, second = (tc.search(data, **asked, bootstrap=2) for _ in "12")
    assert first.score == second.score
    assert path(first) == path(second)
    assert first.confidence.replicates == 2
    shares = [first.confidence.link(*arc) for arc in first.dag.arcs]
    assert max(shares) == 1.0
    renamed = tc.read_cases(
        {
            f"Y{name}": np.array(data.variables[name].states)[data[name]]
            if name[0] == "S"
            else data[name]
            for name in data.names
        }
    )
    asked["families"] = {f"Y{name}": kind for name, kind in CURVES[1].items()}
    other = tc.search(renamed, **asked)
    assert other.score == first.score
    assert {(a[1:], b[1:]) for a, b in other.dag.arcs} == set(first.dag.arcs)
