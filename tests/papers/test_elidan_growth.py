"""What grows along paths, sections 6.9 to 6.11 of Elidan (2004)."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit as tc
from tacit.experiments.elidan import bottleneck_growth
from tacit.experiments.elidan.bottleneck_growth import SIZES, Size, grown, naive, shuffled, signals
from tacit.experiments.elidan.bottleneck_growth_told import ADAPTED, PAPER, Grown, Growth, claims
from tacit.experiments.elidan.scenes import scene
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"


@pytest.fixture(scope="module")
def outcome() -> Outcome:
    return run(find(bottleneck_growth.NAME), Settings("smoke", progress=False))


def test_parameters_of_the_sources_models_are_counted_as_it_does() -> None:
    """122 with one hidden variable of three states, 91 with five binary ones below a root."""
    held = scene("Stock", None, 1).cut(60)
    size = SIZES["smoke"]
    (three,) = [task for task in naive(held, size) if task.states == "3"]
    assert grown(three, held, 1).parameters == 122
    dag = shuffled(held.train, 5, 1)
    hidden = {name: 2 for name in dag.names if dag.children[name]}
    fit = tc.fit(dag, held.train, hidden=hidden, method=tc.EM(restarts=1, max_steps=1), seed=1)
    assert (len(hidden), fit.network.free_parameters) == (6, 91)


def test_random_hierarchies_hold_every_column_once() -> None:
    cases = scene("Stock", None, 1).train
    dags = [shuffled(cases, 5, seed) for seed in (1, 1, 2)]
    assert dags[0].arcs == dags[1].arcs != dags[2].arcs
    for dag in dags:
        leaves = [name for name in dag.names if not dag.children[name]]
        assert sorted(leaves) == sorted(cases.names)
        assert {len(dag.children[f"H{at}"]) for at in range(1, 6)} == {4}


def test_the_signal_of_figure_613_appears_on_the_way() -> None:
    size = Size((), (), 0, (0.1, 1.0), 1000, 0.1, 60)
    early, late = signals(size, 1)
    assert early["own"] < 0.01
    assert early["other"] < 0.01
    assert late["own"] > 2 * late["other"]


def made(kind: str, asked: str, test: float, parameters: int = 122) -> Grown:
    return Grown(kind, asked, test, test, (2,), parameters, {"H": ("a",)}, 1.0)


@pytest.mark.parametrize(
    ("enriched", "moved", "adapted", "held"),
    [(-9.7, -9.6, -10.0, (True, True, True)), (-9.9, -9.95, -10.2, (False, False, False))],
)
def test_claims_follow_the_numbers(
    enriched: float, moved: float, adapted: float, held: tuple[bool, ...]
) -> None:
    models = (made("Naive", "3", -10.0), made("Enrich", "3", enriched),
              made("Enrich+Search", "3", moved), made("Naive", ADAPTED, adapted))  # fmt: skip
    signal = ({"gamma": 0.5, "own": 0.1, "other": 0.1}, {"gamma": 1.0, "own": 0.3, "other": 0.1})
    found = claims(Growth(models, signal, ""))
    assert tuple(claim.holds for claim in found) == (*held, True, True, True)
    flat = ({"gamma": 0.5, "own": 0.3, "other": 0.1}, {"gamma": 1.0, "own": 0.1, "other": 0.2})
    assert [claim.holds for claim in claims(Growth(models, flat, ""))[-2:]] == [False, False]


def test_the_experiment_prints_the_papers_table_beside_ours(outcome: Outcome) -> None:
    told = str(outcome)
    assert f"{PAPER['2'][0]:.2f}" in told
    assert "paper" in told
    kinds = [row["kind"] for row in outcome.plain["rows"]]
    assert kinds.count("Enrich+Search") == len(SIZES["smoke"].states) + 1
    assert kinds.count("Naive") == len(SIZES["smoke"].fixed) + 1
    columns = set(scene("Stock", None, 1).names)
    for row in outcome.plain["rows"]:
        below = [name for group in row["groups"].values() for name in group]
        assert len(below) == len(set(below))
        assert set(below) <= columns
    assert outcome.name in PAGE.read_text()


def test_the_full_size_is_the_papers() -> None:
    assert [str(each) for each in SIZES["full"].states] == [key for key in PAPER if key != ADAPTED]
    assert SIZES["full"].random == 25
