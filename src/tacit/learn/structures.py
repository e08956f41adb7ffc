"""What `fit` takes as a structure: a dag, its text, a network, or a file of either."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tacit.core.dag import Dag
from tacit.core.errors import NetworkError, OptionError, quoted
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.io import formats

NUMBERS_UNUSED = "the network gave structure and states; its numbers were not used"


@dataclass(frozen=True, slots=True)
class Structure:
    """A dag, and the variables if they are declared rather than taken from the cases.

    network  what declared them, whose families of independent causes are kept
    file     where that network was read, if it came from a file
    """

    dag: Dag
    variables: Mapping[str, Variable] | None = None
    notes: tuple[str, ...] = ()
    network: Network | None = None
    file: str = ""


def as_structure(given: Dag | Network | str | Path) -> Structure:
    """A `Path`, or a text that ends in a known suffix, is a file; any other text is a dag."""
    match given:
        case Dag():
            return Structure(given)
        case Network():
            return Structure(given.dag, given.variables, (NUMBERS_UNUSED,), given)
        case Path():
            return _from_file(given)
        case str():
            return _from_file(Path(given)) if formats.is_network_file(given) else _from_text(given)
    raise OptionError(
        f"a structure is a Dag, its text, a Network or a file of one, not {type(given).__name__}"
    )


def _from_text(text: str) -> Structure:
    return Structure(Dag.parse(text))


def _from_file(path: Path) -> Structure:
    if formats.is_dag_file(path):
        return Structure(formats.read_dag(path))
    network, notes = formats.read_noted(path)
    return replace(as_structure(network), notes=(NUMBERS_UNUSED, *notes), file=str(path))


def families_of(dag: Dag, variables: Mapping[str, Variable]) -> dict[str, tuple[Variable, ...]]:
    """Parents..., child of every variable; an error where no family fits their kinds."""
    families = {}
    for name in dag.names:
        axes = tuple(variables[other] for other in (*dag.parents[name], name))
        real = [axis.name for axis in axes if isinstance(axis, Continuous)]
        if real and isinstance(axes[-1], Discrete):
            raise NetworkError(_mixed(name, real[0]))
        families[name] = axes
    return families


def _mixed(child: str, parent: str) -> str:
    return (
        f"{quoted(child)} is discrete and its parent {quoted(parent)} is continuous: no family "
        "joins the two"
        "\n\nturn the arc round, make the continuous one discrete with tc.discretise, or read the "
        "discrete one as numbers with tc.read_cases(..., continuous=[...])"
    )
