"""One battery of laws over every score, against definitions and against pyAgrum."""

from __future__ import annotations

import warnings
from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_scores as naive
import naive_structures as families
from climbs import columns, leaning, table_ledger
from tacit.estimate.priors import K2, BDeu, Dirichlet, Jeffreys
from tacit.estimate.scores.dag_priors import (
    ArcBeliefs,
    ArcPenalty,
    DescriptionLength,
    ParentCounts,
)
from tacit.estimate.scores.values import AIC, BIC, MDL, QNML, LogLikelihood

SCORES = {
    "LogLikelihood": LogLikelihood(),
    "BIC": BIC(),
    "AIC": AIC(),
    "QNML": QNML(),
    "BDeu": BDeu(3.5),
    "K2": K2(),
    "Jeffreys": Jeffreys(),
    "Dirichlet": Dirichlet(0.3),
}
STATES = [2, 3, 2, 4, 3]
DAG = ((1,), (), (0, 1), (0, 1, 2), (3,))
WEIGHTS = ("none", "whole", "real", "zero")
every_score = pytest.mark.parametrize("kind", SCORES)


def cases(many=120, kind="none", seed=1, states=STATES):
    rng = np.random.default_rng(seed)
    given = {
        "none": None,
        "whole": rng.integers(0, 4, many).astype(float),
        "real": rng.gamma(1.0, 1.0, many),
        "zero": (rng.random(many) < 0.2).astype(float),
    }
    return columns(leaning(rng, states, many), states, given[kind])


def weights_of(here):
    return np.ones(here.cases) if here.weights is None else here.weights


@every_score
@pytest.mark.parametrize("weights", WEIGHTS)
def test_a_dag_scores_the_sum_of_what_its_families_are_defined_to_score(kind, weights):
    here = cases(kind=weights)
    found = table_ledger(here, SCORES[kind]).total(DAG)
    expected = naive.of_dag(kind, here.codes, weights_of(here), STATES, DAG)
    assert found == pytest.approx(expected, rel=1e-11)


@every_score
@pytest.mark.parametrize("weights", WEIGHTS)
def test_every_candidate_scores_what_the_larger_family_does(kind, weights):
    here = cases(kind=weights)
    scorer = table_ledger(here, SCORES[kind]).scorer
    for child, parents in ((0, ()), (3, ()), (4, (1,)), (2, (0, 3)), (1, (0, 2, 3))):
        open_ = np.array([at for at in range(5) if at != child and at not in parents])
        for asked in (open_, open_[::-1], open_[:1], open_[:0]):
            found = scorer.adding(child, parents, asked)
            sets = [tuple(sorted((*parents, int(each)))) for each in asked]
            alone = [scorer.family(child, each) for each in sets]
            assert_allclose(found, alone, rtol=1e-12, atol=1e-10)
            defined = [
                families.score(kind, here.codes, weights_of(here), STATES, child, each)
                for each in sets
            ]
            assert_allclose(found, defined, rtol=1e-11, atol=1e-9)


@every_score
@pytest.mark.parametrize("weights", ["none", "real"])
@pytest.mark.parametrize(
    ("states", "many"),
    [([2, 200, 150, 3, 9], 400), ([60, 50, 40, 30, 2], 300), ([2] * 9, 70), ([300, 2, 1], 65)],
    ids=str,
)
def test_tables_too_large_to_be_kept_score_the_same(kind, weights, states, many):
    here = cases(many, weights, states=states)
    last = len(states) - 1
    parents = tuple(range(1, last))
    scorer = table_ledger(here, SCORES[kind]).scorer
    expected = families.score(
        kind, here.codes, weights_of(here), states, 0, tuple(range(1, last + 1))
    )
    assert scorer.adding(0, parents, np.array([last]))[0] == pytest.approx(expected, rel=1e-10)
    assert scorer.family(0, (*parents, last)) == pytest.approx(expected, rel=1e-10)


@every_score
@pytest.mark.parametrize("many", [1, 63, 64, 65, 255, 257, 1000])
def test_any_number_of_cases_is_counted_whole(kind, many):
    here = cases(many)
    found = table_ledger(here, SCORES[kind]).scorer.adding(2, (1,), np.array([0, 3, 4]))
    expected = [
        families.score(kind, here.codes, np.ones(many), STATES, 2, tuple(sorted((1, each))))
        for each in (0, 3, 4)
    ]
    assert_allclose(found, expected, rtol=1e-11, atol=1e-10)


@every_score
def test_neither_the_order_of_cases_nor_threads_nor_names_of_states_change_a_score(kind):
    rng = np.random.default_rng(5)
    here = cases(300, "real")
    order = rng.permutation(300)
    shuffled = columns(here.codes[:, order], STATES, here.weights[order])
    renamed = [rng.permutation(many)[codes] for many, codes in zip(STATES, here.codes, strict=True)]
    whole = table_ledger(here, SCORES[kind]).total(DAG)
    for other in (
        table_ledger(shuffled, SCORES[kind]),
        table_ledger(columns(renamed, STATES, here.weights), SCORES[kind]),
        table_ledger(here, SCORES[kind], threads=3),
    ):
        assert other.total(DAG) == pytest.approx(whole, rel=1e-12)


@every_score
def test_a_weight_is_so_many_equal_cases(kind):
    here = cases(80, "whole")
    times = here.weights.astype(int)
    repeated = columns(np.repeat(here.codes, times, axis=1), STATES)
    one, other = (table_ledger(each, SCORES[kind]) for each in (here, repeated))
    assert one.total(DAG) == pytest.approx(other.total(DAG), rel=1e-12)
    asked = np.array([0, 2, 4])
    assert_allclose(
        one.scorer.adding(3, (1,), asked), other.scorer.adding(3, (1,), asked), rtol=1e-12
    )


@every_score
def test_weights_can_be_given_later(kind):
    here, weights = cases(100), np.random.default_rng(3).gamma(1.0, 1.0, 100)
    scorer = table_ledger(here, SCORES[kind]).scorer.weighted(weights)
    expected = families.score(kind, here.codes, weights, STATES, 3, (0, 1))
    assert scorer.family(3, (0, 1)) == pytest.approx(expected, rel=1e-11)
    assert scorer.adding(3, (0,), np.array([1]))[0] == pytest.approx(expected, rel=1e-11)


def test_threads_share_candidates_and_change_no_bit():
    here = cases(600_000, states=[2, 3, 2, 4, 3, 2])
    asked = np.arange(1, 6)
    one, three = (table_ledger(here, BIC(), threads=each).scorer for each in (1, 3))
    np.testing.assert_array_equal(one.adding(0, (), asked), three.adding(0, (), asked))


PRIORS = {
    "ArcPenalty": ArcPenalty(2.5),
    "ParentCounts": ParentCounts(),
    "DescriptionLength": DescriptionLength(),
    "ArcBeliefs": ArcBeliefs({("V0", "V2"): 0.9, ("V3", "V4"): 0.05}, otherwise=0.2),
}
BELIEFS = {(0, 2): 0.9, (3, 4): 0.05}


@pytest.mark.parametrize("kind", PRIORS)
def test_a_prior_over_dags_adds_its_definition_to_every_family(kind):
    here = cases()
    terms = PRIORS[kind].terms([f"V{at}" for at in range(5)])
    plain, ledger = table_ledger(here), table_ledger(here, terms=terms)
    for dag in (DAG, ((),) * 5, ((), (0,), (0, 1), (0, 1, 2), (0, 1, 2, 3))):
        expected = plain.total(dag) + naive.prior_of_dag(kind, dag, BELIEFS)
        assert ledger.total(dag) == pytest.approx(expected, abs=1e-8)
    for child, parents in ((4, ()), (2, (0,)), (3, (1, 2))):
        row = ledger.adding(child, parents)
        for each in range(5):
            family = tuple(sorted((*parents, each)))
            if each == child or each in parents:
                assert row[each] == -np.inf
            else:
                fresh = table_ledger(here, terms=terms).family(child, family)
                assert row[each] == pytest.approx(fresh, abs=1e-8)


def test_a_family_asked_again_is_no_evaluation():
    ledger = table_ledger(cases())
    ledger.adding(2, (0,))
    assert ledger.evaluations == 3
    assert ledger.family(2, (0, 3)) == ledger.adding(2, (0,))[3]
    assert ledger.evaluations == 3
    ledger.family(2, ())
    ledger.family(2, ())
    assert ledger.evaluations == 4
    ledger.forget()
    ledger.family(2, ())
    assert ledger.evaluations == 5


NATS = log(2)
"""pyAgrum counts in bits."""
PEERS = {
    "BIC": ("useScoreBIC", BIC(), 0.0),
    # its penalty of 1 for a parameter is 1 bit, not 1 nat
    "AIC": ("useScoreAIC", AIC(), 1 - NATS),
    "LogLikelihood": ("useScoreLog2Likelihood", LogLikelihood(), 0.0),
    # its log-gamma is tabulated in steps too coarse for a small alpha: here all are whole numbers
    "BDeu": ("useScoreBD", BDeu(144.0), 0.0),
    "K2": ("useScoreK2", K2(), 0.0),
}


@pytest.mark.parametrize("kind", PEERS)
def test_families_score_as_pyagrum_says(kind):
    use, score, apart = PEERS[kind]
    here = cases(400)
    names = [variable.name for variable in here.variables]
    learner = learner_of(here, names)
    getattr(learner, use)()
    if kind == "BDeu":
        learner.useBDeuPrior(144.0)
    else:
        learner.useNoPrior()
    ledger = table_ledger(here, score)
    for child, parents in ((0, ()), (1, (0,)), (2, (0, 1)), (3, (1, 2, 4)), (4, (0, 1, 2, 3))):
        theirs = NATS * learner.score(names[child], [names[at] for at in parents])
        free = (STATES[child] - 1) * np.prod([STATES[at] for at in parents])
        found = ledger.family(child, parents) + apart * free
        assert found == pytest.approx(theirs, rel=1e-5)  # its log-gamma is good to six digits


# its K2 adds log(states - 1)! for every row without cases, so that is left to pyAgrum
@pytest.mark.parametrize(("name", "kind"), [("BDeu", BDeu(1.0)), ("BIC", BIC())])
def test_families_score_as_pgmpy_says(name, kind):
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy import structure_score
    here = cases(400)
    names = [variable.name for variable in here.variables]
    columns_of = dict(zip(names, here.codes.astype(str), strict=True))
    states = {variable.name: list(variable.states) for variable in here.variables}
    more = {"equivalent_sample_size": 1.0} if name == "BDeu" else {}
    peer = getattr(structure_score, name)(pd.DataFrame(columns_of), state_names=states, **more)
    ledger = table_ledger(here, kind)
    for child, parents in ((0, ()), (1, (0,)), (3, (1, 2, 4)), (4, (0, 1, 2, 3))):
        theirs = peer.local_score(names[child], tuple(names[at] for at in parents))
        assert ledger.family(child, parents) == pytest.approx(theirs, rel=1e-9)


def learner_of(here, names):
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pyagrum
    frame = pd.DataFrame(
        {
            name: pd.Categorical.from_codes(codes, variable.states)
            for name, codes, variable in zip(names, here.codes, here.variables, strict=True)
        }
    )
    variables = ";".join(f"{v.name}{{{'|'.join(v.states)}}}" for v in here.variables)
    return pyagrum.BNLearner(frame, pyagrum.fastBN(variables))


def test_the_description_length_is_bic_and_the_length_of_the_graph():
    here = cases()
    terms = DescriptionLength().terms([f"V{at}" for at in range(5)])
    found = table_ledger(here, MDL(), terms=terms).total(DAG)
    expected = naive.of_dag("BIC", here.codes, np.ones(120), STATES, DAG)
    assert found == pytest.approx(expected + naive.prior_of_dag("DescriptionLength", DAG))


def test_cases_of_one_state_and_of_none_are_scored():
    here = columns(np.zeros((2, 10), dtype=int), [1, 2])
    for kind, score in SCORES.items():
        found = table_ledger(here, score).total(((), (0,)))
        assert found == pytest.approx(
            naive.of_dag(kind, here.codes, np.ones(10), [1, 2], ((), (0,)))
        )
        none = columns(np.zeros((2, 0), dtype=int), [3, 2])
        price = 5 if kind == "AIC" else 0  # what a parameter costs there, cases or no cases
        assert table_ledger(none, score).total(((1,), ())) == pytest.approx(-price)
