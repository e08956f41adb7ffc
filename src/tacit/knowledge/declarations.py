"""What an expert declares: names of groups, orders of states, and what arcs there are."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.knowledge.terms import Word, named, spoken


@dataclass(frozen=True, slots=True)
class Group:
    """let name = {states}: a name for a set of states."""

    name: Word
    states: tuple[Word, ...]

    def __str__(self) -> str:
        states = ", ".join(named(state.text) for state in self.states)
        return f"let {spoken(self.name.text)} = {{{states}}}"


@dataclass(frozen=True, slots=True)
class StateOrder:
    """order of X: a < b < c, from low to high."""

    variable: Word
    states: tuple[Word, ...]

    def __str__(self) -> str:
        states = " < ".join(spoken(state.text) for state in self.states)
        return f"order of {spoken(self.variable.text)}: {states}"


@dataclass(frozen=True, slots=True)
class Arcs:
    """require, forbid or allow arcs; None stands for every variable (`*`).

    As soon as arcs are allowed, only those that are allowed or required may be.
    """

    verb: str
    arcs: tuple[tuple[Word | None, Word | None], ...]

    def __str__(self) -> str:
        def name(word: Word | None) -> str:
            return "*" if word is None else spoken(word.text)

        return f"{self.verb} {', '.join(f'{name(a)} -> {name(b)}' for a, b in self.arcs)}"


@dataclass(frozen=True, slots=True)
class Tiers:
    """order A, B < C: no arc leads from a later tier to an earlier one."""

    tiers: tuple[tuple[Word, ...], ...]

    def __str__(self) -> str:
        tiers = (", ".join(spoken(word.text) for word in tier) for tier in self.tiers)
        return f"order {' < '.join(tiers)}"


@dataclass(frozen=True, slots=True)
class MostParents:
    """at most k parents, for every variable or for those named."""

    most: int
    children: tuple[Word, ...] = ()

    def __str__(self) -> str:
        whom = ", ".join(spoken(word.text) for word in self.children)
        parents = "parent" if self.most == 1 else "parents"
        return f"at most {self.most} {parents}{' for ' + whom if whom else ''}"
