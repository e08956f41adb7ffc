"""Rules said with less than certainty, in sentences."""

from __future__ import annotations

from tacit.reporting.wording import some

DOUBTED = (
    "Believed and overruled: a rule said with less than certainty holds, given the cases, with a "
    "probability of at least one half, or of less."
)


def mixture(number: int, doubted: int, overruled: int) -> str:
    """How many of the rules are doubted, and what becomes of them."""
    came = f"{doubted:,} of them {'was' if doubted == 1 else 'were'}"
    if number == doubted:
        came = "it was" if number == 1 else "all of them were"
    told = (
        f"There {'is' if number == 1 else 'are'} {some(number, 'rule')}; {came} said with less "
        "than certainty: the estimate is the mean over the sets of them that may hold"
    )
    return f"{told}, and the data overrule {overruled:,}." if overruled else f"{told}."
