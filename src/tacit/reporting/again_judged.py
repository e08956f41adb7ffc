"""How well a fit predicts, in the last section: what was held out, and what was learned from less.

`tacit evaluate` fits as `tacit fit` does and judges with the same seed, so its command is that of a
fit with other options; in Python each part is a call of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.learn.evaluation.curve import LearningCurve
from tacit.learn.evaluation.evaluation import AnyEvaluation
from tacit.learn.evaluation.learning import usual_curve
from tacit.learn.fits import Fit
from tacit.learn.heldout import CrossValidation
from tacit.learn.methods import EM
from tacit.reporting.again_fit import FIT, families, method, structure
from tacit.reporting.again_given import estimate, knowledge, level, prior, seed
from tacit.reporting.again_reading import Cases
from tacit.reporting.again_settings import NOTHING, Said, Setting, Verb, Written, called, written

ALIKE = ("structure", "prior", "estimate", "families", "knowledge", "hidden", "tied", "start")
"""Settings that tell whether folds were learned from as the whole was."""
TAKEN = ("knowledge", "prior", "estimate", "families", "method", "hidden", "tied", "start")
"""Arguments of `tc.fit` that `tc.cross_validate` takes as well."""
FOUND = ("knowledge", "prior", "estimate")
"""Those of them that speak of parameters where a dag was sought."""
LEVEL = 0.95
"""Of the intervals, which the command cannot set."""


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """A fit and what is said of how well it predicts.

    evaluation  of cases that are not those of the fit; None where folds of these judged
    """

    fit: Fit
    held: CrossValidation | None = None
    curve: LearningCurve | None = None
    evaluation: AnyEvaluation | None = None

    @property
    def by_anything(self) -> bool:
        """Whether anything is said of it."""
        return any(each is not None for each in (self.held, self.curve, self.evaluation))


def judged_again(verb: Verb, told: Written, cases: Cases, judged: Judged) -> Written:
    """The fit and what judged it, in both languages."""
    places = ("network" if verb is FIT else "found.dag", "cases")
    taken = TAKEN if verb is FIT else FOUND
    of_fit = {name: text for name, text in told.named.items() if name in taken}
    lines, remarks = list(told.lines), list(told.remarks)
    held, curve = judged.held, judged.curve
    if held is not None and _alike(judged.fit, held.settings):
        lines.append(called("held = tc.cross_validate", places, {**of_fit, **_folds(held)}))
    elif held is not None:
        lines.append("held = ...  # cross-validation of other settings than those of the fit")
        remarks.append("The cross-validation was made with other settings, which are not told.")
    if curve is not None and _one_way(judged.fit, curve):
        lines.append(called("curve = tc.learning_curve", places, {**of_fit, **_drawn(judged)}))
    elif curve is not None:
        lines.append("curve = ...  # variants of learning, or other settings than those of the fit")
        remarks.append("The learning curve was made with other settings, which are not told.")
    if judged.evaluation is not None and held is None:
        remarks.append(
            "How well it predicts was asked of cases that are not named here: "
            f"`tc.evaluate(fit.network, THOSE_CASES, {judged.evaluation.target!r})`."
        )
    if verb is not FIT:
        lost = ("what was learned and its evaluation at once",)
        return replace(told, lines=tuple(lines), lost=lost, remarks=tuple(remarks))
    command = written(EVALUATE, judged, cases)
    return replace(command, lines=tuple(lines), remarks=tuple(remarks))


def _alike(fit: Fit, settings: Mapping[str, Any]) -> bool:
    """Whether parts were learned from as the whole was."""
    return all(fit.settings.get(name) == settings.get(name) for name in ALIKE)


def _one_way(fit: Fit, curve: LearningCurve) -> bool:
    """Whether a curve has one variant, which learned as the fit did."""
    ways = list(curve.settings.values())
    return len(curve.variants) == 1 and len(ways) == 1 and _alike(fit, ways[0])


def _folds(held: CrossValidation) -> dict[str, str]:
    """Arguments of the cross-validation beside those of the fit."""
    said = {
        "folds": repr(len(held.networks)),
        "target": repr(_target(held)),
        "seed": str(held.seed),
    }
    return {name: text for name, text in said.items() if text != "None"}


def _target(held: CrossValidation) -> str | None:
    return None if held.evaluation is None else held.evaluation.target


def _drawn(judged: Judged) -> dict[str, str]:
    """Arguments of the learning curve beside those of the fit."""
    curve = judged.curve
    assert curve is not None
    cases = judged.fit.cases.cases
    said = {"target": repr(curve.target), "repeats": repr(curve.repeats), "seed": str(curve.seed)}
    if not _usual(judged.fit, curve):
        said["sizes"] = repr(curve.sizes.tolist())
        said["held_out"] = repr(curve.held_out / cases)
    return {name: text for name, text in said.items() if text != "None"}


def _usual(fit: Fit, curve: LearningCurve) -> bool:
    """Whether a curve has the usual sizes and holds the usual share out."""
    left, sizes = usual_curve(fit.cases.cases)
    return left == curve.held_out and np.array_equal(sizes, curve.sizes)


def _of_fit(said: Callable[[Fit], Said]) -> Callable[[Judged], Said]:
    return lambda judged: said(judged.fit)


def _method(judged: Judged) -> Said:
    """The command takes the usual one."""
    usual = judged.fit.settings["method"] in ("counting", EM().describe())
    said = method(judged.fit)
    return Said(said.python, () if usual else None)


def _level(judged: Judged) -> Said:
    """The command takes the usual one."""
    usual = judged.fit.settings["level"] == LEVEL
    return Said(level(judged.fit).python, () if usual else None)


def _without(option: str, said: Callable[[Fit], Said]) -> Callable[[Judged], Said]:
    """What the command can say but for one option."""

    def told(judged: Judged) -> Said:
        found = said(judged.fit)
        return Said(found.python, None) if found.words and option in found.words else found

    return told


def _unsaid(name: str) -> Setting:
    """What the command has no option for."""

    def said(judged: Judged) -> Said:
        return Said("", None) if name in judged.fit.settings else NOTHING

    return Setting((name,), (), said)


def _parts(judged: Judged) -> Said:
    """How many folds judged; the command holds out five unless told."""
    held = judged.held
    if held is None or not _alike(judged.fit, held.settings):
        return Said("", None)
    return Said("", ["--folds", str(len(held.networks))])


def _judged_target(judged: Judged) -> Said:
    """What was predicted, the same by folds and curve."""
    held, curve = judged.held, judged.curve
    name = None if held is None else _target(held)
    if curve is not None and curve.target != name:
        return Said("", None)
    return NOTHING if name is None else Said("", ["--target", name])


def _curve(judged: Judged) -> Said:
    """Whether it was learned from few and more cases, too."""
    curve = judged.curve
    if curve is None:
        return NOTHING
    if not _one_way(judged.fit, curve) or not _usual(judged.fit, curve):
        return Said("", None)
    return Said("", ["--curve", "--repeats", str(curve.repeats)])


def _seed(judged: Judged) -> Said:
    """One seed for all."""
    said = {judged.fit.seed, *(each.seed for each in (judged.held, judged.curve) if each)}
    return seed(judged.fit) if len(said) == 1 else Said("", None)


EVALUATE = Verb(
    "held = tc.cross_validate",
    "evaluate",
    (
        Setting(("structure",), ("--network",), _of_fit(structure)),
        Setting(("target",), ("--target",), _judged_target),
        Setting(("folds",), ("--folds",), _parts),
        Setting(("repeats",), ("--curve", "--repeats"), _curve),
        Setting(("knowledge",), ("--knowledge",), _of_fit(knowledge)),
        Setting(("prior",), ("--prior", "--normal-prior"), _of_fit(prior)),
        Setting(("estimate",), ("--estimate",), _without("--empty", estimate)),
        Setting(("families",), ("--family",), _of_fit(families)),
        Setting(("method",), (), _method),
        *map(_unsaid, ("hidden", "tied", "start", "sources")),
        Setting(("level",), (), _level),
        Setting(("seed",), ("--seed",), _seed),
    ),
    FIT.positional,
    beside=True,
    output="",
)
