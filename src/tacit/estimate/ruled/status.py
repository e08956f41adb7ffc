"""What became of a rule: its value, whether it binds, what it costs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

RESISTED = 0.01
"""The data resist a rule if so large a loss would be rarer than this under a true rule."""
EVEN = 0.5
"""A doubted rule is believed if it is at least as probable as this."""


@dataclass(frozen=True, slots=True)
class RuleStatus:
    """One rule at the optimum.

    text          as the expert wrote it; by, confidence, source and line likewise
    instances     how many statements about single rows it stands for
    binding       how many of them hold with equality and bend the estimate
    value, limit  of one instance, the dearest or the one nearest to its limit: what is bounded,
                  and by what; for a rule between probabilities the difference, and 0
    dearest       that instance, cell by cell, where the rule stands for several
    price         nats of the objective per 0.01 by which all its limits would be moved, where the
                  largest coefficient is 1
    cost          nats the objective loses by it: refitted without it, all other rules kept
    alone         nats the objective would lose by this rule if there were no other
    freedom       how many parameters it takes away then, counting rows with at least one case
    chance        of a loss as large as `alone` under a true rule: χ² of 2 · alone, half of it for
                  one inequality, which a true rule breaks in half of all samples
    solved_by     the theorem or solver that its block fell to
    at_least      True if the cost is a lower bound: expected cases were not inferred anew
    probability   that the rule holds, given the cases, where it was said with less than certainty
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
    alone: float | None = None
    dearest: str = ""
    at_least: bool = False
    probability: float | None = None

    def __post_init__(self) -> None:
        for name in ("value", "limit"):  # no one wants to read of -0
            object.__setattr__(self, name, getattr(self, name) + 0.0)

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
        """free, binding, or resisted: the data speak against it, whatever the other rules say.

        believed or overruled where it was said with less than certainty.
        """
        if self.probability is not None:
            return "believed" if self.probability >= EVEN else "overruled"
        if self.chance is not None and self.chance < RESISTED:
            return "resisted"
        return "binding" if self.active else "free"

    def __str__(self) -> str:
        what = f"value {self.value:.4g}, limit {self.limit:.4g}"
        if self.probability is not None:
            sure = f"{self.verdict} with probability {self.probability:.3g}"
            if self.verdict == "overruled":
                sure = f"overruled: it holds with probability {self.probability:.2g}"
            return f"{self.text}\n    {sure}, said with {self.confidence:g}; {what}"
        said = {"resisted": "resisted by the data"}.get(self.verdict, self.verdict)
        return f"{self.text}\n    {said}: {what}{self._costs()}; {self.solved_by}"

    def _costs(self) -> str:
        if self.verdict == "free":
            return ""
        told = "" if self.price is None else f", {self.price:.3g} nats per 0.01"
        least = "at least " if self.at_least else ""
        if self.cost is not None:
            told += f", costs {least}{self.cost:.4g} nats"
        if self.alone is not None and self.cost is not None and _apart(self.alone, self.cost):
            told += f", {self.alone:.4g} without the other rules"
        if self.chance is not None and self.verdict == "resisted":
            told += f", chance {self.chance:.1g}"
        return told


def _apart(one: float, other: float) -> bool:
    return abs(one - other) > 0.01 * max(one, other) and max(one, other) > 0.005


def rule_plain(rule: RuleStatus) -> dict[str, Any]:
    """The status as plain data, what follows from it included."""
    return {**asdict(rule), "active": rule.active, "verdict": rule.verdict}
