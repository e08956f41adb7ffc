"""Shared rows on real tables: the experiment in its smallest setting."""

from __future__ import annotations

import pytest

from tacit.experiments.outcome import Settings
from tacit.experiments.registry import find, run


@pytest.mark.data
def test_trees_predict_better_than_tables_from_fifty_cases(data_folder):
    outcome = run(find("local-structure"), Settings("smoke", data=data_folder))
    assert all(claim.holds for claim in outcome.claims)
    (row,) = outcome.plain["rows"]
    assert row["gain"] > 0
    assert row["worth"]["BDeu(1)"]["tree"] < 0
    assert row["error"] is None
