"""Local structure and links in a search for dags: which columns get them, and who scores them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, listed, nearest, quoted
from tacit.core.variables import Continuous, Variable
from tacit.engines.local_scores import LocalScorer, Way
from tacit.engines.scoring import Scorer
from tacit.engines.table_scores import Columns
from tacit.estimate.scores.values import AnyScore
from tacit.families.noisy import Noisy
from tacit.families.shared import SharedRows
from tacit.learn.causes.kinds import NOISY
from tacit.learn.local.choosing import how_of

Ways = Mapping[str, Way]


def ways_among(given: Any, variables: Mapping[str, Variable]) -> tuple[dict[str, Way], Any]:
    """The columns that get links or local structure where they have parents, and what is left of
    what `families=` says."""
    if not isinstance(given, Mapping):
        way = _way(given)
        return (dict.fromkeys(variables, way), None) if way is not None else ({}, given)
    found = {name: way for name, said in given.items() if (way := _way(said)) is not None}
    for name in found:
        if name not in variables:
            raise OptionError(
                f"families= names {name!r}, which is no column of the cases"
                f"{nearest(str(name), variables)}\n\ncolumns: {listed(variables)}"
            )
    return found, {name: said for name, said in given.items() if name not in found} or None


def _way(said: Any) -> Way | None:
    kind = NOISY.get(said) if isinstance(said, str) else said
    if isinstance(kind, type) and issubclass(kind, Noisy):
        return kind
    how = how_of(said)
    if isinstance(how, SharedRows):
        raise OptionError(
            f"families= gives {quoted(how.child)} rows, and a search has yet to find its parents"
            f"\n\ngive tc.{type(how).__name__} alone, and its rows are found with them"
        )
    return how


def local_scorer(cases: Dataset, score: AnyScore, ways: Ways, others: Scorer) -> LocalScorer:
    """The scorer of columns with links or local structure; all must have states."""
    real = [n for n, v in cases.variables.items() if isinstance(v, Continuous)]
    if real:
        raise OptionError(
            f"{quoted(real[0])} has real values, and links and shared rows are of states"
            "\n\nmake it discrete with tc.discretise, or leave out families="
        )
    numbered = {cases.names.index(name): way for name, way in ways.items()}
    return LocalScorer.of(Columns.of(cases, cases.names), score, numbered, others)


def fitted_ways(ways: Ways, score: AnyScore) -> dict[str, Any]:
    """What the fit of the dag that was found is told: rows are found by the score of the dag."""
    return {
        name: way if isinstance(way, type) else replace(way, score=score)
        for name, way in ways.items()
    }


def ways_asked(ways: Ways, columns: int) -> str | dict[str, str]:
    """What a search was asked for: one word where every column has the same."""
    said = {n: w.kind if isinstance(w, type) else w.describe() for n, w in ways.items()}
    kinds = set(said.values())
    return kinds.pop() if len(kinds) == 1 and len(said) == columns else said
