"""How a fit was made, as plain data that can be saved and printed."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from tacit.core.errors import OptionError
from tacit.core.options import check_value
from tacit.core.variables import Continuous, Variable
from tacit.estimate.continuous.prior import GaussianPrior, WeakNormal
from tacit.estimate.estimates import ML, Estimate, Smoothed
from tacit.estimate.priors import BDeu, Prior
from tacit.learn.annealing.settings import WeightAnnealing, check_wrapped
from tacit.learn.choices import Choices
from tacit.learn.methods import EM, Method
from tacit.learn.structures import Structure
from tacit.version import __version__

AnyPrior: TypeAlias = Prior | GaussianPrior | Sequence[Prior | GaussianPrior] | None
"""What `prior=` takes: of tables, of Gaussian families, or both in a list."""


def chosen_of(
    prior: AnyPrior,
    estimate: Estimate | None,
    method: Method | None = None,
    level: float = 0.95,
    seed: int | None = None,
) -> Choices:
    """The choices with defaults filled in; an error about a value that is none of its kind."""
    tables, normal = priors_apart(prior)
    estimate = Smoothed() if estimate is None else estimate
    choices = Choices(BDeu(1) if tables is None else tables, estimate, method, level, seed, normal)
    check_choices(choices)
    return choices


def settled(choices: Choices, variables: Mapping[str, Variable]) -> Choices:
    """The choices for these variables: continuous ones have a prior of their own unless maximum
    likelihood is wanted; an error about such a prior where there are none."""
    if not any(isinstance(each, Continuous) for each in variables.values()):
        refuse_no_reals(choices.normal)
        return choices
    if choices.normal is not None or isinstance(choices.estimate, ML):
        return choices
    return replace(choices, normal=WeakNormal())


def refuse_no_reals(normal: GaussianPrior | None) -> None:
    """Nothing, or an error about a prior of Gaussian families where there are none."""
    if normal is not None:
        raise OptionError(
            f"tc.{normal.describe()} is a prior of Gaussian families, and no variable is "
            "continuous\n\nleave it out"
        )


def priors_apart(given: AnyPrior) -> tuple[Any, GaussianPrior | None]:
    """The prior of tables and that of Gaussian families, of either at most one."""
    every: list[Any] = list(given) if isinstance(given, list | tuple) and given else [given]
    normal = [each for each in every if isinstance(each, GaussianPrior)]
    tables = [each for each in every if not isinstance(each, GaussianPrior)]
    if len(normal) > 1 or len(tables) > 1:
        raise OptionError(
            "prior= takes one prior of tables and one of Gaussian families, "
            "[tc.BDeu(1), tc.WeakNormal()] for example"
        )
    return (tables[0] if tables else None), (normal[0] if normal else None)


def beside(prior: AnyPrior, tables: Prior | None) -> AnyPrior:
    """The prior that was given, with this one of tables where it says nothing of them."""
    given, normal = priors_apart(prior)
    both = [each for each in (given or tables, normal) if each is not None]
    return both or None


def check_choices(choices: Choices) -> None:
    """Nothing, or an error about an option that is no value of its kind: a class, a word."""
    kinds: tuple[tuple[str, Any, Any, str], ...] = (
        ("prior", choices.prior, Prior, "tc.BDeu(1)"),
        ("estimate", choices.estimate, Estimate, "tc.ML()"),
        ("method", choices.method, Method | None, "tc.EM() or tc.AvailableCases()"),
    )
    for option, given, kind, example in kinds:
        check_value(option, given, kind, example)
    if isinstance(choices.method, WeightAnnealing):
        check_wrapped(choices.method, (EM,), "tc.fit")


def kept_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that a run shares with the one that it goes on from; a prior worth nothing is
    none."""
    none = WeakNormal(0).describe()
    return {
        key: said
        for key, said in settings.items()
        if key not in ("versions", "level") and (key, said) != ("normal_prior", none)
    }


def settings_of(
    structure: Structure, choices: Choices, further: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Structure, choices and versions; values print as Python writes them."""
    import numpy
    import scipy

    return {
        "structure": str(structure.dag),
        "estimate": choices.estimate.describe(),
        "prior": choices.prior.describe(),
        **({} if choices.normal is None else {"normal_prior": choices.normal.describe()}),
        "method": choices.method.describe() if choices.method else "counting",
        "empty": choices.estimate.empty,
        "level": choices.level,
        **(further or {}),
        "versions": {
            "tacit": __version__,
            "python": sys.version.split()[0],
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
        },
    }
