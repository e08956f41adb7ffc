"""Other people's inference, as a second opinion on networks too large to enumerate."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc
from tacit.families.table import Table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pyagrum


def random_findings(
    network: tc.Network, hard: int, soft: int, seed: int
) -> dict[str, str | dict[str, float]]:
    """States of a case drawn from the network, so that they are possible, and likelihoods."""
    random = np.random.default_rng(seed)
    case = tc.sample(network, 1, seed=seed)
    names = [str(name) for name in random.permutation(network.dag.names)[: hard + soft]]
    given: dict[str, str | dict[str, float]] = {}
    for number, name in enumerate(names):
        states = network.variables[name].states
        if number < hard:
            given[name] = states[int(case[name][0])]
        else:
            given[name] = {state: float(random.random() + 0.05) for state in states}
    return given


def posteriors_by_pyagrum(
    network: tc.Network, given: dict[str, Any], names: list[str]
) -> dict[str, np.ndarray]:
    """P(each name | findings) by pyAgrum's lazy propagation, on the very same tables."""
    model = tc.to_pyagrum(network)  # it must outlive its inference
    inference = pyagrum.LazyPropagation(model)
    for name, said in given.items():
        inference.addEvidence(name, list(said.values()) if isinstance(said, dict) else said)
    for name in names:
        inference.addTarget(name)
    inference.makeInference()
    return {name: np.array(inference.posterior(name).toarray()) for name in names}


def em_by_pyagrum(start: tc.Network, cases: tc.Dataset, steps: int, path: Path) -> tc.Network:
    """So many steps of pyAgrum's EM without a prior, from these very tables."""
    columns = [
        ["?" if code < 0 else start.variables[name].states[code] for code in cases[name]]
        for name in cases.names
    ]
    lines = [",".join(line) for line in (cases.names, *zip(*columns, strict=True))]
    path.write_text("\n".join(lines) + "\n")
    model = tc.to_pyagrum(start)
    learner = pyagrum.BNLearner(str(path), model, ["?"])
    learner.useEM(1e-300, 0.0)
    learner.EMsetMaxIter(steps)
    learnt = tc.from_pyagrum(learner.learnParameters(model))
    families = []
    for name in start:  # in the order of parents that the start has
        ours, theirs = start[name], learnt[name]
        order = [theirs.parents.index(parent) for parent in ours.parents]
        families.append(Table(ours.variables, theirs.values.transpose(*order, len(order))))
    return tc.Network.of(families)
