"""Answers to queries: probabilities that know what they are probabilities of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from tacit import frames
from tacit.arrays import Floats, readonly
from tacit.core.errors import QueryError, listed, quoted
from tacit.core.grid import Grid, number
from tacit.core.variables import Discrete


@dataclass(frozen=True, slots=True, eq=False)
class Weighted:
    """What an answer rests on that is no exact one: weighted draws.

    names   the variables that were drawn; everything else was integrated out exactly
    draws   how many
    size    how many independent draws their weights are worth
    errors  the Monte Carlo error of each mean
    """

    names: tuple[str, ...]
    draws: int
    size: float
    errors: Mapping[str, float]

    def __str__(self) -> str:
        worst = max(self.errors.values(), default=0.0)
        error = f", Monte Carlo error of a mean at most {worst:.2g}" if self.errors else ""
        return (
            f"approximate: {self.draws:,} weighted draws of {listed(map(quoted, self.names), 4)}, "
            f"effective sample size {self.size:,.0f}{error}"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Answer:
    """P(variables | findings): one axis per variable that the query left free.

    `answer["yes"]`, or `answer["yes", "high"]` for a joint; a query that fixes every state has no
    axes left and is a number: `float(answer)`.
    errors: the standard error of each value where it was estimated by sampling, else None.
    drawn: what it rests on where curves leave no exact answer, else None.
    """

    query: str
    variables: tuple[Discrete, ...]
    values: Floats
    errors: Floats | None = None
    drawn: Weighted | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", readonly(self.values))

    def __getitem__(self, states: str | tuple[str, ...]) -> float:
        words = (states,) if isinstance(states, str) else tuple(states)
        if len(words) != len(self.variables):
            raise QueryError(
                f"{self.query} is indexed by {len(self.variables)} states, not {len(words)}"
            )
        at = tuple(v.code(word) for v, word in zip(self.variables, words, strict=True))
        return float(self.values[at])

    def __float__(self) -> float:
        if self.variables:
            raise QueryError(f"{self.query} has {self.values.size} values; index it by a state")
        return float(self.values)

    def as_dict(self) -> Mapping[Any, float]:
        """{state: probability}, keys being tuples of states for a joint."""
        keys = list(product(*(v.states for v in self.variables)))
        names = [key[0] for key in keys] if len(self.variables) == 1 else keys
        return dict(zip(names, map(float, self.values.ravel()), strict=True))

    def to_frame(self, backend: str | None = None) -> Any:
        """One line per joint state: a column per variable, then `probability`."""
        keys = list(product(*(v.states for v in self.variables)))
        columns: dict[str, Any] = {
            v.name: [key[at] for key in keys] for at, v in enumerate(self.variables)
        }
        return frames.build({**columns, "probability": self.values.ravel()}, backend)

    def grid(self, most_rows: int = 60) -> Grid:
        """The answer as a labelled table."""
        keys = list(product(*(v.states for v in self.variables)))[:most_rows]
        flat = self.values.ravel()
        off = self.errors.ravel() if self.errors is not None else None
        rows = tuple(
            (*key, number(float(flat[at])), *((f"± {off[at]:.2g}",) if off is not None else ()))
            for at, key in enumerate(keys)
        )
        heads = (
            *(v.name for v in self.variables),
            "probability",
            *(("error",) if off is not None else ()),
        )
        more = self.values.size - len(rows)
        foot = [f"  ... and {more:,} more"] if more else []
        foot += [f"  {self.drawn}"] if self.drawn is not None else []
        return Grid(self.query, heads, rows, labels=len(self.variables), foot="\n".join(foot))

    def __repr__(self) -> str:
        return f"<Answer {self.query}: {', '.join(map(str, self.values.ravel()[:6].round(4)))}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()
