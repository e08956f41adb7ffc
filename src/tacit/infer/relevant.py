"""The part of a network that a question needs: nothing barren, nothing separated from it."""

from __future__ import annotations

from collections.abc import Iterable

from tacit.arrays import Codes
from tacit.infer.flat import Axes, Layout


def ancestral(layout: Layout, wanted: Iterable[int]) -> tuple[int, ...]:
    """These variables and all above them, rising: whatever else there is sums to one."""
    waiting, seen = list(wanted), set(wanted)
    while waiting:
        for parent in layout.axes[waiting.pop()].variables[:-1]:
            if parent not in seen:
                seen.add(parent)
                waiting.append(parent)
    return tuple(sorted(seen))


def near(layout: Layout, kept: Iterable[int], codes: Codes, targets: Iterable[int]) -> set[int]:
    """The families of `kept` that findings do not separate from the targets.

    Open variables are joined by the families they share; those of other pieces add a factor that
    does not depend on the targets.
    """
    inside = frozenset(kept)
    waiting = [v for v in targets if codes[v] < 0]
    seen, families = set(waiting), set[int]()
    while waiting:
        for family in layout.touching[waiting.pop()]:
            if family not in inside or family in families:
                continue
            families.add(family)
            for v in layout.axes[family].variables:
                if codes[v] < 0 and v not in seen:
                    seen.add(v)
                    waiting.append(v)
    return families


def part(layout: Layout, families: Iterable[int]) -> Layout:
    """A layout of these families alone; parameters stay where they are in the whole's vector."""
    chosen = [layout.axes[family] for family in families]
    places = sorted({v for each in chosen for v in each.variables})
    own = {v: at for at, v in enumerate(places)}
    axes = tuple(
        Axes(each.start, tuple(own[v] for v in each.variables), each.strides) for each in chosen
    )
    names = tuple(layout.names[v] for v in places)
    return Layout(names, tuple(layout.cards[v] for v in places), axes, layout.blocks)
