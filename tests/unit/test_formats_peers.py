"""Our files and values beside those of pyAgrum, pgmpy and networkx: every table must agree."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pgmpy.factors.continuous
    import pgmpy.models
    import pgmpy.readwrite
    import pyagrum

NETWORKS = ["asia", "cancer", "insurance", "alarm"]
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")


def assert_same(one: tc.Network, other: tc.Network, within: float) -> None:
    """The same variables, states and numbers; parents may come in another order."""
    assert set(one.dag.names) == set(other.dag.names)
    for name in one.dag.names:
        mine, theirs = one[name], other[name]
        assert set(mine.parents) == set(theirs.parents)
        assert {k: tuple(v) for k, v in mine.states.items()} == dict(theirs.states)
        order = [(*theirs.parents, name).index(axis) for axis in (*mine.parents, name)]
        assert_allclose(mine.values, np.transpose(theirs.values, order), atol=within, rtol=0)


def narrowed(network: tc.Network) -> tc.Network:
    """The variables with at most one parent, which are the children of such variables only."""
    kept: dict[str, tc.Table] = {}
    for name in network:
        if len(network[name].parents) < 2 and set(network[name].parents) <= set(kept):
            kept[name] = network[name]
    assert len(kept) > 2
    return tc.Network.of(kept.values())


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("suffix", [".bif", ".bifxml", ".net"])
def test_pyagrum_reads_what_we_write(suffix: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"network{suffix}"
    tc.write(tc.textbook(name), path)
    read = tc.from_pyagrum(pyagrum.loadBN(str(path)))
    assert_same(tc.textbook(name), read, within=1e-6)  # pyAgrum reads single precision


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("suffix", [".bif", ".bifxml", ".net"])
def test_we_read_what_pyagrum_writes(suffix: str, name: str, tmp_path: Path) -> None:
    path = tmp_path / f"network{suffix}"
    pyagrum.saveBN(tc.to_pyagrum(tc.textbook(name)), str(path))
    assert_same(tc.textbook(name), tc.read(path), within=1e-6)


@pytest.mark.parametrize("suffix", [".xdsl", ".uai"])
def test_pyagrum_agrees_on_families_of_one_parent(suffix: str, tmp_path: Path) -> None:
    """With several parents its XDSL and UAI files run through the first parent fastest.

    SMILE's manual has the first parent as the most significant coordinate, and pgmpy agrees (see
    below); the UAI competitions have the last variable of a scope as the fastest.
    """
    network = narrowed(tc.textbook("alarm"))
    ours, theirs = tmp_path / f"ours{suffix}", tmp_path / f"theirs{suffix}"
    tc.write(network, ours)
    pyagrum.saveBN(tc.to_pyagrum(network), str(theirs))
    read = tc.from_pyagrum(pyagrum.loadBN(str(ours)))
    if suffix == ".xdsl":
        assert_same(network, read, within=1e-6)
        assert_same(network, tc.read(theirs), within=1e-6)
    else:
        by_position = tc.read(ours)
        for at, name in enumerate(by_position.dag.names):
            assert_allclose(by_position[name].values, read[str(at)].values, atol=1e-6)
            assert_allclose(by_position[name].values, tc.read(theirs)[name].values, atol=1e-6)


READERS = {
    ".bif": (pgmpy.readwrite.BIFReader, pgmpy.readwrite.BIFWriter, "write_bif"),
    ".xml": (pgmpy.readwrite.XMLBIFReader, pgmpy.readwrite.XMLBIFWriter, "write_xmlbif"),
    ".xdsl": (pgmpy.readwrite.XDSLReader, pgmpy.readwrite.XDSLWriter, "write_xdsl"),
    ".net": (pgmpy.readwrite.NETReader, pgmpy.readwrite.NETWriter, "write_net"),
}


@pytest.mark.parametrize("suffix", READERS)
@pytest.mark.parametrize("name", ["asia", "insurance"])
def test_pgmpy_agrees_both_ways(suffix: str, name: str, tmp_path: Path) -> None:
    reader, writer, method = READERS[suffix]
    network = tc.textbook(name)
    ours, theirs = tmp_path / f"ours{suffix}", tmp_path / f"theirs{suffix}"
    tc.write(network, ours)
    assert_same(network, tc.from_pgmpy(reader(str(ours)).get_model()), within=1e-12)
    getattr(writer(tc.to_pgmpy(network)), method)(str(theirs))
    assert_same(network, tc.read(theirs), within=1e-6)


@pytest.mark.parametrize("name", NETWORKS)
def test_values_survive_the_way_to_other_libraries_and_back(name: str) -> None:
    network = tc.textbook(name)
    assert tc.from_pyagrum(tc.to_pyagrum(network)) == network
    assert tc.from_pgmpy(tc.to_pgmpy(network)) == network
    assert tc.from_networkx(tc.to_networkx(network)) == network.dag
    assert tc.from_networkx(tc.to_networkx(network.dag)) == network.dag


def test_other_libraries_give_the_same_probabilities() -> None:
    model = tc.to_pyagrum(tc.textbook("asia"))
    inference = pyagrum.LazyPropagation(model)
    inference.makeInference()
    assert_allclose(inference.posterior("dysp").toarray(), [0.4359706, 0.5640294], atol=1e-7)
    assert tc.to_pgmpy(tc.textbook("asia")).check_model()


def test_a_networkx_graph_needs_directions_and_texts() -> None:
    with pytest.raises(tc.OptionError, match="arcs need one direction"):
        tc.from_networkx(networkx.Graph([("A", "B")]))
    with pytest.raises(tc.DagError, match="the node 1 is no text"):
        tc.from_networkx(networkx.DiGraph([(1, 2)]))
    with pytest.raises(tc.CycleError, match="the arcs form a cycle"):
        tc.from_networkx(networkx.DiGraph([("A", "B"), ("B", "A")]))


def test_what_another_library_cannot_hold_is_refused() -> None:
    gaussian = tc.Network.of([tc.LinearGaussian((tc.Continuous("A"),), np.array([]), 0.0, 1.0)])
    with pytest.raises(tc.FormatError, match="pyAgrum's network holds tables only"):
        tc.to_pyagrum(gaussian)
    with pytest.raises(tc.OptionError, match="a pgmpy network is expected, not a str"):
        tc.from_pgmpy("network")
    with pytest.raises(tc.OptionError, match="a pyAgrum BayesNet is expected, not a str"):
        tc.from_pyagrum("network")


@pytest.mark.parametrize("library", ["pgmpy", "pyagrum", "networkx"])
def test_a_library_that_is_absent_is_named_with_the_way_to_get_it(
    library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    convert: Any = getattr(tc, f"to_{library}")
    extra = "networkx" if library == "networkx" else "tacit-bn[interop]"
    with pytest.raises(tc.OptionError) as caught:
        convert(tc.textbook("asia"))
    assert str(caught.value) == (f"this needs {library}\n\ninstall it with: pip install '{extra}'")


def test_pgmpy_without_a_table_or_with_states_in_two_orders_is_refused() -> None:
    model = tc.to_pgmpy(tc.textbook("asia"))
    model.remove_cpds(model.get_cpds("dysp"))
    with pytest.raises(tc.NetworkError, match="'dysp' has no table of probabilities"):
        tc.from_pgmpy(model)
    model = tc.to_pgmpy(tc.textbook("asia"))
    model.get_cpds("xray").state_names["either"] = ["no", "yes"]
    with pytest.raises(tc.NetworkError, match="lists the states of 'either' in another order"):
        tc.from_pgmpy(model)


def gaussians(seed: int) -> tc.Network:
    random = np.random.default_rng(seed)
    names = [tc.Continuous(name) for name in "DBCA"]
    families = []
    for at, child in enumerate(names):
        parents = [each for each in names[:at] if random.random() < 0.7]
        slopes, ends = random.normal(size=len(parents)), random.normal(size=2)
        families.append(tc.LinearGaussian((*parents, child), slopes, ends[0], abs(ends[1])))
    return tc.Network.of(families)


@pytest.mark.parametrize("seed", range(4))
def test_linear_gaussians_survive_the_way_to_pgmpy_and_back(seed: int) -> None:
    network = gaussians(seed)
    model = tc.to_pgmpy(network)
    assert model.check_model()
    assert tc.from_pgmpy(model) == network
    mean, covariance = model.to_joint_gaussian()
    order = list(networkx.topological_sort(model))
    joint = tc.joint_normal(network)
    at = [joint.names.index(name) for name in order]
    assert_allclose([joint.mean[name] for name in order], mean, atol=1e-7)
    assert_allclose(joint.covariance[np.ix_(at, at)], covariance, atol=1e-7)


def test_linear_gaussians_of_pgmpy_are_read_from_values_and_files(tmp_path: Path) -> None:
    models = pgmpy.models
    cpd = pgmpy.factors.continuous.LinearGaussianCPD
    model = models.LinearGaussianBayesianNetwork([("x", "z"), ("y", "z")])
    model.add_cpds(cpd("x", [1], 2), cpd("y", [-1], 0.5), cpd("z", [0.25, 3, -2], 4, ["y", "x"]))
    network = tc.from_pgmpy(model)
    z = network["z"]
    assert (z.parents, z.coefficients.tolist()) == (("y", "x"), [3, -2])
    assert (z.intercept, z.sd) == (0.25, 4)
    model.save(str(tmp_path / "model.json"))
    assert tc.read(tmp_path / "model.json") == network


def test_what_no_network_of_pgmpy_is_made_of_is_refused() -> None:
    real, state = tc.Continuous("X"), tc.Discrete("S", ("a", "b"))
    root, switch = tc.LinearGaussian((real,), [], 0, 1), tc.table(state, [], [0.5, 0.5])
    switched = tc.ConditionalGaussian((state, real), np.zeros((2, 0)), [0, 1], [1, 1])
    curve = tc.SigmoidGaussian((real, tc.Continuous("Y")), [1], 0, 1, 0, 1)
    for families, name, kind in (
        ([switch, root], "S", "table"),
        ([switch, switched], "S", "table"),
        ([root, curve], "Y", "sigmoid gaussian"),
    ):
        with pytest.raises(tc.FormatError) as caught:
            tc.to_pgmpy(tc.Network.of(families))
        assert str(caught.value) == (
            f"pgmpy's networks hold tables only or linear Gaussians only, and {name} has a {kind} "
            "family beside others\n\nwrite a .json file, which holds every family"
        )


def test_what_pgmpy_leaves_open_is_refused() -> None:
    cpd = pgmpy.factors.continuous.LinearGaussianCPD
    model = pgmpy.models.LinearGaussianBayesianNetwork([("x", "z")])
    model.add_cpds(cpd("x", [1], 2))
    with pytest.raises(tc.NetworkError, match="'z' has no linear Gaussian"):
        tc.from_pgmpy(model)
    model.add_cpds(cpd("z", [1, 2, 3], 2, ["x"]))
    with pytest.raises(tc.NetworkError, match="'z' has 1 parents and an intercept, but 3 numbers"):
        tc.from_pgmpy(model)
    model.remove_cpds(model.get_cpds("z"))
    model.add_cpds(cpd("z", [1], 2))
    with pytest.raises(tc.NetworkError, match="the arcs into 'z' and the evidence of its CPD"):
        tc.from_pgmpy(model)
