"""Queries of every form against the enumerated joint, and the answers they return."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive_inference as naive
import questions
import strategies
import tacit as tc
from tacit.core.errors import ImpossibleError, OptionError, QueryError, quoted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, table
from tacit.infer import exact
from tacit.knowledge.reading import parse_query
from tacit.knowledge.terms import Probability, Term, Word

FLU = Discrete("Flu", ("no", "yes"))
COUGH = Discrete("Cough", ("none", "dry", "wet"))
FEVER = Discrete("Fever", ("low", "high"))
NETWORK = Network.of(
    [
        table(FLU, [], [0.8, 0.2]),
        table(COUGH, [FLU], [[0.9, 0.1, 0], [0.1, 0.2, 0.7]]),
        table(FEVER, [FLU], [[0.95, 0.05], [0.3, 0.7]]),
    ]
)


@st.composite
def asked(draw, network: Network, known: set[str]):
    """Targets as text, and for each its name and the states it is held to (None: all, free)."""
    open_names = [name for name in network.dag.names if name not in known]
    names = draw(st.lists(st.sampled_from(open_names), min_size=1, max_size=3, unique=True))
    words, held = [], []
    for name in names:
        said = draw(st.one_of(st.none(), questions.said_of(network, name)))
        soft = (
            said is not None and ":" in said.words.split("=", 1)[1] and isinstance(said.value, dict)
        )
        words.append(quoted(name) if said is None or soft else said.words)
        held.append((name, None if said is None or soft else said.likelihood))
    return ", ".join(words), held


def added_up(values: np.ndarray, held) -> np.ndarray:
    """Sum each held axis over the states it is held to."""
    for at in reversed(range(len(held))):
        if held[at][1] is not None:
            values = np.tensordot(values, held[at][1], axes=(at, 0))
    return values


@given(st.data())
def test_every_form_of_query_equals_the_enumerated_joint(data):
    network = data.draw(strategies.discrete_networks(least=1, most=5, names=strategies.odd_names))
    said = data.draw(questions.findings(network))
    meaning = questions.meaning(said)
    known = {name for name, each in meaning.items() if np.count_nonzero(each) == 1}
    assume(len(known) < len(network) and all(each.any() for each in meaning.values()))
    targets, held = data.draw(asked(network, known))
    given_words = [each for each in said if each.value is None or data.draw(st.booleans())]
    further = [each for each in said if each not in given_words]
    if len({each.name for each in further}) < len(further):
        given_words, further = said, []
    bar = " | " if given_words else ""
    text = f"P({targets}{bar}{', '.join(each.words for each in given_words)})"
    value = {each.name: each.value for each in further}
    if naive.mass(network, meaning) == 0:
        with pytest.raises(ImpossibleError):
            tc.query(network, text, given=value)
        return
    answer = tc.query(network, text, given=value)
    expected = naive.posterior(network, [name for name, _ in held], meaning)
    assert_allclose(answer.values, added_up(expected, held), rtol=1e-9, atol=1e-12)
    assert [v.name for v in answer.variables] == [name for name, each in held if each is None]


@given(st.data())
def test_the_part_a_question_needs_gives_the_same_answer_as_the_whole(data):
    network = data.draw(strategies.discrete_networks(least=2, most=5, zeros=False))
    said = data.draw(questions.findings(network, most=2))
    meaning = questions.meaning(said)
    known = {name for name, each in meaning.items() if np.count_nonzero(each) == 1}
    assume(len(known) < len(network) and all(each.any() for each in meaning.values()))
    _, held = data.draw(asked(network, known))
    names = [name for name, _ in held]
    expected = naive.posterior(network, names, meaning)
    text = f"P({', '.join(map(quoted, names))}{' | ' if said else ''}"
    text += ", ".join(each.words for each in said) + ")"
    with pytest.MonkeyPatch.context() as patch:
        assert_allclose(tc.query(network, text).values, expected, rtol=1e-9, atol=1e-12)
        patch.setattr(exact, "MEMORY_LIMIT", -1)
        assert_allclose(tc.query(network, text).values, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(30))
def test_impossible_findings_are_told_as_a_smallest_set_that_contradicts(seed):
    network = questions.random_network(seed, size=6, sure=0.7)
    random = np.random.default_rng(seed)
    case = {name: int(random.integers(len(network.variables[name].states))) for name in network}
    target = case.popitem()[0]
    if naive.mass(network, naive.held(network, case)) > 0:
        return
    states = {name: network.variables[name].states[code] for name, code in case.items()}
    with pytest.raises(ImpossibleError) as caught:
        tc.query(network, target, given=states)
    blamed = [name for name in case if f"{name}={states[name]}" in caught.value.findings]
    assert len(blamed) == len(caught.value.findings) > 0
    assert naive.mass(network, naive.held(network, {n: case[n] for n in blamed})) == 0
    for name in blamed:
        rest = {other: case[other] for other in blamed if other != name}
        assert naive.mass(network, naive.held(network, rest)) > 0


words = st.one_of(strategies.odd_names, st.sampled_from(["not", "P", "1.2.3", ".", "007", "-1"]))
plain_terms = st.builds(Term, words.map(Word))
held_terms = st.builds(
    Term,
    words.map(Word),
    st.lists(words.map(Word), min_size=1, max_size=3).map(tuple),
    st.booleans(),
)
numbers = st.floats(0, 1e9, allow_nan=False)
soft_terms = st.builds(
    lambda name, pairs: Term(name, tuple(p[0] for p in pairs), False, tuple(p[1] for p in pairs)),
    words.map(Word),
    st.lists(st.tuples(words.map(Word), numbers), min_size=1, max_size=3),
)
terms = st.lists(st.one_of(plain_terms, held_terms, soft_terms), min_size=1, max_size=3).map(tuple)


@given(st.builds(Probability, terms, st.one_of(st.just(()), terms)))
def test_a_query_reads_back_as_it_prints(probability):
    assert parse_query(str(probability)) == probability


def test_names_that_look_like_queries_or_words_of_the_language():
    p, no = Discrete("P", ("not", "P")), Discrete("not", ("a", "not"))
    network = Network.of([table(p, [], [0.25, 0.75]), table(no, [p], [0.5, 0.5, 0.1, 0.9])])
    assert_allclose(float(tc.query(network, 'P(P="not")')), 0.25)
    assert_allclose(tc.query(network, 'P(P | not="not")').values, naive_p_given_not(network))
    assert_allclose(float(tc.query(network, "P(P=not P)")), 0.25)
    assert_allclose(tc.query(network, "P").values, [0.25, 0.75])
    odd = Discrete("P(A)", ("x", "y"))
    assert_allclose(tc.query(Network.of([table(odd, [], [0.5, 0.5])]), "P(A)").values, [0.5, 0.5])


def naive_p_given_not(network):
    return naive.posterior(network, ["P"], {"not": [0, 1]})


def test_numbers_name_the_states_that_they_are():
    size = Discrete("Size", ("1", "2.5", "1e3"))
    network = Network.of([table(size, [], [0.2, 0.3, 0.5])])
    for said in (1, 1.0, "1", "1.0", np.int64(1), np.float64(1)):
        assert_allclose(tc.most_probable(network, given={"Size": said}).probability, 1)
    assert_allclose(float(tc.query(network, "P(Size=1000)")), 0.5)
    assert_allclose(float(tc.query(network, "P(Size={1.0, 2.50})")), 0.5)


def test_a_target_may_have_findings_that_leave_it_open():
    soft = tc.query(NETWORK, "P(Flu | Flu={no: 0.2, yes: 0.8})")
    assert_allclose(soft.values, np.array([0.8 * 0.2, 0.2 * 0.8]) / 0.32)
    held = tc.query(NETWORK, "P(Cough=dry | Cough=not none, Fever=high)")
    expected = naive.posterior(NETWORK, ["Cough"], {"Cough": [0, 1, 1], "Fever": [0, 1]})
    assert_allclose(float(held), expected[1])


def test_an_answer_is_indexed_by_states_and_prints_as_a_table():
    joint = tc.query(NETWORK, ["Flu", "Fever"], given={"Cough": "dry"})
    assert_allclose(joint.values.sum(), 1)
    assert joint["yes", "high"] == joint.values[1, 1]
    assert joint.as_dict()["yes", "high"] == joint.values[1, 1]
    assert list(tc.query(NETWORK, "Flu").as_dict()) == ["no", "yes"]
    assert str(joint).splitlines()[0] == "P(Flu, Fever | Cough=dry)"
    assert "<table" in joint._repr_html_()
    assert repr(tc.query(NETWORK, "Flu")) == "<Answer P(Flu): 0.8, 0.2>"
    frame = joint.to_frame("pandas")
    assert list(frame.columns) == ["Flu", "Fever", "probability"]
    assert_allclose(frame["probability"], joint.values.ravel())


def test_a_query_without_free_targets_is_a_number():
    answer = tc.query(NETWORK, "P(Flu=yes, Cough={dry, wet})")
    assert_allclose(float(answer), 0.2 * 0.9)
    assert answer.variables == ()
    assert_allclose(float(tc.query(NETWORK, "P(Flu=yes | Cough=wet)")), 1.0)


def test_a_long_answer_is_cut_when_printed():
    many = Discrete("Many", tuple(f"s{n}" for n in range(100)))
    answer = tc.query(Network.of([Table((many,), np.full(100, 0.01))]), "Many")
    assert str(answer).endswith("... and 40 more")


def test_a_class_of_a_thousand_features_does_not_underflow():
    random = np.random.default_rng(1)
    kind = Discrete("Kind", ("a", "b", "c"))
    families, seen = [table(kind, [], [0.2, 0.3, 0.5])], {}
    logs = np.log([0.2, 0.3, 0.5])
    for number in range(1500):
        feature = Discrete(f"F{number}", ("no", "yes"))
        chance = 0.05 + 0.9 * random.random(3)
        families.append(Table((kind, feature), np.stack([1 - chance, chance], axis=1)))
        code = int(random.integers(2))
        seen[feature.name] = ("no", "yes")[code]
        logs += np.log(chance if code else 1 - chance)
    network = Network.of(families)
    expected = np.exp(logs - np.logaddexp.reduce(logs))
    assert_allclose(tc.query(network, "Kind", given=seen).values, expected, rtol=1e-9)
    assert_allclose(tc.query(network, "Kind").values, [0.2, 0.3, 0.5])
    cases = {name: [state] for name, state in seen.items()}
    assert_allclose(tc.log_likelihood(network, cases), np.logaddexp.reduce(logs), rtol=1e-12)
    assert_allclose(tc.predict(network, cases)["Kind"][0], expected, rtol=1e-9)
    best = tc.most_probable(network, given=seen)
    assert best["Kind"] == kind.states[int(np.argmax(logs))]
    assert_allclose(best.probability, expected.max(), rtol=1e-9)


def test_only_networks_can_be_asked():
    fit = tc.fit(NETWORK, tc.sample(NETWORK, 20, seed=1))
    for ask in (
        lambda: tc.query(fit, "Flu"),
        lambda: tc.most_probable(fit),
        lambda: tc.predict(fit, {"Flu": ["no"]}),
        lambda: tc.mutual_information(fit, "Flu", "Fever"),
        lambda: tc.effective_dimension(fit, ["Flu"]),
    ):
        with pytest.raises(OptionError, match=r"its network is under \.network"):
            ask()


def test_questions_are_kept_apart_between_networks_and_findings():
    other = Network.of([table(FLU, [], [0.1, 0.9])])
    assert_allclose(float(tc.query(NETWORK, "P(Flu=yes)")), 0.2)
    assert_allclose(float(tc.query(other, "P(Flu=yes)")), 0.9)
    soft = {"Fever": {"low": 0.1, "high": 0.9}}
    before = tc.query(NETWORK, "Flu").values
    assert not np.allclose(tc.query(NETWORK, "Flu", given=soft).values, before)
    assert_allclose(tc.query(NETWORK, "Flu").values, before)


def test_findings_are_a_mapping():
    with pytest.raises(QueryError, match="findings are given like"):
        tc.query(NETWORK, "Flu", given="Fever=high")  # type: ignore[arg-type]
