"""Naive Bayes for documents, beside scikit-learn, plain loops and ordinary networks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import naive_text
import tacit as tc

RANDOM = np.random.default_rng(0)
CLASSES = RANDOM.integers(0, 3, 200)
COUNTS = RANDOM.poisson(0.4, (200, 30))
COUNTS[CLASSES == 1, :6] += RANDOM.poisson(1.0, ((CLASSES == 1).sum(), 6))
TEXTS = ["The cat sat on the mat", "dogs bark", "the dog sat", "a cat, the cat!"]
ANIMALS = ["cat", "dog", "dog", "cat"]


@pytest.mark.parametrize(
    ("kind", "peer"), [("multinomial", MultinomialNB), ("bernoulli", BernoulliNB)]
)
@pytest.mark.parametrize("alpha", [1.0, 0.1])
def test_tables_and_posteriors_are_those_of_scikit_learn(kind, peer, alpha):
    model = tc.fit_text(COUNTS, CLASSES, kind=kind, prior=tc.Dirichlet(alpha))
    other = peer(alpha=alpha, class_prior=np.exp(model.log_class[0])).fit(COUNTS, CLASSES)
    assert_allclose(model.log_word[0], other.feature_log_prob_, rtol=0, atol=1e-12)
    found = model.predict(COUNTS)
    assert_allclose(found.probability, other.predict_proba(COUNTS), rtol=0, atol=1e-12)
    assert found.most_probable == [str(each) for each in other.predict(COUNTS)]


@pytest.mark.parametrize("kind", ["multinomial", "bernoulli"])
def test_sparse_and_dense_counts_are_the_same(kind):
    dense = tc.fit_text(COUNTS, CLASSES, kind=kind)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        other = tc.fit_text(form(COUNTS), CLASSES, kind=kind)
        assert_array_equal(other.log_word, dense.log_word)
        assert_allclose(other.predict(form(COUNTS)).probability, dense.predict(COUNTS).probability)


documents = st.lists(
    st.tuples(st.lists(st.sampled_from("abcde"), max_size=6), st.sampled_from(["x", "y"])),
    min_size=2,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(documents, st.lists(st.sampled_from("abcdefg"), max_size=6))
def test_the_multinomial_model_is_a_loop_over_words(drawn, fresh):
    bags, labels = [bag for bag, _ in drawn], [label for _, label in drawn]
    model = tc.fit_text(bags, labels, dictionary=list("abcde"), prior=tc.Dirichlet(0.7))
    words = naive_text.multinomial(bags, labels, "abcde", 0.7)
    states = model.classes.states
    shares = {state: (labels.count(state) + 0.7) for state in states}
    shares = {state: value / sum(shares.values()) for state, value in shares.items()}
    for at, state in enumerate(states):
        assert_allclose(np.exp(model.log_word[0, at]), list(words[state].values()))
    told = naive_text.posterior(fresh, shares, words)
    found = model.predict([fresh])
    assert_allclose(found.probability[0], [told[state] for state in states])
    assert found.unknown[0] == sum(word in "fg" for word in fresh)


def test_the_multinomial_model_is_a_network_whose_positions_share_a_table():
    model = tc.fit_text(COUNTS[:, :6], CLASSES)
    tables = [model.network["Class"]]
    for at in range(3):
        place = tc.Discrete(f"Position {at}", model.dictionary)
        tables.append(tc.Table((model.classes, place), model.network["Word"].values))
    written = {"Position 0": "w2", "Position 1": "w2", "Position 2": "w5"}
    told = tc.query(tc.Network.of(tables), "Class", given=written)
    assert_allclose(model.predict(np.array([[0, 2, 0, 0, 1, 0]])).probability[0], told.values)


def test_the_bernoulli_model_is_a_network_of_a_variable_per_word():
    model = tc.fit_text(COUNTS[:, :6], CLASSES, kind="bernoulli")
    stands = dict(zip(model.dictionary, ["no", "yes", "no", "no", "yes", "no"], strict=True))
    told = tc.query(model.network, "Class", given=stands)
    assert_allclose(model.predict(np.array([[0, 2, 0, 0, 1, 0]])).probability[0], told.values)


@pytest.mark.parametrize("kind", ["multinomial", "bernoulli"])
def test_batches_add_up_to_all_documents(kind):
    whole = tc.fit_text(COUNTS, CLASSES, kind=kind)
    first = tc.fit_text(COUNTS[:50], CLASSES[:50], kind=kind)
    both = first.update(COUNTS[50:120], CLASSES[50:120]).update(COUNTS[120:], CLASSES[120:])
    assert_array_equal(both.log_word, whole.log_word)
    assert_array_equal(both.counts.documents, whole.counts.documents)
    left = both.counts - tc.fit_text(COUNTS[50:], CLASSES[50:], kind=kind).counts
    assert_array_equal(left.words, first.counts.words)
    faded = 0.5 * whole.counts + 0.5 * whole.counts
    assert_allclose(faded.words, whole.counts.words)


def test_cells_said_in_parts_are_their_sum():
    parts = sparse.csr_matrix(
        (np.array([1.0, 1.0, 2.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2)
    )
    whole = np.array([[2, 0], [0, 2]])
    for kind in ("multinomial", "bernoulli"):
        one = tc.fit_text(parts, ["x", "y"], kind=kind)
        assert_array_equal(one.log_word, tc.fit_text(whole, ["x", "y"], kind=kind).log_word)


def test_a_document_of_weight_two_is_two_documents():
    twice = np.repeat(np.arange(40), 2)
    whole = tc.fit_text(COUNTS[twice], CLASSES[twice])
    heavy = tc.fit_text(COUNTS[:40], CLASSES[:40], weights=np.full(40, 2.0))
    assert_allclose(heavy.log_word, whole.log_word)


def test_texts_are_cut_into_words_written_small():
    found = tc.words(TEXTS)
    assert found.dictionary == (
        "a", "bark", "cat", "dog", "dogs", "mat", "on", "sat", "the",
    )  # fmt: skip
    assert found.counts[0, 8] == 2
    again = tc.words(TEXTS, ["cat", "zebra"])
    assert_array_equal(again.counts.toarray(), [[1, 0], [0, 0], [0, 0], [2, 0]])
    assert_array_equal(again.unknown, [5, 2, 3, 2])
    assert tc.words(np.array(TEXTS)).dictionary == found.dictionary
    assert tc.words(TEXTS, least=2).dictionary == ("cat", "sat", "the")
    assert_array_equal(found.over(["cat", "zebra"]).counts.toarray(), again.counts.toarray())
    assert_array_equal(found.over(["cat", "zebra"]).unknown, again.unknown)


def test_words_of_no_dictionary_are_told_of():
    model = tc.fit_text(TEXTS, ANIMALS)
    found = model.predict(["the zebra and the cat", "quagga"])
    assert_array_equal(found.unknown, [2, 1])
    assert_array_equal(found.known, [3, 0])
    assert found.notes == (
        "3 of 6 words (50%) are not in the dictionary and say nothing about the class",
        "1 document holds no word of the dictionary",
    )
    assert_allclose(found.probability[1], np.exp(model.log_class[0]))
    assert model.update(["zebra bark"], ["dog"]).notes[0] == (
        "1 written words were not in the dictionary, and not counted"
    )


def test_sub_populations_share_words_that_an_expert_names():
    authors = ["ann", "bob"] * 100
    rule = "share P(Word | Author=*, Topic=0) { w1, w2 }"
    model = tc.fit_text(
        COUNTS, CLASSES, groups=authors, target="Topic", group="Author", knowledge=rule
    )
    table = np.exp(model.log_word)
    assert_allclose(table[0, 0, :2], table[1, 0, :2])
    assert not np.allclose(table[0, 0, 2:], table[1, 0, 2:])
    # Thm 4.7: the shared words get their share of the words of both authors together
    counts = model.counts.words[:, 0] + 1.0
    assert_allclose(table[0, 0, :2], counts[:, :2].sum(axis=0) / counts.sum())
    free = counts[1, 2:] / counts[1, 2:].sum() * (1 - table[1, 0, :2].sum())
    assert_allclose(table[1, 0, 2:], free)
    assert [status.active for status in model.fit.rules] == [True]


def test_groups_that_are_not_said_are_summed_out():
    authors = RANDOM.choice(["ann", "bob"], 200)
    model = tc.fit_text(COUNTS, CLASSES, groups=authors)
    one = model.predict(COUNTS[:4])
    joint = sum(
        np.exp(model.predict(COUNTS[:4], groups=[who] * 4).log_joint) for who in ("ann", "bob")
    )
    assert_allclose(one.probability, joint / joint.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("kind", ["multinomial", "bernoulli"])
def test_what_was_never_seen_is_impossible_without_a_prior(kind):
    texts = [["a", "b"], ["a"], ["c", "b"], ["c"]]
    model = tc.fit_text(texts, ["x", "x", "y", "y"], kind=kind, estimate=tc.ML())
    found = model.predict([["a", "b"], ["c"], ["b"]])
    assert_allclose(found.probability[0], [1, 0])
    assert_allclose(found.probability[1], [0, 1])
    if kind == "multinomial":
        assert_allclose(found.probability[2], [0.5, 0.5])
    else:  # every document of x holds a, every one of y holds c: this one cannot be
        assert np.isnan(found.probability[2]).all()


def test_rules_of_the_bernoulli_model_are_those_of_its_network():
    model = tc.fit_text(
        COUNTS[:, :4], CLASSES, kind="bernoulli", knowledge="P(w1=yes | Class=0) <= 0.2"
    )
    free = tc.fit_text(COUNTS[:, :4], CLASSES, kind="bernoulli")
    assert np.exp(free.log_word[0, 0, 0]) > 0.25
    assert_allclose(np.exp(model.log_word[0, 0, 0]), 0.2)
    assert_allclose(model.log_word[0, 1:], free.log_word[0, 1:])


def test_the_most_telling_words_are_those_that_were_planted():
    model = tc.fit_text(COUNTS, CLASSES)
    assert {word for word, _ in model.telling("1", 6)} == {f"w{at}" for at in range(1, 7)}
    assert "speaking for it" in str(model)
    assert "<table" in model._repr_html_()


def test_predictions_are_judged_and_become_a_frame():
    model = tc.fit_text(COUNTS[:100], CLASSES[:100])
    told = model.predict(COUNTS[100:])
    judged = told.evaluate(CLASSES[100:])
    right = np.array(told.most_probable) == CLASSES[100:].astype(str)
    assert_allclose(judged.accuracy, right.mean())
    assert list(told.to_frame("pandas").columns) == [
        "Class=0", "Class=1", "Class=2", "known words", "unknown words",
    ]  # fmt: skip
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(COUNTS[100:]).probability, told.probability)
