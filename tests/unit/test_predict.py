"""Posteriors and likelihoods of many incomplete cases against one enumeration per case."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

import naive_inference as naive
import peers
import questions
import strategies
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.errors import ColumnError, SizeError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.engines.expected import STRATEGIES, expectation
from tacit.families.table import table
from tacit.infer import contexts, pieces
from tacit.infer.flat import layout_of
from tacit.learn.structures import families_of

RAIN = Discrete("Rain", ("no", "yes"))
WET = Discrete("Wet", ("no", "yes"))
SLIP = Discrete("Slip", ("no", "yes"))
NETWORK = Network.of(
    [
        table(RAIN, [], [0.8, 0.2]),
        table(WET, [RAIN], [[1.0, 0.0], [0.1, 0.9]]),
        table(SLIP, [WET], [[0.99, 0.01], [0.7, 0.3]]),
    ]
)


def gappy(network: Network, cases: int, seed: int, share: float = 0.4) -> Dataset:
    """Cases drawn from the network, many cells gone, whole cases among them."""
    drawn = tc.sample(network, cases, seed=seed, missing=tc.AtRandom(share))
    random = np.random.default_rng(seed)
    return drawn.with_weights(random.choice([0.0, 0.5, 1.0, 3.0], cases))


@pytest.mark.parametrize("seed", range(8))
def test_predictions_and_likelihoods_of_gappy_cases_are_enumerated(seed):
    network = questions.random_network(seed, size=5, sure=0.3 * (seed % 2))
    cases = gappy(network, 25, seed)
    prediction, likelihood = tc.predict(network, cases), tc.log_likelihood(network, cases)
    for at, case in enumerate(naive.cases_in(cases)):
        findings = naive.held(network, case)
        assert_allclose(np.exp(likelihood.per_case[at]), naive.mass(network, findings), rtol=1e-10)
        for name in network:
            expected = naive.posterior(network, [name], findings)
            assert_allclose(prediction[name][at], expected, rtol=1e-9, atol=1e-12)
    used = cases.weights > 0
    total = float(cases.weights[used] @ likelihood.per_case[used])
    assert_allclose(float(likelihood), total, rtol=1e-12)


@given(st.data())
def test_any_cases_of_any_network_are_predicted_as_single_queries_say(data):
    network = data.draw(strategies.discrete_networks(least=2, most=4, names=strategies.odd_names))
    cases = data.draw(strategies.cases_of(network, least=1, most=5, missing=True))
    prediction, likelihood = tc.predict(network, cases), tc.log_likelihood(network, cases)
    for at, case in enumerate(naive.cases_in(cases)):
        findings = naive.held(network, case)
        chance = naive.mass(network, findings)
        assert_allclose(np.exp(likelihood.per_case[at]), chance, rtol=1e-10)
        assert (at in prediction.impossible) == (chance == 0)
        for name in network:
            if name in case:
                assert_array_equal(prediction[name][at], findings[name])
            elif chance == 0:
                assert np.isnan(prediction[name][at]).all()
            else:
                expected = naive.posterior(network, [name], findings)
                assert_allclose(prediction[name][at], expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_both_strategies_of_the_e_step_are_the_naive_one(seed):
    network = questions.random_network(seed + 50, size=5, most_parents=3)
    hidden = () if seed % 2 else ("V1",)
    cases = gappy(network, 30, seed, share=0.3)
    seen = [name for name in cases.names if name not in hidden]
    cases = cases.select(seen)
    layout = layout_of(network.dag, network.variables)
    families = families_of(network.dag, network.variables)
    theta = layout.parameters(network)
    expected, likelihood = naive.expected_counts(
        naive.tables_of(network),
        network.dag.parents,
        naive.cases_in(cases),
        naive.weights_in(cases),
    )
    flat = []
    for strategy in STRATEGIES:
        step = expectation(cases, layout, families, strategy)
        counts, _ = step.run(theta)
        for name in network:
            block = layout.block(step.constant + counts, layout.places[name])
            assert_allclose(block, expected[name], rtol=1e-10, atol=1e-10)
        for threads in (2, 5):
            again, _ = step.run(theta, threads)
            assert_array_equal(again, counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            known = np.where(step.constant > 0, step.constant * np.log(theta), 0).sum()
        assert_allclose(known + step.run(theta)[1], likelihood, rtol=1e-10)
        flat.append(step.constant + counts)
    assert_allclose(flat[1], flat[2], rtol=0, atol=1e-10)


@pytest.mark.parametrize(("share", "hidden"), [(0.1, ()), (0.3, ("LVFAILURE", "VENTTUBE"))])
def test_both_strategies_agree_on_alarm(share, hidden):
    network = tc.textbook("alarm")
    cases = tc.sample(network, 150, seed=1, missing=tc.AtRandom(share))
    cases = cases.select([name for name in cases.names if name not in hidden])
    layout = layout_of(network.dag, network.variables)
    families = families_of(network.dag, network.variables)
    theta = layout.parameters(network)
    found = []
    for strategy in ("contexts", "trees"):
        step = expectation(cases, layout, families, strategy)
        counts, inferred = step.run(theta)
        known = step.constant > 0
        inferred += float(step.constant[known] @ np.log(theta[known]))
        found.append((step.constant + counts, inferred))
    assert_allclose(found[0][0], found[1][0], rtol=0, atol=1e-10)
    assert_allclose(found[0][1], found[1][1], rtol=1e-12)
    assert_allclose(found[0][1], float(tc.log_likelihood(network, cases)), rtol=1e-12)


def test_predictions_of_alarm_are_those_of_pyagrum():
    network = tc.textbook("alarm")
    cases = tc.sample(network, 4, seed=2, missing=tc.AtRandom(0.4))
    prediction = tc.predict(network, cases)
    for at, case in enumerate(naive.cases_in(cases)):
        given = {name: network.variables[name].states[code] for name, code in case.items()}
        names = [name for name in network if name not in case]
        for name, values in peers.posteriors_by_pyagrum(network, given, names).items():
            assert_allclose(prediction[name][at], values, rtol=0, atol=1e-9)


def test_a_case_is_impossible_by_its_observed_cells_or_by_its_missing_ones():
    cases = {"Rain": ["no", None, "no"], "Wet": ["yes", None, None], "Slip": [None, "yes", "yes"]}
    prediction = tc.predict(NETWORK, cases)
    assert list(prediction.impossible) == [0]
    assert np.isnan(prediction["Slip"][0]).all()
    assert_array_equal(prediction["Wet"][0], [0, 1])
    assert_allclose(tc.log_likelihood(NETWORK, cases).per_case[0], -np.inf)


def test_a_prediction_is_a_mapping_and_a_frame():
    prediction = tc.predict(NETWORK, {"Slip": ["yes", "no"], "Wet": ["yes", None]})
    assert list(prediction) == ["Rain", "Wet", "Slip"]
    assert len(prediction) == 3
    assert prediction.unobserved == ("Rain", "Wet")
    assert prediction.most_probable("Wet") == ["yes", "no"]
    frame = prediction.to_frame("pandas")
    assert list(frame.columns) == ["Rain=no", "Rain=yes", "Wet=no", "Wet=yes"]
    assert_allclose(frame["Wet=yes"], prediction["Wet"][:, 1])
    assert repr(prediction) == "<Prediction of 2 cases, 2 unobserved variables>"
    with pytest.raises(ColumnError, match="nothing was predicted for 'wet'; did you mean 'Wet'"):
        prediction["wet"]


def test_threads_change_no_bit():
    network = questions.random_network(3, size=8)
    cases = gappy(network, 400, 1)
    one = tc.predict(network, cases, threads=1)
    for threads in (2, 3):
        other = tc.predict(network, cases, threads=threads)
        for name in network:
            assert_array_equal(one[name], other[name])
        assert tc.log_likelihood(network, cases, threads=threads) == tc.log_likelihood(
            network, cases
        )


def test_long_data_are_searched_in_blocks(monkeypatch):
    network = questions.random_network(4, size=6)
    cases = gappy(network, 300, 2)
    whole = tc.predict(network, cases)
    monkeypatch.setattr(contexts, "BLOCK_CELLS", 50)
    for name in network:
        assert_array_equal(tc.predict(network, cases)[name], whole[name])


def test_words_that_name_contexts_tell_them_apart_even_if_the_first_does_not(monkeypatch):
    network = questions.random_network(5, size=6)
    cases = gappy(network, 200, 3)
    whole = tc.predict(network, cases)
    honest = contexts._words

    def blind(random, count):
        found = honest(random, count)
        found[:, 0] = 7
        return found

    monkeypatch.setattr(contexts, "_words", blind)
    again = questions.random_network(5, size=6)
    for name in network:
        assert_allclose(tc.predict(again, cases)[name], whole[name], rtol=1e-12)


def test_large_pieces_get_clique_trees_of_their_own(monkeypatch):
    network = questions.random_network(6, size=7, most_parents=3)
    cases = gappy(network, 60, 4, share=0.7)
    trees = tc.log_likelihood(network, cases).per_case
    monkeypatch.setattr(pieces, "ONE_CLIQUE", 10**9)
    assert_allclose(tc.log_likelihood(network, cases).per_case, trees, rtol=1e-12, atol=1e-14)


def test_cases_without_columns_of_the_network_are_refused():
    with pytest.raises(ColumnError):
        tc.predict(NETWORK, {"Snow": ["no"]})
    with pytest.raises(ColumnError):
        tc.log_likelihood(NETWORK, {"Snow": ["no"]})


def test_no_cases_have_no_posteriors():
    none = tc.sample(NETWORK, 0, seed=1).select(["Rain"])
    assert tc.predict(NETWORK, none)["Wet"].shape == (0, 2)
    assert float(tc.log_likelihood(NETWORK, none)) == 0


def wide_network(roots: int) -> Network:
    """Every pair of roots has a child: once the children are seen, the roots hang together."""
    variables = [Discrete(f"R{n}", ("no", "yes")) for n in range(roots)]
    families = [table(variable, [], [0.5, 0.5]) for variable in variables]
    for a in range(roots):
        for b in range(a):
            child = Discrete(f"C{a}.{b}", ("no", "yes"))
            rows = [[0.9, 0.1], [0.4, 0.6], [0.3, 0.7], [0.2, 0.8]]
            families.append(table(child, [variables[a], variables[b]], rows))
    return Network.of(families)


def test_what_is_too_wide_is_refused_before_memory_is_taken():
    network = wide_network(31)
    children = {name: ["yes"] for name in network if name.startswith("C")}
    for ask in (
        lambda: tc.predict(network, children),
        lambda: tc.log_likelihood(network, children),
        lambda: tc.fit(network, children, hidden="rest"),
        lambda: tc.fit(network, children, hidden="rest", method=tc.EM(strategy="trees")),
        lambda: tc.query(network, "R0", given=dict.fromkeys(children, "yes")),
        lambda: tc.most_probable(network, given=dict.fromkeys(children, "yes")),
        lambda: tc.sample(network, 3, given=dict.fromkeys(children, "yes")),
    ):
        with pytest.raises(SizeError, match=r"width 30, largest clique 2,147,483,648 cells"):
            ask()
    assert_allclose(tc.query(network, "R0").values, [0.5, 0.5])
    one = tc.query(network, "R0", given={"C1.0": "yes"})
    assert_allclose(one.values, np.array([0.1 + 0.7, 0.6 + 0.8]) / 2.2)
