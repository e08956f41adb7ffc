"""Structure along a path, in hierarchies: variables go to the hidden parent that suits them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.errors import quoted
from tacit.core.variables import Discrete
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.families.counts import Counts
from tacit.infer.contexts import code_matrix
from tacit.infer.marginals import joint
from tacit.learn.bottleneck.continuation import Heard, Settled
from tacit.learn.bottleneck.reshaping import Ground, by_case, ended, reshaped, shape_of, told_by
from tacit.learn.bottleneck.shape import Shape, moved

ROUNDS = 10
"""How often variables move at one gamma, shares settling in between."""
NEW = 1e-6
"""Nats by which a score is higher, and not another rounding."""


@dataclass(frozen=True, slots=True)
class Move:
    """A variable that goes to another parent, or to none, and what that gains in nats."""

    child: str
    before: str | None
    after: str | None
    gain: float

    def __str__(self) -> str:
        whence = "" if self.before is None else f" from {quoted(self.before)}"
        whither = "stands alone" if self.after is None else f"goes to {quoted(self.after)}"
        return f"{quoted(self.child)} {whither}{whence}"


def restructured(
    ground: Ground,
    here: Settled,
    heard: Heard,
    informed: float,
    *,
    settle: bool = False,
    alone: bool = False,
) -> Settled:
    """Moves at frozen shares while any gains, then steps of EM, and again. [HV2 2.9]

    Each round of moves raises the BDe score of the completed cases, as structural EM does.

    informed  the share of log |T| that a hidden variable must say about cases before anything
              moves to it or from it: shares that are noise say nothing about who belongs where
    settle    take steps at first even if nothing moves
    alone     whether variables may also stand alone: what nothing explains yet may be explained
              by what is still to come, so that is for the end of a path
    """
    for at in range(ROUNDS):
        moves, shape = chosen(Families(ground, here), shape_of(here), informed, alone)
        if not moves and not (settle and at == 0):
            break
        here = reshaped(ground, here, shape, heard)
        here = replace(here, said=(*here.said, *map(str, moves)))
        if ended(here):
            break
    return here


@dataclass(frozen=True, eq=False)
class Families:
    """The BDe scores of all families that a hierarchy may have, at the shares of one point.

    others  shares of hidden variables to take instead of those of the network
    """

    ground: Ground
    here: Settled
    others: Mapping[str, Floats] | None = None

    def with_shares(self, shares: Mapping[str, Floats]) -> Families:
        """The families of other hidden variables, which are not in the network."""
        return Families(self.ground, self.here, shares)

    @cached_property
    def variables(self) -> dict[str, Discrete]:
        """All of them, hidden ones last."""
        hidden = Shape(Dag({}), {name: share.shape[1] for name, share in self.shares.items()})
        return {**self.ground.observed, **hidden.hidden()}

    @cached_property
    def shares(self) -> Mapping[str, Floats]:
        """(cases, states) of every hidden variable."""
        if self.others is not None:
            return self.others
        return {name: by_case(self.here, name) for name in shape_of(self.here).states}

    @cached_property
    def weights(self) -> Floats:
        """(cases,)"""
        return np.asarray(self.ground.data.weights)

    @cached_property
    def counts(self) -> dict[str, Floats]:
        """(states of the hidden variable, all observed states) for every hidden variable."""
        from tacit.kernels.bottleneck import Seen, counted

        data, cards = self.ground.data, [len(v.states) for v in self.ground.observed.values()]
        codes = code_matrix(data, list(self.ground.observed), np.arange(len(data), dtype=np.int64))
        at = np.concatenate([[0], np.cumsum(cards)])
        rows = np.where(codes < 0, at[-1], codes + at[:-1]).astype(np.uint32)
        held = np.full(len(data), -1, dtype=np.int64)
        found = {}
        for name, share in self.shares.items():
            table = np.empty((int(at[-1]) + 1, share.shape[1]))
            counted(Seen(rows, self.weights, held), share, table)
            found[name] = table[:-1].T
        return found

    @cached_property
    def _places(self) -> dict[str, slice]:
        found, at = {}, 0
        for name, variable in self.ground.observed.items():
            found[name] = slice(at, at + len(variable.states))
            at += len(variable.states)
        return found

    def table(self, child: str, parent: str | None) -> Floats:
        """Expected counts of a child, given its parent."""
        if child in self.shares:
            weighed = self.weights[:, None] * self.shares[child]
            if parent is None:
                return np.asarray(weighed.sum(axis=0))
            return np.asarray(self.shares[parent].T @ weighed)
        own = self._places[child]
        if parent is not None:
            return self.counts[parent][:, own]
        return np.asarray(next(iter(self.counts.values()))[:, own].sum(axis=0))

    def score(self, child: str, parent: str | None) -> float:
        """log P(expected counts) of one family, its table integrated out."""
        axes = [self.variables[each] for each in (parent, child) if each is not None]
        prior = self.ground.prior.resolved([tuple(axes)], joint)
        alpha = prior.pseudo_counts(tuple(axes))
        return log_marginal_likelihood(Counts(self.table(child, parent)), alpha)


def chosen(
    families: Families, shape: Shape, informed: float, alone: bool = False
) -> tuple[list[Move], Shape]:
    """The moves that gain, the best first, as far as each leaves a hierarchy, and what they make.

    No move makes a circle or takes a hidden variable its last child; every variable moves once.
    """
    found, done = list[Move](), set[str]()
    for move in sorted(_gaining(families, shape, informed, alone), key=lambda each: -each.gain):
        if move.child in done or not _legal(shape, move):
            continue
        shape = moved(shape, move.child, move.after)
        done.add(move.child)
        found.append(move)
    return found, shape


def _gaining(families: Families, shape: Shape, informed: float, alone: bool) -> Iterator[Move]:
    """Every move that raises the score."""
    telling = [name for name in shape.states if told_by(families.here, name) >= informed]
    targets: list[str | None] = [*telling, None] if alone else [*telling]
    for child in shape.dag.names:
        before = next(iter(shape.dag.parents[child]), None)
        silent = before is not None and before not in telling
        if silent or (child in shape.states and child not in telling):
            continue
        base = families.score(child, before)
        for after in targets:
            if after in (before, child):
                continue
            gain = families.score(child, after) - base
            if gain > NEW:
                yield Move(child, before, after, gain)


def _legal(shape: Shape, move: Move) -> bool:
    if move.before is not None and len(shape.dag.children[move.before]) < 2:
        return False
    return move.after is None or move.after not in shape.below(move.child)
