"""All public networks load, soon, with the sizes that their README states."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import tacit as tc

pytestmark = pytest.mark.data

_LINE = re.compile(r"\| `([\w.]+\.(?:bif|gbn\.json)\.gz)` \| ([\d,]+) \| ([\d,]+) \| ([\d,]+) \|")


def stated(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Variables, arcs and free parameters of every network, from the table of the README."""
    rows = _LINE.findall((folder / "README.md").read_text())
    return {
        name: (int(a.replace(",", "")), int(b.replace(",", "")), int(c.replace(",", "")))
        for name, a, b, c in rows
    }


def test_every_network_loads_with_the_stated_size(data_folder: Path) -> None:
    sizes = stated(data_folder)
    found = sorted(
        path.name for path in (data_folder / "networks").iterdir() if "edges" not in path.name
    )
    assert sorted(sizes) == found
    assert len(found) >= 29
    for name, size in sizes.items():
        started = time.perf_counter()
        network = tc.read(data_folder / "networks" / name)
        took = time.perf_counter() - started
        assert (len(network), len(network.dag.arcs), network.free_parameters) == size, name
        assert took < 10, f"{name} took {took:.1f} s"


@pytest.mark.parametrize("name", ["munin1", "diabetes", "link", "mildew", "barley", "child"])
def test_the_large_networks_survive_the_formats_that_can_hold_them(
    name: str, data_folder: Path, tmp_path: Path
) -> None:
    network = tc.read(data_folder / "networks" / f"{name}.bif.gz")
    for suffix in (".bif", ".xmlbif", ".net", ".dsc", ".json", ".uai"):
        path = tmp_path / f"network{suffix}"
        started = time.perf_counter()
        tc.write(network, path)
        again = tc.read(path)
        assert time.perf_counter() - started < 30
        if suffix == ".uai":
            assert again.free_parameters == network.free_parameters
        else:
            assert again == network


@pytest.mark.parametrize("name", ["ecoli70", "magic_niab", "arth150"])
def test_the_gaussian_networks_survive_our_json(
    name: str, data_folder: Path, tmp_path: Path
) -> None:
    network = tc.read(data_folder / "networks" / f"{name}.gbn.json.gz")
    assert all(isinstance(network[variable], tc.LinearGaussian) for variable in network)
    tc.write(network, tmp_path / "network.json.gz")
    assert tc.read(tmp_path / "network.json.gz") == network
