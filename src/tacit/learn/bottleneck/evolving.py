"""What becomes of a network at every gamma of a path: moves, states and hidden variables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from tacit.arrays import Floats
from tacit.core.errors import quoted
from tacit.core.grid import counted
from tacit.learn.bottleneck.branches import NEW, restructured
from tacit.learn.bottleneck.continuation import Heard, Settled
from tacit.learn.bottleneck.enriching import enriched
from tacit.learn.bottleneck.enrichment import Enrichment
from tacit.learn.bottleneck.reshaping import NOTHING, Ground, ended, reshaped, shape_of, worth
from tacit.learn.bottleneck.shape import Shape, absorbed, dissolved, idle, resized
from tacit.learn.bottleneck.splitting import fewer_states, grown, merged_alike


@dataclass(frozen=True, slots=True, eq=False)
class Evolution:
    """The changes that settings ask for, one after the other at every gamma. [HV2 2.9 to 2.11]"""

    ground: Ground

    def __call__(self, here: Settled, heard: Heard) -> Settled:
        """The path at one gamma once nothing changes any more."""
        settings = self.ground.settings
        here = self._restructured(here, heard)
        if settings.adapts and not ended(here):
            here = grown(self.ground, here, heard)
        if settings.enrichment is not None and not ended(here):
            here = self._enriched(here, settings.enrichment, heard)
        if not ended(here) and here.state.gamma >= settings.last:
            here = self._finished(here, heard)
        return here

    def _enriched(self, here: Settled, how: Enrichment, heard: Heard) -> Settled:
        """One variable more below each, at the last gamma as many as are worth it."""
        last = here.state.gamma >= self.ground.settings.last
        for _ in range(how.most if last else 1):
            before = shape_of(here)
            here = enriched(self.ground, here, how, heard)
            if not ended(here):
                here = self._restructured(here, heard)
            if ended(here) or shape_of(here) == before:
                break
        return here

    def _restructured(self, here: Settled, heard: Heard, alone: bool = False) -> Settled:
        settings = self.ground.settings
        if settings.structure and not ended(here):
            informed = (settings.enrichment or Enrichment()).informed
            here = restructured(self.ground, here, heard, informed, alone=alone)
            here = pruned(self.ground, here, heard)
        return here

    def _finished(self, here: Settled, heard: Heard) -> Settled:
        """Spare states go, and hidden variables that are not worth their parameters."""
        settings = self.ground.settings
        if settings.adapts:
            here = merged_alike(self.ground, here, heard, 2)
        here = self._restructured(here, heard, alone=True)
        if settings.structure or settings.enrichment is not None:
            here = pruned(self.ground, here, heard)
        return here if ended(here) else simplified(self.ground, here, heard)


def pruned(ground: Ground, here: Settled, heard: Heard) -> Settled:
    """Hidden variables with one child at most leave, and the child goes to their parent."""
    while not ended(here) and (name := idle(shape_of(here))) is not None:
        shape = dissolved(shape_of(here), name)
        if not shape.states:
            return here
        here = reshaped(ground, here, shape, heard)
        here = replace(here, said=(*here.said, f"{quoted(name)} leaves: it explains nothing"))
    return here


def simplified(ground: Ground, here: Settled, heard: Heard) -> Settled:
    """Hidden variables lose states, leave, or become one while the network is worth more so."""
    better = True
    while better:
        better = False
        for smaller, fresh, said in _smaller(ground, here):
            trial = reshaped(ground, here, smaller, heard, fresh)
            if ended(trial):
                return trial
            if better := worth(trial) > worth(here) + NEW:
                here = replace(trial, said=(*here.said, said))
                break
            here = replace(here, steps=trial.steps)
    return here


Smaller = tuple[Shape, Mapping[str, Floats], str]
"""A smaller network, new shares in it, and what became of the network, in words."""


def _smaller(ground: Ground, here: Settled) -> Iterator[Smaller]:
    """Every network with one state less, where states are adapted, or one hidden variable."""
    settings = ground.settings
    if settings.adapts:
        for name, share in fewer_states(ground, here):
            said = f"{quoted(name)} keeps {counted(share.shape[1], 'state')}"
            yield resized(shape_of(here), name, share.shape[1]), {name: share}, said
    if settings.structure or settings.enrichment is not None:
        for shape, said in _fewer(shape_of(here)):
            yield shape, NOTHING, said


def _fewer(shape: Shape) -> Iterator[tuple[Shape, str]]:
    """Every network with one hidden variable less: its children go to its parent, to a variable
    below it, or to one beside it."""
    for name in shape.states if len(shape.states) > 1 else ():
        yield dissolved(shape, name), f"{quoted(name)} leaves: it is not worth its tables"
        above = shape.dag.parents[name]
        beside = [each for who in above for each in shape.dag.children[who]]
        for other in (*shape.dag.children[name], *beside):
            if other in shape.states and other != name:
                said = f"{quoted(name)} and {quoted(other)} become one"
                yield absorbed(shape, name, other), said
