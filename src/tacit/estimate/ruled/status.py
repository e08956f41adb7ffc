"""What became of a rule: its value, whether it binds, what it costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

RESISTED = 0.01
"""The data resist a rule if so large a loss would be rarer than this under a true rule."""


@dataclass(frozen=True, slots=True)
class RuleStatus:
    """One rule at the optimum.

    text          as the expert wrote it; by, confidence, source and line likewise
    instances     how many statements about single rows it stands for
    binding       how many of them hold with equality and bend the estimate
    value, limit  of the instance nearest to its limit, or beyond help: what is bounded, and by
                  what; for a rule between probabilities the difference, and 0
    price         nats of the objective per 0.01 by which all its limits would be moved
    cost          nats the objective loses by it: refitted without it, all else the same
    freedom       how many parameters it takes away at the optimum
    chance        of a loss at least as large under a true rule: χ² of 2 · cost; None where free
    solved_by     the theorem or solver that its block fell to
    at_least      True if the cost is a lower bound: expected cases were not inferred anew
    """

    text: str
    value: float
    limit: float
    binding: int
    price: float | None
    cost: float | None
    solved_by: str
    by: str = ""
    confidence: float = 1.0
    source: str = ""
    line: int = 0
    instances: int = 1
    freedom: int = 0
    chance: float | None = None
    at_least: bool = False

    @property
    def active(self) -> bool:
        """Whether it binds anywhere."""
        return self.binding > 0

    @property
    def slack(self) -> float:
        """How far the nearest instance is from its limit."""
        return abs(self.limit - self.value)

    @property
    def verdict(self) -> str:
        """free, binding, or resisted: the data speak against it."""
        if not self.active:
            return "free"
        return "resisted" if self.chance is not None and self.chance < RESISTED else "binding"

    def __str__(self) -> str:
        what = f"value {self.value:.4g}, limit {self.limit:.4g}"
        if not self.active:
            return f"{self.text}\n    free: {what}; {self.solved_by}"
        price = "" if self.price is None else f", {self.price:.3g} nats per 0.01"
        least = "at least " if self.at_least else ""
        cost = "" if self.cost is None else f", costs {least}{self.cost:.4g} nats"
        said = {"binding": "binding", "resisted": "resisted by the data"}[self.verdict]
        return f"{self.text}\n    {said}: {what}{price}{cost}; {self.solved_by}"


def rule_plain(rule: RuleStatus) -> dict[str, Any]:
    """The status as plain data, what follows from it included."""
    return {**asdict(rule), "active": rule.active, "verdict": rule.verdict}
