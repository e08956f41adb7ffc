"""EM with continuous variables: steps and whole fits, beside scikit-learn and a joint normal.

    python benchmarks/normal_em.py            into benchmarks/RESULTS.md
    python benchmarks/normal_em.py --dry      printed only

Every measurement in a process of its own, with machine code loaded and cases in memory before the
clock starts, on one thread: CPU seconds tell the same on a busy machine.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import normal_problems as own
import tacit as tc
from results import write_section
from timing import fresh, machine, seconds, table

TACIT = "Tacit"
SAME = "Tacit's start"
TOLERANCE = 1e-8
"""Of the objective, by which a step gains less: what all sides stop at."""


def best(work: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """CPU seconds of the best of several runs, and what the last of them gave."""
    taken, found = [], None
    for _ in range(runs):
        begin = time.process_time()
        found = work()
        taken.append(time.process_time() - begin)
    return min(taken), found


def begun(problem: own.Problem) -> tc.Network:
    """Where Tacit's first run starts, in full."""
    method = tc.EM(restarts=1, max_steps=1)
    return fitted(problem, method).network


def fitted(problem: own.Problem, method: tc.EM, start: tc.Network | None = None) -> tc.Fit:
    """A fit by one run of EM."""
    further: dict[str, Any] = {"hidden": problem.hidden} if problem.hidden else {}
    given: Any = problem.dag
    if start is not None:
        given, further = start, {"start": "given"}
        further |= {"hidden": "rest"} if problem.hidden else {}
    return tc.fit(
        given, problem.data, estimate=tc.ML(), method=method, seed=1, threads=1, progress=False,
        **further,
    )  # fmt: skip


def ours(problem: own.Problem, start: tc.Network | None) -> dict[str, Any]:
    """A step and a whole fit of ours."""
    fitted(problem, tc.EM(restarts=1, max_steps=2), start)
    taken, fit = best(lambda: fitted(problem, tc.EM(restarts=1, tolerance=TOLERANCE), start), 3)
    return {
        "step": ours_step(problem, fit.network),
        "steps": len(fit.trace) - 1,
        "cpu": taken,
        "likelihood": fit.log_likelihood,
    }


def ours_step(problem: own.Problem, network: tc.Network) -> float:
    """CPU seconds of one plain E and M on cases that are compiled."""
    from tacit.learn.continuous import running

    seen: list[Any] = []
    plain = running.plain_step

    def kept(ready: Any, here: Any) -> Any:
        seen[:] = [ready, here]
        return plain(ready, here)

    running.plain_step = kept
    fitted(problem, tc.EM(restarts=1, max_steps=2, accelerate=False), network)
    running.plain_step = plain
    return best(lambda: plain(*seen), 20)[0]


def scikit(problem: own.Problem, start: tc.Network | None, size: float) -> dict[str, Any]:
    """A step and a whole fit of scikit-learn, to the same gain per step."""
    x, cases = own.matrix(problem), len(problem.data)
    tolerance = TOLERANCE * size
    if "H" in problem.hidden:
        taken, peer = best(lambda: own.peer_mixture(problem, start, tolerance / cases).fit(x), 3)
        step = best(own.mixture_step(peer, x), 10)[0]
    else:
        taken, peer = best(lambda: own.peer_factors(problem, tolerance).fit(x), 3)
        step = own.factor_step(problem, x)
    found = float(peer.score(x)) * cases
    return {"step": step, "steps": int(peer.n_iter_), "cpu": taken, "likelihood": found}


def joint(problem: own.Problem, start: tc.Network, size: float) -> dict[str, Any]:
    """A step and a whole fit by the joint normal, from our start."""
    begin, history = time.process_time(), list[float]()
    peer = own.JointNormal(problem).given(start)
    while len(history) < 3 or history[-1] - history[-2] > TOLERANCE * size:
        history.append(peer.step())
    taken = time.process_time() - begin
    step = best(peer.step, 3)[0]
    return {"step": step, "steps": len(history), "cpu": taken, "likelihood": peer.step()}


def answer(question: dict[str, Any]) -> dict[str, Any]:
    """The figures of one side of one problem."""
    warnings.simplefilter("ignore")
    problem = own.PROBLEMS[question["problem"]]()
    start = begun(problem) if question["start"] == SAME else None
    if question["side"] == TACIT:
        return ours(problem, start)
    if question["side"] == "numpy":
        assert start is not None
        return joint(problem, start, question["size"])
    return scikit(problem, start, question["size"])


def rows(name: str) -> list[list[str]]:
    """The lines of a problem: each side from its own start, and from the same one."""
    peer = own.PROBLEMS[name]().peer
    sides = [(TACIT, "its own")]
    if peer == "scikit-learn":
        sides.append((peer, "its own"))
    if peer == "numpy" or name.startswith("mixture"):
        sides += [(TACIT, SAME), (peer, SAME)]
    shown, first, size = list[list[str]](), dict[str, Any](), 0.0
    for side, start in sides:
        asked = {"problem": name, "side": side, "start": start, "size": size}
        found = fresh(__file__, asked, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
        if "failed" in found:
            shown.append([name, side, start, found["failed"], "", "", "", "", ""])
            continue
        if side == TACIT:
            first, size = found, abs(found["likelihood"])
        ratios = [f"{found[key] / first[key]:.2g}x" for key in ("step", "cpu")]
        shown.append(
            [name if not shown else "", side, start, seconds(found["step"]),
             f"{found['steps']:,}", seconds(found["cpu"]), f"{found['likelihood']:,.3f}",
             *(ratios if side != TACIT else ("", ""))]
        )  # fmt: skip
        print(shown[-1], file=sys.stderr, flush=True)
    return shown


def main() -> None:
    """Measure, print, write down."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--problems", nargs="+", default=list(own.PROBLEMS))
    options.add_argument("--dry", action="store_true", help="print the results, write no file")
    options.add_argument("--answer", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.answer:
        print(json.dumps(answer(json.loads(chosen.answer))))
        return
    shown: list[list[str]] = []
    for name in chosen.problems:
        shown += rows(name)
    print(told(shown))
    if not chosen.dry:
        write_section("normal_em", told(shown))


def told(shown: list[list[str]]) -> str:
    """The section of the page."""
    heads = ["problem", "side", "start", "a step", "steps", "whole fit", "log-likelihood",
             "step, of ours", "fit, of ours"]  # fmt: skip
    return f"""## EM with continuous variables (`benchmarks/normal_em.py`)

{machine(["tacit-bn", "scikit-learn", "numpy", "numba"])}

Maximum likelihood by one run of EM: mixtures of diagonal normals, factor analysis, dags of linear
Gaussians and a network of tables and conditional Gaussians, a tenth of all cells missing in these.
CPU seconds on one thread, the best of three whole fits. "A step" is one plain E and M on cases
taken in before; "steps" those until a step gains less than 1e-8 of the log-likelihood, for all
sides (Tacit wants it twice in a row, and some of its steps extrapolate). Ratios above 1x: Tacit is
faster. Equal log-likelihoods are the same optimum.

* scikit-learn starts a mixture from k-means, which takes part of its time and saves it steps;
  Tacit starts from cases drawn far apart. "{SAME}" gives both the same parameters to start from.
* scikit-learn's step of factor analysis is a singular value decomposition of all cases. Ours works
  on as many cases as there are columns, plus one, that have the mean and scatter of all.
* "numpy" is the textbook's EM by the joint normal, written out in `benchmarks/normal_problems.py`:
  cases sorted by what they lack, one solution per pattern. scikit-learn has no EM for gaps.
* Nothing else here fits the mixed network: pgmpy {version("pgmpy")} has EM for tables only (it
  takes every real value for a state) and refuses gaps in Gaussian networks. pomegranate was not
  measured.

{table(heads, shown)}
"""


if __name__ == "__main__":
    main()
