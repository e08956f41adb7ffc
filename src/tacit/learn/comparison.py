"""Rule sets held against the same cases: their two scores, as a value that reads itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import inf, isfinite, isnan, nan
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError, listed, nearest
from tacit.core.grid import Grid, counted
from tacit.knowledge.knowledge import Knowledge
from tacit.learn.averaged import with_error
from tacit.learn.heldout import CrossValidation, difference


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """One rule set among those compared.

    knowledge   the rules; None: no rules
    rules       how many of them speak of parameters
    free_parameters  how many numbers the rules leave free; None where nobody counted them
    log_marginal_likelihood  log P(cases given prior and rules) in nats; None: see the notes
    error       its Monte Carlo error, 0 where it is exact
    weight      posterior weight among the sets compared, all of equal weight before
    weight_error  the Monte Carlo error that the weight inherits
    held_out    the cross-validated log-likelihood
    below       held-out log-likelihood per case, less that of the set best at it
    below_error its standard error, case by case
    barred      how many cases the rules hold impossible
    """

    name: str
    knowledge: Knowledge | None
    rules: int
    free_parameters: int | None
    log_marginal_likelihood: float | None
    error: float
    weight: float | None
    weight_error: float
    held_out: CrossValidation
    below: float
    below_error: float
    barred: int = 0

    def to_plain(self) -> dict[str, Any]:
        """All of it but single cases, as plain data."""
        held_out = self.held_out.to_plain()
        kept = ("log_likelihood", "average_log_likelihood", "standard_error", "impossible_cases")
        return {
            "name": self.name,
            "knowledge": None if self.knowledge is None else str(self.knowledge),
            "rules": self.rules,
            "free_parameters": self.free_parameters,
            "log_marginal_likelihood": self.log_marginal_likelihood,
            "monte_carlo_error": self.error,
            "weight": self.weight,
            "weight_error": self.weight_error,
            "held_out": {key: held_out[key] for key in (*kept, "folds")},
            "impossible_cases": self.barred,
            "below_best": self.below,
            "below_best_error": self.below_error,
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Comparison:
    """Rule sets, best first: by marginal likelihood, or by held-out cases where it is not known.

    pooled  whether priors of cells that rules tie were added up; see the notes
    cases   how many; prior, folds and seed as they were used
    """

    sets: tuple[Compared, ...]
    cases: int
    prior: str
    folds: int
    seed: int
    pooled: bool = False
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Compared:
        """The set that leads."""
        return self.sets[0]

    def __getitem__(self, name: str) -> Compared:
        for each in self.sets:
            if each.name == name:
                return each
        names = [each.name for each in self.sets]
        raise OptionError(
            f"there is no rule set {name!r}{nearest(name, names)}\n\nrule sets: {listed(names)}"
        )

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.sets)

    def __len__(self) -> int:
        return len(self.sets)

    def log_bayes_factor(self, one: str, other: str) -> tuple[float, float]:
        """log P(cases given one) - log P(cases given the other), and its Monte Carlo error."""
        return log_bayes_factor(self[one], self[other])

    @property
    def verdict(self) -> str:
        """What the table says, in a sentence or two."""
        from tacit.learn.favoured import verdict

        return verdict(self.sets)

    def to_plain(self) -> dict[str, Any]:
        """All of it as plain data."""
        return {
            "cases": self.cases,
            "prior": self.prior,
            "pooled": self.pooled,
            "folds": self.folds,
            "sets": [each.to_plain() for each in self.sets],
            "verdict": self.verdict,
            "seed": self.seed,
            "notes": list(self.notes),
        }

    def grid(self) -> Grid:
        """One line per rule set."""
        heads = (
            "rules of", "rules", "free parameters", "log marginal likelihood", "weight",
            "held out, per case", "below the best",
        )  # fmt: skip
        title = f"{repr(self)[1:-1]}, prior {self.prior}, {counted(self.folds, 'fold')}"
        return Grid(title, heads, tuple(map(_line, self.sets)))

    def __repr__(self) -> str:
        sets, cases = counted(len(self.sets), "rule set"), counted(self.cases, "case")
        return f"<Comparison of {sets} on {cases}>"

    def __str__(self) -> str:
        notes = [f"note: {note}" for note in self.notes]
        return "\n".join([str(self.grid()), "", self.verdict, *notes])

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        listed_notes = f"<ul>{notes}</ul>" if notes else ""
        return f"{self.grid()._repr_html_()}<p>{escape(self.verdict)}</p>{listed_notes}"


def _line(each: Compared) -> tuple[str, ...]:
    marginal = each.log_marginal_likelihood
    return (
        each.name,
        f"{each.rules:,}",
        "?" if each.free_parameters is None else f"{each.free_parameters:,}",
        "-" if marginal is None else with_error(marginal, each.error, 2),
        _share(each),
        f"{each.held_out.average:.4f}",
        "?"
        if isnan(each.below)
        else with_error(each.below, each.below_error)
        if each.below
        else "",
    )


def _share(each: Compared) -> str:
    if each.weight is None:
        return "-"
    if each.log_marginal_likelihood == -inf:
        return "0"
    return "< 0.001" if each.weight < 0.0005 else with_error(each.weight, each.weight_error, 3)


def log_bayes_factor(one: Compared, other: Compared) -> tuple[float, float]:
    """The difference of two log marginal likelihoods and its Monte Carlo error; nan if unknown."""
    above, under = one.log_marginal_likelihood, other.log_marginal_likelihood
    if above is None or under is None or (above == under and not isfinite(above)):
        return nan, nan
    return above - under, float(np.hypot(one.error, other.error))


def posterior_weights(logs: Floats, errors: Floats) -> tuple[Floats, Floats]:
    """w = exp(l) / Σ exp(l), and the errors it inherits from those of l, to first order:

    d w_i / d l_j = w_i (δ_ij - w_j), and the errors of different l are independent. Some l is
    finite.
    """
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    slopes = weights[:, None] * (np.eye(logs.size) - weights)
    return weights, np.sqrt((slopes**2) @ errors**2)


def distances(held_out: Sequence[CrossValidation]) -> list[tuple[float, float]]:
    """How far each is below the one with the highest average, with the error of that."""
    averages = [-inf if isnan(each.average) else each.average for each in held_out]
    best = held_out[int(np.argmax(averages))]
    return [(0.0, 0.0) if each is best else difference(each, best) for each in held_out]
