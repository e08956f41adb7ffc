"""Estimators that keep scikit-learn's contract, by scikit-learn's own checks."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator

import tacit as tc
from tacit.sklearn import (
    BayesNetClassifier,
    BayesNetDensity,
    BayesNetImputer,
    LatentClasses,
    TextClassifier,
)

IRIS, SPECIES = load_iris(return_X_y=True)
RANDOM = np.random.default_rng(0)
GAPS = np.where(RANDOM.random(IRIS.shape) < 0.2, np.nan, IRIS)
PEOPLE = pd.DataFrame(
    {
        "age": [20.5, 35.0, np.nan, 61.0, 44.5, 29.0, 70.0, 52.5] * 8,
        "town": ["Ulm", "Bonn", "Ulm", None, "Bonn", "Ulm", "Bonn", "Bonn"] * 8,
        "rooms": [1, 2, 1, 3, 2, 1, 4, 3] * 8,
    }
)
OWNS = np.array(["no", "no", "no", "yes", "yes", "no", "yes", "yes"] * 8)


ESTIMATORS = [
    BayesNetClassifier(),
    BayesNetClassifier("tan"),
    BayesNetClassifier("multinet"),
    BayesNetDensity(),
    BayesNetImputer(),
    LatentClasses(),
    LatentClasses(n_clusters=None, most=3),
    TextClassifier(),
    TextClassifier("bernoulli"),
]


def checks():
    """Every check of scikit-learn but that of arrays of other libraries, which we do not take."""
    for estimator in ESTIMATORS:
        for made, check in estimator_checks_generator(estimator):
            name = check.func.__name__
            if "array_api" not in name:
                yield pytest.param(made, check, id=f"{estimator}-{name}")


@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_the_contract_of_scikit_learn_is_kept(estimator, check):
    check(estimator)


@pytest.mark.parametrize("structure", ["naive", "tan", "multinet", "search"])
def test_flowers_are_told_apart(structure):
    scores = cross_val_score(BayesNetClassifier(structure, random_state=0), IRIS, SPECIES)
    assert scores.mean() > 0.9


@pytest.mark.parametrize("structure", ["naive", "tan", "multinet"])
def test_flowers_with_gaps_are_told_apart(structure):
    few = slice(None, None, 2)
    model = BayesNetClassifier(structure, random_state=0).fit(GAPS[few], SPECIES[few])
    assert model.score(GAPS[1::2], SPECIES[1::2]) > 0.8


@pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if hasattr(e, "predict_proba")], ids=str
)
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_of_every_estimator_lie_within_0_and_1_and_add_up_to_1(estimator, seed):
    """Without any tolerance at the ends, however sure the estimator is."""
    random = np.random.default_rng(seed)
    classes = random.integers(0, 3, 400)
    matrix = 3.0 * classes[:, None] + random.normal(size=(400, 12)) ** 2
    counts = np.rint(matrix * random.integers(1, 40, 12))
    words = isinstance(estimator, TextClassifier)
    model = clone(estimator)
    if not words:
        model.set_params(random_state=seed)
    model.fit(counts if words else matrix, classes)
    sizes = 10.0 ** random.integers(-2, 4, (400, 1))
    gaps = np.where(random.random(matrix.shape) < 0.2, np.nan, matrix * sizes)
    for cases in [counts, counts * 100] if words else [matrix, matrix * sizes, gaps]:
        found = model.predict_proba(cases)
        assert found.min() >= 0
        assert found.max() <= 1
        assert np.abs(found.sum(axis=1) - 1).max() <= 1e-15


def test_posteriors_are_those_of_the_network():
    model = BayesNetClassifier(random_state=0).fit(PEOPLE, OWNS)
    found = model.predict_proba(PEOPLE.iloc[3:4])[0]
    age = next(c for c in model.columns_ if c.variable.name == "age").variable
    at = model.columns_[0].codes(np.array([61.0]))[0]
    told = tc.query(model.network_, "class", given={"age": age.states[at], "rooms": "3"})
    assert_allclose(found, told.values)


def test_rules_of_experts_are_obeyed():
    rule = "P(class=yes | rooms=4) <= 0.6\nP(class=yes) = 0.3"
    free = BayesNetClassifier("rooms -> class", random_state=0).fit(PEOPLE, OWNS)
    bound = clone(free).set_params(knowledge="P(class=yes | rooms=4) <= 0.6").fit(PEOPLE, OWNS)
    four = PEOPLE[PEOPLE.rooms == 4]
    assert (free.predict_proba(four)[:, 1] > 0.8).all()
    assert_allclose(bound.predict_proba(four)[:, 1], 0.6)
    with pytest.raises(tc.TacitError, match="P\\(class=yes\\)"):
        clone(free).set_params(knowledge=rule + "\nP(class=yes) = 0.4").fit(PEOPLE, OWNS)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("structure", ["search", "tan"])
def test_rules_about_structure_are_obeyed_by_the_search(structure, gaps):
    cases = pd.DataFrame(GAPS if gaps else IRIS, columns=list("abcd")).iloc[::3]
    free = BayesNetClassifier(structure, bins=3, random_state=0).fit(cases, SPECIES[::3])
    told = clone(free).set_params(knowledge="require a -> b").fit(cases, SPECIES[::3])
    assert ("a", "b") not in free.network_.dag.arcs
    assert ("a", "b") in told.network_.dag.arcs


def test_labels_never_seen_say_nothing_and_are_told_of():
    model = BayesNetClassifier().fit(PEOPLE, OWNS)
    strange = PEOPLE.head(2).assign(town=["Rome", "Ulm"])
    gone = PEOPLE.head(2).assign(town=[None, "Ulm"])
    assert_array_equal(model.predict_proba(strange), model.predict_proba(gone))
    assert model.unseen(strange) == {"town": 1}
    assert model.unseen(PEOPLE) == {}


def test_settings_are_searched_in_a_pipeline():
    search = GridSearchCV(
        make_pipeline(BayesNetImputer(), BayesNetClassifier()),
        {"bayesnetclassifier__bins": [3, 5]},
        scoring="neg_log_loss",
        cv=3,
    )
    assert search.fit(GAPS, SPECIES).best_score_ > -0.8


def test_a_density_integrates_to_one():
    values = RANDOM.normal(size=(300, 1))
    model = BayesNetDensity(bins=6).fit(values)
    grid = np.linspace(-30, 30, 200_001)
    total = np.exp(model.score_samples(grid[:, None])).sum() * (grid[1] - grid[0])
    assert_allclose(total, 1, atol=1e-3)


def test_drawn_cases_are_like_those_learned_from():
    model = BayesNetDensity(bins=8).fit(IRIS)
    drawn = model.sample(4000, random_state=1)
    assert_allclose(drawn.mean(axis=0), IRIS.mean(axis=0), atol=0.15)
    assert np.corrcoef(drawn.T)[2, 3] > 0.8
    assert_array_equal(drawn, model.sample(4000, random_state=1))
    people = BayesNetDensity().fit(PEOPLE.dropna()).sample(5, random_state=1)
    assert people.dtype == object
    assert set(people[:, 1]) <= {"Ulm", "Bonn"}


def test_gaps_are_filled_better_than_by_the_mean():
    filled = BayesNetImputer(bins=6).fit_transform(GAPS)
    missing = np.isnan(GAPS)
    assert_array_equal(filled[~missing], GAPS[~missing])
    ours = (filled - IRIS)[missing]
    plain = (np.broadcast_to(np.nanmean(GAPS, axis=0), GAPS.shape) - IRIS)[missing]
    assert (ours**2).mean() < 0.5 * (plain**2).mean()


def test_text_is_filled_with_text():
    filled = BayesNetImputer().fit_transform(PEOPLE)
    assert set(filled[:, 1]) == {"Ulm", "Bonn"}
    assert filled[3, 1] == "Bonn"
    assert not pd.isna(filled).any()


def test_latent_classes_are_the_blobs():
    cases, truth = make_blobs(200, centers=3, n_features=4, random_state=1)
    model = LatentClasses(3, random_state=0).fit(cases)
    assert adjusted_rand_score(truth, model.labels_) > 0.9
    assert_array_equal(model.predict(cases), model.labels_)
    chosen = LatentClasses(n_clusters=None, most=5, bins=3, random_state=0).fit(cases)
    assert chosen.n_clusters_ == 3
    assert chosen.bic_[3] == min(chosen.bic_.values())


def test_words_go_through_a_pipeline_and_come_in_batches():
    texts = ["the cat sat", "a dog barks", "cats and a cat", "the dog and dogs"]
    labels = ["cat", "dog", "cat", "dog"]
    piped = make_pipeline(CountVectorizer(), TextClassifier()).fit(texts, labels)
    assert list(piped.predict(["the cat", "dogs bark"])) == ["cat", "dog"]
    counts = CountVectorizer().fit_transform(texts)
    batches = TextClassifier()
    for at in (slice(0, 2), slice(2, 4)):
        batches.partial_fit(counts[at], labels[at], classes=["cat", "dog"])
    whole = TextClassifier().fit(counts, labels)
    assert_allclose(batches.predict_proba(counts), whole.predict_proba(counts))
