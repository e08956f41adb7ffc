"""Exact samples given findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.arrays import Column, code_type
from tacit.core.network import Network
from tacit.infer.bent.drawing import sample_bent
from tacit.infer.bent.straight import is_bent
from tacit.infer.engine import engine_of
from tacit.infer.exact import explain_impossible
from tacit.infer.findings import findings_of
from tacit.infer.normal.bulk import is_real
from tacit.infer.normal.drawing import sample_real
from tacit.infer.normal.findings import bound_findings
from tacit.infer.sizes import check_size


def sample_given(
    network: Network, cases: int, given: Mapping[str, Any], random: np.random.Generator
) -> tuple[dict[str, Column], tuple[str, ...]]:
    """Columns of cases drawn from P(everything | findings), by tracing an elimination back; what
    is continuous as the solution of equations with noise. Then what to know about them."""
    from tacit.kernels.backtrack import eliminate_all, trace_random

    if is_real(network):
        found_reals = bound_findings(network, (), given, "")
        if is_bent(network):
            return sample_bent(network, cases, found_reals, random)
        return sample_real(network, cases, found_reals, random), ()
    engine, found = engine_of(network), findings_of(network, given)
    observed, layout = engine.observe(found), engine.layout
    plan = engine.steps()
    check_size(plan, observed.codes)
    by_max = np.zeros(len(layout.names), dtype=np.bool_)
    value, mine, psi = eliminate_all(plan.tree, observed.codes, by_max, observed.theta)
    if value == -np.inf:
        raise explain_impossible(engine, found)
    drawn = np.zeros((cases, len(layout.names)), dtype=np.int64)
    uniform = random.random(drawn.shape)
    trace_random(plan.tree, mine, observed.codes, psi, uniform, drawn)
    columns: dict[str, Column] = {
        name: drawn[:, at].astype(code_type(layout.cards[at]))
        for at, name in enumerate(layout.names)
    }
    return columns, ()
