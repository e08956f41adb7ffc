"""Ideal parents on genes, Elidan 2004, section 7.6: the smallest of each, and its parts."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tacit.experiments.elidan import genes, ideal, ideal_told, layers, samples
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"
NAMES = (ideal.NAME, layers.NAME, samples.NAME)


@pytest.mark.parametrize("name", NAMES)
def test_the_smallest_of_each_experiment_does_what_it_claims(name):
    outcome = run(find(name), Settings("smoke"))
    assert isinstance(outcome, Outcome)
    assert outcome.done == outcome.asked
    assert all(claim.holds for claim in outcome.claims)
    assert outcome.to_plain()["experiment"] == name
    assert name in PAGE.read_text()


def test_stand_ins_are_standardised_and_come_again_with_their_seed():
    one, again = (genes.genes("AA", None, 3).cases for _ in "12")
    columns = np.array([one[name] for name in one.names])
    assert columns.shape == (44, 173)
    np.testing.assert_allclose(columns.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(columns.std(axis=1), 1)
    assert one.fingerprint() == again.fingerprint()
    turned = genes.genes("AA Cond", None, 3).cases
    assert (len(turned.names), len(turned)) == (173, 44)


def test_the_gold_network_has_its_regulators_and_their_shares():
    values = layers.gold(4000, 1)
    assert values.shape == (4000, 141)
    correlations = np.corrcoef(values.T)
    spread = np.linalg.eigvalsh(correlations)[::-1]
    assert spread[6] > 3 * spread[7]  # seven common causes, no more


def test_figures_of_a_row_are_differences_and_shares_of_greedy():
    runs = {
        "greedy": {"train": -1.0, "test": -2.0, "arcs": 50.0, "moves": 100.0, "families": 1000.0,
                   "seconds": 8.0},
        "ours 2": {"train": -1.1, "test": -1.9, "arcs": 40.0, "moves": 90.0, "families": 50.0,
                    "seconds": 2.0},
    }  # fmt: skip
    task = ideal_told.Task("AA", "linear")
    line = ideal_told.Line(task, [ideal_told.Made(task, "here", runs)])
    np.testing.assert_allclose(line.figures("ours", 2), (-0.1, 0.1, 80, 90, 5, 4))


@pytest.mark.data
def test_genes_of_the_public_tables_have_the_paper_s_sizes(data_folder: Path):
    for name, (variables, cases) in {
        "AA": (44, 173), "AA Cond": (173, 44), "Met": (89, 173), "Met Cond": (173, 89)
    }.items():  # fmt: skip
        held = genes.genes(name, data_folder, 1)
        assert (len(held.cases.names), len(held.cases)) == (variables, cases)
        assert not any(held.cases.missing().values())
    gapped = genes.genes("AA gaps", data_folder, 1).cases
    assert (len(gapped.names), len(gapped)) == (354, 173)
    assert all(0 < gone <= 17 for gone in gapped.missing().values())
    turned = genes.genes("AA gaps Cond", data_folder, 1).cases
    assert (len(turned.names), len(turned)) == (173, 354)
