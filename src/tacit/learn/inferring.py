"""Which climb a method of inferring missing cells makes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tacit.core.errors import OptionError
from tacit.engines.tasks import thread_bound
from tacit.learn.annealing.annealed_em import Annealing, run_annealed
from tacit.learn.annealing.settings import WeightAnnealing
from tacit.learn.bottleneck.grounds import growing
from tacit.learn.bottleneck.mean_field import run_mean_field
from tacit.learn.bottleneck.running import Bottleneck, run_bottleneck
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.causes.chained import with_tables
from tacit.learn.climb import Climb
from tacit.learn.direct import run_direct
from tacit.learn.em import Task, run_em, start_of
from tacit.learn.expectation import EmIterate, Problem
from tacit.learn.fill_in import run_fill_in
from tacit.learn.gradient import run_gradient
from tacit.learn.local.pooling import written_rows
from tacit.learn.methods import EM, Gradient, MeanFieldEM
from tacit.learn.starts import check_possible, given_parameters

if TYPE_CHECKING:
    from tacit.learn.incomplete import How, Incomplete, Inferring


def climbs_of(
    cases: Incomplete,
    problem: Problem,
    method: Inferring,
    hidden: tuple[int, ...],
    how: How,
    brought: Callable[[Incomplete], Problem],
) -> list[Climb[EmIterate]]:
    """Every run that the method makes, the numbers of a given network first among its starts.

    brought  brings the cases of another network to their problem
    """
    given = None
    if how.start is not None:
        chains = () if problem.links is None else problem.links.chains
        whole = written_rows(how.start, cases.shared)
        whole = with_tables(whole, chains) if chains else whole
        given = given_parameters(problem.layout, cases.families, whole)
        check_possible(problem.layout, cases.data, given)
    if isinstance(method, WeightAnnealing):
        annealing = Annealing(method, Task(problem, method.method, hidden, how.seed, given))
        threads = thread_bound(how.threads)
        return list(run_annealed(annealing, cases.data, threads, how.told, how.checkpoint))
    if isinstance(method, IBEM):
        job = growing(_bottleneck(cases, problem, method, hidden, how), cases, brought)
        return list(run_bottleneck(job, cases.data))
    if isinstance(method, EM):
        task = Task(problem, method, hidden, how.seed, given)
        return run_em(task, thread_bound(how.threads), how.told, how.checkpoint)
    if isinstance(method, MeanFieldEM):
        task, threads = Task(problem, EM(), hidden, how.seed, given), thread_bound(how.threads)
        _check_free(cases, "MeanFieldEM")
        return run_mean_field(task, method, cases.data, threads, how.told, how.checkpoint)
    start = start_of(Task(problem, EM(), hidden, how.seed, given), 0)
    if isinstance(method, Gradient):
        run = run_gradient if problem.plan is None else run_direct
        return [run(problem, method, start, how.told)]
    return [run_fill_in(problem, cases.data, method, start, how.told)]


def _check_free(cases: Incomplete, method: str) -> None:
    if cases.tied:
        raise OptionError(
            f"tc.{method}() needs tables of their own for all variables\n\nuse tc.EM()"
        )


def _bottleneck(
    cases: Incomplete, problem: Problem, method: IBEM, hidden: tuple[int, ...], how: How
) -> Bottleneck:
    """The job of following paths; it has starts of its own."""
    if not hidden or cases.tied or how.start is not None:
        raise OptionError(
            "tc.IBEM() follows hidden variables from where they say nothing: it needs some, tables "
            "of their own for all variables, and no numbers to start from\n\nuse tc.EM()"
        )
    layout, alpha = problem.layout, np.zeros(problem.layout.size)
    for name in layout.names:
        layout.block(alpha, layout.places[name])[...] = cases.alpha[name]
    task = Task(problem, EM(), hidden, how.seed)
    threads = thread_bound(how.threads)
    return Bottleneck(method, task, cases.families, alpha, threads, how.told, how.checkpoint)
