"""The first section: what was learned, from what, how well it fits, and what to worry about."""

from __future__ import annotations

from typing import Any

from tacit.core.errors import quoted
from tacit.learn.fits import Fit
from tacit.learn.structure.searched import Search
from tacit.learn.unseen.proposals import HiddenProposals
from tacit.reporting.blocks import Section
from tacit.reporting.heldout import score
from tacit.reporting.lent import in_short
from tacit.reporting.loans import NORMAL, lenders
from tacit.reporting.proposed import in_short as proposed_in_short
from tacit.reporting.searched import in_short as searched_in_short
from tacit.reporting.support import inferred, row_cases
from tacit.reporting.wording import are, finite, first, joined, nats, shortened, some, weight
from tacit.reporting.worries import worries

_HOW = {
    "ML": "by maximum likelihood",
    "Smoothed": "{method}, smoothed by the prior {prior}",
    "MAP": "as the most probable values under the prior {prior}",
    "PosteriorMean": "as the posterior mean under the prior {prior}",
}
_METHODS = {
    "EM": "by EM",
    "Gradient": "by gradient",
    "FillIn": "by filling in missing cells",
    "WeightAnnealing": "by EM with annealed weights of cases",
    "IBEM": "by information bottleneck EM",
    "MeanFieldEM": "by mean-field EM",
}


LOWER = "; cases it has not seen will score lower."


def judged(section: dict[str, Any] | None, held: Section) -> None:
    """What cases that were held out score, in the place of what is to be expected of them."""
    seen = f"; cases that were held out score {score(held)}."
    if section is not None:
        section["sentences"] = [each.replace(LOWER, seen) for each in section["sentences"]]


def answer(fit: Fit) -> dict[str, Any]:
    """`sentences`, the `figures` behind them, `worries` and the fit's own `notes`."""
    figures = _figures(fit)
    return {
        "sentences": [*_learned(fit, figures), *_likelihood(fit, figures)],
        "figures": figures,
        "worries": worries(fit),
        "notes": list(fit.notes),
    }


def _figures(fit: Fit) -> dict[str, Any]:
    cases, rows = fit.cases, [row_cases(fit, name) for name in fit.network]
    return {
        "cases": cases.cases,
        "weight": cases.weight,
        "variables": len(fit.network),
        "arcs": len(fit.network.dag.arcs),
        "rows": sum(each.size for each in rows if each is not None),
        "free_parameters": fit.network.free_parameters,
        "log_likelihood": finite(fit.log_likelihood),
        "average_log_likelihood": finite(fit.log_likelihood / cases.weight)
        if cases.weight
        else None,
        "log_marginal_likelihood": finite(fit.log_marginal_likelihood),
        **({"score": finite(fit.score)} if isinstance(fit, Search) else {}),
    }


def _learned(fit: Fit, figures: dict[str, Any]) -> list[str]:
    cases = some(figures["cases"], "case")
    if figures["weight"] != figures["cases"]:
        cases += f", which count as {weight(figures['weight'])},"
    extent = f"{some(figures['variables'], 'variable')} and {some(figures['arcs'], 'arc')}"
    first = [
        f"The parameters of a network of {extent} were learned from {cases} {_how(fit)}"
        f"{_rules(fit)}."
    ]
    if isinstance(fit, Search):
        parameters = f"Its parameters were learned {_how(fit)}{_rules(fit)}."
        first = [*searched_in_short(fit, cases), parameters]
    if isinstance(fit, HiddenProposals):
        first = [*proposed_in_short(fit, cases), *first]
    return [
        *first,
        f"There are {some(figures['free_parameters'], 'free parameter')}"
        + (f" in {some(figures['rows'], 'row')}" if figures["rows"] else "")
        + (", the rules left aside." if fit.rules else "."),
        *_loans(fit),
        *_gaps(fit),
    ]


def _how(fit: Fit) -> str:
    """`by counting, smoothed by the prior BDeu(1)`."""
    estimate = str(fit.settings["estimate"])
    how = _HOW.get(estimate.partition("(")[0], "by {estimate} with the prior {prior}")
    method = _METHODS.get(str(fit.settings["method"]).partition("(")[0], "by counting")
    if isinstance(fit, Search):
        method = "by EM" if inferred(fit) or fit.found.hidden else "by counting"
    if estimate.startswith(("ML", "MAP")) and fit.known:
        how = f"{method} {how}"
    if fit.settings["prior"] == NORMAL:
        how = "as the posterior mean under normal priors"
    elif str(fit.settings.get("transfer")).startswith("Aggregate"):
        how = f"{method}, averaged with tables of the sources"
    normal = fit.settings.get("normal_prior")
    if not fit.pseudo:
        plain = "EM" if fit.runs or inferred(fit) else "least squares"
        return (
            f"by {plain}, with the prior {normal}" if normal else f"by maximum likelihood ({plain})"
        )
    prior = f"{fit.settings['prior']} and {normal}" if normal else fit.settings["prior"]
    return how.format(prior=prior, estimate=estimate, method=method)


def _loans(fit: Fit) -> list[str]:
    """`5 of 8 tables were borrowed from Leeds and York.`"""
    if not fit.borrowed:
        return []
    lent = sum(bool(each.loans) for each in fit.borrowed)
    return [in_short(lent, len(fit.borrowed), [quoted(name) for name in lenders(fit)])]


def _rules(fit: Fit) -> str:
    """`, with 5 rules of Dr. Lee and Dr. Kim`."""
    if not fit.rules:
        return ""
    told = f", with {some(len(fit.rules), 'rule')}"
    names = [shortened(name, 40) for name in dict.fromkeys(rule.by for rule in fit.rules) if name]
    if not names:
        return told
    signed = sum(bool(rule.by) for rule in fit.rules)
    some_of = "" if signed == len(fit.rules) else f", {signed:,} of them"
    return f"{told}{some_of} of {joined(names, 4)}"


def _gaps(fit: Fit) -> list[str]:
    """What was not there: hidden variables, missing cells."""
    hidden, cells = list(fit.settings.get("hidden", ())), sum(fit.cases.missing.values())
    told = []
    if hidden:
        none = "in no column" if len(hidden) > 1 else "in no column of the cases"
        told.append(f"{first(hidden, 4)} {are(len(hidden))} hidden: {none}.")
    if cells and inferred(fit):
        told.append(f"{some(cells, 'cell')} {are(cells)} missing; every case was used.")
    elif cells:
        told.append(f"{some(cells, 'cell')} {are(cells)} missing.")
    return told


def _likelihood(fit: Fit, figures: dict[str, Any]) -> list[str]:
    average = figures["average_log_likelihood"]
    if average is None:
        return ["No log-likelihood can be given."]
    own = "on these same cases"
    if fit.cases.missing or "hidden" in fit.settings:
        own = "of what was observed" if inferred(fit) else "each family on the cases complete in it"
    sentences = [
        f"Under the network the average log-likelihood is {nats(average)} per case ({own}, "
        f"{figures['log_likelihood']:,.1f} nats in all){LOWER}"
    ]
    marginal = figures["log_marginal_likelihood"]
    if marginal is not None:
        prior = fit.settings["prior"]
        rules = " and the rules" if fit.rules else ""
        told = (
            f"Under the prior {prior}{rules} the log marginal likelihood is {marginal:,.1f} nats."
        )
        sentences.append(told)
    return sentences
