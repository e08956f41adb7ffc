"""The commands on networks with continuous variables: what the library answers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from commands import run, run_json
from mixed import mixed_network

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tc.Network:
    monkeypatch.chdir(tmp_path)
    network = mixed_network(1)
    tc.write(network, "mixed.json")
    tc.write_cases(tc.sample(network, 30, seed=1, missing=tc.AtRandom(0.3)), "gaps.csv")
    return network


def test_a_query_prints_mean_sd_and_interval(mixed: tc.Network, capsys: Capture) -> None:
    text = "P(X0, X2 | X1=2, A0=a)"
    answer = tc.query(mixed, text)
    assert run(capsys, "query", "mixed.json", text) == f"{answer}\n"
    given = run(capsys, "query", "mixed.json", "P(X0, X2)", "--given", "X1=2, A0=a", "--quiet")
    assert given.splitlines()[1:] == str(answer).splitlines()[1:]


def test_json_holds_moments_and_the_normals_behind_them(mixed: tc.Network, capsys: Capture) -> None:
    found = run_json(capsys, "query", "mixed.json", "P(A0, X2, X0 | X1=2)")
    answer = tc.query(mixed, "P(A0, X2, X0 | X1=2)")
    assert found["variables"] == [{"name": "A0", "states": list(mixed.variables["A0"].states)}]
    assert_allclose(found["probabilities"], answer.values)
    assert [each["name"] for each in found["reals"]] == ["X2", "X0"]
    assert_allclose([each["mean"] for each in found["reals"]], list(answer.mean.values()))
    assert found["reals"][0]["interval"] == list(answer.interval["X2"])
    assert_allclose(found["covariance"], answer.covariance)
    weights = [each["weight"] for each in found["normals"]]
    means = [each["means"] for each in found["normals"]]
    assert_allclose(np.array(weights) @ np.array(means), list(answer.mean.values()))


def test_the_most_probable_values_stand_beside_the_states(
    mixed: tc.Network, capsys: Capture
) -> None:
    best = tc.most_probable(mixed, given={"X1": -2.0})
    found = run_json(capsys, "query", "mixed.json", "--most-probable", "--given", "X1=-2")
    assert (found["states"], found["values"]) == (dict(best.states), dict(best.values))
    text = run(capsys, "query", "mixed.json", "P(X0 | A0=a, X1=-2)", "--most-probable")
    mean = tc.query(mixed, "P(X0 | A0=a, X1=-2)").mean["X0"]
    assert text.splitlines()[-1].split() == ["X0", f"{mean:.4g}"]


def test_missing_values_are_predicted_with_their_sd(mixed: tc.Network, capsys: Capture) -> None:
    found = run_json(capsys, "predict", "mixed.json", "gaps.csv", "-o", "out.csv")
    expected = tc.predict(mixed, "gaps.csv")
    columns = dict(expected.columns())
    back = tc.read_cases("out.csv", continuous=list(columns))
    assert found["predicted"] == list(expected.unobserved)
    assert list(back.names) == list(columns)
    for name, values in columns.items():
        assert_allclose(back[name], values, rtol=1e-12)


def test_the_most_probable_prediction_of_a_real_is_its_mean(
    mixed: tc.Network, capsys: Capture
) -> None:
    run(capsys, "predict", "mixed.json", "gaps.csv", "-o", "out.csv", "--most-probable")
    expected = tc.predict(mixed, "gaps.csv")
    back = tc.read_cases("out.csv", continuous=["X2", "sd(X2)"], discrete=["A0"])
    assert_allclose(back["X2"], expected["X2"])
    assert_allclose(back["sd(X2)"], expected.sd["X2"])
    states = [back.variables["A0"].states[code] for code in back["A0"]]
    assert states == expected.most_probable("A0")


def test_cases_with_gaps_are_scored(mixed: tc.Network, capsys: Capture) -> None:
    found = run_json(capsys, "score", "mixed.json", "gaps.csv")
    assert found["log_likelihood"] == float(tc.log_likelihood(mixed, "gaps.csv"))


def test_cases_are_drawn_given_values(mixed: tc.Network, capsys: Capture) -> None:
    run(capsys, "sample", "mixed.json", "-n", "50", "-o", "drawn.csv", "--given", "X1=2",
        "--given", "A0=b", "--seed", "3")  # fmt: skip
    drawn = tc.read_cases("drawn.csv", like=mixed)
    expected = tc.sample(mixed, 50, given={"X1": 2.0, "A0": "b"}, seed=3)
    for name in mixed:
        assert_allclose(drawn[name], expected[name])


def test_an_impossible_density_is_told_as_json(tmp_path: Path, capsys: Capture) -> None:
    x, y = tc.Continuous("X"), tc.Continuous("Y")
    exact = tc.Network.of([tc.LinearGaussian((x,), [], 0, 1), tc.LinearGaussian((x, y), [2], 0, 0)])
    tc.write(exact, tmp_path / "exact.json")
    (tmp_path / "cases.csv").write_text("X,Y\n1,2\n1,3\n")
    found = run_json(capsys, "score", f"{tmp_path}/exact.json", f"{tmp_path}/cases.csv")
    assert found["impossible_cases"] == 1
    answer = run_json(capsys, "query", f"{tmp_path}/exact.json", "P(Y | X=2)")
    assert answer["reals"][0]["mean"] == 4
