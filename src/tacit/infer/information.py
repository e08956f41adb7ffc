"""Information between variables, and how a query depends on single parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import QueryError, listed
from tacit.core.grid import Grid, number
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, row_label
from tacit.infer.chains import written_out
from tacit.infer.engine import Engine, engine_of
from tacit.infer.exact import explain_impossible
from tacit.infer.findings import Finding, finding
from tacit.infer.normal.bulk import above, is_real
from tacit.infer.normal.frames import refuse_curves
from tacit.infer.normal.information import information
from tacit.infer.normal.mixtures import NormalAnswer
from tacit.infer.queries import query
from tacit.infer.sizes import check_size
from tacit.knowledge.reading import parse_query


def mutual_information(
    network: Network,
    one: str | Sequence[str],
    other: str | Sequence[str],
    *,
    given: Mapping[str, Any] | None = None,
) -> float:
    """I(one; other) in nats, under the findings `given`: Σ p(a, b) log(p(a, b) / p(a) p(b)).

    Continuous variables have it in closed form where their distribution is normal. Where it is a
    mixture, as beside discrete variables, the sum is an integral over them, to 1e-8, of three
    variables at most.
    """
    ones = [one] if isinstance(one, str) else list(one)
    others = [other] if isinstance(other, str) else list(other)
    answer = query(network, [*ones, *others], given=given)
    if answer.drawn is not None:
        refuse_curves(network)
    if isinstance(answer, NormalAnswer):
        return information(answer, ones, others)
    joint = answer.values
    first = tuple(range(len(ones)))
    second = tuple(range(len(ones), joint.ndim))
    apart = joint.sum(axis=second, keepdims=True) * joint.sum(axis=first, keepdims=True)
    used = joint > 0
    return max(0.0, float(np.sum(joint[used] * np.log(joint[used] / apart[used]))))


@dataclass(frozen=True, slots=True, eq=False)
class Sensitivity:
    """How a probability changes with every parameter of the network.

    slopes  {variable: array shaped like its table}: d query / d parameter, the other cells of the
            row shrinking in proportion; nan for cells of probability 0 or 1, where proportion
            says nothing
    """

    query: str
    value: float
    network: Network
    slopes: Mapping[str, Floats]

    def largest(self, count: int = 10) -> list[tuple[str, float, float]]:
        """The parameters that matter most: (name, value, slope), the steepest first."""
        found = []
        for name, slopes in self.slopes.items():
            table = self.network[name]
            assert isinstance(table, Table)
            flat = np.nan_to_num(slopes.ravel())
            for at in np.argsort(-np.abs(flat), kind="stable")[:count]:
                if flat[at]:
                    label = _cell_label(table, int(at))
                    found.append((label, float(table.values.ravel()[at]), float(flat[at])))
        return sorted(found, key=lambda each: -abs(each[2]))[:count]

    def __str__(self) -> str:
        rows = tuple(
            (label, number(value), f"{slope:+.4f}") for label, value, slope in self.largest()
        )
        title = f"{self.query} = {number(self.value, 4)}; it changes most with"
        return str(Grid(title, ("parameter", "value", "slope"), rows))


def _cell_label(table: Table, at: int) -> str:
    row, state = divmod(at, table.values.shape[-1])
    label = row_label(table.variables, row)
    head, tail = f"P({label[2:].split(' | ')[0].rstrip(')')}", label.partition(" | ")[2]
    return f"{head}={table.variables[-1].states[state]}{' | ' + tail if tail else ')'}"


def sensitivity(network: Network, text: str) -> Sensitivity:
    """The slope of a probability, `"P(A=yes | B=b)"`, in every parameter of the network.

    Both P(a, b) and P(b) are linear in each parameter, so log P(a | b) has the slope
    (E[N | a, b] - E[N | b]) / θ, where N counts the use of the parameter (Darwiche 2003); the other
    cells of its row give way in proportion.
    """
    asked = parse_query(text)
    held = [term for term in asked.targets if term.states is not None]
    if len(held) != len(asked.targets):
        raise QueryError(
            f"{text} is a whole distribution; a slope needs one probability, for example "
            f"P({asked.targets[0].variable.text}=... | ...)"
        )
    network = _of_tables(network, [term.variable.text for term in (*asked.given, *held)])
    network = written_out(network, "tc.sensitivity")
    given = [finding(network, term, text) for term in asked.given]
    event = [finding(network, term, text) for term in held]
    value = float(query(network, text))
    engine = engine_of(network)
    with_event = _expected(engine, [*given, *event]) if value > 0 else np.zeros(engine.layout.size)
    change = value * (with_event - _expected(engine, given))
    slopes = {}
    for at, name in enumerate(engine.layout.names):
        slopes[name] = _proportional(
            engine.layout.block(change, at), engine.layout.block(engine.theta, at)
        )
    return Sensitivity(str(asked), value, network, slopes)


def _of_tables(network: Network, names: Sequence[str]) -> Network:
    """The network, or, if that has continuous variables, the part of it that bears on these."""
    if not is_real(network):
        return network
    part = above(network, {name for name in names if name in network})
    real = [name for name in part if not isinstance(part.variables[name], Discrete)]
    if real:
        raise QueryError(
            f"tc.sensitivity is for probabilities that rest on tables alone; this one rests on the "
            f"continuous {listed(map(repr, real), 4)}"
        )
    return part


def _proportional(change: Floats, theta: Floats) -> Floats:
    """change / θ, less what the rest of the row loses: Σ of the others' change / (1 - θ)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        own = change / theta
        rest = (change.sum(axis=-1, keepdims=True) - change) / (1 - theta)
        slopes = np.asarray(own - rest)
    return np.where((theta > 0) & (theta < 1), slopes, np.nan)


def _expected(engine: Engine, findings: Sequence[Finding]) -> Floats:
    """E[N of every parameter | findings] for one case."""
    from tacit.kernels.cut import expected_by_tree

    observed, plan = engine.observe(findings), engine.junction()
    check_size(plan, observed.codes)
    out, mass = np.zeros(engine.layout.size), np.zeros(1)
    codes = observed.codes[None, :]
    expected_by_tree(plan.tree, codes, np.ones(1), observed.theta, out, mass)
    if mass[0] == -np.inf:
        raise explain_impossible(engine, findings)
    return out
