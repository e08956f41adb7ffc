"""Rules bound to the tables of a network."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.knowledge.cells import Cells
from tacit.knowledge.curves import CurvedRule
from tacit.knowledge.rows import Products, Proportions, Rows
from tacit.knowledge.statements import Rule


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """What rules say of the cells of a network.

    rules        those about parameters, in the order in which they were written; rows,
                 proportions, products and curved name them by number
    rows         everything linear
    proportions  lists of cells that are multiples of each other
    products     pairs of cells whose products are ordered
    curved       everything that is not linear, but for proportions: these products as well
    """

    cells: Cells
    rules: tuple[Rule, ...]
    rows: Rows
    proportions: tuple[Proportions, ...] = ()
    products: tuple[Products, ...] = ()
    curved: tuple[CurvedRule, ...] = ()
