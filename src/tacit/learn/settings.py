"""How a fit was made, as plain data that can be saved and printed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from tacit.core.errors import OptionError
from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import Prior
from tacit.learn.annealing.settings import WeightAnnealing, check_wrapped
from tacit.learn.choices import Choices
from tacit.learn.methods import EM, Method
from tacit.learn.structures import Structure
from tacit.version import __version__


def check_choices(choices: Choices) -> None:
    """Nothing, or an error about an option that is no value of its kind: a class, a word."""
    kinds: tuple[tuple[str, Any, Any, str], ...] = (
        ("prior", choices.prior, Prior, "tc.BDeu(1)"),
        ("estimate", choices.estimate, Estimate, "tc.ML()"),
        ("method", choices.method, Method | None, "tc.EM() or tc.AvailableCases()"),
    )
    for option, given, kind, example in kinds:
        if not isinstance(given, kind):
            shown = f"the class {given.__name__}" if isinstance(given, type) else repr(given)
            raise OptionError(f"{option} takes a value such as {example}, not {shown}")
    if isinstance(choices.method, WeightAnnealing):
        check_wrapped(choices.method, (EM,), "tc.fit")


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
