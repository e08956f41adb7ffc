"""The first section: what was learned, from what, how well it fits, and what to worry about."""

from __future__ import annotations

from typing import Any

from tacit.learn.fits import Fit
from tacit.reporting.support import all_rows
from tacit.reporting.wording import finite, nats, some, weight
from tacit.reporting.worries import worries

_HOW = {
    "ML": "by maximum likelihood",
    "Smoothed": "by counting, smoothed by the prior {prior}",
    "MAP": "as the most probable values under the prior {prior}",
    "PosteriorMean": "as the posterior mean under the prior {prior}",
}


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
    cases = fit.cases
    return {
        "cases": cases.cases,
        "weight": cases.weight,
        "variables": len(fit.network),
        "arcs": len(fit.network.dag.arcs),
        "rows": sum(rows.cases.size for rows in all_rows(fit)),
        "free_parameters": fit.network.free_parameters,
        "log_likelihood": finite(fit.log_likelihood),
        "average_log_likelihood": finite(fit.log_likelihood / cases.weight)
        if cases.weight
        else None,
        "log_marginal_likelihood": finite(fit.log_marginal_likelihood),
    }


def _learned(fit: Fit, figures: dict[str, Any]) -> list[str]:
    cases = some(figures["cases"], "case")
    if figures["weight"] != figures["cases"]:
        cases += f", which count as {weight(figures['weight'])},"
    estimate = str(fit.settings["estimate"])
    how = _HOW.get(estimate.partition("(")[0], "by {estimate} with the prior {prior}")
    how = how.format(prior=fit.settings["prior"], estimate=estimate)
    if not fit.pseudo:
        how = "by least squares"
    extent = f"{some(figures['variables'], 'variable')} and {some(figures['arcs'], 'arc')}"
    return [
        f"The parameters of a network of {extent} were learned from {cases} {how}.",
        f"There are {some(figures['free_parameters'], 'free parameter')}"
        + (f" in {some(figures['rows'], 'row')}." if figures["rows"] else "."),
    ]


def _likelihood(fit: Fit, figures: dict[str, Any]) -> list[str]:
    average = figures["average_log_likelihood"]
    if average is None:
        return ["No log-likelihood can be given."]
    own = "each family on the cases complete in it" if fit.cases.missing else "on these same cases"
    sentences = [
        f"Under the network the average log-likelihood is {nats(average)} per case ({own}, "
        f"{figures['log_likelihood']:,.1f} nats in all); cases it has not seen will score lower."
    ]
    marginal = figures["log_marginal_likelihood"]
    if marginal is not None:
        prior = fit.settings["prior"]
        told = f"Under the prior {prior} the log marginal likelihood is {marginal:,.1f} nats."
        sentences.append(told)
    return sentences
