"""Networks in every format and of every family, structures, rules and statistics."""

from __future__ import annotations

import json

import numpy as np
from saving import saved

import tacit as tc
from archived_runs import MOOD, WEATHER

# networks ------------------------------------------------------------------------------------

YES = ("no", "yes")
FLU, COLD, DUST = (tc.Discrete(name, YES) for name in ("Flu", "Cold", "Dust"))
STAGE = tc.Discrete("Stage", ("I", "II", "III"), inferred_order=True)
WIND, POWER, HEAT = (tc.Continuous(name) for name in ("Wind", "Power", "Heat"))


@saved(
    "network-tables.json.gz", "network-tables.bif.gz", "network-tables.xmlbif",
    "network-tables.bifxml.gz", "network-tables.xml", "network-tables.xdsl.gz",
    "network-tables.net", "network-tables.dsc.gz", "network-tables.uai.gz",
)  # fmt: skip
def tables() -> tc.Network:
    """Tables in every format that holds them."""
    both = [[[0.9, 0.1], [0.25, 0.75]], [[1 / 3, 2 / 3], [0.05, 0.95]], [[0.5, 0.5], [0.0, 1.0]]]
    return tc.Network.of(
        [
            tc.table(STAGE, [], [0.5, 0.3, 0.2]),
            tc.table(FLU, [], [0.1, 0.9]),
            tc.table(COLD, [STAGE, FLU], both),
            tc.table(DUST, [COLD], [[0.7, 0.3], [0.2, 0.8]]),
        ]
    )


@saved("network-names.json", "network-names.bif", "network-names.xmlbif")
def names() -> tc.Network:
    """Names and states with blanks, signs, quotes and letters of other alphabets."""
    odd = tc.Discrete('Größe (cm), "gemessen"', ("< 5", "5–10", "größer; 10"))
    even = tc.Discrete("-> λ", ("0", "None", "a|b"))
    return tc.Network.of(
        [
            tc.table(odd, [], [0.2, 0.3, 0.5]),
            tc.table(even, [odd], [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4], [1e-300, 0.25, 0.75]]),
        ]
    )


@saved("network-lines.json")
def lines() -> tc.Network:
    """Linear Gaussian families."""
    return tc.Network.of(
        [
            tc.LinearGaussian((WIND,), [], 8.0, 2.0),
            tc.LinearGaussian((WIND, POWER), [1.5], 3.1, 0.1 + 0.2),
            tc.LinearGaussian((WIND, POWER, HEAT), [-0.2, 0.8], 20.0, 1e-3),
        ]
    )


@saved("network-lines-elsewhere.json")
def lines_elsewhere() -> str:
    """Linear Gaussian families in the JSON of other libraries, which is read and not written."""
    return json.dumps(
        {
            "nodes": ["Wind", "Power"],
            "arcs": [["Wind", "Power"]],
            "cpds": {
                "Wind": {"coefficients": {"(Intercept)": [8.0]}, "variance": [4], "parents": []},
                "Power": {
                    "coefficients": {"(Intercept)": 3.1, "Wind": 1.5},
                    "variance": 0.09,
                    "parents": ["Wind"],
                },
            },
        }
    )


@saved("network-mixed.json.gz")
def mixed() -> tc.Network:
    """Conditional Gaussian families beside a table."""
    return tc.Network.of(
        [
            tc.table(STAGE, [], [0.5, 0.3, 0.2]),
            tc.LinearGaussian((WIND,), [], 8.0, 2.0),
            tc.ConditionalGaussian(
                (STAGE, WIND, POWER), [[1.0], [1.5], [2.0]], [0.0, -1.0, 3.5], [0.5, 1.0, 1.5]
            ),
            tc.ConditionalGaussian((STAGE, HEAT), [[], [], []], [20.0, 21.5, 30.0], [1, 2, 3]),
        ]
    )


@saved("network-noisy.json")
def noisy() -> tc.Network:
    """Noisy-or, noisy-and and noisy-max, one of them with a state of absence of its own."""
    fever, cough = tc.Discrete("Fever", YES), tc.Discrete("Cough", YES)
    ache = tc.Discrete("Ache", ("none", "mild", "strong"))
    rows = [[[1, 0, 0], [0.3, 0.5, 0.2]], [[1, 0, 0], [0.6, 0.3, 0.1]]]
    return tc.Network.of(
        [
            *(tc.table(each, [], [0.8, 0.2]) for each in (FLU, COLD, DUST)),
            tc.NoisyOr.of(fever, {FLU: 0.8, COLD: 0.4}, leak=0.05),
            tc.NoisyAnd.of(cough, {FLU: 0.7, DUST: 0.5}, leak=0.1, absent={"Dust": "yes"}),
            tc.NoisyMax((FLU, DUST, ache), tuple(map(np.array, rows)), np.array([0.9, 0.07, 0.03])),
        ]
    )


@saved("network-trees.json")
def trees() -> tc.Network:
    """A tree table and a default table."""
    ache, work = tc.Discrete("Ache", YES), tc.Discrete("Work", YES)
    late = {"Flu": {"no": [0.5, 0.5], "yes": [0, 1]}}
    asked = {"Stage": {"I": [0.9, 0.1], ("II", "III"): late}}
    return tc.Network.of(
        [
            tc.table(STAGE, [], [0.5, 0.3, 0.2]),
            tc.table(FLU, [], [0.8, 0.2]),
            tc.TreeTable.of(ache, [STAGE, FLU], asked),
            tc.DefaultTable.of(work, [STAGE, FLU], {("III", "yes"): [0.95, 0.05]}, [0.2, 0.8]),
        ]
    )


@saved("network-curves.json")
def curves() -> tc.Network:
    """A sigmoid and a softplus above a line."""
    return tc.Network.of(
        [
            tc.LinearGaussian((WIND,), [], 8.0, 2.0),
            tc.SigmoidGaussian((WIND, POWER), [0.9], 1.0, 4.0, 7.0, 0.25),
            tc.SoftplusGaussian((WIND, POWER, HEAT), [0.1, 0.7], -1.0, 2.0, 0.5, 0.4),
        ]
    )


# structures, rules, statistics ---------------------------------------------------------------


@saved("dag-weather.dag")
def weather_dag() -> str:
    """A structure without numbers."""
    return f"{tc.Dag.parse(WEATHER)}\n"


@saved("knowledge-weather.know")
def weather_rules() -> str:
    """Rules of two experts as they write them."""
    return (
        "# what the gardeners say\n"
        'P(Wet=yes | Rain=yes, Sprinkler=*) >= 0.9 by "Dr. Lee"\n'
        "P(Slippery=yes | Wet=no) <= 0.05\n"
        "P(Rain=yes | Season=dry) = 0.1\n"
        "order of Season: dry < mild < rainy\n"
        "Rain increases with Season\n"
    )


@saved("knowledge-discovered.know.gz")
def discovered() -> tc.Discovery:
    """Rules that the cases support, with remarks, as a discovery saves them."""
    return tc.discover(f"{MOOD}; Mood -> Rest", "cases-patients.csv.gz", seed=1)


@saved("statistics-begun.json")
def statistics_begun() -> tc.Statistics:
    """Nothing counted yet."""
    return tc.Statistics(WEATHER)


@saved("statistics-tables.json.gz")
def statistics_tables() -> tc.Statistics:
    """Counts of two batches, one of them weighed and faded."""
    weighed = tc.read_cases("cases-weather-weighed.tsv.gz", weights="days")
    return 0.5 * tc.Statistics(WEATHER).update(weighed).update("cases-weather.csv.gz")


@saved("statistics-gaps.json")
def statistics_gaps() -> tc.Statistics:
    """Counts over the states of a network, each family on the cases complete in it."""
    network = tc.fit(WEATHER, "cases-weather.csv.gz").network
    return tc.Statistics(network).update("cases-weather-gaps.csv.gz", missing="available")


@saved("statistics-sparse.json.gz")
def statistics_sparse() -> tc.Statistics:
    """Sparse counts of a table with millions of cells."""
    return tc.Statistics("A, B -> C").update("cases-wide.csv.gz")


@saved("statistics-lines.json")
def statistics_lines() -> tc.Statistics:
    """Moments of lines."""
    return tc.Statistics("Wind -> Power -> Heat").update("cases-machine.csv.gz")


@saved("statistics-mixed.json.gz")
def statistics_mixed() -> tc.Statistics:
    """Moments of lines in every configuration, beside counts."""
    return tc.Statistics("Mode -> Worn; Mode -> Load; Load, Worn -> Heat").update(
        "cases-engine.csv"
    )
