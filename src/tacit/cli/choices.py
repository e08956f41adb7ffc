"""Words on the command line for the values that `fit` takes."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from tacit.core.errors import OptionError, marked, nearest

if TYPE_CHECKING:
    from tacit.estimate.estimates import Estimate
    from tacit.estimate.priors import Prior
    from tacit.learn.methods import AvailableCases


class EstimateName(StrEnum):
    """`--estimate`."""

    SMOOTHED = "smoothed"
    ML = "ml"
    MAP = "map"
    MEAN = "mean"


class EmptyRows(StrEnum):
    """`--empty`: the policies that leave a whole network, which a file can hold."""

    UNIFORM = "uniform"
    PRIOR = "prior"
    ERROR = "error"


class MethodName(StrEnum):
    """`--method`."""

    AVAILABLE = "available"


PRIORS = {
    "bdeu": "bdeu[:STRENGTH]",
    "k2": "k2",
    "jeffreys": "jeffreys",
    "dirichlet": "dirichlet:ALPHA",
}
"""The words of `--prior`, and how each is written."""


def prior_of(text: str) -> Prior:
    """`bdeu:10` as `BDeu(10)`, and so on; errors mark the words at fault."""
    from tacit.estimate.priors import K2, BDeu, Dirichlet, Jeffreys

    word, colon, amount = text.partition(":")
    if word not in PRIORS:
        raise _wrong(text, 0, len(word), f"{word!r} is no prior{nearest(word, PRIORS)}")
    if word in ("k2", "jeffreys"):
        if colon:
            raise _wrong(text, len(word), len(text), f"{word!r} takes no number")
        return K2() if word == "k2" else Jeffreys()
    if word == "bdeu" and not colon:
        return BDeu()
    try:
        number = float(amount)
    except ValueError:
        what = f"{amount!r} is no number" if amount else f"{word!r} needs a number"
        raise _wrong(text, len(word) + 1 if amount else 0, len(text), what) from None
    return BDeu(number) if word == "bdeu" else Dirichlet(number)


def _wrong(text: str, start: int, end: int, what: str) -> OptionError:
    known = ", ".join(PRIORS.values())
    return OptionError(f"{marked(text, start, end, what, '--prior')}\n\npriors: {known}")


def estimate_of(name: EstimateName, empty: EmptyRows) -> Estimate:
    """`ml` as `ML()`, and so on."""
    from tacit.estimate.estimates import MAP, ML, PosteriorMean, Smoothed

    match name:
        case EstimateName.ML:
            return ML(empty.value)
        case EstimateName.MAP:
            return MAP(empty.value)
        case EstimateName.MEAN:
            return PosteriorMean(empty.value)
    return Smoothed(empty.value)


def method_of(name: MethodName | None) -> AvailableCases | None:
    """`available` as `AvailableCases()`."""
    from tacit.learn.methods import AvailableCases

    return AvailableCases() if name is MethodName.AVAILABLE else None
