"""Inference where variables are continuous, against joint normals written out."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_mixed as naive
import tacit as tc
from mixed import gaussian_network, mixed_network
from tacit.infer.normal.components import component_of, system_of
from tacit.infer.normal.dense import Canonical, Moment
from tacit.infer.normal.frames import frame_of, numbers_of
from tacit.infer.normal.sparse import Sparse

SEEDS = range(4)


def found_in(cases: tc.Dataset, case: int) -> dict:
    """What one case says."""
    said: dict = {}
    for name, column in cases.columns.items():
        variable, cell = cases.variables[name], column[case]
        if isinstance(variable, tc.Discrete):
            if cell >= 0:
                said[name] = variable.states[cell]
        elif not np.isnan(cell):
            said[name] = float(cell)
    return said


@pytest.fixture(params=SEEDS)
def mixed(request) -> tc.Network:
    return mixed_network(request.param)


@pytest.mark.parametrize("make", [gaussian_network, mixed_network])
@pytest.mark.parametrize("seed", SEEDS)
def test_missing_cells_are_summed_and_integrated_out(make, seed: int):
    network = make(seed, 4)
    cases = tc.sample(network, 25, seed=seed, missing=tc.AtRandom(0.45))
    expected = [naive.mass(network, found_in(cases, at)) for at in range(25)]
    assert_allclose(tc.log_likelihood(network, cases).per_case, expected, atol=1e-9)


@pytest.mark.parametrize("make", [gaussian_network, mixed_network])
@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_missing_is_predicted(make, seed: int):
    network = make(seed, 4)
    cases = tc.sample(network, 12, seed=seed, missing=tc.AtRandom(0.5))
    prediction = tc.predict(network, cases)
    for at in range(12):
        found = found_in(cases, at)
        for name in network:
            if name in found:
                continue
            if naive.is_real(network, name):
                mean, variance = naive.real_posterior(network, [name], found)
                assert_allclose(prediction[name][at], mean[0], atol=1e-9)
                assert_allclose(prediction.sd[name][at], np.sqrt(variance[0, 0]), atol=1e-8)
            else:
                expected = naive.state_posterior(network, [name], found)
                assert_allclose(prediction[name][at], expected, atol=1e-10)


def test_observed_cells_are_predicted_to_be_what_they_are():
    network = mixed_network(1)
    cases = tc.sample(network, 3, seed=1)
    prediction = tc.predict(network, cases)
    assert_allclose(prediction["X1"], cases["X1"])
    assert not prediction.sd["X1"].any()
    assert prediction.unobserved == ()


def test_an_answer_has_the_moments_of_the_joint(mixed):
    found = {"X3": 0.4}
    answer = tc.query(mixed, ["X0", "X2"], given=found)
    mean, covariance = naive.real_posterior(mixed, ["X0", "X2"], found)
    assert_allclose(list(answer.mean.values()), mean, atol=1e-10)
    assert_allclose(answer.covariance, covariance, atol=1e-10)
    assert_allclose(answer.sd["X2"], np.sqrt(covariance[1, 1]))


def test_states_are_asked_for_given_values(mixed):
    found = {"X3": 0.4, "X1": -1.0}
    answer = tc.query(mixed, ["A2", "A0"], given=found)
    assert_allclose(answer.values, naive.state_posterior(mixed, ["A2", "A0"], found), atol=1e-12)
    one = float(tc.query(mixed, "P(A0=b | X3=0.4, X1=-1)"))
    assert one == pytest.approx(answer.values[:, 1].sum())


def test_the_quantiles_of_an_answer_are_those_of_its_mixture(mixed):
    answer = tc.query(mixed, "P(X2 | X3=0.4)")
    low, high = answer.interval["X2"]
    for value, share in ((low, 0.025), (high, 0.975), (0.3, answer.probability("X2", below=0.3))):
        assert naive.share_below(mixed, "X2", value, {"X3": 0.4}) == pytest.approx(share, abs=1e-9)
    assert answer.probability("X2", above=low, below=high) == pytest.approx(0.95, abs=1e-9)


def test_states_and_values_are_asked_for_together(mixed):
    answer = tc.query(mixed, "P(A1, X2 | X3=0.4)")
    assert_allclose(answer.values, naive.state_posterior(mixed, ["A1"], {"X3": 0.4}), atol=1e-12)
    held = answer.where(A1="b")
    mean, variance = naive.real_posterior(mixed, ["X2"], {"X3": 0.4, "A1": "b"})
    assert held.mean["X2"] == pytest.approx(mean[0])
    assert held.sd["X2"] == pytest.approx(np.sqrt(variance[0, 0]))


def test_soft_findings_on_states_weigh_normals():
    network = mixed_network(2)
    answer = tc.query(network, "P(X3 | A1={a: 0.2, b: 0.7}, X0=1)")
    pairs = [(0.2, "a"), (0.7, "b")]
    weights = [w * np.exp(naive.mass(network, {"A1": s, "X0": 1.0})) for w, s in pairs]
    means = [naive.real_posterior(network, ["X3"], {"A1": s, "X0": 1.0})[0][0] for _, s in pairs]
    assert float(answer) == pytest.approx(np.dot(weights, means) / sum(weights))


def test_the_most_probable_values_are_the_highest_peak(mixed):
    found = {"X3": 0.4, "A0": "a"}
    best = tc.most_probable(mixed, given=found)
    peaks = [
        (log_p - 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1], states, names, mean)
        for states, log_p, (names, mean, covariance) in naive.configurations(mixed, found)
    ]
    height, states, names, mean = max(peaks, key=lambda each: each[0])
    assert best.log_probability == pytest.approx(height - naive.mass(mixed, found))
    assert dict(best.states) == {name: states[name] for name in ("A1", "A2")}
    assert_allclose([best[name] for name in names], mean, atol=1e-10)


def test_the_most_probable_states_alone_have_values_integrated_out(mixed):
    best = tc.most_probable(mixed, of=["A1", "A2"], given={"X3": 0.4})
    values = naive.state_posterior(mixed, ["A1", "A2"], {"X3": 0.4})
    assert best.probability == pytest.approx(values.max())


def test_without_open_states_the_most_probable_values_are_the_means():
    network = gaussian_network(3, 5)
    best = tc.most_probable(network, of=["X1", "X4"], given={"X2": 1})
    mean, covariance = naive.real_posterior(network, ["X1", "X4"], {"X2": 1})
    assert_allclose([best["X1"], best["X4"]], mean)
    assert best.probability == pytest.approx(np.linalg.det(2 * np.pi * covariance) ** -0.5)


@pytest.mark.parametrize("seed", [0, 1])
def test_samples_given_findings_have_the_moments_of_the_posterior(seed: int):
    network, many = mixed_network(seed), 40_000
    found = {"X3": 0.4, "A1": "a"}
    drawn = tc.sample(network, many, given=found, seed=5)
    mean, covariance = naive.real_posterior(network, ["X0", "X1", "X2"], found)
    values = np.array([drawn[name] for name in ("X0", "X1", "X2")])
    error = np.sqrt(np.diag(covariance) / many)
    assert (np.abs(values.mean(axis=1) - mean) < 5 * error).all()
    assert_allclose(np.cov(values), covariance, atol=0.05 * covariance.max())
    shares = np.bincount(drawn["A0"], minlength=len(network.variables["A0"].states)) / many
    assert_allclose(shares, naive.state_posterior(network, ["A0"], found), atol=0.015)
    assert_allclose(drawn["X3"], 0.4)


@pytest.mark.parametrize("method", [Canonical, Moment, Sparse])
def test_all_ways_to_solve_a_component_agree_with_the_joint(method):
    network = gaussian_network(0, 8)
    frame = frame_of(network)
    unknown = np.array([0, 2, 3, 6])
    part = component_of(frame, unknown)
    choice = np.zeros((1, part.rows.size), np.int64)
    system = system_of(frame, part, numbers_of(frame, network), choice)
    reals = np.random.default_rng(1).normal(size=(3, 8))
    solution, known = method.of(system), system.known(reals)
    names = [frame.names[at] for at in unknown]
    for case in range(3):
        found = {n: reals[case, at] for at, n in enumerate(frame.names) if n not in names}
        mean, covariance = naive.real_posterior(network, names, found)
        assert_allclose(solution.means(known)[0, case], mean, atol=1e-10)
        assert_allclose(solution.covariance(np.arange(4))[0], covariance, atol=1e-10)
        assert_allclose(solution.variances()[0], np.diag(covariance), atol=1e-10)
        rest = [at for at in range(8) if at not in part.rows]
        others = sum(
            network[frame.names[at]].log_prob(
                [reals[[case], frame.places[p]] for p in (*network[frame.names[at]].parents,
                                                         frame.names[at])]
            )[0]
            for at in rest
        )  # fmt: skip
        density = naive.mass(network, found) - others
        assert solution.log_density(known)[0, case] == pytest.approx(density)
        volume = 0.5 * np.linalg.slogdet(2 * np.pi * covariance)[1]
        assert solution.log_volume()[0] == pytest.approx(volume)


def test_a_long_chain_is_no_longer_than_it_is():
    many = 3000
    names = [tc.Continuous(f"X{at}") for at in range(many)]
    families = [tc.LinearGaussian((names[0],), [], 0, 1)]
    families += [
        tc.LinearGaussian((names[at - 1], names[at]), [0.9], 0.1, 1) for at in range(1, many)
    ]
    chain = tc.Network.of(families)
    answer = tc.query(chain, "P(X1500 | X1498=2, X1503=-1)")
    near = tc.Network.of([tc.LinearGaussian((names[1498],), [], 0, 1), *families[1499:1504]])
    mean, variance = naive.real_posterior(near, ["X1500"], {"X1498": 2.0, "X1503": -1.0})
    assert float(answer) == pytest.approx(mean[0])
    assert answer.sd["X1500"] == pytest.approx(np.sqrt(variance[0, 0]))
    last = tc.query(chain, ["X2998", "X2999"])
    assert_allclose(last.mean["X2999"], 1.0, atol=1e-6)  # 0.1 / (1 - 0.9)
    assert_allclose(last.covariance, np.array([[1, 0.9], [0.9, 1]]) / 0.19, rtol=1e-6)
    prediction = tc.predict(chain, {"X2999": [4.0]})
    assert prediction["X2998"][0] == pytest.approx(1 + 0.9 * 3)
    assert prediction.sd["X2998"][0] == pytest.approx(1)
    density = tc.log_likelihood(chain, {"X2999": [4.0]})
    assert float(density) == pytest.approx(naive.log_normal(np.array([4.0]), np.ones(1),
                                                            np.array([[1 / 0.19]])))  # fmt: skip


def exact_network() -> tc.Network:
    a, b, total = tc.Continuous("A"), tc.Continuous("B"), tc.Continuous("Total")
    return tc.Network.of(
        [
            tc.LinearGaussian((a,), [], 1, 1),
            tc.LinearGaussian((b,), [], 2, 2),
            tc.LinearGaussian((a, b, total), [1, 1], 0, 0),
        ]
    )


def test_exact_functions_are_conditioned_on():
    answer = tc.query(exact_network(), ["A", "B"], given={"Total": 5})
    mean, covariance = naive.real_posterior(exact_network(), ["A", "B"], {"Total": 5.0})
    assert_allclose(list(answer.mean.values()), mean)
    assert_allclose(answer.covariance, covariance, atol=1e-12)
    known = tc.query(exact_network(), "B", given={"Total": 5, "A": 1.5})
    assert (float(known), known.sd["B"]) == (pytest.approx(3.5), pytest.approx(0, abs=1e-7))
    assert known.interval["B"] == pytest.approx((3.5, 3.5))


def test_what_contradicts_an_exact_function_is_impossible():
    network = exact_network()
    with pytest.raises(tc.ImpossibleError) as caught:
        tc.most_probable(network, given={"A": 1, "B": 2, "Total": 4})
    assert str(caught.value) == (
        "the network holds these findings impossible together: A=1, B=2, Total=4"
        "\n\nwithout any one of them the others are possible"
    )
    cases = {"A": [1.0, 1.0], "B": [2.0, 2.0], "Total": [3.0, 4.0]}
    assert_allclose(tc.log_likelihood(network, cases).per_case, [np.inf, -np.inf])


def test_exact_functions_of_something_unseen_must_agree():
    hidden, once, twice = (tc.Continuous(name) for name in ("Hidden", "Once", "Twice"))
    network = tc.Network.of(
        [
            tc.LinearGaussian((hidden,), [], 0, 1),
            tc.LinearGaussian((hidden, once), [1], 0, 0),
            tc.LinearGaussian((hidden, twice), [2], 0, 0),
        ]
    )
    cases = {"Once": [1.0, 1.0, 1.0], "Twice": [2.0, 3.0, np.nan]}
    expected = [np.inf, -np.inf, naive.log_normal(np.ones(1), np.zeros(1), np.eye(1))]
    assert_allclose(tc.log_likelihood(network, cases).per_case, expected)
    prediction = tc.predict(network, cases)
    assert prediction.impossible.tolist() == [1]
    assert_allclose(prediction["Hidden"], [1, np.nan, 1], atol=1e-9)
    assert_allclose(prediction["Twice"], [2, 3, 2], atol=1e-9)


def test_an_exact_function_decides_between_states():
    kind, x, y = tc.Discrete("Kind", ("one", "two")), tc.Continuous("X"), tc.Continuous("Y")
    network = tc.Network.of(
        [
            tc.Table((kind,), np.array([0.9, 0.1])),
            tc.LinearGaussian((x,), [], 0, 1),
            tc.ConditionalGaussian((kind, x, y), [[1.0], [2.0]], [0.0, 0.0], [0.0, 0.0]),
        ]
    )
    answer = tc.query(network, "Kind", given={"X": 1.5, "Y": 3.0})
    assert_allclose(answer.values, [0, 1])
    with pytest.raises(tc.ImpossibleError):
        tc.query(network, "Kind", given={"X": 1.5, "Y": 2.0})


def test_independent_causes_beside_reals_are_written_out():
    states = ("no", "yes")
    causes = [tc.Discrete(name, states) for name in ("Flu", "Cold", "Cough")]
    noisy = tc.NoisyOr(tuple(causes), [0.8, 0.5], 0.1)
    temperature = tc.Continuous("Temperature")
    rest = [
        tc.Table((causes[0],), np.array([0.9, 0.1])),
        tc.Table((causes[1],), np.array([0.7, 0.3])),
        tc.ConditionalGaussian(
            (causes[0], temperature), np.zeros((2, 0)), [36.8, 38.5], [0.4, 0.8]
        ),
    ]
    network = tc.Network.of([*rest, noisy])
    table = tc.Network.of([*rest, noisy.to_table()])
    found = {"Cough": "yes", "Temperature": 37.9}
    ours = tc.query(network, "P(Flu, Cold)", given=found).values
    assert_allclose(ours, naive.state_posterior(table, ["Flu", "Cold"], found), atol=1e-12)
    assert tc.query(network, "Temperature", given={"Cough": "yes"}).mean["Temperature"] == (
        pytest.approx(naive.real_posterior(table, ["Temperature"], {"Cough": "yes"})[0][0])
    )


@pytest.mark.parametrize(
    ("slope", "sd"), [(1, 1e-10), (1, 1e-20), (1e10, 1), (1e15, 1e-10), (1e-15, 1e10), (1e20, 1)]
)
def test_units_that_differ_wildly_lose_no_digits(slope, sd):
    x, y, z = (tc.Continuous(name) for name in "XYZ")
    network = tc.Network.of(
        [
            tc.LinearGaussian((x,), [], 0, 1),
            tc.LinearGaussian((x, y), [slope], 0, sd),
            tc.LinearGaussian((y, z), [1], 0, 1),
        ]
    )
    effects = np.array([[1, 0, 0], [slope, 1, 0], [slope, 1, 1]])
    covariance = (effects * [1, sd**2, 1]) @ effects.T
    assert_allclose(tc.joint_normal(network).covariance, covariance, rtol=1e-12)
    above = tc.query(network, "X", given={"Z": slope})
    precision = 1 + slope**2 / (sd**2 + 1)
    assert_allclose(above.sd["X"], precision**-0.5, rtol=1e-12)
    assert_allclose(above.mean["X"], slope**2 / (sd**2 + 1) / precision, rtol=1e-12)
    between = tc.query(network, "Y", given={"X": 1.0, "Z": slope + 1})
    assert_allclose(between.sd["Y"], (1 / sd**2 + 1) ** -0.5, rtol=1e-12)
    peak = tc.most_probable(network)
    assert_allclose(peak.log_probability, -1.5 * np.log(2 * np.pi) - np.log(sd), rtol=1e-12)
