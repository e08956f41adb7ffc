"""How well a variable is predicted, beside scikit-learn's measures and the enumerated joint."""

from __future__ import annotations

import pickle
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score

import tacit as tc
from tacit.core.variables import Discrete
from tacit.learn.evaluation.evaluation import Evaluation
from tacit.learn.evaluation.measures import area, brier_scores, hits
from tacit.learn.folds import split

ASIA = tc.textbook("asia")
CASES = tc.sample(ASIA, 800, seed=1)
FITTED = tc.fit(ASIA.dag, tc.sample(ASIA, 400, seed=2))
TOLD = tc.evaluate(FITTED, CASES, "dysp")


def by_pairs(value, positive, weights):
    """The share of pairs in the right order, pair by pair."""
    right = total = 0.0
    for one, other in product(range(len(value)), repeat=2):
        if positive[one] and not positive[other]:
            weight = weights[one] * weights[other]
            total += weight
            right += weight * (float(value[one] > value[other]) + (value[one] == value[other]) / 2)
    return right / total


def test_predictions_are_those_of_the_enumerated_joint():
    network, names = FITTED.network, FITTED.network.dag.names
    for case in range(5):
        given_ = {
            name: CASES.variables[name].states[CASES[name][case]]
            for name in names
            if name != "dysp"
        }
        joint = []
        for state in network.variables["dysp"].states:
            full = {**given_, "dysp": state}
            log_joint = 0.0
            for name in names:
                family = network[name]
                at = [
                    network.variables[each].states.index(full[each])
                    for each in (*family.parents, name)
                ]
                log_joint += np.log(family.values[tuple(at)])
            joint.append(np.exp(log_joint))
        assert_allclose(TOLD.probability[case], np.array(joint) / sum(joint), atol=1e-12)


def test_measures_are_those_of_scikit_learn():
    truth, value = TOLD.truth, TOLD.probability
    assert_allclose(TOLD.log_score, -log_loss(truth, value), rtol=1e-12)
    assert_allclose(TOLD.brier, 2 * brier_score_loss(truth, value[:, 1]), rtol=1e-12)
    assert_allclose(TOLD.auc, roc_auc_score(truth, value[:, 1]), rtol=1e-12)
    assert_allclose(TOLD.accuracy, accuracy_score(truth, value.argmax(axis=1)), rtol=1e-12)


def test_many_states_average_the_areas_of_one_against_the_rest():
    random = np.random.default_rng(0)
    truth = random.integers(0, 4, 200)
    value = random.dirichlet(np.ones(4), 200)
    states = ("a", "b", "c", "d")
    told = Evaluation("T", states, truth, value, None, np.arange(200))
    assert_allclose(told.auc, roc_auc_score(truth, value, multi_class="ovr"), rtol=1e-12)
    weight = random.integers(1, 4, 200).astype(float)
    told = Evaluation("T", states, truth, value, weight, np.arange(200))
    assert_allclose(told.log_score, -log_loss(truth, value, sample_weight=weight), rtol=1e-12)


@settings(max_examples=50)
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(1, 3)), min_size=2))
def test_the_area_counts_pairs_in_the_right_order(drawn):
    value, positive, weights = (np.array(each) for each in zip(*drawn, strict=True))
    found = area(value / 4, positive, weights.astype(float))
    if positive.all() or not positive.any():
        assert np.isnan(found)
    else:
        assert_allclose(found, by_pairs(value, positive, weights), rtol=1e-12)


def test_a_case_of_weight_two_is_two_cases():
    twice = np.repeat(np.arange(50), 2)
    whole = tc.evaluate(FITTED, CASES.take(twice), "dysp")
    heavy = tc.evaluate(FITTED, CASES.take(np.arange(50)).with_weights(np.full(50, 2.0)), "dysp")
    plain, other = whole.to_plain(), heavy.to_plain()
    for name in ("log_score", "brier", "accuracy", "auc", "calibration_error", "confusion"):
        assert_allclose(plain[name], other[name])


def test_brier_scores_and_ties():
    value = np.array([[0.5, 0.5], [1.0, 0.0], [0.25, 0.75]])
    assert_allclose(brier_scores(value, np.array([0, 1, 1])), [0.5, 2.0, 0.125])
    assert_allclose(hits(value, np.array([0, 1, 1])), [0.5, 0.0, 1.0])


def test_calibration_compares_what_was_said_with_what_came():
    bins = TOLD.calibration(bins=4)
    value, came = TOLD.probability[:, 1], TOLD.truth == 1
    for each in bins:
        inside = (value >= each.low) & (value < each.high)
        assert_allclose(each.weight, inside.sum())
        assert_allclose(each.observed, came[inside].mean())
        assert_allclose(each.predicted, value[inside].mean())
    assert sum(each.weight for each in bins) == len(TOLD)
    assert TOLD.calibration_error == pytest.approx(
        sum(b.weight * abs(b.predicted - b.observed) for b in TOLD.calibration()) / len(TOLD)
    )


def test_who_predicts_well_beats_the_shares_alone():
    assert TOLD.log_score > TOLD.base_log_score + 0.1
    assert TOLD.confusion.sum() == 800
    assert np.trace(TOLD.confusion) / 800 == pytest.approx(TOLD.accuracy)


def test_cases_without_the_target_are_left_out_and_told_of():
    column = CASES["dysp"].copy()
    column[:30] = -1
    gaps = tc.Dataset(CASES.variables, {**CASES.columns, "dysp": column})
    told = tc.evaluate(FITTED, gaps, "dysp")
    assert len(told) == 770
    assert told.notes == ("30 cases lack dysp and cannot be judged",)
    assert_array_equal(told.cases, np.arange(30, 800))


def test_missing_cells_are_summed_out():
    columns = {name: CASES.columns[name] for name in ("dysp", "smoke")}
    few = tc.Dataset({name: CASES.variables[name] for name in columns}, columns)
    told = tc.evaluate(FITTED, few, "dysp")
    state = CASES.variables["smoke"].states[CASES["smoke"][0]]
    alone = tc.query(FITTED.network, "dysp", given={"smoke": state})
    assert_allclose(told.probability[0], alone.values)


def test_an_evaluation_prints_and_can_be_pickled():
    text = str(TOLD)
    assert text.startswith("dysp predicted in 800 cases\nlog score -0.")
    again = pickle.loads(pickle.dumps(TOLD))
    assert again.to_plain() == TOLD.to_plain()
    assert "<table" in TOLD._repr_html_()


def test_cross_validation_predicts_the_target_in_cases_held_out():
    found = tc.cross_validate(ASIA.dag, CASES, folds=4, target="dysp", seed=3)
    told = found.evaluation
    assert told is not None
    assert_array_equal(told.cases, np.arange(800))
    for fold, network in enumerate(found.networks):
        inside = np.flatnonzero(found.fold == fold)
        there = tc.evaluate(network, CASES.take(inside), "dysp")
        assert_allclose(told.probability[inside], there.probability, atol=1e-12)
    assert "prediction" in found.to_plain()
    assert "dysp predicted in 800 cases" in str(found)


def test_folds_get_their_share_of_every_state():
    strata = np.array([0] * 12 + [1] * 8 + [2] * 4)
    fold = split(24, 4, seed=1, strata=strata)
    for state, size in ((0, 3), (1, 2), (2, 1)):
        assert_array_equal(np.bincount(fold[strata == state], minlength=4), [size] * 4)
    assert not np.array_equal(fold, split(24, 4, seed=2, strata=strata))


def test_a_target_that_is_always_the_same_has_no_area():
    sure = tc.Dataset({"A": Discrete("A", ("x", "y"))}, {"A": np.zeros(9, dtype=np.int8)})
    told = tc.evaluate(tc.fit("A", sure).network, sure, "A")
    assert np.isnan(told.auc)
    assert told.base_log_score == 0
