"""What `tacit search` says to programs, and which files could not hold what it finds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tacit.cli.targets import Target
from tacit.core.errors import OptionError, listed, quoted

if TYPE_CHECKING:
    from tacit.core.dataset import Dataset
    from tacit.learn.structure.searched import Search


def check_holds(targets: Mapping[str, Target], kept: Dataset) -> None:
    """Nothing, or an error about a file that could not hold what will be found: a search may take
    long, and all of it would be lost."""
    from tacit.core.variables import Continuous

    target = targets.get("network")
    if target is None or target.path.lower().removesuffix(".gz").endswith(".json"):
        return
    real = [name for name, each in kept.variables.items() if isinstance(each, Continuous)]
    if real:
        raise OptionError(
            f"-o: {target.path!r} would hold tables only, and these columns are continuous: "
            f"{listed(map(quoted, real), 6)}\n\nwrite a .json file, which holds every family; name "
            f"states by --discrete {quoted(real[0])}; or leave a column out that is no variable, "
            f"by --leave-out {quoted(real[0])}"
        )


def plain_search(found: Search, targets: Mapping[str, Target]) -> dict[str, Any]:
    sure = found.confidence
    arcs = [
        {
            "parent": tail,
            "child": head,
            "gain": found.gains.get((tail, head)),
            "required": found.found.required.get((tail, head)),
            **(
                {}
                if sure is None
                else {"link": sure.link(tail, head), "this_way": sure.direction(tail, head)}
            ),
        }
        for tail, head in found.dag.arcs
    ]
    return {
        "command": "search",
        "cases": found.cases.cases,
        "weight": found.cases.weight,
        "missing_cells": dict(found.cases.missing),
        "set_aside": dict(found.settings.get("set_aside", {})),
        "hidden": dict(found.found.hidden),
        "variables": len(found.network),
        "dag": str(found.dag),
        "arcs": arcs,
        "equivalent": str(found.cpdag),
        "free_parameters": found.network.free_parameters,
        "score": found.score,
        "scored_by": found.settings["score"],
        "method": found.settings["method"],
        "log_likelihood": found.log_likelihood,
        "changes": len(found.moves),
        "restarts": found.found.restarts,
        "families_scored": found.evaluations,
        "missed": [
            {"parent": tail, "child": head, "gain": gain}
            for (tail, head), gain in found.found.missed.items()
        ],
        "bootstrap": None
        if sure is None
        else {
            "samples": sure.replicates,
            "threshold": sure.threshold,
            "averaged": str(sure.averaged()),
        },
        "stop": found.stop.value,
        "seed": found.seed,
        "notes": list(found.notes),
        "written": {what: target.path for what, target in targets.items()},
    }
