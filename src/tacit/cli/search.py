"""`tacit search`: cases in, a dag and its network out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer
from tacit.cli.choices import EmptyRows, EstimateName, estimate_of, normal_beside, prior_of
from tacit.cli.families import FamilyNames, families_of
from tacit.cli.given import hidden_beside
from tacit.cli.learned import learned_targets, write_learned
from tacit.cli.options import (
    AsGiven,
    Cases,
    Continuouses,
    Discretes,
    Json,
    KnowledgeFiles,
    LeftOut,
    Missing,
    NormalPriorName,
    Query,
    Quiet,
    ReportTo,
    Resume,
    SaveFit,
    Seed,
    TableName,
    Threads,
    Weights,
    plain_names,
)
from tacit.cli.reading import Reading, structure_of, told_network
from tacit.cli.search_told import check_holds, plain_search
from tacit.cli.searching import (
    DagPriorName,
    ScoreName,
    SearchMethod,
    dag_prior_of,
    score_of,
    search_method_of,
)
from tacit.cli.targets import check_kept
from tacit.core.errors import OptionError, listed, quoted

if TYPE_CHECKING:
    from tacit.core.dag import Dag
    from tacit.core.dataset import Dataset
    from tacit.core.network import Network
    from tacit.learn.structure.searched import Search

EXAMPLES = """\
tacit search patients.csv -o learned.bif
tacit search patients.csv --knowledge experts.know --score bdeu:10 -o learned.bif \\
    --report report.html --bootstrap 200 --seed 1
tacit search patients.csv --method exact --leave-out patient -o best.dag
tacit search patients.csv --method tan:Cancer -o classifier.bif
tacit search patients.csv --family tree-table --score bdeu:5 -o learned.json
tacit search gaps.csv --missing NA --hidden H=2 --restarts 10 --seed 1 -o learned.json
tacit search genes.csv --method ideal:2 --family sigmoid -o learned.json
tacit search wide.parquet --method tabu --most-parents 4 --checkpoint run.ckpt --resume \\
    -o learned.json --save-fit search.json"""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was asked for, as values of the library.

    word      the method in words; None where nothing was said
    restarts  of the method, or starts of structural EM
    families  which columns have curves, links or shared rows
    """

    word: str | None
    most_parents: int | None
    restarts: int | None
    bootstrap: int
    families: Any
    common: Mapping[str, Any]

    def with_rules(self) -> Wishes:
        """The same with the rules read: a pipe can be read once."""
        from tacit.knowledge.knowledge import as_knowledge

        return replace(
            self, common={**self.common, "knowledge": as_knowledge(self.common["knowledge"])}
        )

    def kept(self, data: Dataset, start: Any, hidden: Any) -> Dataset:
        """The columns that a search will learn from; they say which search it is."""
        from tacit.learn.columns import columns_of, names_said

        given = [self.common[name] for name in ("knowledge", "score", "dag_prior", "prior")]
        method = search_method_of(self.word, None, self.most_parents)
        named = names_said(start, hidden, method, self.families, *given)
        return columns_of(data, self.common["leave_out"], self.common["as_given"], named).cases


def search(
    cases: Cases,
    output: Annotated[
        str,
        typer.Option(
            "-o",
            "--output",
            metavar="OUT",
            help="Where the network is written, or its dag alone (.dag).",
        ),
    ],
    knowledge: KnowledgeFiles = None,
    score: ScoreName = None,
    method: SearchMethod = None,
    start: Annotated[
        str | None,
        typer.Option(metavar="NET", help="The dag to begin at: a file, or a dag as text."),
    ] = None,
    dag_prior: DagPriorName = None,
    prior: Annotated[
        str | None,
        typer.Option(metavar="PRIOR", help="Of the parameters; the one that scores, or bdeu:1."),
    ] = None,
    normal_prior: NormalPriorName = None,
    estimate: Annotated[
        EstimateName, typer.Option(help="Which parameters to take.")
    ] = EstimateName.SMOOTHED,
    restarts: Annotated[
        int | None,
        typer.Option(min=0, help="End after so many restarts in vain; with gaps: starts."),
    ] = None,
    most_parents: Annotated[
        int | None, typer.Option(min=0, help="Of any variable, at most.")
    ] = None,
    leave_out: LeftOut = None,
    as_given: AsGiven = False,
    bootstrap: Annotated[
        int, typer.Option(min=0, help="Tell how sure arcs are from so many samples of the cases.")
    ] = 0,
    family: FamilyNames = None,
    hidden: Annotated[
        list[str] | None,
        typer.Option(metavar="H=2", help="H is in no column and has 2 states; repeatable."),
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="FILE", help="Keep a running search here.")
    ] = None,
    resume: Resume = False,
    weights: Weights = None,
    missing: Missing = None,
    discrete: Discretes = None,
    continuous: Continuouses = None,
    table: TableName = None,
    query: Query = None,
    save_fit: SaveFit = None,
    report: ReportTo = None,
    threads: Threads = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Learn who depends on whom from cases, and the parameters.

    With missing cells or hidden variables by structural EM.
    """
    how = search_method_of(method, None, most_parents)
    reading = Reading.of(weights, missing, discrete, continuous, table, query)
    wishes = Wishes(
        method,
        most_parents,
        restarts,
        bootstrap,
        families_of(family),
        {
            "knowledge": [Path(file) for file in knowledge] if knowledge else None,
            "score": score_of(score),
            "dag_prior": dag_prior_of(dag_prior),
            "prior": normal_beside(None if prior is None else prior_of(prior), normal_prior),
            "estimate": estimate_of(estimate, EmptyRows.UNIFORM),
            "leave_out": plain_names(leave_out),
            "as_given": reading.kept(as_given),
            "seed": seed,
            "threads": threads,
            "progress": False if quiet or json else None,
            "checkpoint": checkpoint,
            "resume": resume,
        },
    )
    targets = learned_targets(output, save_fit, report)
    read = [("CASES", cases), *(("--knowledge", file) for file in knowledge or ())]
    read += [("--start", start)] if start is not None else []
    said = check_kept(checkpoint, resume, _keeps_none(how), list(targets.values()), read)

    begin, notes = structure_of(start) if start is not None else (None, ())
    unseen = hidden_beside(hidden, begin)
    data = reading.cases(cases, None, threads)
    wishes = wishes.with_rules()
    kept = wishes.kept(data, begin, unseen)
    check_holds(targets, kept)
    found = _searched(data, kept, begin, unseen, wishes)
    found = replace(found, notes=(*notes, *found.notes, *said))
    if "starts" in found.settings:  # the numbers of a network count in rounds
        found = told_network(found, start, targets.values(), "start_file")
    write_learned(found, targets, data=data)
    told = [f"{what} written to {target.path}" for what, target in targets.items()]
    return Answer(
        "\n".join([str(found), "", *told]), plain_search(found, targets), json=json, quiet=quiet
    )


def _keeps_none(method: Any) -> str:
    """Why there can be no checkpoint; nothing if there can."""
    from tacit.learn.annealing.settings import WeightAnnealing
    from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu

    if isinstance(method, HillClimb | Tabu | IdealParent | WeightAnnealing | None):
        return ""  # complete cases and annealed weights are refused when the cases are known
    return "--checkpoint keeps a running search; --method hill and --method tabu have it"


def _searched(
    data: Dataset,
    kept: Dataset,
    start: Dag | Network | None,
    hidden: Mapping[str, Any] | str | None,
    wishes: Wishes,
) -> Search:
    """By `tc.search` where all is known of the columns that are kept, else by structural EM."""
    gaps = [name for name, cells in kept.missing().items() if cells]
    if hidden is None and not gaps:
        from tacit.learn.structure.search import search as learn

        how = search_method_of(wishes.word, wishes.restarts, wishes.most_parents)
        return learn(
            data,
            start=start,
            method=how,
            families=wishes.families,
            bootstrap=wishes.bootstrap,
            **wishes.common,
        )
    why = "--hidden names what nobody measured"
    if hidden is None:
        why = f"cells are missing ({listed(map(quoted, gaps), 6)})"
    how = _within(search_method_of(wishes.word, None, wishes.most_parents), why)
    if wishes.bootstrap:
        raise OptionError(f"--bootstrap needs complete cases, and {why}")
    from tacit.core.variables import Continuous

    states = [n for n, each in kept.variables.items() if not isinstance(each, Continuous)]
    if wishes.families and (hidden is not None or states):
        raise OptionError(
            f"--family needs complete cases, and {why}\n\n{_ways_out(wishes, states)}"
        )
    from tacit.learn.structure.structural_em import structural_em

    found = structural_em(
        data,
        start=start,
        hidden=hidden,
        method=how,
        families=wishes.families,
        restarts=wishes.restarts or None,
        **wishes.common,
    )
    return replace(found, notes=(f"by structural EM: {why}", *found.notes))


def _ways_out(wishes: Wishes, states: Sequence[str]) -> str:
    """What can be done where structural EM learns no families of this kind."""
    asked = wishes.families
    kinds = asked.values() if isinstance(asked, Mapping) else [asked]
    if not any(str(each).endswith("-gaussian") for each in kinds):
        return "leave it out; in a dag that is told, tacit fit --family learns them with gaps, too"
    if not states:
        return "leave it out; in a dag that is told, tacit fit --family learns curves with --hidden"
    return (
        "curves are searched for with gaps among columns of real values alone: leave out those "
        f"with states ({listed(map(quoted, states), 6)}) with --leave-out; in a dag that is told, "
        "tacit fit --family learns them with --method available"
    )


def _within(method: Any, why: str) -> Any:
    """The search of each round: it does not restart, structural EM does."""
    from tacit.learn.annealing.settings import WeightAnnealing
    from tacit.learn.structure.settings import HillClimb, IdealParent, Tabu

    if isinstance(method, HillClimb | Tabu | IdealParent):
        return replace(method, restarts=0)
    if isinstance(method, WeightAnnealing | None):
        return method
    raise OptionError(
        f"{method.describe()} needs complete cases, and {why}"
        "\n\nstructural EM searches by --method hill, tabu or weight-annealing"
    )
