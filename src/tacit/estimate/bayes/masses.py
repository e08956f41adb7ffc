"""How probable it is that inequalities hold, by draws from the posterior without them.

Where they hold seldom, limits are relaxed and tightened level by level, each level a fifth of the
one before: subset simulation. [estimation 2.8; Au and Beck 2001]
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.diagnostics import error_of_mean
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.bayes.sampler import sample
from tacit.estimate.ruled.compiled import chosen_blocks
from tacit.knowledge.blocks import Aligned, Blocks
from tacit.knowledge.polytope import Interior

SELDOM = 0.01
"""A smaller part of independent draws is no good measure."""
_PART = 0.2
_LEVELS = 100
_ROUNDS = 5
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Mass:
    """log P(all inequalities hold), its standard error, and how it was found; by block."""

    value: Floats
    error: Floats
    how: tuple[str, ...]


def without_inequalities(blocks: Blocks, inside: Interior) -> tuple[Blocks, Interior]:
    """The same blocks with their equations alone; what must be tight is one."""
    kept = np.flatnonzero(blocks.rules.equal | inside.tight)
    rules = blocks.rules.chosen(kept)
    rule_at = np.searchsorted(kept, blocks.rule_at)
    equations = replace(rules, equal=np.ones(kept.size, dtype=np.bool_))
    fewer = replace(blocks, rules=equations, rule_at=rule_at, origin=blocks.origin[kept])
    return fewer, replace(inside, tight=np.zeros(kept.size, dtype=np.bool_))


def misses(blocks: Blocks, draws: Floats, which: Bools) -> Floats:
    """(draws, blocks) how far the worst of these rules (rules,) of each block is from holding."""
    named = np.flatnonzero(which & (np.diff(blocks.rules.at) > 0))
    found = np.full((draws.shape[0], len(blocks)), -np.inf)
    if named.size:
        rules, owner = blocks.rules.chosen(named), blocks.rule_block[named]
        sums = np.add.reduceat(draws[:, rules.cells] * rules.factors, rules.at[:-1], axis=1)
        starts = np.flatnonzero(np.diff(owner, prepend=-1))
        found[:, owner[starts]] = np.maximum.reduceat(sums - rules.limits, starts, axis=1)
    return found


def chosen(blocks: Blocks, inside: Interior, which: Ints) -> tuple[Blocks, Interior]:
    """These blocks alone, with their ratios; `cells` holds their positions among all."""
    part = chosen_blocks(blocks, which)
    place = np.full(blocks.cells.size, -1)
    place[part.cells] = np.arange(part.cells.size)
    number = dict(zip(which.tolist(), range(which.size), strict=True))
    ratios = tuple(
        Aligned(place[each.lists], number[each.block], each.rule)
        for each in blocks.ratios
        if each.block in number
    )
    return replace(part, ratios=ratios), inside.chosen(part.cells, part.origin, which)


def by_draws(
    blocks: Blocks, inside: Interior, density: Density, settings: Sampling, seed: int
) -> tuple[Floats, Floats]:
    """(blocks,) the part of independent draws that obey, and how many were drawn.

    nan where the blocks without their inequalities have no exact posterior.
    """
    fewer, loose = without_inequalities(blocks, inside)
    free = Exact.of(fewer, loose, density)
    open_ = ~blocks.rules.equal & ~inside.tight
    random = np.random.default_rng(seed)
    hits = np.zeros(len(blocks))
    total = settings.draws * _ROUNDS
    step = max(1, min(total, _AT_ONCE // max(1, blocks.cells.size)))
    for start in range(0, total, step):
        size = min(step, total - start)
        drawn = free.draw(density, random, size)
        hits += (misses(blocks, drawn, open_) <= 0).sum(axis=0)
    return np.where(free.which, hits / total, np.nan), np.full(len(blocks), float(total))


def by_levels(
    blocks: Blocks,
    which: Ints,
    density: Density,
    settings: Sampling,
    seed: int,
    *,
    threads: int = 1,
    inside: Interior,
) -> Mass:
    """log P(all inequalities hold) of these blocks, by limits that are tightened step by step."""
    open_ = ~blocks.rules.equal & ~inside.tight
    value, variance = np.zeros(len(blocks)), np.zeros(len(blocks))
    levels = np.zeros(len(blocks), dtype=np.int64)
    slack = np.full(len(blocks), np.inf)
    going = which
    plain = replace(settings, precision=None)
    for level in range(_LEVELS):
        relaxed = _relaxed(blocks, inside, open_, slack)
        draws = sample(
            relaxed[0], going, density, plain, seed_of(seed, level), threads=threads,
            inside=relaxed[1],
        )  # fmt: skip
        shape = draws.values.shape
        far = misses(blocks, draws.values.reshape(-1, shape[2]), open_)
        for block in going.tolist():
            series = far[:, block].reshape(shape[:2])
            aim = max(0.0, float(np.quantile(series, _PART)))
            inside_it = (series <= aim).astype(np.float64)
            part = inside_it.mean()
            value[block] += np.log(part)
            if part < 1:
                variance[block] += (float(error_of_mean(inside_it[:, :, None])[0]) / part) ** 2
            slack[block], levels[block] = aim, level + 1
        going = going[slack[going] > 0]
        if not going.size:
            break
    variance[going] = np.inf
    how = tuple(f"{count} levels of tightened limits" if count else "" for count in levels)
    return Mass(value, np.sqrt(variance), how)


def _relaxed(
    blocks: Blocks, inside: Interior, open_: Bools, slack: Floats
) -> tuple[Blocks, Interior]:
    """The blocks with more room in their inequalities; none where it is endless."""
    more = slack[blocks.rule_block]
    kept = np.flatnonzero(~open_ | np.isfinite(more))
    rules = blocks.rules.chosen(kept)
    raised = np.where(open_[kept], more[kept], 0.0)
    rules = replace(rules, limits=rules.limits + raised)
    rule_at = np.searchsorted(kept, blocks.rule_at)
    wider = replace(blocks, rules=rules, rule_at=rule_at, origin=blocks.origin[kept])
    return wider, replace(inside, tight=inside.tight[kept])


def seed_of(seed: int, step: int) -> int:
    """Another seed for every step."""
    return int(np.random.SeedSequence([seed, step]).generate_state(1)[0])
