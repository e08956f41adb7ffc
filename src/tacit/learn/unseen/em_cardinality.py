"""How many states a hidden variable has, by fitting every number of them: what agglomeration is
measured against, and faster than."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, quoted
from tacit.core.grid import Grid
from tacit.core.network import Network
from tacit.estimate.priors import BDeu, Prior
from tacit.infer.sampling import fresh_seed
from tacit.learn.unseen.agglomerated import Agglomeration
from tacit.learn.unseen.agglomeration import cases_of, check_hidden

STARTS = 5
"""Of each number of states. [HV1 4.1]"""
EARLY = 10
"""Steps of EM where it is stopped early. [HV1 1.7]"""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cardinality:
    """Every number of states that was tried, with its score; the best one.

    curve            by number of states
    log_likelihoods  of what was observed, by number of states
    networks         the fitted network of each; with one state the hidden variable is gone
    """

    hidden: str
    curve: Mapping[int, float]
    log_likelihoods: Mapping[int, float]
    networks: Mapping[int, Network]
    scored_by: str

    @property
    def states(self) -> int:
        """The number that scores highest, of equals the smallest."""
        return min(self.curve, key=lambda states: (-self.curve[states], states))

    def grid(self) -> Grid:
        """One line per number of states."""
        rows = tuple(
            (
                str(states),
                f"{score:,.2f}",
                f"{self.log_likelihoods[states]:,.2f}",
                "best" if states == self.states else "",
            )
            for states, score in sorted(self.curve.items())
        )
        title = f"{quoted(self.hidden)} by number of states, {self.scored_by}, in nats"
        return Grid(title, ("states", "score", "log-likelihood", ""), rows)

    def __repr__(self) -> str:
        return f"<Cardinality: {quoted(self.hidden)} has {self.states} of {len(self.curve)} tried>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def em_cardinality(  # noqa: PLR0913 - a baseline shows all that it can be told
    cases: Any,
    dag: Dag | Network | str | Path,
    hidden: str,
    *,
    most: int = 8,
    starts: int = STARTS,
    begin: Agglomeration | None = None,
    prior: Prior | None = None,
    early: bool = False,
    patience: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
) -> Cardinality:
    """EM for 1, 2, ... states, each scored by Cheeseman and Stutz.

    most      numbers of states that are tried
    starts    of each number of states, the best counts
    begin     an agglomeration: one run of EM from its states, instead of random starts
    prior     over the tables, `tc.BDeu(5)` unless given
    early     stop every run after 10 steps
    patience  stop once so many numbers in a row scored less than the best; None: try all
    [Elidan 2004, sections 5.1.1 and 5.4; HV1 4.1]
    """
    data, whole = cases_of(cases, dag)
    check_hidden(hidden, whole, data)
    for name, number in (("most", most), ("starts", starts), ("patience", patience or 1)):
        if not (type(number) is int and number >= 1):
            raise OptionError(f"{name}={number!r} must be a whole number, 1 or more")
    job = _Job(
        data, whole, hidden, prior or BDeu(5), starts, begin, early, fresh_seed(seed), threads
    )
    curve: dict[int, float] = {}
    likelihoods: dict[int, float] = {}
    networks: dict[int, Network] = {}
    for states in range(1, (most if begin is None else min(most, begin.first_states)) + 1):
        networks[states], curve[states], likelihoods[states] = job.fitted(states)
        best = max(curve, key=lambda k: curve[k])
        if patience is not None and states - best >= patience:
            break
    return Cardinality(hidden, curve, likelihoods, networks, "Cheeseman-Stutz")


def without(dag: Dag, hidden: str) -> Dag:
    """The dag in which a variable and its arcs are gone."""
    return Dag(
        {
            name: tuple(parent for parent in dag.parents[name] if parent != hidden)
            for name in dag.names
            if name != hidden
        }
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    data: Dataset
    dag: Dag
    hidden: str
    prior: Prior
    starts: int
    begin: Agglomeration | None
    early: bool
    seed: int
    threads: int | None

    def fitted(self, states: int) -> tuple[Network, float, float]:
        """A network with so many states, its score, and the log-likelihood of the cases."""
        from tacit.learn.fit import fit
        from tacit.learn.methods import EM
        from tacit.learn.structure.cheeseman_stutz import cheeseman_stutz

        data = self.data.select([name for name in self.data.names if name in self.dag])
        steps = EARLY if self.early else EM().max_steps
        common: dict[str, Any] = {
            "prior": self.prior, "seed": self.seed, "threads": self.threads, "progress": False,
        }  # fmt: skip
        if states == 1:
            found = fit(without(self.dag, self.hidden), data, **common)
        elif self.begin is not None:
            start = self.begin.start(states, self.prior)
            method = EM(restarts=1, max_steps=steps)
            unseen = {self.hidden: states}
            found = fit(start, data, hidden=unseen, start="given", method=method, **common)
        else:
            method = EM(restarts=self.starts, max_steps=steps)
            found = fit(self.dag, data, hidden={self.hidden: states}, method=method, **common)
        score = cheeseman_stutz(found, data, self.prior, threads=self.threads)
        return found.network, score, found.log_likelihood
