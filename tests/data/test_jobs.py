"""Jobs on public tables that only some quirk of a real table stands in the way of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tacit as tc

pytestmark = pytest.mark.data


def test_hidden_variables_are_found_where_cases_held_out_are_like_no_other(
    data_folder: Path,
) -> None:
    """Some pairs of region and population occur once, and many cases tie in statusquo."""
    cases = tc.read_cases(data_folder / "tables" / "chile1988.csv.gz")
    found = tc.propose_hidden(cases, most=1, seed=1)
    assert set(found.accepted[0].children) >= {"statusquo", "vote"}
    assert np.isfinite(tc.log_likelihood(found.network, cases).per_case).all()
