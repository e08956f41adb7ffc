"""`propose_hidden`: which variables nobody measured, where they stand, with how many states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tacit.core.dag import Dag
from tacit.core.interrupts import asked_to_end
from tacit.core.network import Network
from tacit.core.options import check_checkpoint
from tacit.core.variables import Discrete
from tacit.estimate.scores.values import BIC, AnyScore
from tacit.infer.sampling import fresh_seed
from tacit.io.cases import as_dataset
from tacit.knowledge.knowledge import KnowledgeLike, as_knowledge
from tacit.learn.columns import columns_of, names_said
from tacit.learn.layers.proposed import hunt_of
from tacit.learn.layers.proposing import propose_reals, refuse_for_reals
from tacit.learn.progress import Callback, watched
from tacit.learn.structure.sem_reals_front import all_real
from tacit.learn.structure.starting import dag_named
from tacit.learn.unseen.asking import Asked, Said, ask
from tacit.learn.unseen.hunting import hunt
from tacit.learn.unseen.kept import FORM, opened
from tacit.learn.unseen.proposals import HiddenProposal, HiddenProposals


def propose_hidden(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    data: Any,
    network: Dag | Network | str | Path | None = None,
    *,
    method: Any = None,
    knowledge: KnowledgeLike = None,
    children: Mapping[str, Sequence[str] | HiddenProposal] | None = None,
    states: int | Mapping[str, int | Sequence[str]] | None = None,
    refuse: Sequence[Sequence[str] | HiddenProposal] = (),
    name: str = "H",
    score: AnyScore | None = None,
    variant: str = "staged",
    most: int = 3,
    most_states: int = 10,
    evidence: float = 3.0,
    held_out: float | Any = 0.2,
    tries: int = 12,
    shown: int = 3,
    bootstrap: int = 20,
    threshold: float = 0.4,
    least: int = 4,
    restarts: int = 5,
    leave_out: Sequence[str] = (),
    as_given: bool | Sequence[str] = False,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | Callback | None = None,
    checkpoint: str | Path | None = None,
    resume: bool = False,
) -> HiddenProposals:
    """Find variables that nobody measured, put them in their places, and say what they are worth.

    A variable that is left out leaves its children linked to each other (`tc.signatures`). A hidden
    parent is put in the place of such links; merging says how many states to begin with
    (`tc.agglomerate`); structural EM finds its neighbourhood; the Cheeseman-Stutz score, with ways
    to name the states counted, is compared with that of the best network without it. The best is
    accepted if it gains enough and cases held out confirm it; then the next one is sought, until
    none is accepted. [Elidan 2004, chapters 4 and 5; HV1 3, 4, HV1-31, HV1-41]

    Where some columns are continuous, `tc.BIC()` scores: the likelihood of what was observed less
    the price of the parameters; a hidden variable begins with states at random instead of merged.
    Where all are, hidden variables without states are sought unless `states` are named: above
    columns that miss the same, one after the other; with a dag, above clusters of its residuals.
    [HV2 3.5]

    data        anything `tc.read_cases` takes; every column is a variable
    network     where to begin; without it a dag is searched for. Its variables without a column are
                hidden ones that are known already
    method      how places are found: None by signatures, as above
    knowledge   rules about structure and tables, in force throughout. They may name the new
                variable; such rules wait until it is there
    children    variables that an expert fixes: {"Severity": ["Cough", "Fever"]}, or a proposal of
                an earlier call; put in first, whatever they gain, and these children stay
    states      how many they have, if that is known: {"Severity": 3}, {"Severity": ("mild",
                "severe")}; or one number for all variables that are found
    refuse      sets of children, or proposals, above which no variable is wanted
    name        what found variables are called; further ones get a number behind it
    score       a prior, `tc.BDeu(5)` unless given; `tc.BIC()` where columns are continuous
    variant     what may change with a variable in its place: "params" tables only (a given network
                keeps its structure), "local" arcs around it, "full" all arcs; "staged", the
                default, compares places by "local" and works proposals out by "full"
    most        variables that are accepted at most, beside fixed ones
    evidence    what one must gain to be accepted, in nats; 3 makes the cases 20 times as probable
    held_out    the share of the cases to judge by, or cases of their own; 0: none
    tries       places that are tried for each variable; shown: proposals worked out of them
    bootstrap   samples that tell how sure links are (complete cases); 0: the dag alone tells
    threshold, least  of signatures: the share of uncertain links, and children at least
    restarts    starts of EM at random in the dag of the best proposal of a round: what comes higher
                counts, and all of them tell how far the answer depends on the start
    leave_out   columns that are no variables
    as_given    True: columns that say nothing of others are kept; or their names. Unless named here
                or by another argument, those that are empty, have one value throughout or another
                one in every case are set aside, and noted
    seed        makes the split, the samples and these starts repeatable; nothing else is random
    progress    True or False for a bar or none; or a callback told(done, total, gain)
    checkpoint  a file that keeps what was learned, so that `resume=True` can go on after a break
    """
    check_checkpoint(checkpoint, resume)
    known = as_knowledge(knowledge)
    named = names_said(known, dag_named(network), _members(children), _members(refuse), name, score)
    columns = columns_of(as_dataset(data), leave_out, as_given, named)
    real = not _with_states(network) and states is None and all_real(columns.cases)
    if real:
        refuse_for_reals(
            {"method": method, "knowledge": knowledge, "children": children, "refuse": refuse,
             "score": None if score == BIC() else score, "checkpoint": checkpoint}
        )  # fmt: skip
    if seed is None and resume and checkpoint is not None:
        seed = FORM.seed(checkpoint)
    said = Said(
        network, known, children, states, refuse, name, score, variant, most, most_states,
        evidence, held_out, tries, shown, bootstrap, threshold, least, restarts, columns,
        fresh_seed(seed), threads, method,
    )  # fmt: skip
    if real:
        asked_of_reals = hunt_of(said)
        with watched(progress, "seeking hidden variables") as told:
            return propose_reals(columns.cases, asked_of_reals, told)
    asked = ask(said)
    memory, close = opened(checkpoint, _task(asked), asked.bench.cases, resume)
    with watched(progress, "seeking hidden variables") as told, asked_to_end() as ended:
        memory.ended = ended
        try:
            return hunt(asked, memory, ended, told)
        finally:
            close()


def _members(said: Any) -> Any:
    """Names of variables in sets of children, proposals being such sets."""
    if isinstance(said, HiddenProposal):
        return said.children
    if isinstance(said, Mapping):
        return [_members(each) for each in said.values()]
    return [_members(each) for each in said] if isinstance(said, list | tuple) else said


def _with_states(network: Any) -> bool:
    """Whether a network is given whose variables have states."""
    given = isinstance(network, Network)
    return given and any(isinstance(each, Discrete) for each in network.variables.values())


def _task(asked: Asked) -> dict[str, Any]:
    """What a checkpoint belongs to: cases, structure, rules and settings."""
    settings = asked.bench.settings
    rules = asked.bench.knowledge
    return {
        "cases": asked.bench.cases.fingerprint(),
        "network": None if asked.start is None else str(asked.start),
        "knowledge": None if rules is None else str(rules),
        "settings": settings.describe(),
        "seed": settings.seed,
    }
