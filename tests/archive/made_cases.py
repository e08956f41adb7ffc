"""Cases for the archive, drawn from a seed: small worlds of every kind of column."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from made_series import DIGITS, Columns, onsets, open_onsets, places, series

import tacit as tc


def _when(random: np.random.Generator, chances: Any) -> np.ndarray:
    """True with these chances, case by case."""
    return random.random(len(chances)) < chances


def _said(true: np.ndarray) -> np.ndarray:
    return np.where(true, "yes", "no")


def _with_gaps(random: np.random.Generator, columns: Columns, share: float) -> Columns:
    """The columns with this share of their cells missing."""
    return {
        name: [None if gone else value for value, gone in zip(values, holes, strict=True)]
        for name, values in columns.items()
        for holes in [random.random(len(values)) < share]
    }


def weather(seed: int = 1, cases: int = 240) -> Columns:
    """Season -> Rain, Sprinkler; Rain, Sprinkler -> Wet; Wet -> Slippery."""
    random = np.random.default_rng(seed)
    season = random.choice(3, size=cases, p=[0.3, 0.4, 0.3])
    rain = _when(random, np.array([0.1, 0.4, 0.8])[season])
    sprinkler = _when(random, np.array([0.7, 0.3, 0.1])[season])
    wet = _when(random, 0.05 + 0.85 * rain + 0.6 * sprinkler * ~rain)
    slippery = _when(random, np.where(wet, 0.7, 0.1))
    return {
        "Season": np.array(["dry", "mild", "rainy"])[season],
        "Rain": _said(rain),
        "Sprinkler": _said(sprinkler),
        "Wet": _said(wet),
        "Slippery": _said(slippery),
    }


def weather_with_gaps() -> Columns:
    """The same world, a tenth of the cells missing."""
    return _with_gaps(np.random.default_rng(11), weather(2), 0.1)


def weather_weighed() -> Columns:
    """The same world, each line counting for some days."""
    return {**weather(3, 60), "days": np.random.default_rng(12).integers(1, 6, 60)}


def survey(seed: int = 4, cases: int = 1000) -> Columns:
    """A mood of three states that nobody measured, above six questions."""
    random = np.random.default_rng(seed)
    mood = random.choice(3, size=cases, p=[0.5, 0.3, 0.2])
    chances = {
        "Sleep": [0.95, 0.4, 0.05], "Work": [0.9, 0.2, 0.1], "Appetite": [0.95, 0.85, 0.1],
        "Friends": [0.9, 0.3, 0.05], "Sport": [0.85, 0.1, 0.05], "Music": [0.9, 0.7, 0.1],
    }  # fmt: skip
    return {name: _said(_when(random, np.array(each)[mood])) for name, each in chances.items()}


def survey_with_gaps() -> Columns:
    """The same questions, some not answered."""
    return _with_gaps(np.random.default_rng(13), survey(5, 150), 0.1)


def symptoms() -> Columns:
    """Flu, Cold and Dust bring about fever, a cough and a headache of three degrees."""
    random = np.random.default_rng(6)
    flu, cold, dust = (_when(random, np.full(300, share)) for share in (0.3, 0.4, 0.3))
    fever = _when(random, 1 - 0.95 * (1 - 0.8 * flu) * (1 - 0.4 * cold))
    works = _when(random, 0.95 * (1 - 0.6 * ~flu) * (1 - 0.5 * ~cold))
    degree = np.maximum(
        flu * random.choice(3, 300, p=[0.2, 0.3, 0.5]),
        dust * random.choice(3, 300, p=[0.3, 0.6, 0.1]),
    )
    return {
        "Flu": _said(flu), "Cold": _said(cold), "Dust": _said(dust), "Fever": _said(fever),
        "Cough": _said(works), "Headache": np.array(["1-none", "2-mild", "3-strong"])[degree],
    }  # fmt: skip


def symptoms_with_gaps() -> Columns:
    """The same patients, a tenth of the cells missing."""
    return _with_gaps(np.random.default_rng(16), symptoms(), 0.1)


def clinic() -> Columns:
    """A related site: the weather's structure under other names, with other numbers of cases."""
    here = weather(7, 400)
    names = dict(zip(here, ("Month", "Storm", "Hose", "Damp", "Slick"), strict=True))
    return {names[name]: values for name, values in here.items()}


def machine(seed: int = 8, cases: int = 120) -> Columns:
    """Wind -> Power -> Heat; Power, Heat -> Noise, all along lines."""
    random = np.random.default_rng(seed)
    wind = random.normal(8, 2, cases)
    power = 3 + 1.5 * wind + random.normal(0, 1, cases)
    heat = 20 + 0.8 * power + random.normal(0, 2, cases)
    noise = 0.5 * power - 0.3 * heat + random.normal(0, 0.5, cases)
    return _rounded({"Wind": wind, "Power": power, "Heat": heat, "Noise": noise})


def machine_with_gaps() -> Columns:
    """The same machine, a tenth of the cells missing."""
    return _with_gaps(np.random.default_rng(18), machine(9), 0.1)


def lamp(seed: int = 21, cases: int = 120) -> Columns:
    """Current -> Light -> Heat, along a sigmoid and a softplus."""
    random = np.random.default_rng(seed)
    current = random.normal(0, 2, cases)
    light = 1 + 4 / (1 + np.exp(0.5 - 1.5 * current)) + random.normal(0, 0.2, cases)
    heat = 0.5 + 2 * np.log1p(np.exp(2 * light - 6)) + random.normal(0, 0.3, cases)
    return _rounded({"Current": current, "Light": light, "Heat": heat})


def lamp_with_gaps() -> Columns:
    """The same lamp, a tenth of the cells missing."""
    return _with_gaps(np.random.default_rng(22), lamp(23, 80), 0.1)


def marks(seed: int = 24, cases: int = 250) -> Columns:
    """A skill that nobody measured, above seven marks."""
    random = np.random.default_rng(seed)
    skill = random.normal(0, 1, cases)
    slopes = {"Algebra": 1.0, "Logic": 0.8, "Physics": 1.5, "Chess": 0.7, "Music": -0.9,
              "Latin": 1.1, "Greek": 0.6}  # fmt: skip
    columns = {
        name: at + slope * skill + random.normal(0, 0.6, cases)
        for at, (name, slope) in enumerate(slopes.items())
    }
    return _rounded(columns)


def engine(seed: int = 25, cases: int = 200) -> Columns:
    """Mode and Worn, with states, above Load and Heat, with real values."""
    random = np.random.default_rng(seed)
    mode = random.choice(3, size=cases, p=[0.4, 0.4, 0.2])
    worn = _when(random, np.array([0.1, 0.3, 0.6])[mode])
    load = np.array([1.0, 3.0, 6.0])[mode] + random.normal(0, 0.7, cases)
    heat = np.where(worn, 2.0, 1.0) * load + 5 * worn + random.normal(0, 0.5, cases)
    real = _rounded({"Load": load, "Heat": heat})
    return {"Mode": np.array(["idle", "run", "top"])[mode], "Worn": _said(worn), **real}


def engine_with_gaps() -> Columns:
    """The same engine, a tenth of the cells missing."""
    return _with_gaps(np.random.default_rng(26), engine(27, 120), 0.1)


def ward() -> Columns:
    """A severity that nobody measured, above two signs with states and three measured values."""
    random = np.random.default_rng(28)
    severe = random.integers(0, 2, 250)
    signs = {
        name: _said(_when(random, np.where(severe, share, 1 - share)))
        for name, share in (("Pain", 0.85), ("Cough", 0.8))
    }
    values = {
        "Pulse": 70 + 20 * severe + random.normal(0, 9, 250),
        "Oxygen": 98 - 6 * severe + random.normal(0, 2.5, 250),
        "Fever": 37 + 1.5 * severe + random.normal(0, 0.8, 250),
        "Height": random.normal(170, 8, 250),
    }
    return {**signs, **_rounded(values)}


def patients() -> Columns:
    """A mood that was measured, above questions two of which are answered alike."""
    random = np.random.default_rng(19)
    mood = random.choice(3, size=500, p=[0.5, 0.3, 0.2])
    chances = {
        "Sleep": [0.9, 0.5, 0.1], "Work": [0.8, 0.2, 0.2], "Appetite": [0.9, 0.5, 0.1],
        "Friends": [0.85, 0.4, 0.1], "Sport": [0.7, 0.1, 0.1], "Music": [0.3, 0.3, 0.3],
        "Rest": [0.9, 0.5, 0.1],
    }  # fmt: skip
    answers = {name: _said(_when(random, np.array(each)[mood])) for name, each in chances.items()}
    return {"Mood": np.array(["good", "fair", "low"])[mood], **answers}


def steps() -> Columns:
    """Five steps of a symbol that follows a hidden state."""
    random = np.random.default_rng(20)
    hidden = np.cumsum(random.random((150, 5)) < 0.15, axis=1) % 2
    symbols = np.where(random.random(hidden.shape) < 0.9, hidden, 1 - hidden)
    return {f"X[{at + 1}]": np.array(["a", "b"])[symbols[:, at]] for at in range(5)}


def wide() -> Columns:
    """Three columns of hundreds of states each, together more cells than are kept in full."""
    random = np.random.default_rng(29)
    return {name: [f"{name.lower()}{at}" for at in random.permutation(230)] for name in "ABC"}


def letters() -> Columns:
    """Twelve short letters of two classes."""
    work = ["meet at noon", "the report is late", "budget meeting today", "send the report",
            "late again for the meeting", "the budget report"]  # fmt: skip
    home = ["dinner at noon", "the dog is late", "dinner with the dog", "walk the dog today",
            "call me at dinner", "the walk again"]  # fmt: skip
    return {"Letter": [*work, *home], "Topic": ["work"] * 6 + ["home"] * 6}


def _rounded(columns: Mapping[str, np.ndarray]) -> Columns:
    return {name: values.round(DIGITS) for name, values in columns.items()}


CASES: Mapping[str, Callable[[], Columns]] = {
    "cases-weather.csv.gz": weather,
    "cases-weather-gaps.csv.gz": weather_with_gaps,
    "cases-weather-weighed.tsv.gz": weather_weighed,
    "cases-survey.csv.gz": survey,
    "cases-survey-gaps.parquet": survey_with_gaps,
    "cases-symptoms.csv.gz": symptoms,
    "cases-symptoms-gaps.csv.gz": symptoms_with_gaps,
    "cases-clinic.csv.gz": clinic,
    "cases-machine.csv.gz": machine,
    "cases-machine-gaps.tsv": machine_with_gaps,
    "cases-lamp.csv.gz": lamp,
    "cases-lamp-gaps.csv.gz": lamp_with_gaps,
    "cases-marks.csv.gz": marks,
    "cases-engine.csv": engine,
    "cases-engine-gaps.csv.gz": engine_with_gaps,
    "cases-ward.csv.gz": ward,
    "cases-patients.csv.gz": patients,
    "cases-steps.csv.gz": steps,
    "cases-wide.csv.gz": wide,
    "cases-series.csv.gz": series,
    "cases-places.csv.gz": places,
    "cases-onsets.csv.gz": onsets,
    "cases-open-onsets.csv.gz": open_onsets,
    "cases-letters.csv.gz": letters,
}


def write_cases() -> None:
    """Every table of cases, into the folder we are in."""
    for file, drawn in CASES.items():
        columns = drawn()
        if "days" in columns:
            tc.write_cases(tc.read_cases(columns, weights="days"), file, weights="days")
        else:
            tc.write_cases(columns, file)
