"""How a fit was made, as plain data that can be saved and printed."""

from __future__ import annotations

import sys
from typing import Any

from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import Prior
from tacit.learn.methods import AvailableCases
from tacit.learn.structures import Structure
from tacit.version import __version__


def settings_of(
    structure: Structure,
    prior: Prior,
    estimate: Estimate,
    method: AvailableCases | None,
    level: float,
) -> dict[str, Any]:
    """Structure, choices and versions; values print as Python writes them."""
    import numpy
    import scipy

    return {
        "structure": str(structure.dag),
        "estimate": estimate.describe(),
        "prior": prior.describe(),
        "method": method.describe() if method else "counting",
        "empty": estimate.empty,
        "level": level,
        "versions": {
            "tacit": __version__,
            "python": sys.version.split()[0],
            "numpy": numpy.__version__,
            "scipy": scipy.__version__,
        },
    }
