"""Dags of hierarchies whose groups are known: pixels by quadrant, columns by what they measure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tacit.core.dag import Dag
from tacit.core.errors import DagError, OptionError, quoted
from tacit.core.options import names_in


def grouped_hierarchy(groups: Mapping[str, Sequence[str]]) -> Dag:
    """The dag in which every name on the left is the parent of the names on its right.

    Names on the left are the hidden variables; a name that stands on both sides makes a level
    more: {"Heat": ["h1", "h2"], "Acid": ["a1", "a2"], "Stress": ["Heat", "Acid"]}. Several roots
    make a forest. [HV2-15]
    """
    if not isinstance(groups, Mapping) or not groups:
        raise OptionError(
            f"groups={groups!r} must say which variables each hidden one is the parent of: "
            '{"Heat": ["h1", "h2"]}'
        )
    parents: dict[str, tuple[str, ...]] = {str(name): () for name in groups}
    for name, members in groups.items():
        found = names_in(f"groups[{name!r}]", members)
        if not found:
            raise DagError(f"{quoted(name)} is the parent of nothing: a hidden variable needs one")
        for member in found:
            if parents.get(member):
                (other,) = parents[member]
                raise DagError(
                    f"{quoted(member)} stands below {quoted(other)} and below {quoted(name)}: "
                    "in a hierarchy every variable has one parent at most"
                )
            parents[member] = (name,)
    return Dag(parents)


def quadrant_hierarchy(
    rows: int,
    columns: int,
    *,
    levels: int = 3,
    pixel: Callable[[int, int], str] = "x{}_{}".format,
    hidden: str = "H",
) -> Dag:
    """The hierarchy of an image: a hidden root, below it its quadrants, below each its own ones.

    levels  with that of the pixels: 3 is root, quadrants and pixels, 4 one level of quadrants more;
            16 x 16 pixels make 5 and 21 hidden variables
    pixel   names the pixel of a row and a column, both from 0
    hidden  the name of the root; others have their places behind it: H_0_1, rows first

    [HV2 4.1, HV2-15]
    """
    for name, value, least in (("rows", rows, 1), ("columns", columns, 1), ("levels", levels, 2)):
        if not (type(value) is int and value >= least):
            raise OptionError(f"{name}={value!r} must be a whole number, {least} or more")
    cuts = 2 ** (levels - 2)
    if rows % cuts or columns % cuts:
        raise OptionError(
            f"levels={levels} cuts each side into {cuts} parts, and {rows} x {columns} pixels "
            f"cannot be cut so\n\nboth sides must be multiples of {cuts}"
        )
    parents: dict[str, tuple[str, ...]] = {hidden: ()}
    for depth in range(1, levels - 1):
        for row in range(2**depth):
            for column in range(2**depth):
                above = _place(hidden, depth - 1, row // 2, column // 2)
                parents[_place(hidden, depth, row, column)] = (above,)
    high, wide = rows // cuts, columns // cuts
    for row in range(rows):
        for column in range(columns):
            lowest = _place(hidden, levels - 2, row // high, column // wide)
            parents[pixel(row, column)] = (lowest,)
    return Dag(parents)


def _place(hidden: str, depth: int, row: int, column: int) -> str:
    """The name of a block; deeper ones say more of where they are."""
    if depth == 0:
        return hidden
    bits = (f"{row >> at & 1}{column >> at & 1}" for at in reversed(range(depth)))
    return "_".join([hidden, *bits])
