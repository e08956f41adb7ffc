"""What happened along a path, step by step: plain data that can be plotted, saved and told."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tacit import frames
from tacit.arrays import Floats
from tacit.core.errors import FormatError, listed, quoted
from tacit.core.grid import Grid


@dataclass(frozen=True, slots=True)
class PathStep:
    """The solution at one gamma.

    objective       what is maximised there, in nats
    log_likelihood  of the cases, in nats; with several hidden variables a lower bound of it
    fit             log-likelihood plus the prior's term: what EM maximises
    information     I(T; Y) of each hidden variable, in nats per case
    effective       how many states of each are worth telling apart
    steps           of EM until nothing improved, disturbed ones included
    disturbed       whether the disturbed path was the better one
    held_out        log-likelihood of cases held out, where some were
    states          how many each hidden variable has, 0 where it was not there; nothing at all
                    where the network stayed as it was
    changed         what became of the network at this gamma, in words
    """

    gamma: float
    objective: float
    log_likelihood: float
    fit: float
    information: tuple[float, ...]
    effective: tuple[int, ...]
    steps: int
    disturbed: bool
    held_out: float | None = None
    states: tuple[int, ...] = ()
    changed: tuple[str, ...] = ()

    def among(self, places: Sequence[int], many: int) -> PathStep:
        """The step as one of `many` hidden variables tells it, its own at these places."""
        return replace(
            self,
            information=_placed(self.information, places, many, 0.0),
            effective=_placed(self.effective, places, many, 0),
            states=_placed(self.states, places, many, 0),
        )


Value = TypeVar("Value")


def _placed(
    values: Sequence[Value], places: Sequence[int], many: int, nothing: Value
) -> tuple[Value, ...]:
    found = [nothing] * many
    for place, value in zip(places, values, strict=True):
        found[place] = value
    return tuple(found)


@dataclass(frozen=True, slots=True)
class BottleneckPath:
    """A path of information bottleneck EM.

    hidden     the hidden variables, in the order of `information` and `effective`; those that
               came and went on the way are among them
    threshold  the gamma up to which the trivial solution is stable
    bound      whether `log_likelihood` is a lower bound: shares of hidden variables, or of missing
               cells, were taken for independent
    tried      the path on a part of the cases that chose the last gamma, if one did
    weight     what the cases on it weigh, where they are not those of the fit
    """

    hidden: tuple[str, ...]
    threshold: float
    bound: bool
    steps: tuple[PathStep, ...]
    tried: tuple[PathStep, ...] = ()
    weight: float | None = None

    def __len__(self) -> int:
        return len(self.steps)

    def column(self, name: str) -> Floats:
        """One figure of all steps; (steps, hidden variables) where it is per hidden variable."""
        return np.array([getattr(each, name) for each in self.steps], dtype=np.float64)

    @property
    def gamma(self) -> Floats:
        """(steps,) the values of gamma, rising."""
        return self.column("gamma")

    @property
    def reshaped(self) -> bool:
        """Whether the network was free to change on the way."""
        return any(each.states for each in self.steps)

    @property
    def chosen(self) -> float:
        """The gamma at which cases held out were most likely; the last where none were."""
        told = [each.held_out for each in self.steps]
        scores = [-np.inf if each is None else each for each in told]
        best = int(np.argmax(scores)) if np.max(scores, initial=-np.inf) > -np.inf else -1
        return self.steps[best].gamma

    def columns(self) -> dict[str, npt.NDArray[Any]]:
        """The path as columns with a line per gamma, those of hidden variables by their names."""
        found: dict[str, npt.NDArray[Any]] = {
            name: self.column(name) for name in ("gamma", "objective", "log_likelihood", "fit")
        }
        for at, name in enumerate(self.hidden):
            told = quoted(name)
            found[f"information({told})"] = self.column("information")[:, at]
            found[f"effective({told})"] = self.column("effective")[:, at].astype(np.int64)
            if self.reshaped:
                found[f"states({told})"] = self.column("states")[:, at].astype(np.int64)
        found["steps"] = self.column("steps").astype(np.int64)
        found["disturbed"] = self.column("disturbed").astype(np.bool_)
        if any(each.held_out is not None for each in self.steps):
            found["held_out"] = self.column("held_out")
        if self.reshaped:
            found["changed"] = np.array(["; ".join(each.changed) for each in self.steps])
        return found

    def to_frame(self, backend: str | None = None) -> Any:
        """A data frame, by default a pandas one, with a line per gamma."""
        return frames.build(self.columns(), backend)

    def save(self, path: str | Path) -> None:
        """Write .csv, .tsv, .parquet or .json by suffix, whole or not at all."""
        from tacit.io.casesout import write_columns
        from tacit.io.files import suffix, write_whole

        if suffix(path) == ".json":
            plain = self.to_plain()
            if not isfinite(self.threshold):
                plain["threshold"] = str(self.threshold)
            write_whole(path, json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n")
        else:
            write_columns(self.columns(), path)

    def to_plain(self) -> dict[str, Any]:
        """Plain data, as JSON holds it."""
        return asdict(self)

    @staticmethod
    def from_plain(plain: Mapping[str, Any]) -> BottleneckPath:
        """What `to_plain` wrote; an error about anything else."""
        try:
            return BottleneckPath(
                tuple(map(str, plain["hidden"])), float(plain["threshold"]), bool(plain["bound"]),
                steps_of(plain["steps"]), steps_of(plain.get("tried", ())),
                None if plain.get("weight") is None else float(plain["weight"]),
            )  # fmt: skip
        except (KeyError, TypeError, ValueError):
            raise FormatError("the path of a bottleneck is damaged") from None

    @property
    def grid(self) -> Grid:
        """A table with a line per gamma."""
        title = f"Path of {listed([quoted(name) for name in self.hidden])}"
        heads = ("gamma", "log-likelihood", "information", "effective states")
        lines = tuple(
            (
                f"{each.gamma:.4f}", f"{each.log_likelihood:,.2f}",
                " ".join(f"{value:.3f}" for value in each.information),
                " ".join(map(str, each.effective)),
            )
            for each in self.steps
        )  # fmt: skip
        return Grid(title, heads, lines)

    def __str__(self) -> str:
        return str(self.grid)

    def _repr_html_(self) -> str:
        return self.grid._repr_html_()


def steps_of(plain: Sequence[Mapping[str, Any]]) -> tuple[PathStep, ...]:
    """Steps from plain data."""
    return tuple(
        PathStep(
            float(each["gamma"]), float(each["objective"]), float(each["log_likelihood"]),
            float(each["fit"]), tuple(map(float, each["information"])),
            tuple(map(int, each["effective"])), int(each["steps"]), bool(each["disturbed"]),
            None if each.get("held_out") is None else float(each["held_out"]),
            tuple(map(int, each.get("states", ()))), tuple(map(str, each.get("changed", ()))),
        )
        for each in plain
    )  # fmt: skip
