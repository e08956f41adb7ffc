"""Everything a posterior is made from: tables, prior and counts as one vector, and the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.variables import Discrete
from tacit.estimate.bayes.density import Density
from tacit.estimate.normals import TruncatedNormal
from tacit.estimate.ruled.impossible import ImpossibleEvidenceError
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.rows import Rows
from tacit.learn.counted import Counted
from tacit.learn.ground import Ground, ground_of, said_of
from tacit.learn.ruled import Ruled, certain_part, impossible_in_words, ruled
from tacit.learn.structures import Structure
from tacit.learn.whole import Asking


@dataclass(frozen=True, slots=True, eq=False)
class Told:
    """What was asked, and what the cases are.

    alpha   per variable the pseudo-counts of the prior; 1 where it is normal
    normal  a normal prior beside it
    misses  every cell is a binomial of its own
    pooled  as in `tc.posterior`
    prior   in words
    """

    structure: Structure
    knowledge: Knowledge | None
    families: Mapping[str, tuple[Discrete, ...]]
    alpha: Mapping[str, Floats]
    normal: TruncatedNormal | None
    misses: bool
    pooled: bool | None
    asking: Asking
    prior: str
    counted: Counted | None = None

    @property
    def dirichlet(self) -> bool:
        """Whether prior and likelihood are conjugate."""
        return self.normal is None and not self.misses


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """All cells of the network in one vector, and what rules say of them.

    bound   all rules, doubted ones included
    known   those that are certain, with a plan
    prior   (cells,) pseudo-counts
    centre, spread  (cells,) of a normal prior, or None
    """

    cells: Cells
    bound: Bound
    known: Ruled | None
    prior: Floats
    centre: Floats | None = None
    spread: Floats | None = None

    def density(self, cells: Ints, counts: Floats, misses: bool, pooled: bool) -> Density:
        """Of these cells; counts of all cells."""
        alpha = self.prior[cells] + counts[cells]
        centre = None if self.centre is None else self.centre[cells]
        spread = None if self.spread is None else self.spread[cells]
        missed = self._totals(counts)[cells] - counts[cells] if misses else None
        return Density(alpha, missed, centre, spread, pooled)

    def _totals(self, counts: Floats) -> Floats:
        """(cells,) the total of the row that each cell stands in."""
        every = np.arange(self.cells.size)
        first, _ = self.cells.rows_of(every)
        sums = np.bincount(first, counts, minlength=self.cells.size)
        return np.asarray(sums[first])


def scene_of(told: Told) -> Scene:
    """The tables side by side with the rules bound to them; errors where these conflict."""
    cells = Cells.of(told.families)
    prior = flat(cells, told.alpha)
    centre = spread = None
    if told.normal is not None:
        factors = {name: told.normal.factors(axes) for name, axes in told.families.items()}
        centre = flat(cells, {name: each[0] for name, each in factors.items()})
        spread = flat(cells, {name: each[1] for name, each in factors.items()})
    if told.knowledge is None:
        return Scene(cells, _nothing(cells), None, prior, centre, spread)
    known = ruled(certain_part(told.knowledge), told.structure.dag, told.families)
    bound = bind(told.knowledge.rules, cells, ordered=cells.declared)
    return Scene(cells, bound, known, prior, centre, spread)


def _nothing(cells: Cells) -> Bound:
    empty = np.zeros(0, dtype=np.int64)
    rows = Rows(np.zeros(1, np.int64), empty, np.zeros(0), np.zeros(0), empty.astype(np.bool_),
                empty, empty)  # fmt: skip
    return Bound(cells, (), rows)


def flat(cells: Cells, tables: Mapping[str, Floats]) -> Floats:
    """Tables in one vector."""
    out = np.zeros(cells.size)
    for name, values in tables.items():
        start = cells.starts[name]
        out[start : start + values.size] = values.ravel()
    return out


def certain_ground(
    scene: Scene, elsewhere: Ints, also: Ints | None = None, *, every_row: bool = False
) -> Ground:
    """What the certain rules leave, without the cells that doubted rules speak of.

    also       cells whose rows are wanted whatever rules say
    every_row  all rows are wanted
    """
    outside = np.ones(scene.cells.size, dtype=np.bool_)
    outside[elsewhere] = False
    sure = [at for at, rule in enumerate(scene.bound.rules) if rule.confidence == 1]
    said = said_of(scene.bound, np.flatnonzero(outside), np.array(sure, dtype=np.int64))
    wanted = np.arange(scene.cells.size) if every_row else also
    if wanted is not None:
        wanted = np.unique(scene.cells.rows_of(wanted)[0])
        wanted = wanted[outside[wanted]]
    return ground_of(said, wanted)


def refuse_impossible(scene: Scene, counts: Floats) -> None:
    """Nothing, or an error about cases that certain rules hold impossible."""
    if scene.known is None:
        return
    plan = scene.known.plan
    seen = plan.zeros[counts[plan.blocks.cells[plan.zeros]] > 0]
    if seen.size:
        with impossible_in_words(scene.known):
            raise ImpossibleEvidenceError(seen)


def pools(ground: Ground, prior: Floats, pooled: bool | None) -> bool:
    """Whether pseudo-counts of tied cells are added up: as wished, or where nothing else will do.

    prior: of all cells
    """
    if pooled is not None:
        return pooled
    assert ground.forest is not None, "certain rules were found to hold together before"
    try:
        ground.forest.parameters(prior[ground.blocks.cells])
    except ImproperError:
        return True
    return False
