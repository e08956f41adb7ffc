"""Real tables: do rows that are shared predict cases better that nothing was learned from?

One half of a table teaches the dag, once; the families of that dag are learned from few cases of
the other half, as whole tables, trees and default tables, and judged by the rest. [EST 1.9]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError
from tacit.core.grid import Grid
from tacit.core.variables import Discrete
from tacit.estimate.priors import K2, BDeu, Prior
from tacit.estimate.scores.values import AIC
from tacit.experiments.outcome import Claim, Outcome, Settings, repeated
from tacit.families.default_table import DefaultTable
from tacit.families.tree_table import TreeTable
from tacit.infer.likelihood import log_likelihood
from tacit.io.cases import read_cases
from tacit.learn.fit import fit
from tacit.learn.structure.search import search
from tacit.learn.structure.settings import HillClimb

NAME = "local-structure"
PLACES = ("tables/{}.csv.gz", "tables/{}.csv", "{}.csv.gz", "{}.csv")
FEW = ("uci_car", "uci_nursery", "uci_solar_flare", "nltcs.train", "msnbc.valid", "coronary",
       "uci_cmc", "college_plans", "uci_mushroom")  # fmt: skip
MANY = (*FEW, "uci_kr_vs_kp")
PRIORS: Mapping[str, Prior] = {"BDeu(1)": BDeu(1), "BDeu(10)": BDeu(10), "K2": K2()}
KINDS: Mapping[str, Any] = {"table": None, "tree": TreeTable, "default": DefaultTable}
MOST_TAUGHT, MOST_JUDGED = 5000, 3000
SMALL = 100
"""Cases up to which samples are small."""


@dataclass(frozen=True, slots=True)
class Size:
    """Which tables, how often cases are drawn from each, and how many."""

    tables: tuple[str, ...]
    times: int
    cases: tuple[int, ...] = (50, 100, 200, 500)


SIZES = {
    "smoke": Size(("coronary",), 1, (50,)),
    "default": Size(FEW, 5),
    "full": Size(MANY, 20, (50, 100, 200, 500, 1000)),
}


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """What one draw of cases came to: (priors, kinds) log-likelihoods of a case held out."""

    table: str
    cases: int
    worth: Floats


def run(settings: Settings) -> Outcome:
    """Table after table, draw after draw."""
    size = SIZES[settings.scale]
    known: dict[str, tuple[Dataset, Ints, Dag]] = {}
    asked = [(name, draw) for name in size.tables for draw in range(size.times)]

    def one(at: int) -> list[Drawn]:
        name, draw = asked[at]
        if name not in known:
            known[name] = taught(read(name, settings.data), settings.seed)
        return drawn(name, *known[name], size, np.random.default_rng([settings.seed, draw]))

    made = repeated(one, len(asked), settings, "draws")
    found = [each for several in made for each in several]
    rows = [_row(found, name, cases) for name in size.tables for cases in size.cases]
    told = [row for row in rows if row]
    tables = (_curves(told), _priors(told))
    plain = {"rows": told}
    return Outcome(NAME, settings.seed, len(made), len(asked), tables, _claims(told), _SAID, plain)


def read(name: str, data: Path | None) -> Dataset:
    """The columns of a table that have two states or more and lack nothing."""
    assert data is not None
    found = [data / place.format(name) for place in PLACES if (data / place.format(name)).is_file()]
    if not found:
        raise OptionError(f"there is no table {name!r} in {data}")
    cases = read_cases(found[0])
    return cases.select([n for n, v in cases.variables.items() if _used(v, cases[n])])


def _used(variable: Any, column: Any) -> bool:
    states = len(variable.states) if isinstance(variable, Discrete) else 0
    return 2 <= states <= 12 and bool((column >= 0).all())


def taught(cases: Dataset, seed: int) -> tuple[Dataset, Ints, Dag]:
    """All cases, which of them did not teach the dag, and the dag."""
    order = np.random.default_rng(seed).permutation(len(cases))
    half = len(cases) // 2
    teaching = cases.take(np.sort(order[:half][:MOST_TAUGHT]))
    how = HillClimb(restarts=0, most_parents=5)
    dag = search(teaching, score=AIC(), method=how, as_given=True, seed=seed, progress=False).dag
    return cases, order[half:], dag


def drawn(
    name: str, cases: Dataset, rest: Ints, dag: Dag, size: Size, rng: np.random.Generator
) -> list[Drawn]:
    """Samples of all sizes, each a part of the next, judged by the same cases."""
    order = rng.permutation(rest)
    most = max((many for many in size.cases if 2 * many <= rest.size), default=0)
    judges = cases.take(np.sort(order[most:][:MOST_JUDGED]))
    found = []
    for many in (each for each in size.cases if each <= most):
        few = cases.take(np.sort(order[:many]))
        worth = [
            [_worth(dag, few, judges, prior, kind) for kind in KINDS.values()]
            for prior in PRIORS.values()
        ]
        found.append(Drawn(name, many, np.array(worth)))
    return found


def _worth(dag: Dag, few: Dataset, judges: Dataset, prior: Prior, kind: Any) -> float:
    network = fit(dag, few, prior=prior, families=kind, progress=False).network
    return float(log_likelihood(network, judges)) / len(judges)


def _row(found: Sequence[Drawn], name: str, cases: int) -> dict[str, Any]:
    held = np.array([each.worth for each in found if (each.table, each.cases) == (name, cases)])
    if not held.size:
        return {}
    gain = held[:, 0, 1] - held[:, 0, 0]
    error = float(gain.std(ddof=1) / np.sqrt(gain.size)) if gain.size > 1 else None
    mean = held.mean(axis=0)
    return {
        "table": name,
        "cases": cases,
        "worth": {
            prior: dict(zip(KINDS, mean[at].tolist(), strict=True))
            for at, prior in enumerate(PRIORS)
        },
        "gain": float(gain.mean()),
        "error": error,
        "best_gain": float(mean[:, 1].max() - mean[:, 0].max()),
    }


def _curves(rows: Sequence[Mapping[str, Any]]) -> Grid:
    lines = tuple(
        (
            row["table"], f"{row['cases']:,}",
            *(f"{row['worth']['BDeu(1)'][kind]:.3f}" for kind in KINDS),
            f"{row['gain']:+.3f}" + (f" ± {row['error']:.3f}" if row["error"] is not None else ""),
        )
        for row in rows
    )  # fmt: skip
    heads = ("table", "cases", *KINDS, "tree less table")
    return Grid("log-likelihood of a case held out, prior BDeu(1)", heads, lines, labels=1)


def _priors(rows: Sequence[Mapping[str, Any]]) -> Grid:
    lines = tuple(
        (
            row["table"], f"{row['cases']:,}",
            *(f"{row['worth'][prior][kind]:.3f}" for prior in PRIORS for kind in ("table", "tree")),
            f"{row['best_gain']:+.3f}",
        )
        for row in rows
    )  # fmt: skip
    heads = [f"{kind} {prior}" for prior in PRIORS for kind in ("table", "tree")]
    title = "the same under three priors, and the best tree less the best table"
    return Grid(title, ("table", "cases", *heads, "best"), lines, labels=1)


def _claims(rows: Sequence[Mapping[str, Any]]) -> tuple[Claim, ...]:
    small = [row for row in rows if row["cases"] <= SMALL]
    names = {row["table"] for row in small}
    better = {n for n in names if all(r["gain"] > 0 for r in small if r["table"] == n)}
    anyhow = {n for n in names if any(r["best_gain"] > 0 for r in small if r["table"] == n)}
    enough = min(5, len(names))
    return (
        Claim(
            f"with {SMALL} cases and fewer trees predict better than whole tables under the "
            f"default prior in {enough} tables or more: {', '.join(sorted(better)) or 'none'}",
            len(better) >= enough,
        ),
        Claim(
            "and also under the best of three priors for each, at 50 or 100 cases: "
            f"{', '.join(sorted(anyhow)) or 'none'}",
            len(anyhow) >= enough,
        ),
    )


_SAID = (
    "The dag is that of hill climbing by AIC, at most 5 parents, on one half of the table (5,000 "
    "cases at most); samples and the cases that judge (3,000 at most) come from the other half.",
    "Columns with missing cells, with one state or with more than 12 are left out. Trees and "
    "default tables are found by BIC with questions priced, as unless told otherwise.",
    "A whole table under a stronger prior is smoothed towards even rows, which helps where rows "
    "have few cases, as sharing rows does: the second table says what is left of the gain then.",
)
