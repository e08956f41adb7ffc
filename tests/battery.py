"""Whole jobs on a table as people bring it, from the command line and from Python.

A table is cut to some cases in random order and written to a folder of its own; what a job makes
there (a network, a saved search) later jobs take up, so a chain of jobs is what an afternoon with
the table would be. A job that ends in anything but an answer says what happened and goes on.
"""

from __future__ import annotations

import gzip
import io
import random
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

import numpy as np

import tacit as tc
from tacit.cli.main import execute
from tacit.core.errors import TacitError

LIMIT = 100.0
"""CPU seconds that a job may take."""


class TooLongError(BaseException):
    """A job took more CPU than it may."""


class RefusedError(Exception):
    """A command ended with a message instead of an answer."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one job on one table ended.

    what  "" where it gave an answer; "warning", "refused", "traceback" or "too long" with the words
    """

    table: str
    job: str
    seconds: float
    what: str = ""

    def __str__(self) -> str:
        return f"{self.table:22} {self.job:24} {self.seconds:7.1f} s  {self.what}".rstrip()


@dataclass(slots=True)
class Afternoon:
    """One table, its folder, and what earlier jobs left there.

    cases   the file of cases; `halves` the same in two parts
    target  a column to predict, with states where there is one
    """

    name: str
    folder: Path
    cases: Path
    halves: tuple[Path, Path]
    seed: int = 1
    target: str = ""
    said: list[str] = field(default_factory=list)

    @staticmethod
    def of(path: Path, folder: Path, most: int) -> Afternoon:
        """The first `most` cases of a table in random order, whole and in halves."""
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            head, *rows = _records(file.read())
        random.Random(1).shuffle(rows)
        rows = rows[:most]
        name = path.name.removesuffix(".csv.gz")
        whole, *halves = (folder / f"{part}.csv" for part in (name, "one", "other"))
        middle = len(rows) // 2
        for file_, part in zip((whole, *halves), (rows, rows[:middle], rows[middle:]), strict=True):
            file_.write_text(head + "".join(part), encoding="utf-8", newline="")
        return Afternoon(name, folder, whole, (halves[0], halves[1]))

    def file(self, name: str) -> str:
        """A file in the folder."""
        return str(self.folder / name)

    def tacit(self, *words: str) -> str:
        """What a command prints; an error with its message if it gives no answer."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            status = execute(words)
        if status:
            raise RefusedError(f"tacit {' '.join(words)}: {err.getvalue().strip()}")
        assert "Traceback" not in err.getvalue()
        return out.getvalue()


def _records(text: str) -> list[str]:
    """The lines of a table; one with an open quote goes on in the next."""
    found, open_ = list[str](), False
    for line in text.splitlines(keepends=True):
        if open_:
            found[-1] += line
        else:
            found.append(line)
        open_ ^= line.count('"') % 2 == 1
    if not found[-1].endswith("\n"):
        found[-1] += "\n"
    return found


# What a job does; each checks what must be true of its answer.


def read(day: Afternoon) -> None:
    """The cases; the target is the column of fewest states, of those with the fewest gaps."""
    data = tc.read_cases(day.cases)
    assert len(data) > 0
    assert repr(data)
    missing = data.missing()
    named = [
        (missing[name] > 0.1 * len(data), len(each.states), name)
        for name, each in data.variables.items()
        if isinstance(each, tc.Discrete) and 2 <= len(each.states) <= 30
    ]
    real = [name for name, each in data.variables.items() if isinstance(each, tc.Continuous)]
    day.target = min(named)[2] if named else (real or list(data.names))[0]


def search(day: Afternoon) -> None:
    """`tacit search`, by structural EM where cells are missing, with report and saved search."""
    day.tacit("search", str(day.cases), "-o", day.file("net.json"), "--seed", "1",
              "--report", day.file("search.html"),
              "--save-fit", day.file("search.json"))  # fmt: skip
    network = tc.read(day.file("net.json"))
    assert Path(day.file("search.html")).stat().st_size > 1000
    found = tc.log_likelihood(network, tc.read_cases(day.cases))
    assert np.isfinite(float(found))
    if day.target not in network.variables:
        discrete = [n for n, each in network.variables.items() if isinstance(each, tc.Discrete)]
        day.target = (discrete or list(network.variables))[0]


def search_in_python(day: Afternoon) -> None:
    """`tc.search` of complete cases, `tc.structural_em` of others."""
    data = tc.read_cases(day.cases)
    gaps = any(data.missing().values())
    found = (tc.structural_em if gaps else tc.search)(data, seed=1, progress=False)
    assert np.isfinite(found.score)
    assert np.isfinite(found.log_likelihood)
    assert repr(found)
    found.save(day.file("python.json"))
    again = tc.load_fit(day.file("python.json"))
    assert again.network == found.network
    assert str(tc.report(again))


def _network(day: Afternoon) -> tc.Network:
    """The network that was found, or one of the columns alone where none was."""
    path = Path(day.file("net.json"))
    if path.exists():
        return tc.read(path)
    data = tc.read_cases(day.cases)
    usable = [
        name for name, each in data.variables.items()
        if isinstance(each, tc.Continuous) or 2 <= len(each.states) <= 30
    ]  # fmt: skip
    return tc.fit("; ".join(_quoted(name) for name in usable), data, seed=1).network


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _naive_bayes(day: Afternoon) -> str:
    """The target above all others, as text: those with states only where it has states."""
    network = _network(day)
    real = isinstance(network.variables[day.target], tc.Continuous)
    others = [
        name for name, each in network.variables.items()
        if name != day.target
        and (isinstance(each, tc.Continuous) or not real)
    ]  # fmt: skip
    if not others:
        return _quoted(day.target)
    return f"{_quoted(day.target)} -> {', '.join(map(_quoted, others))}"


def naive_bayes(day: Afternoon) -> None:
    """`tacit fit` of the classifier that everyone begins with."""
    day.tacit("fit", str(day.cases), "--network", _naive_bayes(day), "-o", day.file("nb.json"),
              "--seed", "1", "--save-fit", day.file("nb-fit.json"))  # fmt: skip
    fit = tc.load_fit(day.file("nb-fit.json"))
    assert np.isfinite(fit.log_likelihood)
    assert len(fit.intervals) > 0


def naive_bayes_in_python(day: Afternoon) -> None:
    """`tc.fit`, its intervals and its printed tables."""
    fit = tc.fit(_naive_bayes(day), tc.read_cases(day.cases), seed=1, progress=False)
    assert np.isfinite(fit.log_likelihood)
    for name in fit.network.variables:
        assert repr(fit.network[name])
        assert fit.intervals[name] is not None


def _rules(day: Afternoon) -> str:
    """Three rules that the classifier can be asked to obey, as an expert would write them."""
    network = tc.read(day.file("nb.json"))
    target, found = _quoted(day.target), list[str]()
    reals = [n for n, each in network.variables.items() if isinstance(each, tc.Continuous)]
    if isinstance(network.variables[day.target], tc.Discrete):
        states = network.variables[day.target].states
        found.append(f"P({target}={_quoted(states[0])}) >= 0.05")
        for name, each in network.variables.items():
            if name != day.target and isinstance(each, tc.Discrete) and len(found) < 3:
                cell = (
                    f"P({_quoted(name)}={_quoted(each.states[0])} | {target}={_quoted(states[0])})"
                )
                found.append(f"{cell} >= 0.02" if len(found) == 1 else f"{cell} <= 0.98")
        real = [name for name in reals if name != day.target]
        if real and len(found) < 3:
            first, last = (_quoted(state) for state in (states[0], states[-1]))
            y = _quoted(real[0])
            found.append(f"intercept({y} | {target}={first}) <= intercept({y} | {target}={last})")
        if real and len(found) < 3:
            found.append(f"variance({_quoted(real[-1])}) >= 0.000001")
    else:
        children = [name for name in reals if name != day.target]
        found += [f"coefficient({_quoted(y)}, {target}) >= 0" for y in children[:2]]
        found += [f"variance({target}) >= 0.000001"]
    return "".join(f"{rule}\n" for rule in found)


def rules(day: Afternoon) -> None:
    """`tacit check` and `tacit fit` under three rules, with a report."""
    Path(day.file("three.know")).write_text(_rules(day), encoding="utf-8")
    day.tacit("check", day.file("three.know"), "--network", day.file("nb.json"))
    day.tacit("fit", str(day.cases), "--network", day.file("nb.json"), "--knowledge",
              day.file("three.know"), "-o", day.file("ruled.json"), "--seed", "1",
              "--report", day.file("ruled.html"))  # fmt: skip
    assert Path(day.file("ruled.html")).stat().st_size > 1000


def rules_in_python(day: Afternoon) -> None:
    """The same from Python: every rule is obeyed."""
    network = tc.read(day.file("nb.json"))
    fit = tc.fit(network, tc.read_cases(day.cases), knowledge=_rules(day), seed=1, progress=False)
    assert fit.rules
    assert repr(fit)


def report(day: Afternoon) -> None:
    """`tacit report` of what was saved, in all its forms."""
    for form in ("html", "md", "txt", "json"):
        day.tacit("report", day.file("nb-fit.json"), "-o", day.file(f"again.{form}"))
    day.tacit("show", day.file("net.json"))


def query(day: Afternoon) -> None:
    """`tacit query` of the target, and `tc.query` of it given the first case."""
    day.tacit("query", day.file("net.json"), f"P({_quoted(day.target)})")
    network, data = tc.read(day.file("net.json")), tc.read_cases(day.cases)
    given = {}
    for name in network.variables:
        each, cell = data.variables[name], data[name][0]
        if name != day.target and isinstance(each, tc.Discrete) and cell >= 0:
            given[name] = each.states[int(cell)]
    answer = tc.query(network, [day.target], given=dict(list(given.items())[:3]))
    assert repr(answer)
    assert repr(tc.most_probable(network, given=dict(list(given.items())[:3])))


def predict(day: Afternoon) -> None:
    """`tacit predict` with the target left out, and `tc.predict`: probabilities add up to one."""
    day.tacit("predict", day.file("net.json"), str(day.cases), "--hide", day.target,
              "-o", day.file("predicted.csv"))  # fmt: skip
    assert Path(day.file("predicted.csv")).stat().st_size > 0
    network, data = tc.read(day.file("net.json")), tc.read_cases(day.cases)
    blind = data.select([name for name in data.names if name != day.target])
    found = tc.predict(network, blind)[day.target]
    if isinstance(network.variables[day.target], tc.Discrete):
        assert np.abs(found.sum(axis=1) - 1).max() < 1e-9
        assert found.min() >= 0
    assert np.isfinite(found).all()


def sample(day: Afternoon) -> None:
    """`tacit sample`, and the cases drawn scored."""
    day.tacit("sample", day.file("net.json"), "-n", "200", "--seed", "1",
              "-o", day.file("drawn.csv"))  # fmt: skip
    network = tc.read(day.file("net.json"))
    assert np.isfinite(tc.log_likelihood(network, tc.sample(network, 200, seed=1)))


def score(day: Afternoon) -> None:
    """`tacit score` of the cases under what was learned from them."""
    day.tacit("score", day.file("net.json"), str(day.cases),
              "--per-case", day.file("scores.csv"))  # fmt: skip


def evaluate(day: Afternoon) -> None:
    """`tacit evaluate` of the classifier, cross-validated."""
    day.tacit("evaluate", str(day.cases), "--network", day.file("nb.json"), "--target", day.target,
              "--folds", "3", "--seed", "1", "--report", day.file("evaluated.html"))  # fmt: skip
    network = tc.read(day.file("nb.json"))
    assert repr(tc.evaluate(network, tc.read_cases(day.cases), day.target))


def cross_validate(day: Afternoon) -> None:
    """`tc.cross_validate` of the structure that was found."""
    dag = tc.read(day.file("net.json")).dag
    found = tc.cross_validate(dag, tc.read_cases(day.cases), folds=3, seed=1, progress=False)
    assert repr(found)


def hidden(day: Afternoon) -> None:
    """`tacit hidden`, one variable at most."""
    day.tacit("hidden", str(day.cases), "-o", day.file("hidden.json"), "--most", "1",
              "--seed", "1",
              "--report", day.file("hidden.html"),
              "--save-fit", day.file("proposed.json"))  # fmt: skip
    assert np.isfinite(
        tc.log_likelihood(tc.read(day.file("hidden.json")), tc.read_cases(day.cases))
    )


def compare(day: Afternoon) -> None:
    """`tacit compare` with and without the rules."""
    day.tacit("compare", str(day.cases), "--network", day.file("nb.json"), "--knowledge",
              day.file("three.know"), "--none", "--folds", "3", "--seed", "1")  # fmt: skip


def borrow(day: Afternoon) -> None:
    """`tacit fit` of one half, the other half being a related site."""
    one, other = day.halves
    day.tacit("fit", str(one), "--network", day.file("net.json"), "--source", f"Other={other}",
              "-o", day.file("borrowed.json"), "--seed", "1",
              "--report", day.file("borrowed.html"))  # fmt: skip


JOBS: dict[str, Callable[[Afternoon], None]] = {
    "read": read,
    "search": search,
    "search in Python": search_in_python,
    "naive Bayes": naive_bayes,
    "naive Bayes in Python": naive_bayes_in_python,
    "rules": rules,
    "rules in Python": rules_in_python,
    "report": report,
    "query": query,
    "predict": predict,
    "sample": sample,
    "score": score,
    "evaluate": evaluate,
    "cross-validate": cross_validate,
    "hidden": hidden,
    "compare": compare,
    "borrow": borrow,
}


@contextmanager
def _limited(seconds: float) -> Iterator[None]:
    """No more CPU of this process than that."""

    def ended(number: int, frame: FrameType | None) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, ended)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def spend(path: Path, folder: Path, most: int, limit: float = LIMIT) -> Iterator[Outcome]:
    """All jobs on a table, one after the other."""
    day = Afternoon.of(path, folder, most)
    for name, job in JOBS.items():
        begun = time.process_time()
        what = ended(day, job, limit)
        yield Outcome(day.name, name, time.process_time() - begun, what)


def ended(day: Afternoon, job: Callable[[Afternoon], None], limit: float) -> str:
    """How a job ended, "" where it gave its answer."""
    try:
        with _limited(limit), warnings.catch_warnings():
            warnings.simplefilter("error")
            job(day)
    except TooLongError:
        return f"too long: over {limit:g} s of CPU"
    except Warning as warned:
        return f"warning: {warned!r}"
    except (RefusedError, TacitError) as refused:
        return f"refused: {refused}"
    except Exception as raised:
        where = traceback.extract_tb(raised.__traceback__)[-1]
        return f"traceback: {raised!r} at {Path(where.filename).name}:{where.lineno}"
    return ""
