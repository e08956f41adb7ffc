"""Fits of every kind that a report tells how to do again, each made in a folder of small files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import tacit as tc
from tacit.cli.main import execute


@dataclass(frozen=True)
class Recipe:
    """How a fit is made, by the library or by a command.

    make   in the folder of `files`: what a report is about
    dots   what a reader must put where dots stand, by the name that Python gives it
    alone  whether Python alone can say it
    """

    name: str
    make: Callable[[], Any]
    dots: Mapping[str, Any] = field(default_factory=dict)
    alone: bool = False

    def __str__(self) -> str:
        return self.name


def files() -> None:
    """Everything that recipes read, in the folder where we are."""
    asia = tc.textbook("asia")
    tc.write(asia, "asia.bif")
    tc.write_cases(tc.sample(asia, 200, seed=1), "asia.csv")
    tc.write_cases(tc.sample(asia, 80, seed=2, missing=tc.AtRandom(0.15)), "asia-gaps.csv")
    tc.write_cases(tc.sample(asia, 150, seed=3), "leeds.csv")
    random = np.random.default_rng(5)
    _groups(random)
    _reals(random)
    _factors(random)
    _trials(random)
    lines = ["ann,lunch,the soup and the bread", "bob,lunch,soup again", "ann,work,the meeting",
             "bob,work,a meeting and a report", "ann,work,report to the meeting"]  # fmt: skip
    Path("mails.csv").write_text("\n".join(["Author,Topic,Body", *lines]) + "\n")
    Path("words.know").write_text("share P(Word | Author=*, Topic=work) { meeting }\n")
    Path("sure.know").write_text("P(tub=yes | asia=yes) >= 0.01\n")
    Path("doubted.know").write_text(
        "P(bronc=yes | smoke=no) <= 0.2 confidence 0.7\nP(lung=yes | smoke=no) <= 0.02\n"
    )
    Path("at-most.know").write_text("at most 3 parents\n")
    Path("guides.know").write_text("require asia -> tub\nforbid smoke -> bronc\n")


def _groups(random: np.random.Generator) -> None:
    """Marks of missing cells, weights, numbers that name states or are reals, a number per case."""
    lines, marked = ["number;group;crp;level;n"], ["group,crp,level,n"]
    for number in range(120):
        group = random.integers(0, 3)
        crp = f"{5 + 3 * group + random.normal():.2f}"
        level, often = random.integers(1, 5), random.integers(1, 4)
        name = ("none", "some", "much")[group]
        lines.append(f"{number};{name};{crp};{level};{often}")
        crp = "NA" if random.random() < 0.1 else crp
        mark = "-9" if random.random() < 0.1 else level
        marked.append(f"{name},{crp},{mark},{often}")
    Path("groups.txt").write_text("\n".join(lines) + "\n")
    Path("marked.csv").write_text("\n".join(marked) + "\n")
    head = 'case; no,"BP at rest, mmHg","chest ""pain""",# vessels,how often'
    odd = [line.replace(";", ",") for line in lines[1:]]
    Path("odd.csv").write_text("\n".join([head, *odd]).replace(",none,", ",?,") + "\n")
    with duckdb.connect("clinic.duckdb") as base:
        base.execute("create table visits as select * from read_csv('groups.txt')")
        base.execute("create table others as select 1 as x")


def _reals(random: np.random.Generator) -> None:
    x = random.normal(size=150)
    y = 2 / (1 + np.exp(-2 * x)) + 0.1 * random.normal(size=150)
    z = x - y + 0.3 * random.normal(size=150)
    tc.write_cases({"X": x, "Y": y, "Z": z}, "reals.csv")
    y[::7] = np.nan
    tc.write_cases({"X": x, "Y": y, "Z": z}, "reals-gaps.csv")


def _factors(random: np.random.Generator) -> None:
    """Columns with a common cause that nobody measured: states, and reals."""
    ill = random.random(300) < 0.4
    columns = {}
    for name in "ABCDE":
        yes = random.random(300) < np.where(ill, 0.85, 0.1)
        columns[name] = np.where(yes, "yes", "no")
    columns["id"] = np.arange(300).astype(str)
    tc.write_cases(tc.read_cases(columns), "factors.csv")
    some = tc.read_cases({name: columns[name][:90] for name in columns})
    tc.write_cases(some, "judges.csv")
    common = random.normal(size=120)
    reals = {name: common + 0.5 * random.normal(size=120) for name in "PQRS"}
    tc.write_cases(reals, "real-factors.csv")


def _trials(random: np.random.Generator) -> None:
    lines, onsets = ["run,second,left,right"], ["trial,process,onset"]
    course = np.array([0.0, 2.0, 1.0])
    for trial in range(8):
        start = int(random.integers(0, 3))
        onsets.append(f"t{trial},see,{start}")
        for time in range(6):
            at = time - start
            mean = course[at] if 0 <= at < 3 else 0.0
            left, right = mean + 0.2 * random.normal(), 0.5 * mean + 0.2 * random.normal()
            shown = "gone" if random.random() < 0.05 else f"{right:.3f}"
            lines.append(f"t{trial},{time},{left:.3f},{shown}")
    Path("trials.csv").write_text("\n".join(lines) + "\n")
    with duckdb.connect("clinic.duckdb") as base:
        base.execute("create table trials as select * from read_csv('trials.csv')")
    Path("onsets.csv").write_text("\n".join(onsets) + "\n")
    Path("places.csv").write_text("series,x,region\nleft,0,one\nright,1,two\n")


def command(*words: str) -> Callable[[], Any]:
    """What `tacit` saves."""

    def made() -> Any:
        more = ["--save-fit", "made.json", "-q"]
        assert execute([*words, "-o", "out.json", *more]) == 0
        return tc.load_fit("made.json")

    return made


def processes(*words: str) -> Callable[[], Any]:
    """What `tacit processes` writes."""

    def made() -> Any:
        assert execute(["processes", *words, "-o", "made.json", "-q"]) == 0
        return tc.load_processes("made.json")

    return made


ASIA = ("fit", "asia.csv", "--network", "asia.bif")
GAPS = ("fit", "asia-gaps.csv", "--network", "asia.bif")
GROUPS = "group -> crp"
CLASSES = (
    "fit",
    "factors.csv",
    "--network",
    "H -> A, B, C, D, E",
    "--hidden",
    "H=2",
    "--seed",
    "3",
)
TRIALS = ("trials.csv", "--onsets", "onsets.csv", "--length", "see=3", "--trial", "run",
          "--time", "second", "--missing", "gone")  # fmt: skip


def asia() -> tc.Network:
    """The network of the folder."""
    return tc.read("asia.bif")


def _in_place() -> Any:
    """The network that was given is written over by the one that was learned."""
    Path("own.json").write_text("")
    tc.write(asia(), "own.json")
    words = ["fit", "asia.csv", "--network", "own.json", "--save-fit", "made.json", "-q"]
    assert execute([*words, "-o", "own.json"]) == 0
    return tc.load_fit("made.json")


def _text(name: str) -> str:
    return Path(name).read_text()


def _wider() -> tc.Network:
    """States that nobody ordered, one of which no case shows."""
    group = tc.Discrete("group", ("much", "none", "some", "unheard of"), inferred_order=True)
    level = tc.Discrete("level", ("1", "2", "3", "4"), inferred_order=True)
    even = [tc.Table((group,), np.full(4, 0.25)), tc.Table((group, level), np.full((4, 4), 0.25))]
    return tc.Network.of(even)


def _processes(**said: Any) -> Any:
    trials = tc.read_trials("trials.csv", trial="run", time="second", missing="gone")
    return tc.HiddenProcesses({"see": 3}, "onsets.csv", **said).fit(trials, folds=2, seed=1)


def _frame() -> Any:
    import pandas as pd

    return pd.DataFrame({"A": ["x", "y", "x", "x"], "B": ["u", "u", "v", "u"]})


def _part() -> tc.Dataset:
    return tc.read_cases("asia.csv").take(np.arange(50))


def _weighed() -> tc.Dataset:
    return tc.read_cases("asia.csv", weights=np.arange(200.0))


FITS = [
    Recipe("complete cases", command(*ASIA, "--prior", "bdeu:0.3333333333333333")),
    Recipe("maximum likelihood", command(*ASIA, "--estimate", "ml", "--empty", "uniform")),
    Recipe("empty rows", command(*ASIA, "--estimate", "ml", "--empty", "prior", "--level", "0.9")),
    Recipe("in place of the network", _in_place),
    Recipe("gaps", command(*GAPS, "--seed", "4")),
    Recipe("gaps by EM that was told", command(
        *GAPS, "--method", "em", "--restarts", "3", "--tolerance", "1e-5", "--max-steps", "40",
        "--set", "accelerate=false")),
    Recipe("gaps from the given numbers", command(*GAPS, "--start", "given")),
    Recipe("available cells", command(*GAPS, "--method", "available")),
    Recipe("annealed EM", command(*GAPS, "--method", "weight-annealing", "--set", "end=0.5",
                                  "--max-steps", "20", "--seed", "2")),
    Recipe("rules", command(*ASIA, "--knowledge", "sure.know")),
    Recipe("rules as text", lambda: tc.fit("asia.bif", "asia.csv", knowledge=_text("sure.know"))),
    Recipe("doubted rules", command(*ASIA, "--knowledge", "doubted.know", "--knowledge",
                                    "sure.know", "--seed", "6")),
    Recipe("doubted rules, gaps", command(*GAPS, "--knowledge", "doubted.know", "--seed", "6")),
    Recipe("a source", command(*ASIA, "--source", "Leeds=leeds.csv", "--transfer", "mixture:0.2")),
    Recipe("sources of other kinds", command(
        *ASIA, "--source", "Leeds=leeds.csv@smoke -> lung", "--source", "York=asia.bif:50",
        "--transfer", "pool:0.25")),
    Recipe("a source by a normal prior", command(
        *ASIA, "--prior", "bdeu:7", "--source", "leeds.csv", "--transfer", "best:normal")),
    Recipe("aggregated sources", command(
        *ASIA, "--prior", "bdeu:7", "--source", "leeds.csv", "--transfer", "aggregate")),
    Recipe("a source with marks", command(
        "fit", "marked.csv", "--network", "level -> group", "--missing", "-9", "--missing", "NA",
        "--source", "There=marked.csv", "--weights", "n", "--seed", "1")),
    Recipe("links", command(*ASIA, "--family", "either=noisy-or", "--family", "dysp=tree-table")),
    Recipe("links for all", lambda: tc.fit("asia.bif", "asia.csv", families=tc.NoisyMax)),
    Recipe("grown trees", lambda: tc.fit(
        asia(), "asia.csv", families={"dysp": tc.GrowTree(score=tc.BDeu(2))}), alone=True),
    Recipe("a curve", command("fit", "reals.csv", "--network", "X -> Y; X, Y -> Z", "--family",
                              "Y=sigmoid", "--seed", "2")),
    Recipe("lines", command("fit", "reals.csv", "--network", "X -> Y -> Z", "--normal-prior", "3",
                            "--prior", "bdeu:1")),
    Recipe("lines with gaps", command("fit", "reals-gaps.csv", "--network", "X -> Y -> Z")),
    Recipe("weights", command("fit", "groups.txt", "--network", GROUPS, "--weights", "n")),
    Recipe("marks of missing cells", command(
        "fit", "marked.csv", "--network", f"{GROUPS}; level -> group", "--missing", "NA",
        "--missing", "-9", "--seed", "3")),
    Recipe("numbers that are reals", command(
        "fit", "groups.txt", "--network", "level -> crp", "--continuous", "level")),
    Recipe("numbers that name states", command(
        "fit", "groups.txt", "--network", "number -> level", "--discrete", "number",
        "--discrete", "level")),
    Recipe("a table of a database", command(
        "fit", "clinic.duckdb", "--table", "visits", "--network", GROUPS)),
    Recipe("a query of a database", command(
        "fit", "clinic.duckdb", "--query", "select * from visits where number < 60",
        "--network", GROUPS)),
    Recipe("a pattern of files", command("fit", "asia*.csv", "--network", "asia.bif")),
    Recipe("hidden classes", command(*CLASSES, "--restarts", "2")),
    Recipe("hidden classes by name", command(
        *CLASSES[:4], "--hidden", 'H={well, "very ill"}', "--seed", "1")),
    Recipe("a bottleneck", command(*CLASSES, "--method", "ibem", "--set", "until=0.8", "--set",
                                   "penalty=entropy")),
    Recipe("a hidden real", command("fit", "real-factors.csv", "--network", "F -> P, Q, R, S",
                                    "--hidden", "F=continuous", "--seed", "1")),
    Recipe("an order of states", lambda: tc.fit(
        GROUPS, tc.read_cases("groups.txt", order={"group": ["none", "some", "much"]}))),
    Recipe("an order of states where nothing says it", lambda: tc.search(
        tc.read_cases("groups.txt", order={"group": ["none", "some", "much"]}, columns=[
            "group", "level"]), seed=1), alone=True),
    Recipe("a delimiter", lambda: tc.fit(
        GROUPS, tc.read_cases("groups.txt", delimiter=";", columns=["crp", "group"])), alone=True),
    Recipe("states of another network", lambda: tc.search(
        tc.read_cases("asia.csv", like=asia()), seed=1), alone=True),
    Recipe("more states than the cases show", lambda: tc.fit(_wider(), "groups.txt")),
    Recipe("tied tables", lambda: tc.fit(
        "A -> B -> C", tc.read_cases("factors.csv", columns=["A", "B", "C"]),
        tied=[["B", "C"]], seed=2), alone=True),
    Recipe("bound by hand", lambda: tc.search(
        tc.read_cases(tc.read_cases("asia.csv"), like=asia()).select(["asia", "tub", "smoke"]),
        seed=1),
        alone=True),
]  # fmt: skip
SEARCHES = [
    Recipe("a search", command("search", "asia.csv", "--seed", "1")),
    Recipe("a search with all that can be said", command(
        "search", "asia.csv", "--knowledge", "guides.know", "--score", "bdeu:2.5", "--method",
        "tabu", "--restarts", "2", "--most-parents", "3", "--dag-prior", "arcs:0.123456789",
        "--prior", "k2", "--estimate", "mean", "--start", "asia -> tub; smoke -> lung",
        "--leave-out", "xray", "--as-given", "--bootstrap", "3", "--seed", "5")),
    Recipe("a search among awkward names", command(
        "search", "odd.csv", "--leave-out", '"case; no"', "--weights", '"how often"',
        "--continuous", '"# vessels"', "--missing", "?", "--seed", "1")),
    Recipe("a search for trees", command("search", "asia.csv", "--method", "tan:dysp",
                                         "--family", "tree-table", "--seed", "1")),
    Recipe("the best of all dags", command("search", "groups.txt", "--method", "exact",
                                           "--continuous", "level", "--leave-out", "number",
                                           "--weights", "n", "--seed", "2")),
    Recipe("a search for curves", command("search", "reals.csv", "--method", "ideal:2",
                                          "--family", "sigmoid", "--seed", "2")),
    Recipe("hidden parents", command("search", "real-factors.csv", "--method", "ideal:2,hidden",
                                     "--seed", "2")),
    Recipe("structural EM", command("search", "asia-gaps.csv", "--seed", "2")),
    Recipe("structural EM with marks", command(
        "search", "marked.csv", "--missing", "NA", "--missing", "-9", "--weights", "n", "--seed",
        "2")),
    Recipe("structural EM with a hidden variable", command(
        "search", "factors.csv", "--hidden", "H=2", "--leave-out", "id", "--restarts", "2",
        "--method", "hill", "--most-parents", "2", "--score", "bdeu:3", "--as-given", "--seed",
        "3")),
    Recipe("structural EM under rules", command(
        "search", "asia-gaps.csv", "--knowledge", "guides.know", "--dag-prior", "parent-counts",
        "--score", "bic", "--prior", "jeffreys", "--seed", "2")),
    Recipe("structural EM from a network", command(
        "search", "asia-gaps.csv", "--start", "asia.bif", "--seed", "2")),
    Recipe("structural EM from a value", lambda: tc.structural_em(
        "asia-gaps.csv", start=asia(), seed=2), dots={"start": asia}, alone=True),
    Recipe("structural EM of few arcs", lambda: tc.structural_em(
        "factors.csv", start="H -> A, B, C, D, E", hidden={"H": 2}, leave_out=["id"], around="H",
        steps=3, max_rounds=2, restarts=1, seed=2), alone=True),
    Recipe("structural EM of complete cases", lambda: tc.structural_em(
        "asia.csv", leave_out=["xray", "dysp"], as_given=True, seed=2), alone=True),
    Recipe("structural EM over lines", command(
        "search", "reals-gaps.csv", "--normal-prior", "weak:2", "--seed", "2")),
    Recipe("structural EM over curves", command(
        "search", "reals-gaps.csv", "--family", "Y=sigmoid", "--method", "ideal:2", "--seed", "2")),
]  # fmt: skip
HIDDEN = [
    Recipe("a search for hidden variables", command(
        "hidden", "factors.csv", "--leave-out", "id", "--as-given", "--most", "1", "--tries", "3",
        "--shown", "1", "--bootstrap", "4", "--restarts", "1", "--seed", "1")),
    Recipe("hidden variables with all that can be said", command(
        "hidden", "factors.csv", "--network", "A -> B, C", "--knowledge", "at-most.know",
        "--children", "Ill -> A, B, C", "--states", "Ill={no, yes}", "--refuse", "C, D, E",
        "--name", "K", "--score", "bdeu:3", "--variant", "local", "--most", "1", "--most-states",
        "3", "--evidence", "2.5", "--held-out", "0.3", "--tries", "2", "--shown", "2",
        "--bootstrap", "0", "--threshold", "0.3", "--least", "3", "--restarts", "0",
        "--leave-out", "id", "--seed", "4")),
    Recipe("hidden variables that others judge", command(
        "hidden", "factors.csv", "--held-out", "judges.csv", "--leave-out", "id", "--most", "1",
        "--tries", "1", "--shown", "1", "--bootstrap", "0", "--restarts", "0", "--states", "2",
        "--seed", "1")),
    Recipe("hidden variables above lines", command(
        "hidden", "real-factors.csv", "--most", "1", "--held-out", "0", "--seed", "1")),
    Recipe("hidden variables by a path", command(
        "hidden", "factors.csv", "--method", "ibem", "--set", "until=0.8", "--leave-out", "id",
        "--most", "1", "--tries", "1", "--shown", "1", "--restarts", "0", "--seed", "1")),
    Recipe("a fixed variable and states for all", lambda: tc.propose_hidden(
        "factors.csv", children={"Ill": ["A", "B", "C"]}, states=3, leave_out=["id"], most=0,
        tries=1, shown=1, bootstrap=0, restarts=0, held_out=0, seed=1)),
    Recipe("a hierarchy", lambda: tc.learn_hierarchy(
        "factors.csv", leave_out=["id"], as_given=True, states=2, name="K", prior=tc.BDeu(2),
        held_out=0.3, method=tc.IBEM(structure=True, until=0.9), seed=3), alone=True),
    Recipe("a hierarchy from a start", lambda: tc.learn_hierarchy(
        "factors.csv", leave_out=["id", "E"], start="H -> A, B; K -> C, D; H -> K", held_out=0,
        method=tc.IBEM(until=0.8), seed=3), alone=True),
]  # fmt: skip
PROCESSES = [
    Recipe("processes", processes(*TRIALS, "--seed", "3")),
    Recipe("processes with all that can be said", processes(
        *TRIALS, "--series", "right", "--series", "left", "--places", "places.csv", "--share",
        "partition", "--cuts", "2", "--look-ahead", "1", "--flat", "--noise", "own",
        "--baseline", "trial", "--folds", "3", "--restarts", "1", "--level", "0.9", "--seed",
        "2")),
    Recipe("processes of a table", processes(
        "clinic.duckdb", "--table", "trials", *TRIALS[1:], "--folds", "0", "--seed", "2")),
    Recipe("processes of a query", processes(
        "clinic.duckdb", "--query", "select * from trials where \"left\" > -5", *TRIALS[1:],
        "--folds", "0", "--seed", "2")),
    Recipe("processes that merge", processes(
        *TRIALS, "--share", "merge", "--neighbours", "1", "--slack", "0.123456789", "--seed",
        "2")),
    Recipe("processes of named groups", lambda: _processes(share={"both": ["left", "right"]}),
           alone=True),
    Recipe("processes that end soon", lambda: _processes(max_steps=3, tolerance=1e-3), alone=True),
]  # fmt: skip
MEMORY = [
    Recipe("cases from a frame", lambda: tc.fit("A -> B", _frame()), dots={"cases": _frame}),
    Recipe("a part of the cases", lambda: tc.fit("smoke -> lung", _part()),
           dots={"cases": _part}),
    Recipe("weights by hand", lambda: tc.fit("smoke -> lung", _weighed()),
           dots={"cases": _weighed}),
    Recipe("a prior that is a network", lambda: tc.fit(
        "asia.bif", "asia.csv", prior=tc.Prior.like(asia(), strength=5)),
        dots={"prior": lambda: tc.Prior.like(asia(), strength=5)}, alone=True),
]  # fmt: skip


RECIPES = [*FITS, *SEARCHES, *HIDDEN, *PROCESSES, *MEMORY]
