"""One find of the search: a rule, what it gains, and how sure it is."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from tacit.knowledge.statements import Rule

KINDS = ("tables", "rows", "links", "ratios", "cells", "orders")
"""What can be looked for, in the order in which it is."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule that the cases support.

    kind   "tables", "rows", "links", "ratios", "cells" or "orders"
    gain   what the rule adds to the log marginal likelihood, in nats, beside those before it
    sure   the log Bayes factor that had to pass: the lesser of those under the prior and under one
           that holds all distributions equally likely; of an order, against its opposite
    price  what the choice among all such rules costs, in nats; rules chosen together share it
    cases  the weight of the cases behind it
    """

    rule: Rule
    kind: str
    gain: float
    sure: float
    price: float
    cases: float

    @property
    def text(self) -> str:
        """The rule in the language."""
        return self.rule.text

    @property
    def bayes_factor(self) -> float:
        """How many times as probable the cases are with the rule as without it."""
        return exp(self.gain) if self.gain < 700 else float("inf")

    @property
    def support(self) -> str:
        """Its support in words, after all choices are paid for. [Kass, Raftery 1995]"""
        net = self.sure - self.price
        bounds = ((5.0, "very strong"), (3.0, "strong"), (1.1, "positive"))
        return next((word for least, word in bounds if net > least), "weak")

    def __str__(self) -> str:
        return f"{self.text}\n    {self.remark}"

    @property
    def remark(self) -> str:
        """Gain, support and cases in a line."""
        from tacit.core.grid import number

        cases = f"{self.cases:,.0f}" if self.cases == int(self.cases) else number(self.cases)
        odds = f"{self.bayes_factor:,.0f}" if self.gain < 14 else f"{self.bayes_factor:.1e}"
        if self.gain >= 700:
            odds = f"e^{self.gain:,.0f}"
        elif self.gain < 3:
            odds = f"{self.bayes_factor:.1f}"
        return (
            f"{self.gain:.1f} nats, Bayes factor {odds}, {self.support} support, {cases} "
            f"case{'' if self.cases == 1 else 's'}"
        )
