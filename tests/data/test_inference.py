"""Posteriors of all public networks beside pyAgrum's, under random hard and soft findings."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import peers
import tacit as tc
from tacit.infer.engine import engine_of
from tacit.infer.exact import marginals
from tacit.infer.findings import findings_of

pytestmark = pytest.mark.data

SMALL = [
    "alarm", "arcticwaters", "asia", "blacksea", "cancer", "child", "corical", "earthquake",
    "flood", "hailfinder", "hepar2", "insurance", "onlinerisk", "sachs", "survey", "weather",
    "win95pts", "yangtze",
]  # fmt: skip
LARGE = ["andes", "barley", "diabetes", "link", "mildew", "munin1", "pigs", "water"]


def check(network: tc.Network, hard: int, soft: int, seed: int, every: bool) -> None:
    """Our posteriors are pyAgrum's to 1e-9: all of them at once, or a few one by one."""
    given = peers.random_findings(network, hard, soft, seed)
    known = {name for name, said in given.items() if isinstance(said, str)}
    names = [name for name in network if name not in known]
    names = names if every else names[:: max(1, len(names) // 5)]
    theirs = peers.posteriors_by_pyagrum(network, given, names)
    if every:
        engine = engine_of(network)
        _, found = marginals(engine, engine.observe(findings_of(network, given)))
        ours = {name: found[engine.layout.places[name]] for name in names}
    else:
        ours = {name: tc.query(network, name, given=given).values for name in names}
    worst = {name: float(np.abs(ours[name] - theirs[name]).max()) for name in names}
    assert max(worst.values()) < 1e-9, max(worst, key=worst.__getitem__)


def test_every_network_is_in_one_of_the_lists(data_folder: Path):
    found = {path.name.split(".")[0] for path in (data_folder / "networks").glob("*.bif.gz")}
    assert found == {*SMALL, *LARGE}


@pytest.mark.parametrize("name", SMALL)
def test_small_networks_agree(name: str, data_folder: Path):
    network = tc.read(data_folder / "networks" / f"{name}.bif.gz")
    for seed, (hard, soft) in enumerate([(0, 0), (3, 0), (0, 3), (5, 2)]):
        check(network, min(hard, len(network) // 3), soft, seed, every=True)


@pytest.mark.full
@pytest.mark.parametrize("name", LARGE)
def test_large_networks_agree(name: str, data_folder: Path):
    network = tc.read(data_folder / "networks" / f"{name}.bif.gz")
    check(network, len(network) // 4, 3, seed=1, every=False)
    check(network, len(network) // 2, 5, seed=2, every=name not in ("link", "munin1"))
    check(network, 2, 1, seed=3, every=False)
