"""What reports say of fits of real columns: what was used, what was maximised, what arcs carry."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tacit as tc


def columns(gaps: float, seed: int = 1, cases: int = 120) -> dict[str, Any]:
    """One hidden variable above four columns, cells missing by chance."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=cases)
    found = {f"X{at}": 5 + 2 * hidden + random.normal(size=cases) for at in range(4)}
    for column in found.values():
        column[random.random(cases) < gaps] = np.nan
    return found


WHOLE, GAPPY = columns(0.0), columns(0.1)
ABOVE = tc.fit("H -> X0, X1, X2, X3", WHOLE, hidden={"H": "continuous"}, seed=1)
PROPOSED = tc.propose_hidden(WHOLE, seed=1)
SOUGHT = tc.search(GAPPY, method=tc.IdealParent(hidden=True), seed=1)
LINES = tc.fit("X0 -> X1 -> X2", GAPPY, seed=1)


def plain(fit: tc.Fit) -> str:
    return " ".join(str(tc.report(fit)).split())


@pytest.mark.parametrize("fit", [ABOVE, PROPOSED, SOUGHT, LINES])
def test_what_is_missing_was_inferred_by_em_and_the_report_says_so(fit):
    told = plain(fit)
    assert "complete in it" not in told
    assert "by least squares" not in told
    assert "by EM" in told
    assert f"(of what was observed, {fit.log_likelihood:,.1f} nats in all)" in told
    if any(fit.cases.missing.values()):
        assert f"All {fit.cases_used} cases were used" in told


def test_available_cases_are_said_to_be_no_more_than_that():
    told = plain(tc.fit("X0 -> X1 -> X2", GAPPY, method=tc.AvailableCases()))
    assert "Each family was counted on the cases complete in it" in told
    assert "by least squares" in told
