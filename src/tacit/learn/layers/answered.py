"""`search` for hidden parents of continuous columns: cases in, a network of two layers out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from tacit.arrays import Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, OptionError, quoted
from tacit.core.family import Family
from tacit.core.interrupts import asked_to_end
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.engines.gaussian_scores import check_gaussian
from tacit.estimate.curves import Scaled
from tacit.estimate.scores.values import BIC, AnyScore, BGe, Penalised
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.families.moments import Moments
from tacit.infer.sampling import fresh_seed
from tacit.learn.choices import Choices
from tacit.learn.columns import Columns
from tacit.learn.counted import cases_used
from tacit.learn.curved import Curves, curves_among, curves_asked, curves_said
from tacit.learn.fits import Evidence, Stop
from tacit.learn.hidden import REAL
from tacit.learn.layers.changing import Bench, scorers_at
from tacit.learn.layers.fitting import Fitted
from tacit.learn.layers.learning import Learned, learn_layers
from tacit.learn.layers.model import STRAIGHT, Layer, Points, alike
from tacit.learn.notes import INTERVALS, inferred_notes
from tacit.learn.progress import Callback, watched
from tacit.learn.settings import settings_of
from tacit.learn.structure.question import check_some
from tacit.learn.structure.searched import Found, Search
from tacit.learn.structure.sem_reals_front import check_reals
from tacit.learn.structure.settings import IdealParent
from tacit.learn.structures import as_structure

COPIES, MOST_COPIES = 1 - 1e-6, 3
"""The correlation from which two columns say the same, and how many such pairs are told."""


@dataclass(frozen=True, slots=True, eq=False)
class Wanted:
    """What hidden parents are sought for.

    scaled   the columns, standardised; the units they had
    columns  which columns were left out, set aside or kept all the same, as settings say it
    """

    cases: Dataset
    scaled: Scaled
    curves: Curves
    score: Penalised
    method: IdealParent
    seed: int
    columns: Mapping[str, Any] = field(default_factory=dict)

    @property
    def codes(self) -> Ints:
        """The response of every column."""
        kinds = self.curves
        return np.array(
            [kinds[n].response.code if n in kinds else STRAIGHT.code for n in self.cases.names],
            dtype=np.int64,
        )


def search_hidden(
    columns: Columns,
    method: IdealParent,
    *,
    score: AnyScore | None,
    families: Any,
    seed: int | None,
    progress: bool | Callback | None,
) -> Search:
    """The best two layers that `learn_layers` finds, as a search that was made."""
    wanted = wanted_of(columns.cases, method, score, families, seed)
    wanted = replace(wanted, columns=columns.settings)
    bench = bench_of(wanted)
    with watched(progress, "hidden variables") as told, asked_to_end() as asked:

        def heard(many: int, worth: float) -> None:
            told(many, method.most_hidden, worth)
            if asked():
                raise KeyboardInterrupt

        learned = learn_layers(bench, wanted.codes, heard)
    return answer(wanted, bench, learned)


def wanted_of(
    cases: Dataset,
    method: IdealParent,
    score: AnyScore | None,
    families: Any,
    seed: int | None,
) -> Wanted:
    """The columns and choices, checked."""
    check_some(cases)
    real = [name for name in cases.names if isinstance(cases.variables[name], Continuous)]
    if len(real) < len(cases.names):
        states = next(name for name in cases.names if name not in real)
        raise OptionError(
            f"{quoted(states)} has states, and hidden parents without states are sought for "
            f"continuous columns only\n\nleave it out: leave_out=[{states!r}], or use "
            "tc.propose_hidden for columns with states"
        )
    if cases.weights is not None and not np.array_equal(cases.weights, np.ones(len(cases))):
        raise CasesError(
            "hidden parents are sought among cases that count once each, and these have weights"
        )
    known = check_gaussian(BIC() if score is None else score)
    if isinstance(known, BGe):
        raise OptionError(
            f"{known.describe()} scores complete cases only\n\nfor hidden parents use tc.BIC()"
        )
    check_reals(cases, known)
    scaled = Scaled.of(np.array([cases[name] for name in cases.names], dtype=np.float64).T)
    curves = curves_among(families, cases.variables)
    return Wanted(cases, scaled, curves, known, method, fresh_seed(seed))


def bench_of(wanted: Wanted) -> Bench:
    """What the learner works on."""
    random, columns = np.random.default_rng(wanted.seed), wanted.scaled.values
    return Bench(columns, wanted.cases.names, wanted.score, wanted.method, random, alike(columns))


def answer(
    wanted: Wanted, bench: Bench, learned: Learned, named: Sequence[str] | None = None
) -> Search:
    """The layers as a network in the units of the cases, with what is known of it.

    named  what hidden variables are called, in their order
    """
    fitted, many = learned.fitted, learned.fitted.layer.hidden
    names = tuple(named[:many]) if named else hidden_names(wanted.cases.names, many)
    families = dict(_families(wanted, fitted.layer, names))
    network = Network(
        Dag({name: family.parents for name, family in families.items()}),
        {name: family.variables[-1] for name, family in families.items()},
        families,
    )
    shown = (~np.isnan(bench.columns)).sum(axis=1)
    shift = -float(shown @ np.log(wanted.scaled.sds))
    likelihood = fitted.log_likelihood + shift
    trace = tuple(each + shift for each in learned.trace)
    structure = as_structure(network)
    choices = Choices(*_usual(), None, 0.95, wanted.seed)
    hidden = dict.fromkeys(names, REAL)
    said = {
        "method": wanted.method.describe(),
        "score": wanted.score.describe(),
        "dag_prior": None,
        **wanted.columns,
        **({"hidden": hidden} if hidden else {}),
        **_said_of_curves(wanted),
    }
    return Search(
        network=network,
        objective=trace[-1],
        trace=trace,
        stop=learned.stop,
        rules=(),
        settings={**settings_of(structure, choices), **said},
        seed=wanted.seed,
        notes=tuple(_notes(wanted, learned)),
        evidence=_evidence(wanted, fitted, names, families),
        pseudo={},
        log_likelihood=likelihood,
        log_marginal_likelihood=None,
        cases=cases_used(wanted.cases),
        found=_found(wanted, bench, learned, names, trace[-1]),
    )


def _usual() -> tuple[Any, Any]:
    """The most likely numbers; no table has a prior here."""
    from tacit.estimate.estimates import ML
    from tacit.estimate.priors import BDeu

    return BDeu(1), ML()


def hidden_names(columns: Sequence[str], many: int) -> tuple[str, ...]:
    """H1, H2, ..., none of them the name of a column."""
    taken, number = set(columns), 0
    found: list[str] = []
    while len(found) < many:
        number += 1
        if f"H{number}" not in taken:
            found.append(f"H{number}")
    return tuple(found)


def _families(wanted: Wanted, layer: Layer, names: Sequence[str]) -> Iterator[tuple[str, Family]]:
    roots = [Continuous(name) for name in names]
    for root in roots:
        yield root.name, LinearGaussian((root,), np.zeros(0), 0.0, 1.0)
    means, sds = wanted.scaled.means, wanted.scaled.sds
    for at, name in enumerate(wanted.cases.names):
        who = list(layer.parents(at))
        axes = (*(roots[each] for each in who), Continuous(name))
        slopes, noise = layer.slopes[at, who], float(sds[at] * np.sqrt(layer.variance[at]))
        base = float(means[at] + sds[at] * layer.base[at])
        if name in wanted.curves and who:
            rise, threshold = float(sds[at] * layer.rise[at]), float(layer.threshold[at])
            yield name, wanted.curves[name](axes, slopes, base, rise, threshold, noise)
        else:
            yield name, LinearGaussian(axes, sds[at] * slopes, base, noise)


def _evidence(
    wanted: Wanted, fitted: Fitted, names: Sequence[str], families: dict[str, Family]
) -> dict[str, Evidence]:
    """Expected moments of every family, in the units of the cases, over those that show it."""
    points, scaled = Points.of(fitted.belief, wanted.scaled.values), wanted.scaled
    found: dict[str, Evidence] = {
        name: Moments.of(values[:, None], points.weights)
        for name, values in zip(names, points.values, strict=True)
    }
    for at, name in enumerate(wanted.cases.names):
        family, seen = families[name], points.only([at])
        child = scaled.means[at] + scaled.sds[at] * seen.columns
        values = np.concatenate([seen.values[list(fitted.layer.parents(at))], child]).T
        if isinstance(family, CurvedGaussian):
            found[name] = CurveEvidence.of(family, values, seen.weights)
        else:
            found[name] = Moments.of(values, seen.weights)
    return found


def _found(
    wanted: Wanted, bench: Bench, learned: Learned, names: Sequence[str], score: float
) -> Found:
    """What each arc is worth: the score less that without it, all else as it is believed."""
    layer = learned.fitted.layer
    families = dict.fromkeys((*names, *wanted.cases.names), 0.0)
    gains: dict[tuple[str, str], float] = {}
    for columns, scorer in scorers_at(bench, learned.fitted):
        for child, at in enumerate(columns, layer.hidden):
            name, who = wanted.cases.names[at], layer.parents(at)
            families[name] = scorer.family(child, who)
            for parent in who:
                less = tuple(each for each in who if each != parent)
                gains[names[parent], name] = families[name] - scorer.family(child, less)
    return Found(
        score=score,
        families=families,
        gains=gains,
        evaluations=bench.evaluations,
        hidden=dict.fromkeys(names, 0),
    )


def _said_of_curves(wanted: Wanted) -> dict[str, Any]:
    if not wanted.curves:
        return {}
    asked = curves_asked(wanted.curves, len(wanted.cases.names))
    return {"curves": asked, "families": curves_said(wanted.curves)}


def _notes(wanted: Wanted, learned: Learned) -> Iterator[str]:
    yield from wanted.cases.notes
    yield from inferred_notes(cases_used(wanted.cases).missing, None)
    if wanted.curves:
        yield (
            "what the cases say of hidden parents of curves is a normal distribution around the "
            "most probable values (Laplace), and so is the log-likelihood"
        )
    if learned.stop is Stop.STEP_LIMIT:
        yield (
            f"the search ended at {wanted.method.most_hidden} hidden variables: raise most_hidden"
        )
    if learned.fitted.layer.hidden:
        yield INTERVALS
    yield from copies(wanted.cases)
    if not learned.fitted.layer.hidden:
        yield "no hidden variable is worth its parameters"


def copies(cases: Dataset) -> Iterator[str]:
    """Columns that are all but functions of each other, which a hidden parent would repeat."""
    columns = np.array([cases[name] for name in cases.names], dtype=np.float64)
    values = np.nan_to_num(Scaled.of(columns.T).values)
    lengths = np.sqrt((values**2).sum(axis=1))
    alike = np.abs(values @ values.T) >= COPIES * np.outer(lengths, lengths)
    for one, other in np.argwhere(np.triu(alike, 1))[:MOST_COPIES].tolist():
        yield (
            f"{quoted(cases.names[one])} and {quoted(cases.names[other])} are all but functions of "
            "each other, and a hidden parent of both is one of them: leave one out"
        )
