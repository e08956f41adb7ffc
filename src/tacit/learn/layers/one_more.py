"""The best network of lines with one more hidden variable than before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.interrupts import Asked
from tacit.core.network import Network
from tacit.learn.fits import Fit
from tacit.learn.layers.among import with_arcs_among
from tacit.learn.layers.proposed import CLUSTER, bic_of, led
from tacit.learn.methods import EM
from tacit.learn.unseen.insertion import Refusal, inserted
from tacit.learn.unseen.places import LINKED
from tacit.learn.unseen.signatures import signatures

PLACES, LEAST = 4, 4
"""Sets of linked columns that are tried, and children of such a set at least."""
BEGIN = EM(restarts=2, max_steps=100)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """The best network so far, fitted to the cases to learn from, and its hidden variables.

    source  what suggested the place of the last one
    """

    train: Dataset
    seed: int
    fit: Fit
    known: tuple[str, ...]
    source: str = ""


def best_with_one_more(
    ground: Ground, name: str, layers: Sequence[Network], asked: Asked
) -> Ground | None:
    """Of the starts the one that structural EM leads highest; None where the new variable loses
    its children in all of them.

    layers  two layers of as many hidden variables, as starts beside those above linked columns
    """
    best: Ground | None = None
    known = (*ground.known, name)
    starts = [(each, CLUSTER) for each in layers]
    starts += [(each, LINKED) for each in _above_links(ground, name, asked)]
    for start, source in starts:
        network = with_arcs_among(start, ground.train, known, ground.seed)
        if asked():
            break
        if not all(each in network for each in known):
            continue
        ended = led(network, ground.train, known, ground.seed)
        if ended is None:
            continue
        if best is None or bic_of(ended, ground.train) > bic_of(best.fit, ground.train):
            best = Ground(ground.train, ground.seed, ended, known, source)
    return best


def _above_links(ground: Ground, name: str, asked: Asked) -> Iterator[Network]:
    """The new variable in the place of the links among columns that are linked as its children
    would be, those with the most links first. [Elidan 2004, section 4.1]"""
    dag = ground.fit.network.dag
    found = [
        each.members
        for each in signatures(dag, least=LEAST)
        if not set(each.members) & set(ground.known)
    ]
    found.sort(key=lambda members: (-_links(dag, members), members))
    for members in found[:PLACES]:
        if asked():
            return
        put = inserted(dag, members, name, move=False)
        assert not isinstance(put, Refusal)
        begun = led(put.dag, ground.train, (*ground.known, name), ground.seed, BEGIN)
        if begun is not None:
            yield begun.network


def _links(dag: Dag, members: Sequence[str]) -> int:
    inside = set(members)
    return sum(tail in inside and head in inside for tail, head in dag.arcs)
