"""The figures of `parameters.py` as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from timing import machine, seconds, table

Figures: TypeAlias = dict[tuple[str, str, int, str], dict[str, Any]]
"""What was measured: by form of the cases, network, number of cases, and side."""

PACKAGES = ("tacit-bn", "numpy", "numba", "pandas", "pyarrow", "pyagrum", "pgmpy")
SIDES = ("Tacit, counts", "Tacit, fit", "numpy.bincount", "pyAgrum", "pgmpy")
GOALS = (("numpy.bincount", 8), ("pyAgrum", 20), ("pgmpy", 40))
"""How many times faster counts of coded cases are to come than from the others."""
BNLEARN = "0.39 s"
"""CPU time of R's bnlearn on a million coded alarm cases, measured earlier on such a machine."""
FORMS = {
    "coded": "From coded cases, each side in its own form",
    "frame": "From a pandas frame of strings in memory, coding included",
    "parquet": "From a Parquet file of strings, reading and coding included",
}
HEAD = """\
# Benchmarks

## Parameters from cases

`make bench` writes this file. Machine: {machine}.

Cases are drawn from the classic networks with a fixed seed. Times are wall times of the best of
several runs, each side with its best number of threads, one or one per core (`x2`: two), warm, with
CPU time in brackets; every figure comes from a process of its own. `~`: the side would have taken
more than a minute, so it ran on as many cases as fit and was scaled linearly. Ratios are of wall
times, the other side's over Tacit's: above 1 Tacit is faster, below 1 slower.

`Tacit, counts` counts all families; `Tacit, fit` is `tc.fit`: checks, counts, smoothed tables,
likelihoods, fingerprint of the cases, notes. `numpy.bincount` is one `bincount` per family (strings
coded by pandas). pyAgrum is `BNLearner` with the network as template and `learnParameters`, coded
cases being those its learner has taken in; pgmpy is `DiscreteMLE` with all states given, on small
integers where cases are coded. These two also make tables of the counts, as `fit` does."""


def text(
    figures: Figures,
    copied: Mapping[str, Any],
    cold: Mapping[str, Any],
    columns: Mapping[str, int],
) -> str:
    """The whole of RESULTS.md.

    columns: of each network, how many columns of one byte its coded cases have
    """
    networks = list(dict.fromkeys(network for _, network, _, _ in figures))
    most = max(cases for _, _, cases, _ in figures)
    parts = [HEAD.format(machine=machine(PACKAGES)), _goals(figures, copied, columns, most)]
    parts += [f"### {title}\n\n{_form(form, figures)}" for form, title in FORMS.items()]
    parts.append(_bandwidth(figures, copied, columns, most))
    parts.append(_memory(figures, columns, networks, most))
    parts.append(_cold(cold))
    return "\n\n".join(parts) + "\n"


def _shown(figure: Mapping[str, Any], cases: int) -> str:
    if "failed" in figure:
        return "failed"
    about = "~" if figure["used"] < cases else ""
    threads = f" x{figure['threads']}" if figure["threads"] > 1 else ""
    return f"{about}{seconds(figure['wall'])}{threads} ({seconds(figure['cpu'])})"


def _ratio(figures: Figures, where: tuple[str, str, int], other: str, mine: str) -> float | None:
    one, two = figures.get((*where, other), {}), figures.get((*where, mine), {})
    return one["wall"] / two["wall"] if "wall" in one and "wall" in two else None


def _times(ratio: float | None) -> str:
    return "-" if ratio is None else f"{ratio:.1f}x" if ratio < 10 else f"{ratio:.0f}x"


def _form(form: str, figures: Figures) -> str:
    sides = [side for side in SIDES if any(key[0] == form and key[3] == side for key in figures)]
    others = [side for side in sides if not side.startswith("Tacit")]
    rows = []
    for network, cases in dict.fromkeys((key[1], key[2]) for key in figures if key[0] == form):
        where = (form, network, cases)
        row = [f"{network}, {cases:,}", *(_shown(figures[*where, side], cases) for side in sides)]
        row += [_times(_ratio(figures, where, other, "Tacit, fit")) for other in others]
        rows.append(row)
    heads = ["network, cases", *sides, *(f"{other} / fit" for other in others)]
    return table(heads, rows)


def _goals(
    figures: Figures, copied: Mapping[str, Any], columns: Mapping[str, int], cases: int
) -> str:
    network = next(iter(columns))
    where = ("coded", network, cases)
    rows = [
        [
            f"at least {goal}x {other}, from coded cases",
            _times(_ratio(figures, where, other, "Tacit, counts")),
            _times(_ratio(figures, where, other, "Tacit, fit")),
        ]
        for other, goal in GOALS
    ]
    strings = _times(_ratio(figures, ("frame", network, cases), "pyAgrum", "Tacit, fit"))
    rows.append(["at least 5x pyAgrum, from a frame of strings", "-", strings])
    counts = figures.get((*where, "Tacit, counts"), {})
    if "wall" in counts:
        share = columns[network] * cases / counts["wall"] / copied["bytes_per_second"]
        rows.append(["at least a third of copy bandwidth", f"{share:.2f}", "-"])
        rows.append(
            ["memory below twice the coded cases", _held(counts, columns[network] * cases), "-"]
        )
    title = f"### Goals, on {cases:,} cases of {network}"
    note = f"R's bnlearn was not run here; its quoted figure is {BNLEARN} of CPU time on 1,000,000."
    return f"{title}\n\n{table(['goal', 'counts', 'fit'], rows)}\n\n{note}"


def _held(figure: Mapping[str, Any], coded: int) -> str:
    if figure.get("extra") is None:
        return "-"
    return f"{1 + figure['extra'] / coded:.2f}x"


def _bandwidth(
    figures: Figures, copied: Mapping[str, Any], columns: Mapping[str, int], cases: int
) -> str:
    speed = copied["bytes_per_second"]
    rows = []
    for network, width in columns.items():
        figure = figures.get(("coded", network, cases, "Tacit, counts"), {})
        if "wall" in figure:
            reached = width * cases / figure["wall"]
            rows.append([network, f"{width * cases / 1e6:.0f} MB", f"{reached / 1e9:.1f} GB/s",
                         f"{reached / speed:.2f}"])  # fmt: skip
    return (
        "### Share of memory bandwidth\n\n"
        f"Copying 512 MB from one array to another runs at {speed / 1e9:.1f} GB/s with its best "
        f"number of threads ({copied['threads']}), each byte counted once. Counting {cases:,} "
        "cases reads the coded columns, one byte a cell:\n\n"
        + table(["network", "coded cases", "counted at", "share of copying"], rows)
    )


def _memory(figures: Figures, columns: Mapping[str, int], networks: list[str], cases: int) -> str:
    rows = []
    for form in FORMS:
        for network in networks:
            coded = columns[network] * cases
            row = [f"{form}, {network}", f"{coded / 1e6:.0f} MB"]
            for side in SIDES:
                figure = figures.get((form, network, cases, side), {})
                scale = cases / figure.get("used", cases)
                extra = figure.get("extra")
                about = "~" if scale > 1 else ""
                row.append("-" if extra is None else f"{about}{extra * scale / 1e6:.0f} MB")
            rows.append(row)
    return (
        "### Memory\n\n"
        f"How much more the process held at its peak than before the work began, {cases:,} cases; "
        "what was there before (the cases, imported packages, compiled code) is not in it.\n\n"
        + table(["form, network", "coded cases", *SIDES], rows)
    )


def _cold(cold: Mapping[str, Any]) -> str:
    rows = [
        [state, seconds(each["first"]), seconds(each["later"])]
        for state, each in cold.items()
        if "first" in each
    ]
    return (
        "### The first call\n\n"
        "Counting the smallest problem in a fresh process, one thread: the first call imports "
        "numba and compiles the kernels, or loads them if they were compiled before.\n\n"
        + table(["", "first call", "later calls"], rows)
    )
