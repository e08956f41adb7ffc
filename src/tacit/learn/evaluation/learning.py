"""`learning_curve`: cases are held out, and networks learned from more and more of the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, OptionError, listed, nearest
from tacit.core.grid import counted
from tacit.core.interrupts import asked_to_end
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.infer.likelihood import log_likelihood
from tacit.infer.sampling import fresh_seed
from tacit.learn.evaluation.curve import OF_STATES, OF_VALUES, LearningCurve
from tacit.learn.evaluation.predicted import evaluated
from tacit.learn.fit import fit
from tacit.learn.fits import Fit
from tacit.learn.folds import judged_in, only_cases, read_once
from tacit.learn.gathered import gather
from tacit.learn.progress import Callback, Report, watched
from tacit.learn.structures import as_structure

SIZES = 6
"""How many sizes are tried where none are named."""
SMALLEST = 20
HELD_OUT = 0.3
"""The share of the cases that judges unless told."""
OWN = frozenset({"seed", "progress", "checkpoint", "resume", "start"})
"""Options of `fit` that a curve has no use for, or sets itself."""


def learning_curve(
    structure: Dag | Network | str | Path,
    data: Any,
    sizes: Sequence[int] | None = None,
    *,
    target: str | None = None,
    variants: Mapping[str, Mapping[str, Any]] | None = None,
    repeats: int = 5,
    held_out: float = HELD_OUT,
    seed: int | None = None,
    progress: bool | Callback | None = None,
    **options: Any,
) -> LearningCurve:
    """How well cases held out are predicted after learning from 20, 50, 100, ... others.

    In every repeat a random part of the cases is held out, and networks are learned from the first
    so many of the others, in a random order: a larger set holds the smaller ones. What states a
    variable has is taken from all cases; everything else only from those learned from.

    sizes     how many cases to learn from; by default six from 20 to all that are not held out
    target    a variable to be predicted from all others, besides the likelihood of whole cases
    variants  ways of learning to compare on the same cases: {"trees": {"families": tc.TreeTable}};
              each is options of `tc.fit`, or `structure`
    repeats   how often cases are drawn
    held_out  the share of the cases that judges
    options   of `tc.fit`, for all variants: knowledge, prior, estimate, families, hidden, ...
    """
    seed, once = fresh_seed(seed), read_once(structure)
    ways = _variants(variants, options)
    gathered = gather(as_structure(once), only_cases(data), options.get("hidden"))
    cases = gathered.cases
    judge = None if target is None else judged_in(gathered, target)
    left = _held_out(held_out, len(cases))
    chosen = _sizes(sizes, len(cases) - left)
    repeats = _whole("repeats", repeats)
    measured = ("log_likelihood", *measures_of(judge))
    job = _Job(once, cases, ways, chosen, judge, left, seed)
    settings: dict[str, Mapping[str, Any]] = {}
    with watched(progress, "learning curve") as told:
        found = _repeated(job, repeats, measured, settings, told)
    done = found.shape[-1]
    notes = cases.notes
    if done < repeats:
        notes = (*notes, f"interrupted after {counted(done, 'repeat')} of {repeats}")
    values = dict(zip(measured, found, strict=True))
    return LearningCurve(chosen, tuple(ways), values, left, target, seed, notes, settings)


def usual_curve(cases: int) -> tuple[int, Ints]:
    """How many of so many cases are held out unless told, and the sizes learned from."""
    left = round(HELD_OUT * cases)
    return left, _sizes(None, max(1, cases - left))


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    """What is repeated: cases drawn, learned from in every way, judged."""

    structure: Dag | Network
    cases: Dataset
    ways: Mapping[str, Mapping[str, Any]]
    sizes: Ints
    judge: Variable | None
    left: int
    seed: int


def _repeated(
    job: _Job,
    repeats: int,
    measured: Sequence[str],
    settings: dict[str, Mapping[str, Any]],
    told: Report,
) -> Floats:
    """(measures, variants, sizes, repeats); on Ctrl-C the repeats that were finished.

    settings  takes those of the first fit of every variant
    """
    each, found = len(job.ways) * job.sizes.size, []
    with asked_to_end() as asked:
        for repeat, split in enumerate(np.random.SeedSequence(job.seed).spawn(repeats)):
            values = np.full((len(measured), len(job.ways), job.sizes.size), np.nan)
            order = np.random.default_rng(split).permutation(len(job.cases))
            test, rest = job.cases.take(order[: job.left]), order[job.left :]
            for at, (size, way) in enumerate(product(range(job.sizes.size), range(len(job.ways)))):
                few = job.cases.take(rest[: job.sizes[size]])
                name, options = list(job.ways.items())[way]
                learned = _learned(job, few, options, repeat)
                if asked():
                    break
                settings.setdefault(name, dict(learned.settings))
                judged = _measures(learned.network, test, job.judge)
                values[:, way, size] = [judged[name] for name in measured]
                told(repeat * each + at + 1, repeats * each)
            if asked():
                break
            found.append(values)
    if not found:
        raise KeyboardInterrupt
    return np.stack(found, axis=-1)


def _learned(job: _Job, cases: Dataset, given: Mapping[str, Any], repeat: int) -> Fit:
    options = {"seed": job.seed + repeat, **given}
    where = options.pop("structure", job.structure)
    return fit(where, cases, progress=False, **options)


def measures_of(judge: Variable | None) -> tuple[str, ...]:
    """What is measured of a target."""
    if judge is None:
        return ()
    return OF_STATES if isinstance(judge, Discrete) else OF_VALUES


def _measures(network: Network, test: Dataset, judge: Variable | None) -> dict[str, float]:
    found = {"log_likelihood": log_likelihood(network, test).average}
    if judge is not None:
        told = evaluated(network, test, judge, np.arange(len(test)))
        found |= {name: getattr(told, name) for name in measures_of(judge)}
    return found


def _variants(
    variants: Mapping[str, Mapping[str, Any]] | None, options: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    given = variants if variants is not None else {"this": {}}
    if not isinstance(given, Mapping) or not given:
        raise OptionError(
            "variants are ways of learning by name, each with options of tc.fit: "
            '{"tables": {}, "trees": {"families": tc.TreeTable}}'
        )
    for name, each in given.items():
        if not isinstance(each, Mapping):
            raise OptionError(f"the variant {name!r} must be options of tc.fit by name")
        wrong = sorted(OWN & {*each, *options})
        if wrong:
            raise OptionError(f"a learning curve takes no {wrong[0]}= for tc.fit")
        known = [*signature(fit).parameters]
        for option in {**options, **each}:
            if option not in known:
                raise OptionError(f"tc.fit has no option {option!r}{nearest(option, known)}")
    return {str(name): {**options, **each} for name, each in given.items()}


def _held_out(share: Any, cases: int) -> int:
    if isinstance(share, bool) or not isinstance(share, int | float) or not 0 < share < 1:
        raise OptionError(f"held_out={share!r} must be a share of the cases, between 0 and 1")
    left = round(share * cases)
    if not 0 < left < cases:
        raise CasesError(f"{cases} cases are too few to hold {share:g} of them out")
    return left


def _sizes(sizes: Sequence[int] | None, most: int) -> Ints:
    if sizes is None:
        low = min(SMALLEST, most)
        return np.unique(np.geomspace(low, most, SIZES).round().astype(np.int64))
    chosen = [_whole("sizes", size) for size in sizes]
    if not chosen:
        raise OptionError("sizes=[] names no number of cases")
    over = [size for size in chosen if size > most]
    if over:
        raise OptionError(
            f"sizes={listed(map(str, chosen))} needs {over[0]:,} cases to learn from, but only "
            f"{most:,} are not held out"
        )
    return np.unique(np.array(chosen, dtype=np.int64))


def _whole(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise OptionError(f"{name}={value!r} must be a whole number, 1 or more")
    return int(value)
