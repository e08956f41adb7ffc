"""Cases completed under a network, piece by piece: what any family is expected to count.

An E-step for structures that are only tried. Given what a case shows, what it lacks falls apart
into pieces that are independent of each other: some states, some reals, or both. Of every piece the
joint posterior of its states is kept, and of its reals the mean in each of these and the covariance
that is left. The expected statistics of a family, also of one that the network lacks, need only the
pieces that hold its states written out, and these only as far as they tell its states apart:

    E[1{b} z zᵀ] = Σ over ways in b of  q (m mᵀ + C).  [HV2 3.6, moment form]

Of all other pieces mean and covariance do. So a column of reals among many of states costs no more
than its own gaps, and completions are never multiplied out over a whole case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.splitting import Cut, Split, settled
from tacit.engines.tables import shape_of
from tacit.families.conditional_moments import ConditionalMoments, check_moments
from tacit.families.counts import Counts
from tacit.families.moments import Moments
from tacit.infer.normal.groups import Group, Grouped, grouped
from tacit.infer.normal.kinds import Kind, Plan, plan_of
from tacit.infer.normal.posterior import Found, Parameters, solved

if TYPE_CHECKING:
    from tacit.kernels.completed_reals import PieceReals, Question
    from tacit.kernels.completing import Joints

WAYS = 1024
"""Joint states of a piece that are kept: more make a search slower than cutting the piece does."""
NUMBERS = 2**13
"""Numbers kept of one piece, means of reals included."""
ROOM = 2**26
"""Numbers kept of all pieces, half a gigabyte; `WAYS` becomes smaller where they would be more."""
LINES = (64, 20_000)
"""Lines that a case may be cut into before cells are drawn, and lines beside two for each case that
all of them may come to."""
FAINT = 1e-12
"""Ways of a piece that are less probable than this, beside the likeliest, are left out."""


@dataclass(frozen=True, slots=True, eq=False)
class Completed:
    """Cases and the posterior of all that is missing in them, under one network.

    names      the continuous variables, in the order of the columns of `reals`
    variables  those with states, in the order of the rows of `codes`
    reals      (lines, continuous) what was observed, the posterior mean where it was missing
    codes      (variables, lines)  -1 where missing
    joints     the joint posterior of the states of every missing piece of every line
    held       what it says of reals
    split      which case each line is of, and how much of it: one line a case, unless a piece was
               so large that some of its cells had to be set first
    shown      (cases, continuous) whether a real was observed
    weights    (cases,) how often each case counts
    """

    names: tuple[str, ...]
    variables: tuple[Discrete, ...]
    reals: Floats
    codes: Codes
    joints: Joints
    held: PieceReals
    split: Split
    shown: Bools
    weights: Floats

    @property
    def line_weights(self) -> Floats:
        """(lines,) how often each counts."""
        return np.asarray(self.weights[self.split.case] * self.split.share)

    def joint(self) -> Moments:
        """The expected moments of all continuous variables together: those of any linear Gaussian
        family are a part of them."""
        found = self.moments([Continuous(name) for name in self.names])
        assert isinstance(found, Moments)
        return found

    def moments(self, family: Sequence[Variable]) -> Moments | ConditionalMoments:
        """The expected moments of a family, parents..., child, in each configuration of its
        discrete parents."""
        reals = [self.names.index(each.name) for each in family if isinstance(each, Continuous)]
        axes = tuple(each for each in family if isinstance(each, Discrete))
        found = self.moments_by([self.place(each) for each in axes], reals)
        shape, size = shape_of(axes), len(reals)
        whole = ConditionalMoments(
            found.weights.reshape(shape),
            found.means.reshape(*shape, size),
            found.scatter.reshape(*shape, size, size),
        )
        return whole if axes else found.at(0)

    def whole(self, family: Sequence[Variable]) -> Floats:
        """The expected number of cases that show all reals of a family, in each configuration of
        its discrete parents: the others tell nothing of its noise by themselves."""
        reals = [self.names.index(each.name) for each in family if isinstance(each, Continuous)]
        axes = tuple(each for each in family if isinstance(each, Discrete))
        used = np.all(self.shown[:, reals], axis=1)
        some = replace(self, weights=np.where(used, self.weights, 0.0))
        return some.counts(axes).values

    def counts(self, family: Sequence[Discrete]) -> Counts:
        """The expected counts of some discrete variables together."""
        found = self.moments_by([self.place(each) for each in family], [])
        return Counts(found.weights.reshape(shape_of(tuple(family))))

    def place(self, variable: Variable) -> int:
        """The number of a variable with states."""
        return [each.name for each in self.variables].index(variable.name)

    def moments_by(self, states: Sequence[int], reals: Sequence[int]) -> ConditionalMoments:
        """The expected moments of some reals in every configuration of variables with states,
        the last of these changing fastest."""
        from tacit.kernels.completed_reals import expected_moments

        cards = [len(self.variables[at].states) for at in states]
        many, size = prod(cards), len(reals)
        check_moments((many,), size)
        asked = self._question(states, cards, reals)
        values, weights = np.ascontiguousarray(self.reals[:, reals]), self.line_weights
        middle = np.average(values, axis=0, weights=weights) if weights.sum() > 0 else 0.0
        count, first = np.zeros(many), np.zeros((many, size))
        second = np.zeros((many, size, size))
        centre = np.zeros((many, size)) + middle
        lines = np.arange(len(values))
        for deep in (False, True) if size else (False,):
            expected_moments(
                self.joints, self.held, asked, lines, self.codes, values, weights, centre, deep,
                count, first, second,
            )  # fmt: skip
            if not deep:
                centre += first / np.where(count > 0, count, 1.0)[:, None]
        upper = np.triu_indices(size, 1)
        second[:, upper[0], upper[1]] = second[:, upper[1], upper[0]]
        centre[count <= 0] = 0.0
        return ConditionalMoments(count, centre, second)

    def _question(
        self, states: Sequence[int], cards: Sequence[int], reals: Sequence[int]
    ) -> Question:
        from tacit.kernels.completed_reals import Question

        joints, stride = self.joints, np.zeros(max(1, len(self.variables)), np.int64)
        for at, place in enumerate(states):
            stride[place] = prod(cards[at + 1 :])
        local = np.zeros(joints.members.size, np.int64)
        many = np.ones(joints.size.size, np.int64)
        if states:
            asked = np.isin(joints.members, states)
            kind = np.repeat(np.arange(many.size), np.diff(joints.member_at))
            for member in np.flatnonzero(asked).tolist():
                local[member] = many[kind[member]]
                many[kind[member]] *= joints.states[joints.members[member]]
        column = np.full(max(1, len(self.names)), -1)
        column[list(reals)] = np.arange(len(reals))
        return Question(stride, local, many, column)


def complete(network: Network, cases: Dataset, seed: int | Sequence[int] = 0) -> Completed:
    """The cases completed under a network of tables, linear and conditional Gaussians.

    Variables without a column are hidden. Exact, but that ways of less than 1e-12 of the posterior
    of what is missing are left out, and that cells are drawn, and counted in `split.drawn`, where
    a piece is so large that it cannot be cut apart in every way.

    seed  of draws
    """
    plan = plan_of(network)
    parameters = Parameters.of(plan, network)
    parts, held = _cut_apart(plan, parameters, cases, seed)
    blocks = [
        _block(held, found)
        for group in held.groups
        for found in solved(held, group, parameters, [group.kind.opened])
    ]
    reals = held.reals.copy()
    for block in blocks:
        if block.kind.reals.size:
            reals[np.ix_(block.lines, block.kind.reals)] = block.mean
    discrete = [at for at, place in enumerate(plan.real) if place < 0]
    joints, piece_reals = _assembled(plan, blocks, discrete, len(reals))
    weights = np.ones(len(cases)) if cases.weights is None else np.array(cases.weights)
    shown = [
        ~np.isnan(cases[name]) if name in cases else np.zeros(len(cases), np.bool_)
        for name in plan.frame.names
    ]
    return Completed(
        plan.frame.names,
        tuple(plan.coded[plan.layout.names[at]] for at in discrete),
        reals,
        np.ascontiguousarray(held.codes[:, discrete].T),
        joints,
        piece_reals,
        parts,
        np.array(shown, dtype=np.bool_).reshape(len(shown), len(cases)).T,
        weights,
    )


def _cut_apart(
    plan: Plan, parameters: Parameters, cases: Dataset, seed: int | Sequence[int]
) -> tuple[Split, Grouped]:
    """The cases, those with large missing pieces in several lines, and the pieces of the lines."""
    cards = {
        name: card
        for name, card, real in zip(plan.layout.names, plan.layout.cards, plan.real, strict=True)
        if real < 0
    }
    here = Split.of(cases, cards)
    rng, drawn = np.random.default_rng(seed), np.zeros(len(cases), dtype=np.bool_)
    held = grouped(plan, here.cases, len(cases))
    ways = _ways(held)
    most_lines = _lines(held, ways, len(cases))
    while True:
        large = [group for group in held.groups if _large(held, group.kind, ways)]
        if not large:
            return replace(here, drawn=int(drawn.sum())), held
        cut = _cut(here, held, large, parameters, most_lines)
        drawn[here.case[cut.line[cut.drawing]]] = True
        here = settled(here, plan.layout, cut, rng)
        held = grouped(plan, here.cases, len(here.case))


def _many(held: Grouped, kind: Kind) -> int:
    return prod(held.plan.layout.cards[place] for place in kind.opened)


def _large(held: Grouped, kind: Kind, ways: int) -> bool:
    """Whether a piece is to be cut; one with a single variable of states never is."""
    many = _many(held, kind)
    numbers = many * (1 + kind.reals.size)
    return len(kind.opened) > 1 and (many > ways or numbers > NUMBERS)


def _ways(held: Grouped) -> int:
    """Joint states of a piece that there is room for."""
    most = np.array([_many(held, group.kind) for group in held.groups], dtype=np.float64)
    each = np.array([group.cases.size * (1 + group.kind.reals.size) for group in held.groups])
    ways = WAYS
    while ways > 2 and (np.minimum(most, ways) * each).sum() > ROOM:
        ways //= 4
    return max(ways, 2)


def _lines(held: Grouped, ways: int, cases: int) -> int:
    """Lines that a case may be cut into."""
    most, beside = LINES
    cut = [group.cases for group in held.groups if _large(held, group.kind, ways)]
    many = np.unique(np.concatenate([np.zeros(0, np.int64), *cut])).size
    return int(np.clip((beside + 2 * cases) // max(1, many), 1, most))


def _cut(
    here: Split,
    held: Grouped,
    large: Sequence[Group],
    parameters: Parameters,
    most_lines: int,
) -> Cut:
    """One cell of the first large piece of every line that has one: that with most neighbours."""
    taken = np.zeros(len(here.case), dtype=np.bool_)
    lines, variables, values = list[Ints](), list[int](), list[Floats]()
    layout = held.plan.layout
    for group in large:
        mine = group.cases[~taken[group.cases]]
        if not mine.size:
            continue
        taken[mine] = True
        kind = group.kind
        members = {*kind.opened, *(held.plan.place(real) for real in kind.reals.tolist())}
        near = [len(layout.neighbours[place].intersection(members)) for place in kind.opened]
        centre = kind.opened[int(np.argmax(near))]
        for found in solved(held, replace(group, cases=mine), parameters):
            lines.append(found.cases)
            variables += [centre] * found.cases.size
            values.append(_sure(found.posterior((centre,))))
    line, variable = np.concatenate(lines), np.array(variables, np.int64)
    states = np.array(layout.cards, dtype=np.int64)[variable]
    order = np.argsort(line, kind="stable")
    start = np.cumsum(states) - states
    flat = np.concatenate([each.ravel() for each in values])
    return Cut.of(here, line[order], variable[order], states[order], start[order], flat, most_lines)


def _sure(share: Floats) -> Floats:
    """(cases, ways) posteriors without what is too faint to count; a case that cannot be has its
    first way."""
    share = np.nan_to_num(share)
    share[share.sum(axis=1) <= 0, 0] = 1.0
    share = np.where(share >= FAINT * share.max(axis=1, keepdims=True), share, 0.0)
    return np.asarray(share / share.sum(axis=1, keepdims=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Block:
    """Pieces of one kind with the same covariances.

    share  (lines, ways)
    means  (lines, ways, reals), and `mean` (lines, reals) over all ways
    cov    (ways, reals, reals), and `left` (lines, reals, reals) over all ways
    """

    kind: Kind
    lines: Ints
    share: Floats
    means: Floats
    cov: Floats
    mean: Floats
    left: Floats


def _block(held: Grouped, found: Found) -> _Block:
    kind, many = found.group.kind, found.cases.size
    ways, width = _many(held, kind), kind.reals.size
    share = np.ones((many, 1))
    if kind.opened:
        share = _sure(found.posterior(kind.opened).reshape(many, ways))
    means, cov = np.zeros((many, ways, width)), np.zeros((ways, width, width))
    cards = [held.plan.layout.cards[place] for place in kind.opened]
    digits = np.indices(cards).reshape(len(cards), ways)
    for each in found.parts:
        unknown = each.part.component.unknown
        if not unknown.size:
            continue
        at = np.zeros(ways, np.int64)
        for place, card in zip(each.part.opened, each.part.shape, strict=True):
            at = at * card + digits[kind.opened.index(place)]
        where = np.searchsorted(kind.reals, unknown)
        means[:, :, where] = each.means[at].transpose(1, 0, 2)
        own = each.solution.covariance(np.arange(unknown.size))
        whole = np.broadcast_to(own, (prod(each.part.shape), *own.shape[1:]))
        cov[:, where[:, None], where] = whole[at]
    mean = np.einsum("nw,nwi->ni", share, means)
    apart = means - mean[:, None, :]
    left = np.einsum("nw,wij->nij", share, cov)
    left += np.einsum("nw,nwi,nwj->nij", share, apart, apart, optimize=True)
    return _Block(kind, found.cases, share, means, cov, mean, left)


def _assembled(
    plan: Plan, blocks: Sequence[_Block], discrete: Sequence[int], lines: int
) -> tuple[Joints, PieceReals]:
    """All pieces as flat arrays; contexts of one kind follow each other."""
    from tacit.kernels.completed_reals import PieceReals
    from tacit.kernels.completing import Joints

    place = np.full(len(plan.layout.names), -1)
    place[list(discrete)] = np.arange(len(discrete))
    kinds = list(dict.fromkeys(id(block.kind) for block in blocks))
    first = {id(block.kind): block.kind for block in blocks}
    every = [first[each] for each in kinds]
    cards = np.array([plan.layout.cards[at] for at in discrete], dtype=np.int64)
    members = [place[list(kind.opened)] for kind in every]
    strides = [_strides(cards[each]) for each in members]
    number = {each: at for at, each in enumerate(kinds)}
    kind = _joined([np.full(block.lines.size, number[id(block.kind)]) for block in blocks])
    size = np.array([prod(cards[each].tolist()) for each in members], dtype=np.int64)
    case = _joined([block.lines for block in blocks])
    order = np.argsort(case, kind="stable")
    joints = Joints(
        _ends(np.bincount(case, minlength=lines)), order.astype(np.int64), kind, size,
        _ends(size[kind]), _flat([block.share for block in blocks]),
        _ends([each.size for each in members]), _joined(members), _joined(strides), cards,
    )  # fmt: skip
    width = np.array([each.reals.size for each in every], dtype=np.int64)
    starts = _ends([block.cov.size for block in blocks])[:-1]
    held = PieceReals(
        _ends(width), _joined([each.reals for each in every]),
        _ends(size[kind] * width[kind]), _flat([block.means for block in blocks]),
        np.repeat(starts, [block.lines.size for block in blocks]),
        _flat([block.cov for block in blocks]),
        _ends(width[kind] ** 2), _flat([block.left for block in blocks]),
    )  # fmt: skip
    return joints, held


def _strides(cards: Ints) -> Ints:
    return np.array([prod(cards[at + 1 :].tolist()) for at in range(cards.size)], dtype=np.int64)


def _ends(lengths: Sequence[int] | Ints) -> Ints:
    return np.concatenate([[0], np.cumsum(np.asarray(lengths, dtype=np.int64))]).astype(np.int64)


def _joined(parts: Sequence[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, np.int64), *parts]).astype(np.int64)


def _flat(parts: Sequence[Floats]) -> Floats:
    return np.concatenate([np.zeros(0), *(each.ravel() for each in parts)])
