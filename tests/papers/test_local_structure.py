"""Shared rows on real tables, and few cases of a noisy-or, each in its smallest setting."""

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


def test_few_cases_of_a_noisy_or_are_in_the_order_that_the_specification_found():
    outcome = run(find("koller-noisy-or"), Settings("smoke"))
    assert [str(claim) for claim in outcome.claims if not claim.holds] == []
    for row in outcome.plain["rows"]:
        printed, ours = row["printed"], list(row["apart"].values())
        assert ours[2] == pytest.approx(printed[2], rel=0.25)  # a whole table
        assert ours[0] == pytest.approx(printed[0], rel=0.6)  # smoothed links, of twenty draws
