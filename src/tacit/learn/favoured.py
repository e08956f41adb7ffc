"""What a comparison of rule sets says, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, isfinite, isnan, log

from tacit.core.errors import listed
from tacit.learn.averaged import with_error
from tacit.learn.comparison import Compared, log_bayes_factor
from tacit.learn.heldout import difference

NO_RULES = "no rules"
"""What the set without rules is called."""

STRENGTHS = ((100.0, "decisive"), (10**1.5, "very strong"), (10.0, "strong"),
             (10**0.5, "substantial"), (0.0, "barely worth a mention"))  # fmt: skip
"""Words for Bayes factors from these numbers on. [Jeffreys 1961, appendix B]"""

SURE = 2.0
"""Standard errors beyond which a difference is told."""

TIE = 1e-9
"""Differences in nats below this are none."""


def verdict(sets: Sequence[Compared]) -> str:
    """Who leads, over whom, by how much, and whether held-out cases say the same."""
    first, second = sets[0], sets[1]
    marginal = _marginal(first, second)
    told = [each for each in (marginal, _held_out(first, second, bool(marginal))) if each]
    said = f"{'; '.join(told)}." if told else ""
    if not said.startswith(first.name) or first.name.startswith(("expert ", NO_RULES)):
        said = said[:1].upper() + said[1:]  # the names of people and files stay as they are
    return " ".join([said, *_worse(sets)]).strip()


def _marginal(one: Compared, other: Compared) -> str:
    factor, error = log_bayes_factor(one, other)
    pair = f"{one.name} and {other.name}"
    if one.log_marginal_likelihood is None or other.log_marginal_likelihood is None:
        return ""
    if isnan(factor):
        return f"{pair} both hold the cases impossible"
    if factor <= TIE:
        return f"{pair} have the same marginal likelihood"
    if not isfinite(factor):
        holds, does = _of(other, "holds", "hold"), _of(one, "does", "do")
        return f"{other.name} {holds} the cases impossible, {one.name} {does} not"
    if factor < SURE * error:
        within = f"{factor:.3g} ± {error:.2g} nats"
        return f"the marginal likelihoods of {pair} differ by less than they are known ({within})"
    strength = next(word for least, word in STRENGTHS if factor >= log(least or 1.0))
    by = f"by a Bayes factor of {_factor(factor)} ({strength})"
    return f"{one.name} {_of(one, 'is', 'are')} favoured over {other.name} {by}"


def _of(each: Compared, singular: str, plural: str) -> str:
    """The verb that fits the name: `no rules` are several."""
    return plural if each.name == NO_RULES else singular


def _factor(logarithm: float) -> str:
    if logarithm > log(1e6):
        return f"10^{logarithm / log(10):.0f}"
    value = exp(logarithm)
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}"


def _held_out(one: Compared, other: Compared, named: bool) -> str:
    """What held-out cases say of the two; `named`: the sentence has named them before."""
    gain, error = difference(one.held_out, other.held_out)
    if not isfinite(gain):
        return _impossible(one, other)
    if abs(gain) <= max(TIE, SURE * (0.0 if isnan(error) else error)):
        whom = "them" if named else f"{one.name} and {other.name}"
        return f"held-out cases do not tell {whom} apart"
    by = f"by {with_error(abs(gain), error)} nats per case"
    if not named:
        return f"held-out cases favour {one.name} over {other.name} {by}"
    return (
        f"held-out cases agree, {by}" if gain > 0 else f"held-out cases favour {other.name}, {by}"
    )


def _impossible(one: Compared, other: Compared) -> str:
    holding = [each.name for each in (one, other) if each.held_out.impossible]
    return f"some held-out cases are impossible under {' and '.join(holding)}" if holding else ""


def _worse(sets: Sequence[Compared]) -> Iterator[str]:
    """The sets whose rules the cases speak against: no rules at all do surely better."""
    free = [each for each in sets if not each.rules]
    if not free:
        return
    below = []
    for each in sets:
        factor, error = log_bayes_factor(free[0], each)
        if each.rules and factor > max(log(10.0), SURE * error):
            below.append(each.name)
    if below:
        yield f"The cases speak against the rules of {listed(below, 6)}: no rules at all do better."
