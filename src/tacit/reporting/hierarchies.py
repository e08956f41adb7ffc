"""The section on a hierarchy: hidden variables above each other, with what each has below it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.core.errors import quoted
from tacit.families.table import Table
from tacit.learn.fits import Fit
from tacit.reporting.blocks import Block, Paragraph, Section, Sheet
from tacit.reporting.unseen import shared_information
from tacit.reporting.wording import first, some

INDENT, LINE, LETTERS = 26.0, 17.0, 78
"""A level to the right, the height of a line, and how many letters a line of leaves has."""
LETTER = 7.0
MOST_LINES = 6
"""Lines of leaves below one hidden variable; what does not fit is counted."""
HEIGHT = 26.0


def hierarchy(fit: Fit) -> dict[str, Any] | None:
    """`nodes`: hidden variables from the top down, each before those below it.

    A node has its `depth`, its `states`, its `parent` with the `information` they share in nats,
    and its `leaves`, observed variables with what each shares with it, the most telling first.
    None unless every variable has one parent at most, which is hidden, and there are several.
    """
    hidden = set(fit.settings.get("hidden", ()))
    dag = fit.network.dag
    tree = all(
        len(dag.parents[name]) <= 1 and hidden.issuperset(dag.parents[name]) for name in dag.names
    )
    plain = all(isinstance(fit.network[name], Table) for name in dag.names)
    if len(hidden) < 2 or not tree or not plain:
        return None
    nodes, waiting = (
        list[dict[str, Any]](),
        [(name, 0) for name in reversed(dag.names) if not dag.parents[name] and name in hidden],
    )
    while waiting:
        name, depth = waiting.pop()
        node, inner = _node(fit, name, hidden)
        nodes.append({**node, "depth": depth})
        waiting += [(child, depth + 1) for child in reversed(inner)]
    alone = [name for name in dag.names if not dag.parents[name] and name not in hidden]
    return {"nodes": nodes, "alone": alone}


def _node(fit: Fit, name: str, hidden: set[str]) -> tuple[dict[str, Any], list[str]]:
    """A hidden variable, and those directly below it."""
    children, above = fit.network.dag.children[name], fit.network.dag.parents[name]
    shared = {child: shared_information(fit, name, child) for child in children}
    told = sorted(children, key=lambda child: -shared[child])
    table = fit.network[name]
    assert isinstance(table, Table)
    node = {
        "name": name,
        "states": len(table.variables[-1].states),
        "parent": above[0] if above else None,
        "information": shared_information(fit, above[0], name) if above else None,
        "leaves": [
            {"name": child, "information": shared[child]} for child in told if child not in hidden
        ],
    }
    return node, [child for child in told if child in hidden]


# --- words ---------------------------------------------------------------------------------------


def sentence(section: Section) -> str:
    """How large it is."""
    nodes = section["nodes"]
    roots, levels = sum(one["depth"] == 0 for one in nodes), 1 + max(one["depth"] for one in nodes)
    leaves = sum(len(one["leaves"]) for one in nodes)
    said = f"{some(len(nodes), 'hidden variable')} on {some(levels, 'level')} stand above "
    said += f"{leaves:,} that were observed"
    said += "." if roots == 1 else f", in {roots} trees."
    if section["alone"]:
        said += f" Below none: {first(list(map(quoted, section['alone'])), 12)}."
    return said


HEADS = ("hidden variable", "states", "shared with the one above (nats)", "directly below it")


def rows(section: Section) -> list[tuple[str, ...]]:
    """A line per hidden variable, further in the deeper it is."""
    return [
        (
            "\u2003" * one["depth"] + quoted(one["name"]),
            str(one["states"]),
            "" if one["information"] is None else f"{one['information']:.3f}",
            ", ".join(_leaf(leaf) for leaf in one["leaves"]),
        )
        for one in section["nodes"]
    ]


def _leaf(leaf: Mapping[str, Any]) -> str:
    return f"{quoted(leaf['name'])} {leaf['information']:.2f}"


TITLE = "Hidden variables, and what is below each with the information shared in nats"


def blocks(section: Section) -> Iterator[Block]:
    """As text and markdown show it."""
    yield Paragraph(sentence(section))
    yield Sheet(TITLE, HEADS, tuple(rows(section)))


# --- drawing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Box:
    """A hidden variable in its place, the line from the one above, and lines of leaves."""

    x: float
    y: float
    width: float
    label: str
    arc: str | None
    strength: float
    lines: tuple[str, ...]


def view(section: Section) -> dict[str, Any]:
    """Boxes from the top down; leaves stand in lines to the right of theirs."""
    nodes = section["nodes"]
    names = {one["name"]: _label(one) for one in nodes}
    most = max((one["information"] or 0.0 for one in nodes), default=0.0) or 1.0
    right = max(INDENT * one["depth"] + _wide(names[one["name"]]) for one in nodes) + 16
    boxes, places, y = list[Box](), dict[str, tuple[float, float]](), 4.0
    for one in nodes:
        lines, x = _lines(one["leaves"]), 4 + INDENT * one["depth"]
        places[one["name"]] = (x, y)
        arc = None
        if one["parent"] is not None:
            left, top = places[one["parent"]]
            arc = f"M{left + 10:g} {top + HEIGHT:g}V{y + HEIGHT / 2:g}H{x:g}"
        strength = 1.0 + 4.0 * (one["information"] or 0.0) / most
        label = names[one["name"]]
        boxes.append(Box(x, y, _wide(label), label, arc, strength, lines))
        y += max(HEIGHT, LINE * len(lines)) + 10
    return {
        "said": sentence(section),
        "boxes": boxes,
        "right": right,
        "width": right + LETTER * LETTERS,
        "height": y,
        "step": LINE,
        "box": HEIGHT,
        "heads": HEADS,
        "rows": rows(section),
        "listed": TITLE,
    }


def _label(node: Mapping[str, Any]) -> str:
    return f"{quoted(node['name'])}: {some(node['states'], 'state')}"


def _wide(label: str) -> float:
    return LETTER * len(label) + 16


def _lines(leaves: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Leaves one after the other, as many lines as there may be."""
    lines, at = list[str](), 0
    while at < len(leaves) and len(lines) < MOST_LINES:
        line = ""
        while at < len(leaves) and (not line or len(line) + 3 + len(_leaf(leaves[at])) <= LETTERS):
            line += ("   " if line else "") + _leaf(leaves[at])
            at += 1
        lines.append(line)
    if at < len(leaves):
        lines.append(f"and {len(leaves) - at:,} more")
    return tuple(lines)
