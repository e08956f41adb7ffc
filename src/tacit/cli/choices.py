"""Words on the command line for the values that `fit` takes."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from math import isfinite
from typing import TYPE_CHECKING, Any

from tacit.core.errors import OptionError, marked, nearest

if TYPE_CHECKING:
    from tacit.estimate.continuous.prior import GaussianPrior
    from tacit.estimate.estimates import Estimate
    from tacit.estimate.priors import Prior
    from tacit.infer.weighting import LikelihoodWeighting
    from tacit.learn.methods import Method


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

    EM = "em"
    GRADIENT = "gradient"
    FILL_IN = "fill-in"
    AVAILABLE = "available"
    WEIGHT_ANNEALING = "weight-annealing"
    IBEM = "ibem"
    NAIVE_ANNEALING = "naive-annealing"
    DETERMINISTIC_ANNEALING = "deterministic-annealing"
    MEAN_FIELD = "mean-field"


class StartName(StrEnum):
    """`--start`."""

    GIVEN = "given"


PRIORS = {
    "bdeu": "bdeu[:STRENGTH]",
    "k2": "k2",
    "jeffreys": "jeffreys",
    "dirichlet": "dirichlet:ALPHA",
}
"""The words of `--prior`, and how each is written."""


def prior_of(text: str, option: str = "--prior") -> Prior:
    """`bdeu:10` as `BDeu(10)`, and so on; errors mark the words at fault."""
    from tacit.estimate.priors import K2, BDeu, Dirichlet, Jeffreys

    word, colon, amount = text.partition(":")
    if word not in PRIORS:
        raise _wrong(option, text, 0, len(word), f"{word!r} is no prior{nearest(word, PRIORS)}")
    if word in ("k2", "jeffreys"):
        if colon:
            raise _wrong(option, text, len(word), len(text), f"{word!r} takes no number")
        return K2() if word == "k2" else Jeffreys()
    if word == "bdeu" and not colon:
        return BDeu()
    try:
        number = float(amount)
    except ValueError:
        what = f"{amount!r} is no number" if amount else f"{word!r} needs a number"
        raise _wrong(option, text, len(word) + 1 if amount else 0, len(text), what) from None
    if not (number >= 0 and isfinite(number)):
        what = "the strength of a prior is a number of cases, 0 or more"
        raise _wrong(option, text, len(word) + 1, len(text), what)
    return BDeu(number) if word == "bdeu" else Dirichlet(number)


NORMALS = "STRENGTH, weak[:STRENGTH] or none"
"""The words of `--normal-prior`."""


def normal_beside(prior: Prior | None, text: str | None) -> Any:
    """The prior of tables, and that of Gaussian families where one was said."""
    if text is None:
        return prior
    return normal_of(text) if prior is None else [prior, normal_of(text)]


def normal_of(text: str, option: str = "--normal-prior") -> GaussianPrior:
    """`2` as `NormalGamma(2)`, `weak:2` as `WeakNormal(2)`, `none` as no prior."""
    from tacit.estimate.continuous.prior import NormalGamma, WeakNormal

    word, colon, amount = text.partition(":")
    if word == "none" and not colon:
        return WeakNormal(0)
    weak = word == "weak"
    if weak and not colon:
        return WeakNormal()
    start, said = (len(word) + 1, amount) if weak else (0, text)
    try:
        number = float(said)
    except ValueError:
        what = f"{said!r} is no number" if said else f"{word!r} with a colon needs a number"
        raise _unknown(option, text, start if said else 0, what) from None
    if not (number > 0 and isfinite(number)):
        raise _unknown(option, text, start, "the strength is a number of cases above 0")
    return WeakNormal(number) if weak else NormalGamma(number)


def _unknown(option: str, text: str, start: int, what: str) -> OptionError:
    return OptionError(f"{marked(text, start, len(text), what, option)}\n\nit takes {NORMALS}")


def _wrong(option: str, text: str, start: int, end: int, what: str) -> OptionError:
    known = ", ".join(PRIORS.values())
    return OptionError(f"{marked(text, start, end, what, option)}\n\npriors: {known}")


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


def method_of(
    name: MethodName | None, settings: Sequence[str] | None = None, **limits: float | None
) -> Method | None:
    """`em` as `EM()`, and so on, with what was said of it; saying something means EM."""
    from tacit.cli.tuning import tuned
    from tacit.learn.annealing.settings import WeightAnnealing
    from tacit.learn.bottleneck.annealing import ENTROPIC, NAIVE
    from tacit.learn.bottleneck.settings import IBEM
    from tacit.learn.methods import EM, AvailableCases, FillIn, Gradient, MeanFieldEM

    given: dict[str, Any] = {key: value for key, value in limits.items() if value is not None}
    if name is None and not given and not settings:
        return None
    kinds: dict[MethodName | None, type[Method]] = {
        MethodName.GRADIENT: Gradient,
        MethodName.FILL_IN: FillIn,
        MethodName.AVAILABLE: AvailableCases,
        MethodName.WEIGHT_ANNEALING: WeightAnnealing,
        MethodName.IBEM: IBEM,
        MethodName.NAIVE_ANNEALING: IBEM,
        MethodName.DETERMINISTIC_ANNEALING: IBEM,
        MethodName.MEAN_FIELD: MeanFieldEM,
    }
    set_ = tuned(kinds.get(name, EM), settings)
    allowed = {
        MethodName.GRADIENT: {"tolerance", "max_steps"},
        MethodName.FILL_IN: {"tolerance", "max_steps"},
        MethodName.AVAILABLE: set[str](),
    }
    if name in allowed and (wrong := sorted(set(given) - allowed[name])):
        option = wrong[0].replace("_", "-")
        raise OptionError(f"--{option} means nothing to --method {name}")
    if name is MethodName.WEIGHT_ANNEALING:
        return WeightAnnealing(EM(**given), **set_)
    if twice := sorted(set(given) & set(set_)):
        option = twice[0].replace("_", "-")
        raise OptionError(f"--{option} and --set both say it: leave one of them out")
    presets: dict[MethodName | None, dict[str, Any]] = {
        MethodName.NAIVE_ANNEALING: NAIVE,
        MethodName.DETERMINISTIC_ANNEALING: ENTROPIC,
    }
    return kinds.get(name, EM)(**{**presets.get(name, {}), **given, **set_})


def sampling_of(text: str | None, seed: int | None) -> LikelihoodWeighting | None:
    """`weighting:10000` as `LikelihoodWeighting(10000)`, with a seed that can be written down."""
    if text is None:
        return None
    from tacit.infer.sampling import fresh_seed
    from tacit.infer.weighting import LikelihoodWeighting

    word, colon, amount = text.partition(":")
    if word != "weighting":
        what = f"{word!r} is no method{nearest(word, ['weighting'])}"
        raise OptionError(f"{marked(text, 0, len(word), what, '--method')}\n\n{_SAMPLING}")
    if colon and not (amount.isdecimal() and int(amount) >= 2):
        what = f"{amount!r} is no number of samples, 2 or more"
        raise OptionError(
            f"{marked(text, len(word) + 1, len(text), what, '--method')}\n\n{_SAMPLING}"
        )
    used = fresh_seed(seed)
    return LikelihoodWeighting(int(amount), used) if colon else LikelihoodWeighting(seed=used)


_SAMPLING = "methods: weighting[:SAMPLES]"
