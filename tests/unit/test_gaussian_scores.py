"""Scores of linear Gaussian families: against least squares, and against densities of t."""

from __future__ import annotations

from itertools import combinations, permutations
from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_gaussian_scores as naive
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, MissingError, OptionError
from tacit.core.variables import Continuous, Discrete
from tacit.engines.gaussian_scores import gaussian_scorer
from tacit.estimate.priors import BDeu
from tacit.estimate.scores.values import AIC, BIC, QNML, BGe, LogLikelihood

NAMES = ("A", "B", "C", "D", "E")
BGES = (BGe(), BGe(0.3, 9.5), BGe(4, 7))
PENALISED = (BIC(), AIC(), LogLikelihood())


def drawn(cases: int = 40, seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    mixing = np.tril(random.normal(size=(5, 5)))
    return random.normal(size=(cases, 5)) @ mixing.T * [1, 20, 0.1, 3, 1] + [0, 1e3, -2, 0, 50]


def dataset(values: np.ndarray, weights: np.ndarray | None = None) -> Dataset:
    columns = {name: values[:, at] for at, name in enumerate(NAMES[: values.shape[1]])}
    return Dataset({name: Continuous(name) for name in columns}, columns, weights)


def families(n: int = 5):
    for child in range(n):
        others = [each for each in range(n) if each != child]
        for size in range(n):
            for parents in combinations(others, size):
                yield child, parents


@pytest.mark.parametrize("score", PENALISED, ids=lambda s: s.describe())
def test_penalised_scores_are_least_squares_less_the_price(score):
    values = drawn()
    scorer = gaussian_scorer(dataset(values), score)
    per = {"BIC()": 0.5 * log(40), "AIC()": 1.0, "LogLikelihood()": 0.0}[score.describe()]
    for child, parents in families():
        columns = [values[:, parent] for parent in parents]
        expected = naive.gaussian_score(values[:, child], columns, per)
        assert scorer.family(child, parents) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("score", BGES, ids=lambda s: s.describe())
def test_bge_is_the_density_of_the_cases_one_after_the_other(score):
    values = drawn(12, seed=2)
    scorer = gaussian_scorer(dataset(values), score)
    freedom = score.scale_strength or 7
    for child, parents in families():
        expected = naive.bge_family(values, child, parents, score.mean_strength, freedom)
        assert scorer.family(child, parents) == pytest.approx(expected, abs=1e-8)


def test_bge_of_a_complete_dag_is_the_density_of_all_columns():
    values = drawn(9, seed=3)
    scorer = gaussian_scorer(dataset(values), BGe())
    whole = naive.bge_of_variables(values, 1.0, 7, 5, values.mean(axis=0))
    for order in permutations(range(5)):
        summed = sum(
            scorer.family(child, tuple(sorted(order[:at]))) for at, child in enumerate(order)
        )
        assert summed == pytest.approx(whole, abs=1e-8)


@pytest.mark.parametrize("score", [*PENALISED, *BGES], ids=lambda s: s.describe())
def test_adding_is_the_family_with_one_more(score):
    scorer = gaussian_scorer(dataset(drawn()), score)
    for child, parents in families():
        rest = [each for each in range(5) if each != child and each not in parents]
        found = scorer.adding(child, parents, np.array(rest, dtype=np.int64))
        expected = [scorer.family(child, tuple(sorted((*parents, more)))) for more in rest]
        assert found.shape == (len(rest),)
        assert_allclose(found, expected, atol=1e-8)


@pytest.mark.parametrize("score", [*PENALISED, *BGES], ids=lambda s: s.describe())
def test_equivalent_dags_score_equal(score):
    scorer = gaussian_scorer(dataset(drawn()), score)
    chain = scorer.family(0, ()) + scorer.family(1, (0,)) + scorer.family(2, (1,))
    fork = scorer.family(1, ()) + scorer.family(0, (1,)) + scorer.family(2, (1,))
    back = scorer.family(2, ()) + scorer.family(1, (2,)) + scorer.family(0, (1,))
    collider = scorer.family(0, ()) + scorer.family(2, ()) + scorer.family(1, (0, 2))
    assert chain == pytest.approx(fork, abs=1e-8)
    assert chain == pytest.approx(back, abs=1e-8)
    assert chain != pytest.approx(collider, abs=1e-3)


@pytest.mark.parametrize("score", [*PENALISED, *BGES], ids=lambda s: s.describe())
def test_whole_weights_are_repeated_cases(score):
    values = drawn(30, seed=4)
    times = np.random.default_rng(5).integers(0, 4, 30)
    repeated = gaussian_scorer(dataset(np.repeat(values, times, axis=0)), score)
    weighted = gaussian_scorer(dataset(values, times.astype(float)), score)
    later = gaussian_scorer(dataset(values), score).weighted(times.astype(float))
    for child, parents in families():
        expected = repeated.family(child, parents)
        assert weighted.family(child, parents) == pytest.approx(expected, abs=1e-8)
        assert later.family(child, parents) == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("score", PENALISED, ids=lambda s: s.describe())
def test_other_units_change_all_dags_alike(score):
    values = drawn()
    one, other = (
        gaussian_scorer(dataset(values * unit), score)
        for unit in (np.ones(5), np.array([1e70, 1e-70, 1e6, 1, 1e-3]))
    )
    for child, parents in families():
        apart = one.family(child, parents) - other.family(child, parents)
        assert apart == pytest.approx(one.family(child, ()) - other.family(child, ()), abs=1e-6)


def test_shifting_columns_changes_no_bge():
    values = drawn()
    one, other = (gaussian_scorer(dataset(values + shift), BGe()) for shift in (0.0, 1000.0))
    for child, parents in families():
        assert one.family(child, parents) == pytest.approx(other.family(child, parents), abs=1e-6)


def dependent() -> np.ndarray:
    values = drawn()
    values[:, 2] = values[:, 0] - 3 * values[:, 1] + 7
    values[:, 4] = 2 * values[:, 3]
    return values


def test_dependent_columns_score_no_likelihood():
    scorer = gaussian_scorer(dataset(dependent()), BIC())
    assert scorer.family(4, (3,)) == -np.inf
    assert scorer.family(3, (4,)) == -np.inf
    assert scorer.family(2, (0, 1)) == -np.inf
    assert scorer.family(0, (3, 4)) == -np.inf
    assert np.isfinite(scorer.family(2, (0,)))
    found = scorer.adding(0, (3,), np.array([1, 2, 4]))
    assert np.isfinite(found).tolist() == [True, True, False]
    assert scorer.adding(0, (1,), np.array([2, 3]))[0] == -np.inf
    assert scorer.adding(0, (3, 4), np.array([1, 2])).tolist() == [-np.inf, -np.inf]


def test_as_many_parents_as_cases_score_no_likelihood():
    scorer = gaussian_scorer(dataset(drawn(4)), LogLikelihood())
    assert np.isfinite(scorer.family(0, (1, 2)))
    assert scorer.family(0, (1, 2, 3)) == -np.inf
    assert scorer.family(0, (1, 2, 3, 4)) == -np.inf


@pytest.mark.parametrize("unit", [1e-8, 1.0, 1e8])
def test_dependent_and_constant_columns_have_a_finite_bge(unit):
    values = dependent() * unit
    values[:, 1] = 4.0
    scorer = gaussian_scorer(dataset(values), BGe())
    for child, parents in families():
        rest = [each for each in range(5) if each != child and each not in parents]
        assert np.isfinite(scorer.family(child, parents))
        assert np.isfinite(scorer.adding(child, parents, np.array(rest, dtype=np.int64))).all()


def test_the_family_that_made_the_cases_scores_best():
    random = np.random.default_rng(6)
    cause, other = random.normal(size=(2, 400))
    values = np.column_stack([cause, other, cause + random.normal(size=400)])
    for score in (BIC(), BGe()):
        scorer = gaussian_scorer(dataset(values), score)
        best = max(combinations((0, 1), 1), key=lambda parents: scorer.family(2, parents))
        assert best == (0,)
        assert scorer.family(2, (0,)) > max(scorer.family(2, ()), scorer.family(2, (0, 1)))


def told(kind, *given) -> str:
    with pytest.raises(kind) as caught:
        gaussian_scorer(*given)
    return str(caught.value)


def test_what_cannot_be_scored_is_said():
    values = drawn()
    values[:, 1] = 2.5
    assert told(CasesError, dataset(values), BIC()) == (
        "B has the same value in all cases, so no Gaussian fits it\n\nleave the column out"
    )
    values[3, 1] = np.nan
    assert told(MissingError, dataset(values), BGe()) == (
        "1 cell of B is missing, and continuous variables are scored on complete cases only"
        "\n\nleave out the incomplete cases"
    )
    assert told(CasesError, dataset(drawn(0)), BIC()) == (
        "there are no cases to score: none was given, or all weigh 0"
    )
    assert told(CasesError, dataset(drawn(2), np.zeros(2)), BGe()).startswith("there are no cases")
    assert told(OptionError, dataset(drawn()), QNML()) == (
        "QNML scores tables only\n\nfor continuous variables use tc.BIC(), tc.AIC() or tc.BGe()"
    )
    assert told(OptionError, dataset(drawn()), BDeu(10)) == (
        "BDeu(10) scores tables only\n\nfor continuous variables use tc.BIC(), tc.AIC() or tc.BGe()"
    )
    assert told(OptionError, dataset(drawn()), BGe(1, 6)) == (
        "scale_strength=6 is too little for 5 variables: it must be more than 6"
    )
    states = Dataset({"S": Discrete("S", ("a", "b"))}, {"S": np.array([0, 1])})
    assert told(CasesError, states, BIC()) == (
        "S has states; Gaussian scores are of continuous variables"
        "\n\nread it as numbers with tc.read_cases(..., continuous=[...])"
    )


def test_only_the_named_columns_are_scored():
    scorer = gaussian_scorer(dataset(drawn()), BIC(), ["C", "A"])
    assert scorer.names == ("C", "A")
    whole = gaussian_scorer(dataset(drawn()), BIC())
    assert scorer.family(1, (0,)) == pytest.approx(whole.family(0, (2,)))
