"""Numbers of rules as text: odds, chances, losses, and what a rule bounds."""

from __future__ import annotations

import math


def ratio(nats: float) -> str:
    """exp(nats) to two digits; very large ones as a power of ten."""
    decades = max(nats, 0.0) / math.log(10)
    if decades >= 6:
        return f"10^{math.floor(decades):,}"
    value = math.exp(max(nats, 0.0))
    return f"{value:.2f}" if value < 10 else f"{float(f'{value:.2g}'):,.0f}"


def chance(value: float) -> str:
    """A small probability, to two digits."""
    return "<0.0001" if value < 1e-4 else f"{value:.2g}"


def figure(value: float | None) -> str:
    """A probability, a difference of two, or any other number that a rule bounds."""
    if value is None:
        return "?"
    if abs(value) < 0.001:
        return "0" if value == 0 else f"{value:.2g}" if abs(value) < 1e-6 else _decimal(value)
    return f"{value:.3f}" if abs(value) < 1000 else f"{value:,.4g}"


def _decimal(value: float) -> str:
    return f"{value:.7f}".rstrip("0")


def nats_lost(value: float, at_least: bool = False) -> str:
    """A loss to three digits, with its unit."""
    if value < 0.0005:
        return "next to nothing" if at_least else "less than 0.001 nats"
    least = "at least " if at_least else ""
    return f"{least}{value:.3g} nats" if value < 100 else f"{least}{value:,.1f} nats"
