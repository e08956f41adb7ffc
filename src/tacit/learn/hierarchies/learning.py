"""`learn_hierarchy`: hidden variables above all columns, found along a bottleneck path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, OptionError, quoted
from tacit.core.options import check_value, is_number
from tacit.core.variables import Continuous, Discrete
from tacit.estimate.priors import BDeu, Prior
from tacit.infer.likelihood import log_likelihood
from tacit.infer.sampling import fresh_seed
from tacit.io.cases import as_dataset
from tacit.learn.averaged import average_and_error
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.columns import Columns, columns_of, names_said
from tacit.learn.fit import fit
from tacit.learn.fits import Fit, Stop
from tacit.learn.hierarchies.learned import Branches, Hierarchy
from tacit.learn.methods import EM
from tacit.learn.progress import Callback
from tacit.learn.structure.cheeseman_stutz import cheeseman_stutz
from tacit.learn.structure.starting import dag_named
from tacit.learn.structures import NUMBERS_UNUSED, as_structure
from tacit.learn.unseen.parting import parted
from tacit.learn.unseen.profile import profile_of

WHOLE = IBEM(cardinality="adapt", structure=True, enrich=True, inference="exact")
"""How hierarchies are learned unless said otherwise."""
UNSAID = (
    "the network gave structure and states, and its numbers were the start",
    NUMBERS_UNUSED,
)
"""Notes of the last fit about a network that nobody gave."""


def learn_hierarchy(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    data: Any,
    *,
    method: IBEM | None = None,
    start: Dag | str | Path | None = None,
    states: int | Mapping[str, int] = 2,
    name: str = "H",
    prior: Prior | None = None,
    held_out: float | Any = 0.2,
    leave_out: Sequence[str] = (),
    as_given: bool | Sequence[str] = False,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | Callback | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
) -> Hierarchy:
    """Learn a tree, or a forest, of hidden variables above discrete columns.

    The path of `tc.IBEM` begins with one hidden variable above everything that says nothing. As
    gamma grows, variables get the states that they can use, a new one comes where children stay
    dependent given their parent, and each variable moves to the hidden parent that explains it best
    by the BDe score; what is not worth its parameters in the end is taken away. [HV2 2.7 to 2.11]

    data       anything `tc.read_cases` takes; missing cells are left out of the counts
    method     `tc.IBEM(cardinality="adapt", structure=True, enrich=True, inference="exact")`
               unless given; with `restarts=5` the best of five paths counts, by its score
    start      where to begin instead: a hierarchy whose hidden variables have no column
    states     how many hidden variables have at the start
    name       what hidden variables are called; further ones get a number behind it
    prior      `tc.BDeu(1)` unless given: of the tables, and of the score
    held_out   the share of the cases to judge by, or cases of their own, or 0 for none; in the end
               all cases are fitted
    leave_out  columns that have no place in it
    as_given   True: columns that say nothing of others are kept; or their names. Unless named here
               or in `start`, those that are empty, have one value throughout or another one in
               every case are set aside, and noted
    seed, threads, progress, checkpoint, resume  as of `tc.fit`
    """
    chosen = WHOLE if method is None else method
    check_value("method", chosen, IBEM, 'tc.IBEM(cardinality="adapt")')
    named = names_said(dag_named(start), name, prior)
    columns = columns_of(as_dataset(data), leave_out, as_given, named)
    cases = _cases(columns)
    prior, seed = BDeu(1) if prior is None else prior, fresh_seed(seed)
    dag, hidden = _start(start, cases, name, states)
    learned_from, judged = parted(cases, held_out, seed)
    common: dict[str, Any] = {"prior": prior, "seed": seed, "threads": threads}
    found = fit(
        dag, learned_from, hidden=hidden, method=chosen, progress=progress, checkpoint=checkpoint,
        resume=resume, **common,
    )  # fmt: skip
    share = held_out if is_number(held_out) else "..."
    said = {
        "states": states, "name": name, "held_out": share, "given": start is not None,
        **columns.settings,
    }  # fmt: skip
    whole = found if judged is None or learned_from is cases else _refitted(found, cases, common)
    whole = replace(whole, settings={**whole.settings, "hierarchy": said})
    return _told(found, whole, learned_from, judged, prior)


def _cases(columns: Columns) -> Dataset:
    cases = columns.cases
    for variable in cases.variables.values():
        if isinstance(variable, Continuous):
            raise OptionError(
                f"{quoted(variable.name)} is continuous: hierarchies are learned above discrete "
                "variables\n\nmake it discrete with tc.discretise, or leave it out: "
                f"leave_out=[{variable.name!r}]"
            )
    if len(cases.names) < 3:
        raise CasesError(
            "a hierarchy stands above three variables or more, and there are "
            f"{len(cases.names)}\n\ncolumns: {', '.join(map(quoted, cases.names)) or 'none'}"
            f"{columns.reminder}"
        )
    return cases


def _start(
    start: Dag | str | Path | None, cases: Dataset, name: str, states: int | Mapping[str, int]
) -> tuple[Dag, dict[str, int]]:
    """Where the path begins, and with how many states."""
    if start is None:
        if not isinstance(name, str) or not name.strip() or name in cases:
            raise OptionError(f"name={name!r} must be the name of a new variable")
        dag = Dag({name: (), **dict.fromkeys(cases.names, (name,))})
    else:
        given = as_structure(start).dag
        missing = {each: () for each in cases.names if each not in given}
        dag = Dag({**given.parents, **missing})
    unseen = [each for each in dag.names if each not in cases]
    if not unseen:
        raise OptionError(
            "start= has no variable without a column, so nothing in it is hidden\n\n"
            "name the hidden ones: tc.grouped_hierarchy({'H': ['a', 'b', 'c']})"
        )
    many = dict.fromkeys(unseen, states) if isinstance(states, int) else dict(states)
    for each in unseen:
        if type(many.get(each)) is not int or many[each] < 2:
            raise OptionError(f"states={states!r} must give {quoted(each)} 2 states or more")
    return dag, {each: many[each] for each in unseen}


def _refitted(found: Fit, cases: Dataset, common: Mapping[str, Any]) -> Fit:
    """The network that was found, with numbers from all cases, and the path that found it."""
    again = fit(
        found.network, cases, hidden="rest", start="given", method=EM(restarts=1), progress=False,
        **common,
    )  # fmt: skip
    own = tuple(note for note in again.notes if note not in (*found.notes, *UNSAID))
    settings = {**again.settings, **found.settings}
    settings.pop("start", None)
    path = None if found.path is None else replace(found.path, weight=found.cases.weight)
    return replace(
        again, path=path, notes=(*found.notes, *own), settings=settings, seed=found.seed,
        stop=found.stop if found.stop is Stop.INTERRUPTED else again.stop,
    )  # fmt: skip


def _told(
    found: Fit, whole: Fit, learned_from: Dataset, judged: Dataset | None, prior: Prior
) -> Hierarchy:
    """All that there is to say of it."""
    network = whole.network
    hidden = tuple(name for name in network if name not in learned_from)
    apart = fit(Dag(dict.fromkeys(learned_from.names, ())), learned_from, prior=prior, seed=0)
    gain = cheeseman_stutz(found.network, learned_from, prior)
    gain -= cheeseman_stutz(apart.network, learned_from, prior)
    held = error = None
    if judged is not None:
        here, there = (log_likelihood(each.network, judged).per_case for each in (found, apart))
        held, error = average_and_error(here - there, judged.weights)
    profiles = {name: profile_of(network, name) for name in hidden}
    many = 0 if judged is None else len(judged)
    branches = Branches(hidden, profiles, gain, held, error, len(learned_from), many)
    kept = {each.name: getattr(whole, each.name) for each in fields(Fit)}
    assert all(isinstance(network.variables[name], Discrete) for name in hidden)
    return Hierarchy(**kept, branches=branches)
