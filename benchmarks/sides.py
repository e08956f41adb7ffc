"""The sides of the comparison of parameter estimation, each in its best form.

A side prepares a problem outside the clock and returns the work to be timed, as a function of the
number of threads. `coded`: the cases are already in the side's own form. `frame`: a pandas frame of
strings in memory. `parquet`: a file of strings.
"""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import tacit as tc

Work = Callable[[int], Any]


@dataclass(frozen=True)
class Problem:
    """A classic network and cases drawn from it; `folder` holds the drawn cases."""

    name: str
    cases: int
    folder: Path

    @cached_property
    def network(self) -> tc.Network:
        """The network, from the files that the pgmpy wheel carries."""
        spec = importlib.util.find_spec("pgmpy")
        assert spec is not None
        assert spec.submodule_search_locations
        models = Path(spec.submodule_search_locations[0]) / "utils" / "example_models"
        return tc.read(models / f"{self.name}.bif.gz")

    @cached_property
    def columns(self) -> Mapping[str, Any]:
        """The codes of each variable, an array of its own each."""
        codes = np.load(self.folder / f"{self.name}.npy", mmap_mode="r")
        return {
            name: np.array(codes[at, : self.cases])
            for at, name in enumerate(self.network.dag.names)
        }

    @property
    def parquet(self) -> Path:
        """The same cases as strings in a file."""
        return self.folder / f"{self.name}-{self.cases}.parquet"

    def states(self, name: str) -> tuple[str, ...]:
        """The states of a variable."""
        return self.network.variables[name].states

    def frame(self) -> Any:
        """The cases as a pandas frame of strings."""
        import pandas as pd

        return pd.DataFrame(
            {
                name: pd.Series(pd.Categorical.from_codes(codes, self.states(name))).astype("str")
                for name, codes in self.columns.items()
            }
        )


def draw(name: str, cases: int, folder: Path) -> None:
    """Draw the cases once, for all sides."""
    problem = Problem(name, cases, folder)
    drawn = tc.sample(problem.network, cases, seed=1)
    np.save(folder / f"{name}.npy", np.array([drawn[each] for each in problem.network.dag.names]))


def write_parquet(problem: Problem) -> None:
    """The strings of the cases in a file, row group by row group."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = problem.network.dag.names
    schema = pa.schema([(name, pa.string()) for name in names])
    with pq.ParquetWriter(problem.parquet, schema) as writer:
        for start in range(0, problem.cases, 100_000):
            rows = slice(start, start + 100_000)
            columns = [
                pa.DictionaryArray.from_arrays(
                    problem.columns[name][rows], list(problem.states(name))
                ).cast(pa.string())
                for name in names
            ]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema))


# --- Tacit -----------------------------------------------------------------------------------


def tacit_counts(problem: Problem) -> Work:
    """Counts of every family, from coded columns."""
    from tacit.engines.memory import statistics

    network = problem.network
    data = tc.Dataset(network.variables, problem.columns)
    families = [network[name].variables for name in network.dag.names]
    return lambda threads: statistics(data, families, threads=threads)


def tacit_fit(problem: Problem) -> Work:
    """A whole fit: counts, smoothed tables, likelihoods, what a report needs."""
    data = tc.Dataset(problem.network.variables, problem.columns)
    return lambda threads: tc.fit(problem.network, data, threads=threads, progress=False)


def tacit_frame(problem: Problem) -> Work:
    """A whole fit from a frame."""
    frame = problem.frame()
    return lambda threads: tc.fit(problem.network, frame, threads=threads, progress=False)


def tacit_parquet(problem: Problem) -> Work:
    """A whole fit from a file."""
    return lambda threads: tc.fit(problem.network, problem.parquet, threads=threads, progress=False)


# --- numpy -----------------------------------------------------------------------------------


def _bincounts(problem: Problem, columns: Mapping[str, Any]) -> list[Any]:
    counts = []
    for name in problem.network.dag.names:
        axes = problem.network[name].variables
        cells = columns[axes[0].name].astype(np.int64)
        for axis in axes[1:]:
            cells *= len(axis.states)
            cells += columns[axis.name]
        counts.append(np.bincount(cells, minlength=int(np.prod([len(a.states) for a in axes]))))
    return counts


def _coded(problem: Problem, frame: Any) -> Mapping[str, Any]:
    import pandas as pd

    return {
        name: pd.Categorical(frame[name], categories=list(problem.states(name))).codes
        for name in problem.network.dag.names
    }


def numpy_coded(problem: Problem) -> Work:
    """One bincount per family."""
    columns = problem.columns
    return lambda _: _bincounts(problem, columns)


def numpy_frame(problem: Problem) -> Work:
    """pandas codes the strings, then one bincount per family."""
    frame = problem.frame()
    return lambda _: _bincounts(problem, _coded(problem, frame))


def numpy_parquet(problem: Problem) -> Work:
    """pandas reads and codes the strings, then one bincount per family."""
    import pandas as pd

    return lambda _: _bincounts(problem, _coded(problem, pd.read_parquet(problem.parquet)))


# --- pyAgrum ---------------------------------------------------------------------------------


def _learner(frame: Any, template: Any, threads: int) -> Any:
    import pyagrum as gum

    learner = gum.BNLearner(frame, template)
    learner.useSmoothingPrior(1)  # without a prior, a row without cases is an error
    learner.setNumberOfThreads(threads)
    return learner


def pyagrum_coded(problem: Problem) -> Work:
    """learnParameters on a learner that has taken the cases in."""
    import pandas as pd

    template = tc.to_pyagrum(problem.network)
    categories = {
        name: pd.Categorical.from_codes(codes, problem.states(name))
        for name, codes in problem.columns.items()
    }
    learner = _learner(pd.DataFrame(categories), template, 1)

    def work(threads: int) -> Any:
        learner.setNumberOfThreads(threads)
        return learner.learnParameters(template.dag())

    return work


def pyagrum_frame(problem: Problem) -> Work:
    """A learner takes the frame in, then learnParameters."""
    frame, template = problem.frame(), tc.to_pyagrum(problem.network)
    return lambda threads: _learner(frame, template, threads).learnParameters(template.dag())


def pyagrum_parquet(problem: Problem) -> Work:
    """pandas reads the file, a learner takes the frame in, then learnParameters."""
    import pandas as pd

    template = tc.to_pyagrum(problem.network)
    return lambda threads: _learner(
        pd.read_parquet(problem.parquet), template, threads
    ).learnParameters(template.dag())


# --- pgmpy -----------------------------------------------------------------------------------


def _pgmpy_fit(problem: Problem, states: Mapping[str, list[Any]]) -> Callable[[Any, int], Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgmpy.models import DiscreteBayesianNetwork
        from pgmpy.parameter_estimator import DiscreteMLE

    model = DiscreteBayesianNetwork(list(problem.network.dag.arcs))
    model.add_nodes_from(problem.network.dag.names)

    def fit(frame: Any, threads: int) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return DiscreteMLE(state_names=dict(states), n_jobs=threads).fit(model, frame)

    return fit


def pgmpy_coded(problem: Problem) -> Work:
    """DiscreteMLE on a frame of small integers, the fastest form it takes."""
    import pandas as pd

    states = {name: list(range(len(problem.states(name)))) for name in problem.columns}
    fit, frame = _pgmpy_fit(problem, states), pd.DataFrame(dict(problem.columns))
    return lambda threads: fit(frame, threads)


def pgmpy_frame(problem: Problem) -> Work:
    """DiscreteMLE on the frame of strings."""
    states = {name: list(problem.states(name)) for name in problem.columns}
    fit, frame = _pgmpy_fit(problem, states), problem.frame()
    return lambda threads: fit(frame, threads)


def pgmpy_parquet(problem: Problem) -> Work:
    """pandas reads the file, then DiscreteMLE."""
    import pandas as pd

    states = {name: list(problem.states(name)) for name in problem.network.dag.names}
    fit = _pgmpy_fit(problem, states)
    return lambda threads: fit(pd.read_parquet(problem.parquet), threads)


Prepare = Callable[[Problem], Work]

SIDES: Mapping[str, Mapping[str, Prepare]] = {
    "coded": {
        "Tacit, counts": tacit_counts,
        "Tacit, fit": tacit_fit,
        "numpy.bincount": numpy_coded,
        "pyAgrum": pyagrum_coded,
        "pgmpy": pgmpy_coded,
    },
    "frame": {
        "Tacit, fit": tacit_frame,
        "numpy.bincount": numpy_frame,
        "pyAgrum": pyagrum_frame,
        "pgmpy": pgmpy_frame,
    },
    "parquet": {
        "Tacit, fit": tacit_parquet,
        "numpy.bincount": numpy_parquet,
        "pyAgrum": pyagrum_parquet,
        "pgmpy": pgmpy_parquet,
    },
}
