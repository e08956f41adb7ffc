"""The posterior of all parameters of a network: a value to look at from every side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import OptionError, nearest
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.estimate.bayes.density import Density
from tacit.estimate.posteriors import Interval, cell_interval, cell_variance
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.learn.continuous.lines import Lines
from tacit.learn.diagnostics import Diagnostics
from tacit.learn.evidence import LogEvidence
from tacit.learn.fits import CasesUsed
from tacit.learn.ground import Ground
from tacit.learn.told import Scene
from tacit.learn.whole import SAMPLED, Whole

if TYPE_CHECKING:
    from tacit.learn.derived import Derived

Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class Belief:
    """A rule said with less than certainty, and how probable it is given the cases."""

    text: str
    confidence: float
    probability: float
    by: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Tables(Mapping[str, Each], Generic[Each]):
    """One value per variable, computed when it is looked at."""

    names: tuple[str, ...]
    of: Callable[[str], Each]

    def __getitem__(self, name: str) -> Each:
        if name not in self.names:
            raise OptionError(f"there is no table of {name!r}{nearest(name, self.names)}")
        return self.of(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Tables of {counted(len(self.names), 'variable')}>"


@dataclass(frozen=True, slots=True, eq=False)
class Mode:
    """Rows whose most probable values are wanted: what rules leave them, and their density."""

    ground: Ground
    density: Density


@dataclass(frozen=True, eq=False, repr=False)
class Posterior:
    """What cases, prior and rules say together of every parameter.

    network   the posterior means, as a network
    alpha     per variable the Dirichlet parameters, prior and counts, of rows without rules
    whole     the cells that rules speak of
    modes     what the most probable parameters are computed from
    scene     prior and rules over all cells; counts of all cells, None where some are missing
    beliefs   rules said with less than certainty, and how probable they are now
    weighed   computes the log marginal likelihood; None where there is none
    lines     the regressions of Gaussian families

    Numbers of a table are shaped like it; of a Gaussian family they are coefficients..., intercept
    and sd, in every configuration of its discrete parents.
    """

    network: Network
    cells: Cells
    alpha: Mapping[str, Floats]
    whole: Whole
    level: float
    seed: int
    diagnostics: Diagnostics
    cases: CasesUsed
    beliefs: tuple[Belief, ...] = ()
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    modes: tuple[Mode, ...] = ()
    scene: Scene | None = None
    counts: Floats | None = None
    weighed: Callable[[], LogEvidence | None] | None = None
    lines: Mapping[str, Lines] = field(default_factory=dict)

    @cached_property
    def evidence(self) -> LogEvidence | None:
        """The log marginal likelihood with its Monte Carlo error, computed when looked at."""
        return None if self.weighed is None else self.weighed()

    @property
    def mean(self) -> Mapping[str, Floats]:
        """Per variable E[θ]."""
        return self._tables(lambda alpha: alpha / alpha.sum(axis=-1, keepdims=True), "mean")

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, those with tables first."""
        return (*self.cells.families, *self.lines)

    @property
    def sd(self) -> Mapping[str, Floats]:
        """Per variable the standard deviation of every cell."""
        return self._tables(lambda alpha: np.sqrt(cell_variance(alpha)), "sd")

    @property
    def interval(self) -> Mapping[str, Interval]:
        """Per variable where its cells lie with the probability `level`, equal tails cut off."""

        def of(name: str) -> Interval:
            if name in self.lines:
                return self.lines[name].interval(self.level)
            plain = cell_interval(self.alpha[name], self.level)
            lower, upper = (
                self._laid(name, values, np.array(free))
                for values, free in (
                    (self.whole.lower, plain.lower),
                    (self.whole.upper, plain.upper),
                )
            )
            return Interval(lower, upper, self.level)

        return Tables(self.names, of)

    @property
    def draws(self) -> Mapping[str, Floats]:
        """Per variable draws of its table: (draws, parents..., child); the same draw of all tables
        belongs together."""
        return Tables(self.names, self._drawn)

    @property
    def mode(self) -> Mapping[str, Floats]:
        """Per variable the most probable parameters: maximises Σ (N + alpha - 1) log θ under the
        rules. Refused where N + alpha < 1."""
        from tacit.learn.modes import mode_of

        found = {**mode_of(self), **{name: own.mode for name, own in self.lines.items()}}
        return Tables(tuple(found), found.__getitem__)

    @property
    def log_marginal_likelihood(self) -> float | None:
        """log P(cases given rules and prior) in nats; `evidence` has its Monte Carlo error."""
        return None if self.evidence is None else self.evidence.value

    def correlation(self, name: str) -> Floats:
        """The correlations of all cells of one table, by draws; nan for cells that cannot vary."""
        drawn = self.draws[name].reshape(self.size, -1)
        centred = drawn - drawn.mean(axis=0)
        spread = np.sqrt((centred**2).mean(axis=0))
        still = spread < 1e-15
        scaled = centred / np.where(still, np.nan, spread)
        return np.asarray(scaled.T @ scaled / self.size)

    def of(self, quantity: str) -> Derived:
        """The posterior of a quantity such as "P(A=a | B=b) - P(A=a | B=c)", by draws."""
        from tacit.learn.derived import derived

        return derived(self, quantity)

    def log_predictive(self, data: Any) -> Floats:
        """log P(new case given the old ones) of every case, averaged over the posterior."""
        from tacit.learn.predictive import log_predictive

        return log_predictive(self, data)

    def predict(self, data: Any, *, draws: int = 200) -> Mapping[str, Floats]:
        """P(variable | what is observed of a new case), averaged over the posterior."""
        from tacit.learn.predictive import predicted

        return predicted(self, data, draws)

    @property
    def bound(self) -> Bound | None:
        """The rules, bound to cells."""
        return None if self.scene is None else self.scene.bound

    def where(self, cells: Ints) -> Ints:
        """Where these cells stand among those that rules speak of."""
        order = np.argsort(self.whole.cells)
        return np.asarray(order[np.searchsorted(self.whole.cells, cells, sorter=order)])

    @property
    def size(self) -> int:
        """How many draws there are."""
        return int(self.whole.draws.shape[0])

    def _tables(self, free: Callable[[Floats], Floats], what: str) -> Mapping[str, Floats]:
        def of(name: str) -> Floats:
            if name in self.lines:
                return np.asarray(getattr(self.lines[name], what))
            return self._laid(name, getattr(self.whole, what), free(self.alpha[name]))

        return Tables(self.names, of)

    def _laid(self, name: str, ruled: Floats, free: Floats) -> Floats:
        """The table with its ruled cells laid over the free ones."""
        inside, at = self._ruled(name)
        out = np.array(free, dtype=np.float64)
        out.reshape(-1)[at] = ruled[inside]
        return out

    def _ruled(self, name: str) -> tuple[Ints, Ints]:
        """Positions of `whole` that lie in a table, and where they lie there."""
        start = self.cells.starts[name]
        at = self.whole.cells - start
        inside = np.flatnonzero((at >= 0) & (at < self.alpha[name].size))
        return inside, at[inside]

    def _drawn(self, name: str) -> Floats:
        """Free rows are drawn when looked at, always the same."""
        from tacit.estimate.posteriors import draw_rows

        if name in self.lines:
            seed = [self.seed, 6, tuple(self.lines).index(name)]
            return self.lines[name].draws(self.size, np.random.default_rng(seed))
        alpha = self.alpha[name]
        inside, at = self._ruled(name)
        number = tuple(self.cells.families).index(name)
        random = np.random.default_rng([self.seed, 2, number])
        if inside.size == alpha.size:
            out = np.empty((self.size, alpha.size))
        else:
            many = np.broadcast_to(alpha, (self.size, *alpha.shape))
            out = draw_rows(many, random).reshape(self.size, -1)
        out[:, at] = self.whole.draws[:, inside]
        return np.asarray(out.reshape(self.size, *alpha.shape))

    def __repr__(self) -> str:
        extent = counted(len(self.network), "variable")
        return f"<Posterior of {extent} from {counted(self.cases.cases, 'case')}>"

    def __str__(self) -> str:
        return "\n".join([*self._summary(), str(self.network.grid(40))])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in self._summary())
        return f"<ul>{lines}</ul>{self.network._repr_html_()}"

    def _summary(self) -> list[str]:
        lines = [f"Posterior from {counted(self.cases.cases, 'case')}, prior {self._prior()}"]
        lines += str(self.diagnostics).splitlines()
        for belief in self.beliefs:
            said = " ".join(belief.text.split())
            lines.append(f"{said}: holds with probability {belief.probability:.3g}")
        return [*lines, *(f"note: {note}" for note in self.notes)]

    def _prior(self) -> str:
        normal = self.settings.get("normal_prior")
        return str(self.settings.get("prior", "")) + (f" and {normal}" if normal else "")


__all__ = ["SAMPLED", "Belief", "Diagnostics", "Posterior", "Tables"]
