"""Posteriors of the classic networks beside pyAgrum's, under random hard and soft findings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import peers
import tacit as tc
from tacit.infer.engine import engine_of
from tacit.infer.exact import marginals
from tacit.infer.findings import findings_of


@pytest.mark.parametrize(
    "name", ["asia", "cancer", "alarm", "child", "insurance", "win95pts", "hailfinder"]
)
@pytest.mark.parametrize(("hard", "soft"), [(0, 0), (3, 0), (2, 2), (8, 3)])
def test_posteriors_are_those_of_pyagrum(name: str, hard: int, soft: int, example_models: Path):
    network = tc.read(example_models / f"{name}.bif.gz")
    given = peers.random_findings(network, min(hard, len(network) // 3), soft, seed=hard + soft)
    known = {name for name, said in given.items() if isinstance(said, str)}
    names = [name for name in network if name not in known]
    theirs = peers.posteriors_by_pyagrum(network, given, names)
    engine = engine_of(network)
    _, ours = marginals(engine, engine.observe(findings_of(network, given)))
    for name in names:
        assert np.abs(ours[engine.layout.places[name]] - theirs[name]).max() < 1e-9, name
    for name in names[:: max(1, len(names) // 4)]:
        assert np.abs(tc.query(network, name, given=given).values - theirs[name]).max() < 1e-9
