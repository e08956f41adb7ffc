"""Paths of the bottleneck: how long they take, beside restarts of EM and other packages.

    python benchmarks/ibem.py            into benchmarks/RESULTS.md
    python benchmarks/ibem.py --dry      printed only
    python benchmarks/ibem.py --quick    small problems, to see that it works

With a folder of public tables in $TACIT_DATA real cases are learned from as well. Peers that are
not installed (`benchmarks/requirements.txt`) are left out, and the table says so.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc
from results import write_section
from tacit.engines.expected import expectation
from tacit.infer.flat import layout_of
from tacit.learn.bottleneck.completion import Work, begun, step
from tacit.learn.bottleneck.contexts import merged
from tacit.learn.expectation import Problem as EmProblem
from timing import clock, machine, seconds, table

RESTARTS = 50
TIE = 1e-4
"""Nats per case within which two optima are the same."""
GAIN = 1e-7
"""Nats per case: every side stops when a step gains less."""
GOAL = 60.0


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """Cases under one hidden variable, or under the hidden ones of a dag."""

    name: str
    data: tc.Dataset
    dag: tc.Dag
    states: int

    @property
    def hidden(self) -> dict[str, int]:
        """What nobody measured."""
        return {name: self.states for name in self.dag.names if name not in self.data.names}


def bayes(name: str, data: tc.Dataset, states: int) -> Task:
    """Everything below one hidden variable."""
    return Task(name, data, tc.grouped_hierarchy({"H": data.names}), states)


def planted(cases: int, attributes: int, states: int, hidden: int, seed: int = 1) -> tc.Dataset:
    """Cases of so many classes; attributes differ between them, but not by much."""
    random = np.random.default_rng(seed)
    rows = random.dirichlet(np.full(states, 2.0), (attributes, hidden))
    group = random.integers(0, hidden, cases)
    drawn = random.random((attributes, cases, 1))
    codes = (drawn > rows[:, group].cumsum(axis=2)[:, :, :-1]).sum(axis=2).astype(np.int8)
    kinds = tuple("abcdefgh"[:states])
    names = [f"X{at}" for at in range(attributes)]
    return tc.Dataset(
        {name: tc.Discrete(name, kinds) for name in names}, dict(zip(names, codes, strict=True))
    )


def public(name: str, drop: tuple[str, ...] = ()) -> tc.Dataset | None:
    """A table of $TACIT_DATA, if there is one."""
    path = Path(os.environ.get("TACIT_DATA", "")) / "tables" / f"{name}.csv.gz"
    if not path.is_file():
        return None
    data = tc.read_cases(path)
    return data.select([each for each in data.names if each not in drop])


def tasks(quick: bool) -> list[Task]:
    """The goal's size, planted and real; a small one; a hierarchy."""
    if quick:
        return [bayes("planted, 10 attributes, 300 cases, 3 states", planted(300, 10, 3, 3), 3)]
    found = [
        bayes("planted, 100 attributes, 16,000 cases, 10 states", planted(16_000, 100, 3, 10), 10)
    ]
    news, stock = public("news100", ("newsgroup",)), public("stock_tech20")
    if news is not None:
        found.append(bayes("news, 100 words, 16,242 documents, 10 states", news, 10))
    if stock is not None:
        found.append(bayes("20 stocks, 1,257 days, 4 states", stock, 4))
        found.append(bayes("20 stocks, 1,257 days, 8 states", stock, 8))
    dag = tc.quadrant_hierarchy(8, 8, levels=3)
    pixels = [name for name in dag.names if not dag.children[name]]
    shown = planted(2_000, len(pixels), 3, 6)
    renamed = tc.Dataset(
        {new: tc.Discrete(new, tuple("abc"))
         for new, old in zip(pixels, shown.names, strict=True)},
        {new: shown[old] for new, old in zip(pixels, shown.names, strict=True)},
    )  # fmt: skip
    found.append(Task("64 pixels below 5 hidden variables, 2,000 cases, 3 states", renamed, dag, 3))
    return found


def cpu(work: Callable[[], Any]) -> tuple[Any, float]:
    """What comes of it, and the CPU seconds it took."""
    start = time.process_time()
    found = work()
    return found, time.process_time() - start


def learned(task: Task, method: Any, seed: int = 1) -> tuple[tc.Fit, float]:
    """A fit on one thread, and its CPU seconds."""
    return cpu(
        lambda: tc.fit(
            task.dag, task.data, hidden=task.hidden, method=method, seed=seed, threads=1,
            progress=False,
        )
    )  # fmt: skip


def path_of(fit: tc.Fit) -> tc.BottleneckPath:
    """The path that a fit followed."""
    assert fit.path is not None
    return fit.path


def against_restarts(given: list[Task], restarts: int) -> str:
    """The path, and how many starts of EM, for how long, come as high."""
    rows = []
    for task in given:
        learned(task, tc.EM(restarts=1, max_steps=2))
        path, took = learned(task, tc.IBEM())
        runs = [learned(task, tc.EM(restarts=1), 100 + at) for at in range(restarts)]
        spent = list(accumulate(each for _, each in runs))
        level = path.objective - TIE * len(task.data)
        as_high = [at for at, (run, _) in enumerate(runs) if run.objective >= level]
        below = np.mean([run.objective < level for run, _ in runs])
        most = max(run.objective for run, _ in runs)
        first = f"{as_high[0] + 1}" if as_high else f"none of {restarts}"
        until = seconds(spent[as_high[0]]) if as_high else f"> {seconds(spent[-1])}"
        rows.append([
            task.name, seconds(took), str(len(path_of(path))),
            f"{path.objective / len(task.data):.4f}",
            f"{100 * below:.0f}%", f"{(most - path.objective) / len(task.data):+.4f}",
            f"{len(as_high)} of {restarts}", first, until, seconds(spent[-1] / restarts),
        ])  # fmt: skip
        print(rows[-1], flush=True)
    heads = ["problem", "path, CPU", "gammas", "objective per case", "starts below it",
             "best start above it", "starts as high", "the first is", "EM until then",
             "one start"]  # fmt: skip
    return table(heads, rows)


# --- peers ---------------------------------------------------------------------------------------


def codes_of(task: Task) -> np.ndarray:
    """(cases, attributes) codes."""
    return np.stack([np.asarray(task.data[name]) for name in task.data.names], axis=1)


def stepmix(task: Task) -> tuple[float, int]:
    """Mean log-likelihood and steps of StepMix's latent classes."""
    from stepmix.stepmix import StepMix

    model = StepMix(
        n_components=task.states, measurement="categorical", n_init=1, max_iter=1000,
        abs_tol=GAIN, rel_tol=0.0, random_state=1, progress_bar=0, verbose=0,
    )  # fmt: skip
    model.fit(codes_of(task))
    return float(model.score(codes_of(task))), int(model.n_iter_)


def pomegranate(task: Task) -> tuple[float, int]:
    """The same of pomegranate's mixture of independent categorical attributes.

    Its categories begin at Dirichlet rows: at the even rows it has itself no start leaves them.
    """
    import torch
    from pomegranate.distributions import Categorical
    from pomegranate.gmm import GeneralMixtureModel

    torch.set_num_threads(1)
    random = np.random.default_rng(1)
    codes = torch.tensor(codes_of(task).astype(np.int64))
    states = int(codes.max()) + 1
    rows = random.dirichlet(np.full(states, 5.0), (task.states, codes.shape[1]))
    parts = [Categorical(torch.tensor(each.astype(np.float32))) for each in rows]
    model = GeneralMixtureModel(parts, max_iter=1000, tol=GAIN * len(task.data))
    steps = 0
    summarize = model.summarize

    def counted(*given: Any, **more: Any) -> Any:
        nonlocal steps
        steps += 1
        return summarize(*given, **more)

    model.summarize = counted
    model.fit(codes)
    return float(model.log_probability(codes).double().mean()), steps


def plain_em(task: Task) -> tuple[float, int]:
    """Tacit's EM without acceleration, one start at random."""
    fit, _ = learned(task, tc.EM(restarts=1, accelerate=False, tolerance=GAIN / 100))
    return tc.log_likelihood(fit.network, task.data).average, len(fit.trace) - 1


def em(task: Task) -> tuple[float, int]:
    """As it comes, one start."""
    fit, _ = learned(task, tc.EM(restarts=1))
    return tc.log_likelihood(fit.network, task.data).average, len(fit.trace) - 1


def path(task: Task) -> tuple[float, int]:
    """As it comes."""
    fit, _ = learned(task, tc.IBEM())
    steps = sum(each.steps for each in path_of(fit).steps)
    return tc.log_likelihood(fit.network, task.data).average, steps


SIDES: dict[str, tuple[str, Callable[[Task], tuple[float, int]]]] = {
    "Tacit, IBEM()": ("tacit", path),
    "Tacit, EM(restarts=1)": ("tacit", em),
    "Tacit, the same, plain steps": ("tacit", plain_em),
    "StepMix": ("stepmix", stepmix),
    "pomegranate": ("pomegranate", pomegranate),
}


def beside(given: list[Task]) -> str:
    """One hidden variable: seconds, steps and where each side ends."""
    rows = []
    for task in given:
        if len(task.hidden) > 1:
            continue
        for name, (package, work) in SIDES.items():
            if find_spec(package) is None:
                rows.append([task.name, name, "not installed", "", "", ""])
                continue
            work(bayes("", planted(50, 4, 3, 2), 2))  # what is loaded or compiled once
            (level, steps), took = cpu(partial(work, task))
            per_step = seconds(took / max(steps, 1))
            rows.append([task.name, name, seconds(took), str(steps), per_step, f"{level:.4f}"])
            print(rows[-1], flush=True)
    heads = ["problem", "side", "CPU", "steps", "per step", "log-likelihood per case"]
    return table(heads, rows)


# --- a step --------------------------------------------------------------------------------------


def per_step(sizes: list[int]) -> str:
    """Seconds of one step at a fixed gamma by the number of distinct cases."""
    rows = []
    for size in sizes:
        for attributes in (8, 50):
            task = bayes("", planted(size, attributes, 3, 4), 4)
            work = _work(task)
            shares = [np.random.default_rng(1).dirichlet(np.ones(4), work.contexts.weights.size)]
            layout = work.contexts.layout
            state = begun(work, shares, 0.7, np.full(layout.size, 0.25))
            best = clock(partial(step, work, state))
            distinct = work.contexts.weights.size
            rows.append([
                f"{size:,} cases, {attributes} attributes", f"{distinct:,}", seconds(best.wall),
                f"{1e9 * best.wall / (distinct * attributes):.1f} ns",
            ])  # fmt: skip
    heads = ["problem", "distinct cases", "a step", "per distinct case and attribute"]
    return table(heads, rows)


def _work(task: Task) -> Work:
    variables = {**task.data.variables,
                 **{name: tc.Discrete(name, tuple(map(str, range(states))))
                    for name, states in task.hidden.items()}}  # fmt: skip
    layout = layout_of(task.dag, variables)
    families = {name: tuple(variables[v] for v in (*task.dag.parents[name], name))
                for name in task.dag.names}  # fmt: skip
    expected = expectation(task.data, layout, families)
    problem = EmProblem(layout, expected, np.full(layout.size, 0.1))
    places = tuple(layout.places[name] for name in task.hidden)
    return Work(problem, merged(task.data, layout, places, expected.known))


def goal(given: list[Task]) -> str:
    """Whether the paths of the goal's size keep within it, on one thread."""
    lines = []
    for task in given:
        if task.states < 10:
            continue
        start = time.perf_counter()
        _, took = learned(task, tc.IBEM())
        wall = time.perf_counter() - start
        word = "met" if took <= GOAL else "missed"
        lines.append(
            f"* {task.name}: {seconds(took)} of CPU on one thread ({seconds(wall)} wall, on a "
            f"machine that did other work too), goal {GOAL:.0f} s: {word}"
        )
    return "\n".join(lines) or "* not measured"


def main() -> None:
    """Measure, and print or keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry", action="store_true", help="print the results, write no file")
    parser.add_argument("--quick", action="store_true", help="small problems")
    parser.add_argument("--restarts", type=int, default=RESTARTS)
    asked = parser.parse_args()
    given = tasks(asked.quick)
    packages = [name for name in ("tacit-bn", "stepmix", "pomegranate", "torch", "numpy", "numba")
                if find_spec("tacit" if name == "tacit-bn" else name)]  # fmt: skip
    sizes = [1_000] if asked.quick else [1_000, 4_000, 16_000, 64_000]
    text = f"""## Paths of the bottleneck (`benchmarks/ibem.py`)

{machine(packages)}

CPU seconds on one thread, everything included from coded cases to the fit. The path is `tc.IBEM()`
as it comes, noise and a second climb at every gamma included; starts are `tc.EM(restarts=1)`.

### The goal

{goal(given)}

### Restarts of EM that come as high

An objective counts as high as the path's within {TIE:g} nats a case.

{against_restarts(given, asked.restarts)}

### Other packages, one hidden variable

One start each, until a step gains less than {GAIN:g} nats a case; `tc.EM` and `tc.IBEM` as they
come. Starts differ, so ends do. scikit-learn has no mixture of discrete attributes. No package with
latent trees could be installed.

{beside(given)}

### A step at a fixed gamma

{per_step(sizes)}
"""
    print(text)
    if not asked.dry:
        write_section("ibem", text)


if __name__ == "__main__":
    main()
