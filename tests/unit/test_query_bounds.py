"""Queries with bounds on a continuous variable: one number, against mixtures summed by hand."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

import tacit as tc
from commands import run, run_json

WARD, SEX = tc.Discrete("Ward", ["a", "b", "c"]), tc.Discrete("Sex", ["f", "m"])
DOSE, LEVEL = tc.Continuous("Dose"), tc.Continuous("Level of X")
SHARES, MALE = np.array([0.5, 0.3, 0.2]), 0.4
NETWORK = tc.Network.of([
    tc.Table((WARD,), SHARES),
    tc.Table((SEX,), [1 - MALE, MALE]),
    tc.ConditionalGaussian((WARD, DOSE), np.zeros((3, 0)), np.array([1.0, 3, 6]), np.ones(3)),
    tc.ConditionalGaussian(
        (SEX, DOSE, LEVEL), np.array([[1.0], [-2]]), np.array([0.0, 5]), np.array([0.5, 2])
    ),
])  # fmt: skip
LINE = {"f": (1.0, 0.0, 0.5), "m": (-2.0, 5.0, 2.0)}


def below(value: float, ward: str | None = None, sex: str | None = None) -> float:
    """P(level < value) with the states that are given, configuration by configuration."""
    total = weight = 0.0
    for (at, state), other in product(enumerate(WARD.states), SEX.states):
        if ward not in (None, state) or sex not in (None, other):
            continue
        slope, base, sd = LINE[other]
        share = SHARES[at] * (MALE if other == "m" else 1 - MALE)
        mean = slope * (1.0, 3.0, 6.0)[at] + base
        total += share * norm.cdf(value, mean, np.hypot(slope, sd))
        weight += share
    return total / weight


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('P("Level of X" > 2)', 1 - below(2)),
        ('P(2 <= "Level of X")', 1 - below(2)),
        ('P("Level of X" < -1.5 | Ward=b)', below(-1.5, "b")),
        ('P(-1 < "Level of X" <= 4 | Sex=m)', below(4, sex="m") - below(-1, sex="m")),
        ('P(4 > "Level of X" ≥ -1 | Sex=m)', below(4, sex="m") - below(-1, sex="m")),
        ('P("Level of X" > 1e9)', 0.0),
        ('P("Level of X" > 3 | Ward=c, Sex=f, Dose=3)', 0.5),
    ],
)
def test_a_bound_is_answered_by_the_mixture(text: str, expected: float) -> None:
    answer = tc.query(NETWORK, text)
    assert float(answer) == pytest.approx(expected, abs=1e-12)
    assert answer.variables == ()
    assert answer.errors is None


def test_findings_may_come_beside_the_text_and_the_title_reads_again() -> None:
    answer = tc.query(NETWORK, 'P(1 < "Level of X" < 4)', given={"Sex": "m", "Ward": "a"})
    told = 'P(1 < "Level of X" < 4 | Sex=m, Ward=a)'
    assert answer.query == told
    assert float(tc.query(NETWORK, told)) == float(answer)
    assert float(answer) == pytest.approx(below(4, "a", "m") - below(1, "a", "m"), abs=1e-12)


def test_below_a_curve_it_is_drawn_and_says_how_sure_it_is() -> None:
    bent = tc.SigmoidGaussian((DOSE, LEVEL), np.array([2.0]), 0.0, 10.0, 2.0, 1.0)
    network = tc.Network.of([tc.LinearGaussian((DOSE,), [], 1.0, 1.0), bent])
    answer = tc.query(network, 'P("Level of X" > 6)')
    doses = np.linspace(-7, 9, 4001)
    chances = norm.sf(6, bent.mean([doses], doses.size), 1.0)
    weights = norm.pdf(doses, 1.0, 1.0)
    assert answer.drawn is not None
    assert answer.errors is not None
    assert 0 < float(answer.errors) < 0.02
    expected = chances @ weights / weights.sum()
    assert float(answer) == pytest.approx(expected, abs=3 * float(answer.errors))


def test_the_command_line_asks_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    tc.write(NETWORK, "net.json")
    words = ("query", "net.json", 'P("Level of X" > 2 | Ward=b)')
    value = float(tc.query(NETWORK, words[2]))
    assert run(capsys, *words) == f'P("Level of X" > 2 | Ward=b) = {value:.4f}\n'
    assert run_json(capsys, *words)["probabilities"] == value
    assert run(capsys, *words, "--quiet") == f"{value!r}\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P(Dose=5 | Ward=a)", "ask for P(Dose > 5 | ...), or for the whole distribution, P(Dose)"),
        ("P(Dose > much)", "'Dose' is continuous; it is compared with numbers, not 'much'"),
        ("P(Ward > 2)", "'Ward' has states, not numbers"),
        ("P(Dose > 1, Ward)", "ask for one variable with bounds at a time"),
        ("P(5 < Dose < 1)", "no value of 'Dose' lies between these bounds"),
        ("P(1 < Dose > 5)", "these signs point both ways"),
        ("P(Dose > 1 | Dose=2)", "'Dose' is asked for and given"),
        ("P(Ward | Dose > 1)", "bounds are for what is asked"),
        ("P(Dosis > 1)", "the network has no variable 'Dosis'"),
    ],
)
def test_what_is_no_bound_is_said(text: str, message: str) -> None:
    with pytest.raises(tc.QueryError) as caught:
        tc.query(NETWORK, text)
    assert message in str(caught.value)


def test_bounds_are_of_queries_not_of_rules_and_slopes() -> None:
    with pytest.raises(tc.TacitError):
        tc.parse_knowledge("P(Dose > 1) <= 0.5")
    with pytest.raises(tc.QueryError):
        tc.sensitivity(NETWORK, "P(Dose > 1)")
