"""What the reader of a fit with continuous variables should know, in sentences."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from tacit.core.errors import listed, quoted
from tacit.core.grid import counted as counted_words
from tacit.core.network import Network
from tacit.estimate.continuous.many import leaning
from tacit.estimate.continuous.regressions import Gaussian, flat_moments
from tacit.learn.choices import Choices
from tacit.learn.continuous.problem import NormalProblem
from tacit.learn.continuous.running import Ended
from tacit.learn.fits import Evidence
from tacit.learn.gathered import Gathered
from tacit.learn.notes import (
    INTERVALS,
    constant_notes,
    inferred_notes,
    leaning_notes,
    run_notes,
)


def continuous_notes(
    gathered: Gathered,
    problem: NormalProblem,
    ended: Ended,
    network: Network,
    choices: Choices,
    named: Sequence[str],
    evidence: Mapping[str, Evidence],
) -> tuple[str, ...]:
    """Notes about the cases, then about hidden variables, families and runs.

    named     hidden variables that rules speak of
    evidence  what the cases say of every family in the end
    """
    return (
        *gathered.cases.notes,
        *inferred_notes(dict(gathered.missing), choices.method),
        *constant_notes(gathered.variables),
        *_thin(problem),
        *_leaning(problem, network, evidence),
        *scale_notes(problem.hidden, named),
        *_turning(problem, network),
        *lost_notes(ended.lost, len(ended.climbs)),
        *run_notes([run.iterate.objective for run in ended.climbs]),
        INTERVALS,
    )


def _thin(problem: NormalProblem) -> Iterable[str]:
    for name, kept in problem.kept.items():
        if kept.any():
            one = kept.sum() == 1
            has, own, keeps = ("has", "its", "it keeps") if one else ("have", "their", "they keep")
            yield (
                f"{kept.sum():,} of {counted_words(kept.size, 'configuration')} of the discrete "
                f"parents of {quoted(name)} {has} too few cases for a regression of {own} own: "
                f"{keeps} that of the cases complete in this family"
            )


def _leaning(
    problem: NormalProblem, network: Network, evidence: Mapping[str, Evidence]
) -> Iterable[str]:
    """What the prior decides of measured variables, those aside that rules speak of."""
    ties = None if problem.obeying is None else problem.obeying.known.ties
    others = {*problem.hidden, *(() if ties is None else (name for name, _ in ties.members))}
    for name, extra in problem.extra.items():
        family = network[name]
        if name not in others and isinstance(family, Gaussian):
            held = flat_moments(evidence[name])
            yield from leaning_notes(family, leaning(held, extra, np.ravel(family.sd)))


def scale_notes(hidden: Sequence[str], named: Sequence[str]) -> Iterable[str]:
    """What fixes the scale of continuous variables that no column measures.

    named  those that rules speak of
    """
    if hidden:
        names = listed(map(quoted, hidden), 6)
        one = len(hidden) == 1
        yield (
            f"nothing measures {names}, so {'its' if one else 'their'} scale is free: given "
            f"{'its' if one else 'their'} parents the mean is without intercept and the sd 1"
            + ("" if named else ", and the first child rises with it")
        )


def _turning(problem: NormalProblem, network: Network) -> Iterable[str]:
    """Hidden parents of the same children, which may be turned into each other."""
    children = network.dag.children
    alike: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for name in problem.hidden:
        key = (tuple(sorted(children[name])), tuple(sorted(network.dag.parents[name])))
        alike.setdefault(key, []).append(name)
    for names in alike.values():
        if len(names) > 1:
            yield (
                f"{listed(map(quoted, names), 6)} have the same parents and children: any rotation "
                "of them fits as well, so that their single coefficients mean little"
            )


def lost_notes(lost: Sequence[str], ended: int, curved: Collection[str] = ()) -> Iterable[str]:
    """The starts that were left out, beside those that came to an end.

    curved  the variables that follow curves, of which no prior speaks
    """
    if lost:
        many, total = len(lost), len(lost) + ended
        names = listed(dict.fromkeys(map(quoted, lost)), 4)
        yield (
            f"{many} of {total} starts {'was' if many == 1 else 'were'} left out: the noise of "
            f"{names} shrank to nothing there, and the likelihood grew without bound"
            + (
                ""
                if set(lost) <= set(curved)
                else "; tc.WeakNormal() as a prior, with estimate=tc.Smoothed(), prevents it"
            )
        )
