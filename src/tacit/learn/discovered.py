"""What a discovery found: rules that the cases support, for an expert to accept or strike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from tacit.core.grid import counted
from tacit.io.files import write_whole
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.statements import Compare, Ratios, Rule
from tacit.learn.discovery.finds import Proposal

__all__ = ["Discovery", "Proposal", "Step"]

WIDTH = 100
"""Rules that are longer stand in several lines."""
TITLES = {
    "tables": "tables that are one and the same",
    "rows": "rows that are one and the same, parents that do not matter",
    "links": "cells and masses that rows have in common",
    "ratios": "ratios that rows have in common",
    "cells": "states that are equally probable",
    "orders": "children that rise or fall with a parent",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One accepted move: the log marginal likelihood after it, and the rule in words."""

    log_marginal_likelihood: float
    move: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """Rules that nobody stated and the cases support.

    proposals   in the order in which they were found, each on top of those before
    knowledge   all of them, after the rules of `start`, with a remark on each; prints as a file
    before      the log marginal likelihood of the cases without any of the proposals
    trace       the log marginal likelihood after every equality among them
    """

    proposals: tuple[Proposal, ...]
    knowledge: Knowledge
    before: float
    settings: Mapping[str, Any]
    cases: float
    seed: int
    notes: tuple[str, ...] = ()

    @property
    def trace(self) -> tuple[Step, ...]:
        """The log marginal likelihood after every equality, and what it was."""
        steps, value = [], self.before
        for each in self._equalities:
            value += each.gain
            steps.append(Step(value, f"{each.kind}: {each.text}"))
        return tuple(steps)

    @property
    def log_marginal_likelihood(self) -> float:
        """Of the cases under all equalities together, in closed form.

        What orders gain is told of each by itself: several of one table do not add up.
        """
        return self.before + sum(each.gain for each in self._equalities)

    @property
    def _equalities(self) -> tuple[Proposal, ...]:
        return tuple(each for each in self.proposals if each.kind != "orders")

    def __len__(self) -> int:
        return len(self.proposals)

    def __iter__(self) -> Iterator[Proposal]:
        return iter(self.proposals)

    def __str__(self) -> str:
        lines = [self._headline()]
        for kind, title in TITLES.items():
            of_kind = [each for each in self.proposals if each.kind == kind]
            if of_kind:
                lines += ["", f"{title}:"]
                for each in of_kind:
                    first, *rest = broken(each.rule)
                    lines += [f"  {first}", *(f"    {line}" for line in rest)]
                    lines += [f"      {each.remark}"]
        return "\n".join([*lines, *([""] if self.notes else []), *self._noted()])

    def __repr__(self) -> str:
        return f"<Discovery of {counted(len(self), 'rule')}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td><code>{escape(each.text)}</code></td><td>{each.kind}</td>"
            f"<td>{each.gain:.1f}</td><td>{each.support}</td><td>{each.cases:,.0f}</td></tr>"
            for each in self.proposals
        )
        head = "".join(f"<th>{word}</th>" for word in ("rule", "kind", "nats", "support", "cases"))
        table = f"<table><tr>{head}</tr>{rows}</table>" if rows else ""
        notes = "".join(f"<p>{escape(note)}</p>" for note in self._noted())
        return f"<p>{escape(self._headline())}</p>{table}{notes}"

    def save(self, path: str | Path) -> None:
        """Write the rules with their remarks to a file, to be read, edited and fitted with."""
        write_whole(path, str(self.knowledge).rstrip("\n") + "\n")

    def to_plain(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "proposals": [
                {
                    "text": each.text,
                    "kind": each.kind,
                    "gain": each.gain,
                    "bayes_factor": each.bayes_factor,
                    "sure": each.sure,
                    "price": each.price,
                    "support": each.support,
                    "cases": each.cases,
                }
                for each in self.proposals
            ],
            "knowledge": str(self.knowledge),
            "log_marginal_likelihood": {
                "before": self.before,
                "after": self.log_marginal_likelihood,
            },
            "trace": [
                {"log_marginal_likelihood": step.log_marginal_likelihood, "move": step.move}
                for step in self.trace
            ],
            "cases": self.cases,
            "settings": dict(self.settings),
            "seed": self.seed,
            "notes": list(self.notes),
        }

    def _headline(self) -> str:
        if not self.proposals:
            return (
                f"the cases ({self.cases:,.6g}) support no rule of the kinds that were looked for"
            )
        return (
            f"{counted(len(self), 'rule')} that the cases ({self.cases:,.6g}) support, log "
            f"marginal likelihood {self.before:,.2f} -> {self.log_marginal_likelihood:,.2f} nats"
        )

    def _noted(self) -> list[str]:
        return [f"note: {note}" for note in self.notes]


def told(start: Knowledge | None, proposals: tuple[Proposal, ...], heading: str) -> Knowledge:
    """The rules as an expert reads them: a remark above each, kinds under their titles."""
    lines = [f"# {heading}"]
    if start is not None and len(start):
        lines += ["", "# said before, and kept", str(start).strip("\n")]
    for kind, of_kind in groupby(proposals, key=lambda each: each.kind):
        lines += ["", f"# {TITLES[kind]}"]
        for each in of_kind:
            lines += ["", f"# {each.remark}", *broken(each.rule)]
    return Knowledge.parse("\n".join([*lines, ""]))


def broken(rule: Rule) -> list[str]:
    """A rule in lines: a long chain is broken behind its signs, where the language allows it."""
    said = rule.statement
    if len(rule.text) <= WIDTH or not isinstance(said, Compare | Ratios):
        return [rule.text]
    sides = said.sides
    words = [" : ".join(map(str, side)) if isinstance(side, tuple) else str(side) for side in sides]
    first, *rest = [*(f"{word} =" for word in words[:-1]), words[-1]]
    return [first, *(f"    {word}" for word in rest)]
