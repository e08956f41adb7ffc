"""Parameters around hidden variables: the path of the bottleneck against random starts.

[Elidan 2004, section 6.6, Table 6.1; HV2 4.2, HV2-16]
"""

from __future__ import annotations

from dataclasses import dataclass
from time import process_time

from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.experiments.elidan.bottleneck_told import (
    ENDED,
    EXACT,
    FIELD,
    PATH,
    TOGETHER,
    Line,
    Printed,
    Ran,
    Task,
    against,
    claims,
    fields,
    further,
    times,
)
from tacit.experiments.elidan.judged import bits
from tacit.experiments.elidan.scenes import Scene, above, digit_dag, scene, yeast_dag
from tacit.experiments.outcome import Outcome, Settings, repeated
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.fit import fit
from tacit.learn.methods import EM, MeanFieldEM, Method

NAME = "elidan2004-table6.1"
TASKS = (
    Task("Stock", "Stock", 3, Printed(-19.91, 62, -19.90, -19.90),
         Printed(-19.90, 76, -19.88, -19.89)),
    Task("Stock", "Stock", 4, Printed(-19.47, 98, -19.46, -19.52),
         Printed(-19.52, 96, -19.52, -19.62)),
    Task("Stock", "Stock", 5, Printed(-19.16, 94, -19.15, -19.24),
         Printed(-19.31, 98, -19.30, -19.39)),
    Task("Digit", "Digit", 5, Printed(-429.95, 36, -428.67, -429.11),
         Printed(-439.91, 56, -439.03, -439.47)),
    Task("Digit", "Digit", 10, Printed(-411.44, 100, -411.72, -413.96),
         Printed(-425.33, 100, -425.36, -427.05)),
    Task("Digit", "DigH3", 2, Printed(-442.02, 100, -442.02, -442.29, (100, -442.03, -442.20)),
         Printed(-450.812, 92, -450.76, -450.92, (82, -450.76, -450.84))),
    Task("Digit", "DigH3", 3, Printed(-428.77, 100, -428.85, -429.02, (100, -428.83, -429.02)),
         Printed(-437.798, 98, -437.74, -438.20, (98, -437.74, -438.04))),
    Task("Digit", "DigH4", 2, Printed(-425.43, 100, -425.54, -425.81, (100, -425.61, -425.94)),
         Printed(-433.279, 100, -433.30, -433.55, (100, -433.40, -433.71))),
    Task("Digit", "DigH4", 3, Printed(-407.60, 100, -407.75, -408.56, (100, -408.49, -408.83)),
         Printed(-415.798, 100, -415.88, -416.48, (100, -416.37, -416.77))),
    Task("Yeast", "Yeast", 2, Printed(-148.13, 100, -148.32, -148.79, (100, -148.89, -149.71)),
         Printed(-147.48, 100, -147.51, -147.87, (100, -147.92, -148.78))),
    Task("Yeast", "Yeast", 3, Printed(-139.44, 100, -139.58, -140.05, (100, -140.09, -140.87)),
         Printed(-138.38, 100, -138.57, -139.00, (100, -139.06, -139.92))),
    Task("Yeast", "Yeast", 4, Printed(-136.36, 100, -136.72, -136.97, (100, -137.72, -138.28)),
         Printed(-135.65, 100, -135.96, -136.16, (100, -136.92, -137.34))),
)  # fmt: skip
"""The source's table, in bits per case."""
MEANT = IBEM(finish=False)
"""As the source has it: a path that ends at gamma 1, on a bound where shares are independent."""
JOINED = IBEM(finish=False, inference="exact")


@dataclass(frozen=True, slots=True)
class Size:
    """How large the experiment is.

    runs   of EM, and of mean-field EM, from random starts
    cases  to learn from, at most; None: all
    """

    tasks: tuple[Task, ...]
    runs: int
    cases: int | None = None
    path: IBEM = MEANT
    exact: IBEM = JOINED


SIZES = {
    "smoke": Size(
        (TASKS[0], TASKS[5]),
        3,
        150,
        IBEM(finish=False, longest=0.1, max_steps=30),
        IBEM(finish=False, inference="exact", longest=0.1, max_steps=30),
    ),
    "default": Size((*TASKS[:7], TASKS[9]), 20, 1000),
    "full": Size(TASKS, 50),
}


def run(settings: Settings) -> Outcome:
    """Every task; an interruption leaves those that were done."""
    size = SIZES[settings.scale]

    def one(number: int) -> Line:
        return compared(size.tasks[number], size, settings)

    lines = repeated(one, len(size.tasks), settings, "models")
    tables = [
        table(lines, part) for part in ("train", "test") for table in (against, fields, further)
    ]
    tables.append(times(lines))
    return Outcome(
        NAME, settings.seed, len(lines), len(size.tasks),
        tuple(grid for grid in tables if grid.rows), claims(lines), _remarks(lines, size),
        {"rows": [line.to_plain() for line in lines], "starts": size.runs},
    )  # fmt: skip


def dag_of(task: Task, held: Scene) -> Dag:
    """The dag that the source has for it."""
    if task.dag.startswith("DigH"):
        return digit_dag(int(task.dag[-1]))
    return yeast_dag() if task.dag == "Yeast" else above(held.names)


def compared(task: Task, size: Size, settings: Settings) -> Line:
    """One path, what EM makes of its end, and EM of both kinds from the same starts."""
    held = scene(task.scene, settings.data, settings.seed).cut(size.cases)
    problem = Problem(held, dag_of(task, held), task.states)
    end = problem.learned(PATH, size.path, settings.seed)
    runs = [end.ran, problem.learned(ENDED, EM(restarts=1), settings.seed, end.network).ran]
    several = len(problem.hidden) > 1
    runs += [problem.learned(TOGETHER, size.exact, settings.seed).ran] if several else []
    kinds: list[tuple[str, Method]] = [(EXACT, EM(restarts=1))]
    kinds += [(FIELD, MeanFieldEM(restarts=1))] if several else []
    for method, how in kinds:
        runs += [
            problem.learned(method, how, 1000 * settings.seed + number).ran
            for number in range(size.runs)
        ]
    return Line(task, several, held.source, tuple(runs))


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A run, and the network it came to."""

    ran: Ran
    network: Network


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Cases, the dag above them, and how many states each hidden variable of it has."""

    held: Scene
    dag: Dag
    states: int

    @property
    def hidden(self) -> dict[str, int]:
        """The variables of the dag that the cases do not show."""
        return {name: self.states for name in self.dag.names if name not in self.held.names}

    def learned(self, name: str, how: Method, seed: int, start: Network | None = None) -> Learned:
        """One run on one thread, judged."""
        began = process_time()
        found = fit(
            self.dag if start is None else start, self.held.train, hidden=self.hidden, method=how,
            start=None if start is None else "given", seed=seed, threads=1, progress=False,
        )  # fmt: skip
        seconds, net = process_time() - began, found.network
        ran = Ran(name, bits(net, self.held.train), bits(net, self.held.test), seconds,
                  len(found.trace) - 1)  # fmt: skip
        return Learned(ran, net)


def _remarks(lines: list[Line], size: Size) -> tuple[str, ...]:
    sources = "; ".join(dict.fromkeys(f"{line.task.scene}: {line.source}" for line in lines))
    return (
        f"{sources}. Levels are comparable where the cases are the source's; elsewhere compare the "
        "differences.",
        f"{size.path.describe()}, and exact {size.exact.describe()}, against {size.runs} runs of "
        "each method, all with BDeu(1). Mean-field EM begins where EM of the same number does. "
        "Log-likelihoods are exact, hidden variables summed out, also where shares were taken for "
        "independent.",
        f"Tied: within {1e-4:g} bits of IB-EM. Where the source has 8 x 8 and 4 x 4 pixels below a "
        "hidden variable of its digits, ours, of a quarter of the pixels, have 4 x 4 and 2 x 2.",
    )
