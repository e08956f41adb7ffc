"""Answers around curves: integrals over grids are the truth, and what curves leave straight is
exact."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tacit as tc
from tacit.cli.main import execute

K = tc.Discrete("K", ("u", "v"))
A, B, X, Y, Z = (tc.Continuous(name) for name in "ABXYZ")
BENT = tc.Network.of([
    tc.LinearGaussian((A,), [], 0, 1),
    tc.LinearGaussian((B,), [], 0.5, 1),
    tc.SigmoidGaussian((A, B, X), [2.0, -1.0], 1.0, 4.0, 0.3, 0.2),
    tc.SoftplusGaussian((X, Y), [1.0], 0.0, 2.0, 2.0, 0.3),
])  # fmt: skip
MIXED = tc.Network.of([
    tc.Table((K,), np.array([0.4, 0.6])),
    tc.ConditionalGaussian((K, A), np.zeros((2, 0)), np.array([-1.0, 1.0]), np.array([0.5, 0.8])),
    tc.SigmoidGaussian((A, X), [1.5], 0, 3, 0, 0.4),
    tc.LinearGaussian((X, Z), [1.0], 0, 0.5),
])  # fmt: skip


def integrated(x: float | None = None, y: float | None = None) -> dict[str, np.ndarray]:
    """Values on a grid over A, B, X, with weights: the density of all with what was found."""
    a, b, child = np.meshgrid(
        np.linspace(-5, 5, 90), np.linspace(-4.5, 5.5, 90),
        np.linspace(0.2, 6, 240) if x is None else [x], indexing="ij",
    )  # fmt: skip
    columns = [each.ravel() for each in (a, b, child)]
    logs = stats.norm.logpdf(columns[0]) + stats.norm.logpdf(columns[1], 0.5)
    logs += BENT["X"].log_prob(columns)
    middle = BENT["Y"].mean([columns[2]], columns[2].size)
    if y is not None:
        logs += stats.norm.logpdf(y, middle, 0.3)
    weights = np.exp(logs)
    cell = (10 / 89) ** 2 * (1 if x is not None else 5.8 / 239)
    return {"A": columns[0], "B": columns[1], "X": columns[2], "Y": middle,
            "weights": weights / weights.sum(), "total": np.log(weights.sum() * cell)}  # fmt: skip


def moments(found: dict, name: str) -> tuple[float, float]:
    mean = found["weights"] @ found[name]
    return mean, np.sqrt(found["weights"] @ (found[name] - mean) ** 2)


@pytest.mark.parametrize("given", [{"X": 3.0}, {"X": 4.9}, {"Y": 3.0}, {"X": 3.0, "Y": 1.0}])
def test_what_is_known_above_a_curve_is_the_integral(given):
    truth = integrated(given.get("X"), given.get("Y"))
    answer = tc.query(BENT, ["A", "B"], given=given)
    for name in "AB":
        mean, sd = moments(truth, name)
        assert_allclose(answer.mean[name], mean, atol=4 * answer.drawn.errors[name] + 1e-4)
        assert_allclose(answer.sd[name], sd, rtol=0.02)
    assert answer.drawn.size > 1000
    assert answer.drawn.draws == 16_384


def test_a_child_below_two_curves_and_its_limits():
    truth = integrated()
    answer = tc.query(BENT, "P(X)")
    mean, sd = moments(truth, "X")
    assert_allclose(answer.mean["X"], mean, atol=4 * answer.drawn.errors["X"])
    assert_allclose(answer.sd["X"], sd, rtol=0.01)
    assert_allclose(
        answer.probability("X", above=4), truth["weights"] @ (truth["X"] > 4), atol=0.01
    )


@pytest.mark.parametrize("z", [0.5, 2.5])
def test_states_above_a_curve_are_the_integral(z):
    line = np.linspace(-5, 5, 4001)
    spread = np.hypot(0.4, 0.5)
    below = stats.norm.pdf(z, MIXED["X"].mean([line], line.size), spread)
    mass = [share * (stats.norm.pdf(line, middle, sd) * below).sum()
            for share, middle, sd in ((0.4, -1, 0.5), (0.6, 1, 0.8))]  # fmt: skip
    answer = tc.query(MIXED, f"P(K | Z={z})")
    assert_allclose(answer["u"], mass[0] / sum(mass), atol=4 * answer.errors[0] + 1e-5)
    number = tc.query(MIXED, f"P(K=u | Z={z})")
    assert_allclose(float(number), answer["u"])
    both = tc.query(MIXED, f"P(K, A | Z={z})").where(K="u")
    density = stats.norm.pdf(line, -1, 0.5) * below
    assert_allclose(both.mean["A"], line @ density / density.sum(), atol=0.03)
    soft = tc.query(MIXED, f"P(A | Z={z}, K={{u: 1, v: 0}})")
    assert_allclose(soft.mean["A"], line @ density / density.sum(), atol=0.03)


def test_values_on_all_sides_make_it_exact():
    assert tc.query(BENT, "P(X | A=1, B=0)").drawn is None
    mean = float(BENT["X"].mean([np.ones(1), np.zeros(1)], 1)[0])
    assert_allclose(tc.query(BENT, "P(X | A=1, B=0)").mean["X"], mean)
    below = tc.query(MIXED, "P(Z | X=1)")
    assert (below.drawn, below.mean["Z"], below.sd["Z"]) == (None, 1.0, 0.5)
    assert_allclose(tc.query(MIXED, "P(Z | A=0)").sd["Z"], np.hypot(0.4, 0.5))
    plain = tc.Network.of([MIXED["K"], MIXED["A"]])
    assert tc.query(MIXED, "P(K | A=0, X=2)")["u"] == tc.query(plain, "P(K | A=0)")["u"]


def test_one_seed_gives_one_answer_and_more_draws_a_better_one():
    one, same = (tc.query(BENT, "P(A | X=3)") for _ in range(2))
    assert one.mean["A"] == same.mean["A"]
    method = tc.LikelihoodWeighting(65_536, seed=4)
    other = tc.query(BENT, "P(A | X=3)", method=method)
    assert other.drawn.draws == 65_536
    assert other.drawn.errors["A"] < one.drawn.errors["A"]
    assert_allclose(other.mean["A"], moments(integrated(3.0), "A")[0], atol=0.003)


def test_samples_given_findings_have_the_moments_of_the_integral():
    truth = integrated(y=3.0)
    drawn = tc.sample(BENT, 4000, given={"Y": 3.0}, seed=2)
    for name in "ABX":
        mean, sd = moments(truth, name)
        assert_allclose(drawn[name].mean(), mean, atol=4 * sd / np.sqrt(3000))
        assert_allclose(drawn[name].std(), sd, rtol=0.06)
    assert "not exact: values of A, B, X were picked" in drawn.notes[0]
    straight = tc.sample(BENT, 4000, given={"A": 1.0, "B": 0.0}, seed=2)
    assert straight.notes == ()
    assert_allclose(straight["X"].std(), 0.2, rtol=0.05)
    states = tc.sample(MIXED, 4000, given={"Z": 0.5}, seed=2)
    share = tc.query(MIXED, "P(K | Z=0.5)")["u"]
    assert_allclose((states["K"] == 0).mean(), share, atol=0.04)


def test_cases_with_gaps_are_as_probable_as_the_integral():
    gaps = {"A": [1.0, None, None, 0.3], "B": [0.0, None, None, None],
            "X": [4.0, 3.0, None, None], "Y": [None, None, 3.0, None]}  # fmt: skip
    found = tc.log_likelihood(BENT, gaps)
    truth = [
        BENT["X"].log_prob([np.ones(1), np.zeros(1), np.full(1, 4.0)])[0]
        + stats.norm.logpdf(1) + stats.norm.logpdf(0, 0.5),
        integrated(3.0)["total"], integrated(y=3.0)["total"], stats.norm.logpdf(0.3),
    ]  # fmt: skip
    assert_allclose(found.per_case[[0, 3]], [truth[0], truth[3]])
    assert_allclose(found.per_case[1:3], truth[1:3], atol=0.04)
    assert found.notes[0].startswith("2 cases with gaps above curves: integrated by weighted")


def test_predictions_of_cases_with_gaps_agree_with_queries():
    gaps = {"K": ["u", None, None], "X": [None, 2.5, None], "Z": [1.0, None, 2.0]}
    found = tc.predict(MIXED, gaps)
    assert_allclose(found["K"][1:, 0], [tc.query(MIXED, f"P(K | {given})")["u"]
                                        for given in ("X=2.5", "Z=2")], atol=0.01)  # fmt: skip
    asked = tc.query(MIXED, "P(A, X | K=u, Z=1)")
    assert_allclose(found["A"][0], asked.mean["A"], atol=0.02)
    assert_allclose(found.sd["X"][0], asked.sd["X"], atol=0.02)
    assert found.notes == (
        "3 cases with gaps above curves: posteriors by weighted draws, not exact",
    )
    straight = tc.predict(BENT, {"A": [1.0], "B": [0.0]})
    assert_allclose(straight.sd["X"], 0.2)


def test_the_command_line_says_how_far_to_trust_it(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tc.write(BENT, "bent.json")
    assert execute(["query", "bent.json", "P(A | X=3)"]) == 0
    assert "approximate: 16,384 weighted draws of A, B, effective" in capsys.readouterr().out
    assert execute(["query", "bent.json", "P(A | X=3)", "--json"]) == 0
    plain = json.loads(capsys.readouterr().out)
    assert plain["method"] == "weighted draws"
    assert plain["approximate"]["drawn"] == ["A", "B"]
    tc.write_cases(tc.sample(BENT, 5, seed=1).select(["A", "X"]), "gaps.csv")
    assert execute(["score", "bent.json", "gaps.csv"]) == 0
    assert "5 cases with gaps above curves" in capsys.readouterr().out
    assert execute(["predict", "bent.json", "gaps.csv", "-o", "filled.csv"]) == 0
    assert "posteriors by weighted draws" in capsys.readouterr().out
    line = ["sample", "bent.json", "-n", "10", "--given", "X=3", "-o", "drawn.csv", "--seed", "1"]
    assert execute(line) == 0
    assert "drawn around curves" in capsys.readouterr().out
