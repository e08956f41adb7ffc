"""`posterior`: structure, cases, prior and rules in; what they say of every parameter out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.errors import OptionError, quoted
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.engines.statistics import Statistics
from tacit.engines.tasks import thread_bound
from tacit.estimate.bayes.draws import Sampling
from tacit.estimate.continuous.prior import GaussianPrior
from tacit.estimate.normals import TruncatedNormal
from tacit.estimate.posteriors import check_level
from tacit.estimate.priors import K2, BDeu, Prior
from tacit.infer.sampling import fresh_seed
from tacit.knowledge.knowledge import Knowledge, KnowledgeLike, as_knowledge
from tacit.learn.counted import Counted, count_cases, counted_before
from tacit.learn.curved import own_curves
from tacit.learn.gathered import Gathered, gather_measured
from tacit.learn.making import posterior_of
from tacit.learn.parts import discrete_axes, pseudo_counts
from tacit.learn.posteriors import Posterior
from tacit.learn.progress import Callback, watched
from tacit.learn.settings import priors_apart, refuse_no_reals
from tacit.learn.structures import Structure, as_structure
from tacit.learn.told import Told
from tacit.learn.whole import Asking

LIKELIHOODS = ("multinomial", "binomial_product")
_HIDDEN = "every variable needs a column here; hidden variables are for tc.fit"


def posterior(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    structure: Dag | Network | str | Path,
    data: Any,
    *,
    knowledge: KnowledgeLike = None,
    prior: Any = None,
    likelihood: str = "multinomial",
    pooled: bool | None = None,
    sampling: Sampling | None = None,
    level: float = 0.95,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | Callback | None = None,
) -> Posterior:
    """The posterior of all parameters under the rules:

    p(θ given cases)  ∝  P(cases given θ) · p(θ)   where every rule holds, 0 elsewhere.

    Exact where constants exist: trees of splits, inequalities between sums, single bounds,
    intervals of two states; elsewhere by draws from the polytope that the rules leave. A rule with
    a confidence below 1 holds or does not: the posterior is the mixture over both. Missing cells
    are filled in at random, over and over, as their own posterior says.
    [parameter domain knowledge 1.7, 1.8, 3; estimation 2.8, 3.3]

    structure   as in `tc.fit`
    data        as in `tc.fit`; `tc.Statistics` too
    knowledge   what experts know
    prior       of tables `tc.BDeu(1)` if not given, or `tc.TruncatedNormal(mean, sd)`; of Gaussian
                families `tc.NormalGamma()`, or another; both in a list
    likelihood  "multinomial", or "binomial_product": every cell a binomial of its own, as MPL-C
                was printed; it counts every case more than once
    pooled      whether pseudo-counts of tied cells are added up; None: only where the prior
                density, held to the rules, cannot be integrated
    sampling    how draws are made, `tc.Sampling(draws=4000)`
    level       of the credible intervals
    """
    check_level(level)
    given, known = as_structure(structure), as_knowledge(knowledge)
    _refuse_curves(given.network)
    tables, gaussian = priors_apart(prior)
    _check(tables, likelihood, sampling)
    asked = fresh_seed(seed)
    with watched(progress, "drawing") as told:
        asking = Asking(level, sampling or Sampling(), asked, thread_bound(threads), told)
        wish = Wish(given, known, tables, likelihood, pooled, asking, gaussian)
        if isinstance(data, Statistics):
            return _counted(wish, counted_before(given, data))
        gathered = gather_measured(given, data, _HIDDEN)
        if gathered.missing:
            return _incomplete(wish, gathered)
        return _counted(wish, count_cases(gathered, False, threads, told))


def _refuse_curves(network: Network | None) -> None:
    for name, kind in own_curves(network).items():
        raise OptionError(
            f"{quoted(name)} is a {kind.kind} in the network, and posteriors are of tables and "
            "straight lines\n\ngive the dag alone to take a straight line for it; tc.fit has "
            "intervals of curves"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Wish:
    """What the caller of `posterior` asked for."""

    structure: Structure
    knowledge: Knowledge | None
    prior: Prior | TruncatedNormal | None
    likelihood: str
    pooled: bool | None
    asking: Asking
    gaussian: GaussianPrior | None = None


def _counted(wish: Wish, counted: Counted) -> Posterior:
    if any(isinstance(each, Continuous) for each in counted.variables.values()):
        from tacit.learn.continuous.posterior import posterior_with_reals

        return posterior_with_reals(
            counted, wish, lambda wish, tables: posterior_of(_told(wish, tables, tables))
        )
    refuse_no_reals(wish.gaussian)
    return posterior_of(_told(wish, counted, counted))


def _incomplete(wish: Wish, gathered: Gathered) -> Posterior:
    if any(isinstance(each, Continuous) for each in gathered.variables.values()):
        from tacit.learn.continuous.augmented import posterior_with_gaps

        return posterior_with_gaps(gathered, wish, lambda wish, part: _told(wish, part, part))
    from tacit.learn.augmented import posterior_augmented

    refuse_no_reals(wish.gaussian)
    return posterior_augmented(gathered, _told(wish, None, gathered))


def _told(wish: Wish, counted: Counted | None, source: Counted | Gathered) -> Told:
    normal = wish.prior if isinstance(wish.prior, TruncatedNormal) else None
    if normal is not None:
        normal.check_names(source.variables)
    plain = wish.prior if isinstance(wish.prior, Prior) else K2() if normal else BDeu(1)
    return Told(
        structure=wish.structure,
        knowledge=wish.knowledge,
        families={name: discrete_axes(axes) for name, axes in source.families.items()},
        alpha=pseudo_counts(plain, source.families),
        normal=normal,
        misses=wish.likelihood == "binomial_product",
        pooled=wish.pooled,
        asking=wish.asking,
        prior=normal.describe() if normal is not None else plain.describe(),
        counted=counted,
    )


def _check(prior: Any, likelihood: Any, sampling: Any) -> None:
    if prior is not None and not isinstance(prior, Prior | TruncatedNormal):
        raise OptionError(f"prior takes a value such as tc.BDeu(10), not {prior!r:.60}")
    if likelihood not in LIKELIHOODS:
        raise OptionError(
            f"likelihood={likelihood!r:.60} is none\n\nthere are: {', '.join(LIKELIHOODS)}"
        )
    if sampling is not None and not isinstance(sampling, Sampling):
        raise OptionError(f"sampling takes a value such as tc.Sampling(), not {sampling!r:.60}")
