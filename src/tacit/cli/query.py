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
from tacit.core.variables import Discrete

if TYPE_CHECKING:
    from tacit.core.network import Network
    from tacit.infer.answers import Answer as Probabilities
    from tacit.infer.answers import Weighted
    from tacit.infer.normal.mixtures import NormalAnswer

EXAMPLES = """\
tacit query asia.bif "P(lung | xray=yes, smoke=no)"
tacit query asia.bif "P(lung=yes | dysp=yes)" --given "asia={yes: 0.3, no: 0.1}"
tacit query asia.bif "P(lung, bronc | dysp=yes)" --most-probable
tacit query engine.json "P(Power | Wind=7.5, State=worn)"
tacit query engine.json "P(Power > 20 | Wind=7.5)"
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
            help="weighting:10000 estimates by so many samples what is too wide, or curved, to be "
            "exact.",
        ),
    ] = None,
    json: Json = False,
    seed: Seed = None,
    quiet: Quiet = False,
) -> Answer:
    """Ask a network for probabilities and distributions.

    Exactly, unless --method says otherwise or parents of a curve are unknown; with --most-probable
    for states and values instead.
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
        if sampling is None and answer.drawn is not None:
            method = "weighted draws"
        brief = repr(float(answer)) if _is_number(answer) else shown
        used = None if sampling is None else sampling.seed
        plain |= {"method": method or "exact", "seed": used}
        if used is not None and seed is None:
            notes = (*notes, f"seed {used}")
    plain = {"command": "query", **plain, "notes": list(notes)}
    return Answer("\n".join([shown, *noted(notes)]), plain, brief, json=json, quiet=quiet)


def _is_number(answer: Probabilities) -> bool:
    return not (answer.variables or hasattr(answer, "reals"))


def _told(answer: Probabilities) -> str:
    from tacit.core.grid import number

    if not _is_number(answer):
        return str(answer)
    error = f" ± {float(answer.errors):.2g}" if answer.errors is not None else ""
    rests = f"\n  {answer.drawn}" if answer.drawn is not None else ""
    return f"{answer.query} = {number(float(answer), 4)}{error}{rests}"


def _plain(answer: Probabilities) -> dict[str, Any]:
    from tacit.infer.normal.mixtures import NormalAnswer

    return {
        "query": answer.query,
        "variables": [{"name": v.name, "states": list(v.states)} for v in answer.variables],
        "probabilities": answer.values.tolist(),
        "errors": None if answer.errors is None else answer.errors.tolist(),
        **({} if answer.drawn is None else {"approximate": _drawn(answer.drawn)}),
        **(_normals(answer) if isinstance(answer, NormalAnswer) else {}),
    }


def _drawn(drawn: Weighted) -> dict[str, Any]:
    return {
        "drawn": list(drawn.names),
        "draws": drawn.draws,
        "effective_sample_size": drawn.size,
        "errors_of_means": dict(drawn.errors),
    }


def _normals(answer: NormalAnswer) -> dict[str, Any]:
    """Moments of what is continuous, and the normals they come from; states by position."""
    mean, sd, interval = answer.mean, answer.sd, answer.interval
    return {
        "reals": [
            {"name": name, "mean": mean[name], "sd": sd[name], "interval": list(interval[name])}
            for name in answer.names
        ],
        "covariance": answer.covariance.tolist(),
        "normals": []
        if answer.drawn is not None
        else [
            {"weight": weight, "states": states, "means": means, "covariance": covariance}
            for weight, states, means, covariance in zip(
                answer.weights.tolist(), answer.configurations.tolist(), answer.means.tolist(),
                answer.covariances.tolist(), strict=True,
            )
        ],
    }  # fmt: skip


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
        "values": dict(best.values),
        "probability": best.probability,
        "log_probability": best.log_probability,
    }
    return str(best), plain


def _parts(network: Network, text: str) -> tuple[list[str], dict[str, Any]]:
    """The variables that a query names, and its findings."""
    from tacit.core.errors import marked
    from tacit.infer.normal.findings import bound_finding
    from tacit.infer.queries import target_of
    from tacit.knowledge.reading import parse_query
    from tacit.knowledge.terms import Term

    if text in network.variables:
        return [text], {}
    asked = parse_query(text)
    for term in asked.targets:
        target = target_of(network, Term(term.variable), text)
        if term.bounds:
            what = f"--most-probable finds the value of {target.name!r}; name no bounds"
            raise OptionError(marked(text, term.variable.start, term.variable.end, what))
        if term.states is not None:
            word, name = term.states[0], term.variable.text
            what = f"--most-probable finds the value of {name!r}; name none"
            if isinstance(target, Discrete):
                what = f"--most-probable finds the state of {name!r}; name no state"
            raise OptionError(marked(text, word.start, word.end, what))
    given = {}
    for term in asked.given:
        said = bound_finding(network, term, text)
        if said.name in given:
            what = f"{said.name!r} is given twice"
            raise OptionError(marked(text, term.variable.start, term.variable.end, what))
        given[said.name] = plain_finding(network, said, term.likelihoods is not None)
    return [term.variable.text for term in asked.targets], given
