"""Fits of lines, mixtures and curves."""

from __future__ import annotations

from saving import saved

import tacit as tc
from archived_runs import SKILL

MACHINE = "Wind -> Power -> Heat; Power, Heat -> Noise"
ENGINE = "Mode -> Worn, Load; Load, Worn -> Heat"
LAMP = "Current -> Light -> Heat"


@saved("fit-lines.json.gz")
def fit_lines() -> tc.Fit:
    """Lines from complete cases under a conjugate prior."""
    return tc.fit(MACHINE, "cases-machine.csv.gz", prior=tc.NormalGamma(3))


@saved("fit-lines-exact.json.gz")
def fit_lines_exact() -> tc.Fit:
    """A line on which all cases lie: numbers that are not finite."""
    wind = [1.0, 2.5, 3.0, 7.0]
    cases = {"Wind": wind, "Double": [2 * each for each in wind]}
    return tc.fit("Wind -> Double", tc.read_cases(cases, continuous=list(cases)))


@saved("fit-lines-rules.json.gz")
def fit_lines_rules() -> tc.Fit:
    """Lines under a rule about their coefficients."""
    return tc.fit(MACHINE, "cases-machine.csv.gz", knowledge="coefficient(Heat, Power) >= 1")


@saved("fit-lines-gaps.json.gz")
def fit_lines_gaps() -> tc.Fit:
    """Lines by EM from cases with missing cells."""
    return tc.fit(MACHINE, "cases-machine-gaps.tsv", seed=1)


@saved("fit-lines-hidden.json.gz")
def fit_lines_hidden() -> tc.Fit:
    """A hidden variable without states above lines."""
    return tc.fit(
        SKILL, "cases-marks.csv.gz", hidden={"Skill": "continuous"}, method=tc.EM(restarts=2),
        seed=1,
    )  # fmt: skip


@saved("fit-mixed.json.gz")
def fit_mixed() -> tc.Fit:
    """Lines in every configuration of their parents with states."""
    return tc.fit(ENGINE, "cases-engine.csv")


@saved("fit-mixed-gaps.json.gz")
def fit_mixed_gaps() -> tc.Fit:
    """The same by EM, with a hidden variable of two states, under both kinds of priors."""
    return tc.fit(
        f"{ENGINE}; Strain -> Load, Heat", "cases-engine-gaps.csv.gz", hidden={"Strain": 2},
        prior=[tc.BDeu(1), tc.NormalGamma(2)], method=tc.EM(restarts=2, max_steps=60), seed=1,
    )  # fmt: skip


CURVES = {"Light": "sigmoid-gaussian", "Heat": "softplus-gaussian"}


@saved("fit-curves.json.gz")
def fit_curves() -> tc.Fit:
    """Curves from complete cases."""
    return tc.fit(LAMP, "cases-lamp.csv.gz", families=CURVES, seed=1)


@saved("fit-curves-gaps.json.gz")
def fit_curves_gaps() -> tc.Fit:
    """Curves by EM from cases with missing cells."""
    return tc.fit(
        LAMP, "cases-lamp-gaps.csv.gz", families=CURVES, method=tc.EM(max_steps=15), seed=1
    )
