"""Scores of conditional Gaussian families: against one regression per configuration."""

from __future__ import annotations

from itertools import combinations
from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_gaussian_scores as naive
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, OptionError
from tacit.core.variables import Continuous, Discrete
from tacit.engines import mixed_scores
from tacit.engines.curve_scores import curve_scorer
from tacit.engines.mixed_curve_scores import MixedCurveScorer, mixed_curve_scorer
from tacit.engines.mixed_scores import mixed_scorer
from tacit.estimate.priors import BDeu
from tacit.estimate.scores.values import AIC, BIC, QNML, BGe, LogLikelihood
from tacit.families.curved import SigmoidGaussian

NAMES = ("X", "S", "Y", "T", "Z", "U")
STATES = {"S": 2, "T": 3, "U": 3}
PER = ((BIC(), 0.5 * log(120)), (AIC(), 1.0), (LogLikelihood(), 0.0))
every_score = pytest.mark.parametrize(("score", "per"), PER, ids=str)


def drawn(cases: int = 120, seed: int = 1) -> Dataset:
    """Three columns of each kind; the third state of T is rare, that of U is never seen."""
    random = np.random.default_rng(seed)
    s = random.integers(0, 2, cases)
    t = random.choice(3, cases, p=[0.5, 0.47, 0.03])
    u = random.integers(0, 2, cases)
    x = random.normal(10 + 3 * s, 1 + t, cases)
    y = random.normal(0, 0.01, cases) + np.where(t == 1, 0.1, -0.1) * x
    z = random.normal(size=cases) + x * u + 100
    columns = dict(zip(NAMES, (x, s, y, t, z, u), strict=True))
    variables = {
        name: Discrete(name, tuple(map(str, range(STATES[name]))))
        if name in STATES
        else Continuous(name)
        for name in NAMES
    }
    return Dataset(variables, columns)


def expected(data: Dataset, child: int, parents: tuple[int, ...], per: float) -> float:
    names = [NAMES[parent] for parent in parents]
    discrete = [name for name in names if name in STATES]
    sizes = [STATES[name] for name in discrete]
    reals = [data[name] for name in names if name not in STATES]
    codes = [data[name] for name in discrete]
    column = data[NAMES[child]]
    if NAMES[child] in STATES:
        if reals:
            return -np.inf
        return naive.table_score(column, codes, STATES[NAMES[child]], sizes, per)
    if not codes:
        return naive.gaussian_score(column, reals, per)
    return naive.conditional_score(column, reals, codes, sizes, per)


def families(most: int = 5):
    for child in range(6):
        others = [each for each in range(6) if each != child]
        for size in range(most + 1):
            for parents in combinations(others, size):
                yield child, parents


@every_score
def test_each_configuration_has_its_own_least_squares(score, per):
    data = drawn()
    scorer = mixed_scorer(data, score)
    assert scorer.names == NAMES
    for child, parents in families():
        found = scorer.family(child, parents)
        assert found == pytest.approx(expected(data, child, parents, per), abs=1e-7)


def test_adding_is_the_family_with_one_more():
    scorer = mixed_scorer(drawn(), BIC())
    for child, parents in families():
        rest = [each for each in range(6) if each != child and each not in parents]
        found = scorer.adding(child, parents, np.array(rest, dtype=np.int64))
        one_more = [scorer.family(child, tuple(sorted((*parents, more)))) for more in rest]
        assert_allclose(found, one_more, atol=1e-7)


def test_little_room_for_moments_changes_nothing(monkeypatch):
    wide = mixed_scorer(drawn(), BIC())
    monkeypatch.setattr(mixed_scores, "LARGEST", 8)
    narrow = mixed_scorer(drawn(), BIC())
    for child, parents in families(3):
        rest = np.array([e for e in range(6) if e != child and e not in parents], dtype=np.int64)
        found = narrow.adding(child, parents, rest)
        assert_allclose(found, wide.adding(child, parents, rest), atol=1e-8)
        assert narrow.family(child, parents) == pytest.approx(wide.family(child, parents))
    assert any(narrow.regressions.kept) is False


def test_moments_are_kept_where_there_is_room(monkeypatch):
    monkeypatch.setattr(mixed_scores, "KEPT", 100)
    scorer = mixed_scorer(drawn(), BIC())
    for child, parents in families(2):
        scorer.family(child, parents)
    assert 9 <= sum(each.scatter.size for each in scorer.regressions.kept.values()) <= 100


@every_score
def test_whole_weights_are_repeated_cases(score, per):
    del per
    data = drawn()
    times = np.random.default_rng(5).integers(0, 4, len(data))
    repeated = mixed_scorer(data.take(np.repeat(np.arange(len(data)), times)), score)
    weighted = mixed_scorer(data.with_weights(times.astype(float)), score)
    later = mixed_scorer(data, score).weighted(times.astype(float))
    for child, parents in families(3):
        expected = pytest.approx(repeated.family(child, parents), abs=1e-7)
        assert weighted.family(child, parents) == expected
        assert later.family(child, parents) == expected


def test_a_dependence_within_one_configuration_scores_no_likelihood():
    data = drawn()
    y = np.where(data["S"] == 1, 3 * data["X"] - 1, data["Y"])
    scorer = mixed_scorer(Dataset(data.variables, {**data.columns, "Y": y}), BIC())
    x, s, y_, z = 0, 1, 2, 4
    assert scorer.family(y_, (x, s)) == -np.inf
    assert scorer.family(x, (s, y_)) == -np.inf
    assert np.isfinite(scorer.family(y_, (x,)))
    assert scorer.family(z, (x, s, y_)) == -np.inf
    found = scorer.adding(y_, (s,), np.array([x, z]))
    assert np.isfinite(found).tolist() == [False, True]
    found = scorer.adding(z, (x, s), np.array([y_, 5]))
    assert np.isfinite(found).tolist() == [False, True]


def test_a_child_that_stands_still_in_a_configuration_scores_no_likelihood():
    data = drawn()
    y = np.where(data["S"] == 1, 5.0, data["Y"])
    scorer = mixed_scorer(Dataset(data.variables, {**data.columns, "Y": y}), BIC())
    assert scorer.family(2, (1,)) == -np.inf
    assert np.isfinite(scorer.family(2, (0,)))
    assert scorer.family(4, (1, 2)) == -np.inf
    assert scorer.adding(4, (1,), np.array([0, 2]))[1] == -np.inf


def test_dependent_parents_are_refused_to_thin_configurations_too():
    data = drawn(12)
    z = 2 * data["X"] + 1
    scorer = mixed_scorer(Dataset(data.variables, {**data.columns, "Z": z}), BIC())
    assert scorer.family(2, (0, 1, 3, 4, 5)) == -np.inf
    assert scorer.adding(2, (0, 1, 3, 5), np.array([4])).tolist() == [-np.inf]


def bent() -> MixedCurveScorer:
    return mixed_curve_scorer(drawn(), BIC(), {"Y": SigmoidGaussian})


def test_curves_score_as_among_continuous_columns_alone_and_others_as_without_them():
    data, scorer, straight = drawn(), bent(), mixed_scorer(drawn(), BIC())
    alone = curve_scorer(data.select(["X", "Y", "Z"]), BIC(), {"Y": SigmoidGaussian})
    assert scorer.names == NAMES
    for child, parents in families():
        found = scorer.family(child, parents)
        if NAMES[child] != "Y":
            assert found == straight.family(child, parents)
        elif any(NAMES[each] in STATES for each in parents):
            assert found == -np.inf
        else:
            assert found == alone.family(1, tuple(each // 2 for each in parents))


def test_adding_to_a_curve_is_the_family_with_one_more():
    scorer, doubled = bent(), bent().weighted(np.full(120, 2.0))
    twice = mixed_curve_scorer(
        drawn().with_weights(np.full(120, 2.0)), BIC(), {"Y": SigmoidGaussian}
    )
    for child, parents in families(3):
        rest = np.array([e for e in range(6) if e != child and e not in parents], dtype=np.int64)
        found = scorer.adding(child, parents, rest)
        one_more = [scorer.family(child, tuple(sorted((*parents, more)))) for more in rest]
        assert_allclose(found, one_more, atol=1e-4)
        assert doubled.family(child, parents) == pytest.approx(twice.family(child, parents))


def told(kind, *given) -> str:
    with pytest.raises(kind) as caught:
        mixed_scorer(*given)
    return str(caught.value)


def test_what_cannot_be_scored_is_said():
    data = drawn()
    assert told(OptionError, data, BGe()) == (
        "BGe(1) scores continuous variables only, and these cases have both kinds"
        "\n\nuse tc.BIC() or tc.AIC()"
    )
    assert told(OptionError, data, QNML()).startswith("QNML scores tables only")
    assert told(OptionError, data, BDeu(1)).startswith("BDeu(1) scores tables only")
    still = Dataset(data.variables, {**data.columns, "Y": np.ones(120)})
    assert told(CasesError, still, BIC()).startswith("Y has the same value in all cases")
