"""How a dag on its way begins where only promising changes are scored."""

from __future__ import annotations

from typing import Any

from tacit.engines.ideal import ranker_of
from tacit.engines.scoring import Scorer
from tacit.learn.structure.climbing import Begins
from tacit.learn.structure.foreseen import Foreseen
from tacit.learn.structure.ledger import Ledger
from tacit.learn.structure.pruned import Pruned
from tacit.learn.structure.settings import IdealParent
from tacit.learn.structure.state import Parents, State


def begins_of(scorer: Scorer, method: Any) -> Begins | None:
    """The dag on its way of a search by ideal parents; None for one that scores all changes."""
    if not isinstance(method, IdealParent):
        return None
    ranker = ranker_of(scorer, method.similarity)

    def begins(ledger: Ledger, parents: Parents, asks: str) -> State:
        kind = Foreseen if method.pooled and method.k < ledger.n else Pruned
        return kind.begun(ledger, parents, asks, ranker, method.k)

    return begins
