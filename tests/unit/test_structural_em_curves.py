"""Structural EM with curves: dags from columns with gaps, and the completions it searches at."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from commands import run_json
from tacit.learn.bends.completing import completed
from tacit.learn.bends.pieces import Told
from tacit.learn.bends.shape import Numbers, Shape


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def planted(random, cases):
    """A, B -> X; N, X -> Y; M beside them."""
    a, b, n, m = random.normal(size=(4, cases))
    x = 1 + 3 * sigmoid(2 * a - b) + random.normal(0, 0.2, cases)
    y = 2 * sigmoid(2 * (x - 2.5) + n) + random.normal(0, 0.2, cases)
    return {"A": a, "B": b, "N": n, "M": m, "X": x, "Y": y}


def punched(random, cases, share):
    return {
        name: np.where(random.random(len(column)) < share, np.nan, column)
        for name, column in cases.items()
    }


RANDOM = np.random.default_rng(1)
WHOLE = planted(RANDOM, 250)
GAPS = punched(RANDOM, WHOLE, 0.15)
IDEAL = tc.IdealParent(k=2)
KINDS = dict.fromkeys("XY", tc.SigmoidGaussian)
FOUND = tc.structural_em(GAPS, method=IDEAL, families=KINDS, seed=1)
TRUTH = {("A", "X"), ("B", "X"), ("N", "Y"), ("X", "Y")}


def test_planted_arcs_come_back_from_gaps_and_the_score_never_falls():
    assert set(FOUND.dag.arcs) == TRUTH
    assert (np.diff(FOUND.trace) >= 0).all()
    assert FOUND.network["X"].kind == "sigmoid-gaussian"
    assert isinstance(FOUND.network["A"], tc.LinearGaussian)
    lines = tc.structural_em(GAPS, method=IDEAL, seed=1)
    assert FOUND.found.score > lines.found.score + 50


def test_the_score_is_that_of_what_was_observed_less_the_price():
    price = 0.5 * np.log(250) * FOUND.network.free_parameters
    assert FOUND.found.score == pytest.approx(FOUND.log_likelihood - price, abs=0.1)
    fitted = tc.fit(FOUND.dag, GAPS, families=KINDS, seed=1)
    assert FOUND.log_likelihood == pytest.approx(fitted.log_likelihood, abs=0.05)


def test_hill_climbing_finds_it_too_and_one_seed_gives_the_same_bits():
    both = [tc.structural_em(GAPS, family=tc.SigmoidGaussian, seed=2) for _ in range(2)]
    assert both[0].network == both[1].network
    assert both[0].trace == both[1].trace
    assert set(both[0].dag.arcs) == TRUTH


def test_where_nothing_is_missing_it_is_the_search():
    found = tc.structural_em(WHOLE, method=IDEAL, families=KINDS, seed=1)
    plain = tc.search(WHOLE, method=tc.IdealParent(k=2, restarts=0), families=KINDS, seed=1)
    assert found.dag == plain.dag
    assert found.found.score == pytest.approx(plain.found.score, abs=1e-3)


def test_a_start_and_rules_are_kept_and_a_report_says_how_to_do_it_again():
    found = tc.structural_em(GAPS, method=IDEAL, families=KINDS, seed=1, start="M -> Y",
                             knowledge="forbid A -> X", max_rounds=2)  # fmt: skip
    assert ("A", "X") not in found.dag.arcs
    call = " ".join(str(tc.report(found)).split())
    assert "start='A; B; N; M; X; M -> Y', families=" in call
    assert "max_rounds=2" in call
    assert any("16 draws of what each case with gaps lacks" in note for note in FOUND.notes)
    told = " ".join(str(tc.report(FOUND)).split())
    call = told[told.index("tc.structural_em(cases") :].split(") ")[0]
    assert "families={'X': 'sigmoid-gaussian', 'Y': 'sigmoid-gaussian'}" in call
    assert "restarts" not in call
    assert "prior=" not in call
    assert "tacit search CASES --score bic --method ideal" in told
    again = eval(call + ")", {"tc": tc, "cases": GAPS})
    assert again.network == FOUND.network


def test_the_command_line_searches_curves_where_cells_are_missing(tmp_path: Path, capsys):
    table = tmp_path / "cases.csv"
    rows = [",".join(GAPS)]
    rows += [
        ",".join("" if np.isnan(v) else repr(float(v)) for v in row)
        for row in zip(*GAPS.values(), strict=True)
    ]
    table.write_text("\n".join(rows) + "\n")
    words = ["--method", "ideal:2", "--family", "X=sigmoid", "--family", "Y=sigmoid", "--seed", "1"]
    told = run_json(capsys, "search", str(table), *words, "-o", str(tmp_path / "n.json"), "--json")
    assert told["score"] == pytest.approx(FOUND.found.score)
    assert tc.read(tmp_path / "n.json") == FOUND.network


def test_completions_are_draws_from_what_is_known_of_each_case():
    axes = tuple(tc.Continuous(name) for name in "AXZ")
    a, x, z = axes
    network = tc.Network.of([
        tc.LinearGaussian((a,), [], 0.0, 1.0),
        tc.SigmoidGaussian((a, x), [2.0], 0.0, 3.0, 0.0, 0.4),
        tc.LinearGaussian((x, z), [1.5], 0.5, 0.3),
    ])  # fmt: skip
    shape = Shape(network.dag, axes, {1: tc.SigmoidGaussian}, frozenset(), np.zeros(3), np.ones(3))
    values = np.array([[np.nan, 2.5, np.nan], [np.nan, np.nan, 1.0], [0.3, 0.1, 0.2]])
    told = Told(values, np.array([1.0, 2.0, 3.0]))
    found = completed(shape, Numbers.of_network(shape, network), told, 2000, 5)
    assert found.weights.sum() == pytest.approx(6)
    assert_allclose(found.values[0], values[2])
    first, second = found.values[1:2001], found.values[2001:]
    assert_allclose(first[:, 2].mean(), 1.5 * 2.5 + 0.5, atol=0.03)
    assert_allclose(first[:, 2].std(), 0.3, rtol=0.05)
    known = [tc.query(network, f"P(A | {said})") for said in ("X=2.5", "Z=1")]
    for draws, answer in zip((first, second), known, strict=True):
        assert_allclose(draws[:, 0].mean(), answer.mean["A"], atol=0.02)
        assert_allclose(draws[:, 0].std(), answer.sd["A"], rtol=0.05)
    told_of_x = tc.query(network, "P(X | Z=1)")
    assert_allclose(second[:, 1].mean(), told_of_x.mean["X"], atol=0.02)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda: tc.structural_em({"A": ["u", "v", None] * 9, "X": np.arange(27.0)}, seed=1,
                                  families=tc.SigmoidGaussian),
         "families= gives curves to structural EM where all columns are continuous\n\nleave it "
         "out"),
        (lambda: tc.structural_em(GAPS, hidden={"H": 2}, families=tc.SigmoidGaussian, seed=1),
         "families= gives curves to structural EM where nothing is hidden\n\nleave it out"),
        (lambda: tc.structural_em(GAPS, families=KINDS, knowledge="variance(X) <= 1", seed=1),
         "rules about parameters and curves need complete cases\n\n    variance(X) <= 1\n\nleave "
         "out the rule, or families="),
        (lambda: tc.structural_em(GAPS, families={"Q": tc.SigmoidGaussian}),
         "families= names 'Q', which is no column of the cases\n\ncolumns: A, B, N, M, X, Y"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_said(ask, message):
    with pytest.raises(tc.TacitError) as caught:
        ask()
    assert str(caught.value) == message
