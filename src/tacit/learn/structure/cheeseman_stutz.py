"""How probable a dag makes incomplete cases: the Cheeseman-Stutz score. [HV1 1.8]"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError, quoted
from tacit.core.network import Network
from tacit.core.options import check_value
from tacit.core.variables import Discrete
from tacit.engines.expected import expectation
from tacit.engines.tasks import thread_bound
from tacit.estimate.posteriors import log_marginal_likelihood
from tacit.estimate.priors import BDeu, Prior
from tacit.families.counts import Counts
from tacit.infer.flat import Layout, layout_of
from tacit.infer.prediction import observed_columns
from tacit.learn.expectation import EmIterate, Problem, at
from tacit.learn.fits import Fit
from tacit.learn.parts import discrete_axes, pseudo_counts


def cheeseman_stutz(
    network: Network | Fit, data: Any, prior: Prior | None = None, *, threads: int | None = None
) -> float:
    """The approximate log marginal likelihood of a network's dag, in nats:

    log P(D* | dag) + log P(D | θ) - log P(D* | θ)

    where D* are the cases completed by expected counts under the parameters θ of the network. With
    nothing missing it is the log marginal likelihood itself; else it lies below it, and nearest at
    parameters that make the cases most probable. [Cheeseman and Stutz 1996; HV1 1.8, erratum E40]

    data   anything `tc.read_cases` takes; variables without a column are hidden
    prior  over the tables, `tc.BDeu(1)` unless given
    """
    fitted = network.network if isinstance(network, Fit) else network
    chosen = BDeu(1) if prior is None else prior
    check_value("prior", chosen, Prior, "tc.BDeu(1)")
    cases = observed_columns(fitted, data)
    for name, variable in fitted.variables.items():
        if not isinstance(variable, Discrete):
            raise OptionError(
                f"{quoted(name)} is continuous: the Cheeseman-Stutz score is of tables only"
                "\n\nmake it discrete with tc.discretise"
            )
    layout = layout_of(fitted.dag, fitted.variables)
    families = {name: discrete_axes(fitted[name].variables) for name in fitted}
    expected = expectation(cases, layout, families, threads=threads)
    problem = Problem(layout, expected, np.zeros(layout.size), thread_bound(threads))
    here = at(problem, layout.parameters(fitted))
    return completed_score(layout, here, pseudo_counts(chosen, families))


def completed_score(layout: Layout, here: EmIterate, alpha: Mapping[str, Floats]) -> float:
    """The score at parameters whose expected counts and log-likelihood are known."""
    total = here.log_likelihood
    seen = here.expected > 0
    total -= float(here.expected[seen] @ np.log(here.theta[seen]))
    for at_, name in enumerate(layout.names):
        total += log_marginal_likelihood(Counts(layout.block(here.expected, at_)), alpha[name])
    return total
