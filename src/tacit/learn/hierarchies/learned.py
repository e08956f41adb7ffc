"""What came of learning a hierarchy: the network, its branches, what hidden states stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any

from tacit.core.errors import listed, quoted
from tacit.core.grid import counted
from tacit.core.variables import Discrete
from tacit.infer.prediction import Prediction, predict
from tacit.learn.fits import Fit
from tacit.learn.unseen.profile import Profile


@dataclass(frozen=True, slots=True, eq=False)
class Branches:
    """What is known of a hierarchy beyond its network.

    hidden     its hidden variables, those above before those below
    profiles   what the states of each stand for, and what it shares with its neighbours
    gain       how much more probable it makes the cases learned from than independence does, in
               nats: its Cheeseman-Stutz score above the log marginal likelihood without any arc
    held_out_gain   the same of cases held out, in nats a case; None where none were held out
    held_out_error  its standard error over these cases
    learned_from, held_out  how many cases
    """

    hidden: tuple[str, ...]
    profiles: Mapping[str, Profile]
    gain: float
    held_out_gain: float | None
    held_out_error: float | None
    learned_from: int
    held_out: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hierarchy(Fit):
    """A hierarchy that was learned, as a fit to all cases: all that takes a fit takes it.

    Every variable has one hidden parent or none; several roots make a forest, and what no hidden
    variable explains stands alone.
    """

    branches: Branches = field(kw_only=True)

    @property
    def hidden(self) -> tuple[str, ...]:
        """The hidden variables, those above before those below."""
        return self.branches.hidden

    @property
    def profiles(self) -> Mapping[str, Profile]:
        """What the states of every hidden variable stand for."""
        return self.branches.profiles

    @property
    def gain(self) -> float:
        """How much more probable it makes the cases learned from than independence, in nats."""
        return self.branches.gain

    @property
    def held_out_gain(self) -> float | None:
        """The same of cases held out, in nats a case; None where none were held out."""
        return self.branches.held_out_gain

    @property
    def roots(self) -> tuple[str, ...]:
        """The hidden variables without a parent: one of a tree, several of a forest."""
        return tuple(name for name in self.hidden if not self.network.dag.parents[name])

    @property
    def alone(self) -> tuple[str, ...]:
        """The variables that no hidden one explains."""
        dag = self.network.dag
        return tuple(n for n in dag.names if n not in self.hidden and not dag.parents[n])

    def posterior(self, cases: Any, *, threads: int = 1) -> Prediction:
        """How probable each state of each hidden variable is in every case: `["H"]` is
        (cases, states), `.to_frame()` a column for each state."""
        return predict(self.network, cases, threads=threads)

    def drawing(self) -> str:
        """The branches as indented text: what each variable shares with its parent, in nats."""
        lines = [line for root in self.roots for line in self._drawn(root, "", "", None)]
        if self.alone:
            lines.append(f"alone: {listed(map(quoted, self.alone))}")
        return "\n".join(lines)

    def _drawn(self, name: str, lead: str, rest: str, parent: str | None) -> Iterator[str]:
        said = quoted(name)
        if name in self.hidden:
            variable = self.network.variables[name]
            assert isinstance(variable, Discrete)
            said += f" ({counted(len(variable.states), 'state')})"
        if parent is not None:
            said += f"  {self.profiles[parent].information.get(name, float('nan')):.3f}"
        yield lead + said
        children = self.network.dag.children[name]
        for at, child in enumerate(children):
            last = at == len(children) - 1
            yield from self._drawn(
                child, rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "), name
            )

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        names = (each.name for each in fields(self))
        return _remade, (dict(zip(names, Fit.__reduce__(self)[1], strict=True)),)

    def __repr__(self) -> str:
        return f"<Hierarchy of {counted(len(self.hidden), 'hidden variable')}>"

    def __str__(self) -> str:
        return "\n".join([*self._summary(), self.drawing()])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in self._summary())
        told = "".join(each._repr_html_() for each in self.profiles.values())
        return f"<ul>{lines}</ul><pre>{escape(self.drawing())}</pre>{told}"

    def _summary(self) -> list[str]:
        known = self.branches
        held = f", judged on {counted(known.held_out, 'other')}" if known.held_out else ""
        lines = [
            f"Hierarchy learned from {counted(known.learned_from, 'case')}{held}: "
            f"{counted(len(self.hidden), 'hidden variable')} in "
            f"{counted(len(self.roots), 'tree')} above "
            f"{counted(len(self.network) - len(self.hidden) - len(self.alone), 'variable')}, "
            f"{len(self.alone)} alone",
            f"gain {known.gain:+,.2f} nats over independence{self._held()}",
        ]
        return [*lines, f"stopped: {self.stop.value}", *(f"note: {note}" for note in self.notes)]

    def _held(self) -> str:
        known = self.branches
        if known.held_out_gain is None:
            return ""
        error = "" if known.held_out_error is None else f" ± {known.held_out_error:.4f}"
        return f", {known.held_out_gain:+.4f}{error} nats a case held out"


def _remade(values: Mapping[str, Any]) -> Hierarchy:
    return Hierarchy(**values)
