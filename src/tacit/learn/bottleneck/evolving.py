"""What becomes of a network at every gamma of a path: moves, states and hidden variables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tacit.core.errors import quoted
from tacit.learn.bottleneck.branches import NEW, restructured
from tacit.learn.bottleneck.continuation import Heard, Settled
from tacit.learn.bottleneck.enriching import enriched
from tacit.learn.bottleneck.enrichment import Enrichment
from tacit.learn.bottleneck.reshaping import Ground, ended, reshaped, shape_of, worth
from tacit.learn.bottleneck.shape import Shape, absorbed, dissolved, idle
from tacit.learn.bottleneck.splitting import grown, merged_alike


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

    def _restructured(self, here: Settled, heard: Heard) -> Settled:
        settings = self.ground.settings
        if settings.structure:
            informed = (settings.enrichment or Enrichment()).informed
            here = restructured(self.ground, here, heard, informed)
            here = pruned(self.ground, here, heard)
        return here

    def _finished(self, here: Settled, heard: Heard) -> Settled:
        """Spare states go, and hidden variables that are not worth their parameters."""
        settings = self.ground.settings
        free = settings.structure or settings.enrichment is not None
        if settings.adapts:
            here = merged_alike(self.ground, here, heard, 2)
        if free and not ended(here):
            here = simplified(self.ground, pruned(self.ground, here, heard), heard)
        return here


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
    """Hidden variables leave, or become one, while that makes the network worth more."""
    better = True
    while better:
        better = False
        for smaller, said in _smaller(shape_of(here)):
            trial = reshaped(ground, here, smaller, heard)
            if ended(trial):
                return trial
            if better := worth(trial) > worth(here) + NEW:
                here = replace(trial, said=(*here.said, said))
                break
            here = replace(here, steps=trial.steps)
    return here


def _smaller(shape: Shape) -> Iterator[tuple[Shape, str]]:
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
