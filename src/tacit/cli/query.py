"""`tacit query`: probabilities, or most probable states, under a network and findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.answers import Answer, noted
from tacit.cli.choices import sampling_of
from tacit.cli.given import given_of, plain_finding
from tacit.cli.options import Given, Json, NetworkFile, Quiet, Seed
from tacit.cli.reading import network_of
from tacit.core.errors import OptionError

if TYPE_CHECKING:
    from tacit.core.network import Network
    from tacit.infer.answers import Answer as Probabilities

EXAMPLES = """\
tacit query asia.bif "P(lung | xray=yes, smoke=no)"
tacit query asia.bif "P(lung=yes | dysp=yes)" --given "asia={yes: 0.3, no: 0.1}"
tacit query asia.bif "P(lung, bronc | dysp=yes)" --most-probable
tacit query wide.bif "P(A | B=b)" --method weighting:100000 --seed 1"""


def query(
    network: NetworkFile,
    text: Annotated[
        str | None, typer.Argument(metavar="QUERY", help='What to ask: "P(A, B | C=c, D={x, y})".')
    ] = None,
    given: Given = None,
    most_probable: Annotated[
        bool,
        typer.Option(
            "--most-probable", help="The states that are most probable together, of A, B or of all."
        ),
    ] = False,
    method: Annotated[
        str | None,
        typer.Option(
            metavar="METHOD",
            help="weighting:10000 estimates by so many samples what is too wide to be exact.",
        ),
    ] = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Ask a network for probabilities.

    Exactly, unless --method says otherwise; with --most-probable for states instead.
    """
    if text is None and not most_probable:
        raise OptionError('a query is needed, "P(A | B=b)" for example, or --most-probable')
    if method is not None and most_probable:
        raise OptionError("--most-probable is exact; --method is for probabilities")
    sampling = sampling_of(method, seed)
    found, notes = network_of(network)
    findings = given_of(found, given)
    if most_probable:
        shown, plain = _states(found, text, findings)
        brief = shown
    else:
        from tacit.infer.queries import query as ask

        assert text is not None
        answer = ask(found, text, given=findings, method=sampling)
        shown, plain = _told(answer), _plain(answer)
        brief = shown if answer.variables else repr(float(answer))
        used = None if sampling is None else sampling.seed
        plain |= {"method": method or "exact", "seed": used}
        if used is not None and seed is None:
            notes = (*notes, f"seed {used}")
    plain = {"command": "query", **plain, "notes": list(notes)}
    return Answer("\n".join([shown, *noted(notes)]), plain, brief, json=json, quiet=quiet)


def _told(answer: Probabilities) -> str:
    from tacit.core.grid import number

    if answer.variables:
        return str(answer)
    error = f" ± {float(answer.errors):.2g}" if answer.errors is not None else ""
    return f"{answer.query} = {number(float(answer), 4)}{error}"


def _plain(answer: Probabilities) -> dict[str, Any]:
    return {
        "query": answer.query,
        "variables": [{"name": v.name, "states": list(v.states)} for v in answer.variables],
        "probabilities": answer.values.tolist(),
        "errors": None if answer.errors is None else answer.errors.tolist(),
    }


def _states(
    network: Network, text: str | None, findings: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    from tacit.infer.explanation import most_probable

    of, more = (None, {}) if text is None else _parts(network, text)
    both = set(more) & set(findings)
    if both:
        raise OptionError(f"{min(both)!r} is given in the query and by --given")
    best = most_probable(network, of=of, given={**more, **findings})
    plain = {
        "states": dict(best.states),
        "probability": best.probability,
        "log_probability": best.log_probability,
    }
    return str(best), plain


def _parts(network: Network, text: str) -> tuple[list[str], dict[str, Any]]:
    """The variables that a query names, and its findings."""
    from tacit.core.errors import marked
    from tacit.infer.findings import discrete, finding
    from tacit.knowledge.reading import parse_query

    if text in network.variables:
        return [text], {}
    asked = parse_query(text)
    for term in asked.targets:
        discrete(network, term.variable, text)
        if term.states is not None:
            word = term.states[0]
            what = f"--most-probable finds the state of {term.variable.text!r}; name no state"
            raise OptionError(marked(text, word.start, word.end, what))
    given = {}
    for term in asked.given:
        said = finding(network, term, text)
        if said.name in given:
            what = f"{said.name!r} is given twice"
            raise OptionError(marked(text, term.variable.start, term.variable.end, what))
        given[said.name] = plain_finding(network, said, term.likelihoods is not None)
    return [term.variable.text for term in asked.targets], given
