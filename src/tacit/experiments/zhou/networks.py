"""The twelve networks, what the paper says of them, and where they are found.

Seven come with the package; the others are read from the folder of public data, as BIF files.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tacit.core.network import Network
from tacit.experiments.zhou.worlds import World
from tacit.io.formats import read
from tacit.io.textbook import parse_textbook, textbook

METHODS = ("MLE", "MAP", "MPL-C+5", "CPTAgg", "MPL-TC+0", "MPL-TC+5")
PLACES = ("networks/{}.bif.gz", "networks/{}.bif", "{}.bif.gz", "{}.bif")
"""Where a network may lie in the folder of data."""

EARTHQUAKE = """\
Burglary{True,False} : .01 .99
Earthquake{True,False} : .02 .98
Alarm{True,False} | Burglary, Earthquake : .95 .05; .94 .06; .29 .71; .001 .999
JohnCalls{True,False} | Alarm : .9 .1; .05 .95
MaryCalls{True,False} | Alarm : .7 .3; .01 .99
"""
"""Korb and Nicholson, Bayesian Artificial Intelligence (2nd edition, 2010), section 2.5.1."""

SURVEY = """\
A{young,adult,old} : .3 .5 .2
S{M,F} : .6 .4
E{high,uni} | A, S : .75 .25; .64 .36; .72 .28; .7 .3; .88 .12; .9 .1
O{emp,self} | E : .96 .04; .92 .08
R{small,big} | E : .25 .75; .2 .8
T{car,train,other} | O, R : .48 .42 .10; .58 .24 .18; .56 .36 .08; .70 .21 .09
"""
"""Scutari and Denis, Bayesian Networks: with Examples in R (2014), chapter 1."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A line of Table 1.

    parameters  free ones
    mean, sd    of `METHODS`
    """

    name: str
    parameters: int
    mean: tuple[float, ...]
    sd: tuple[float, ...]
    worse: str
    home: Callable[[], Network] | None = None

    @property
    def marks(self) -> tuple[str, ...]:
        """An asterisk where the best is significantly better."""
        return tuple(mark.strip("-") for mark in self.worse)


def _line(
    name: str, parameters: int, figures: str, worse: str, home: Callable[[], Network] | None = None
) -> Printed:
    pairs = [each.split("±") for each in figures.split()]
    mean, sd = (tuple(float(pair[at]) for pair in pairs) for at in (0, 1))
    return Printed(name, parameters, mean, sd, worse, home)


TABLE = (
    _line("Alarm", 509, "2.36±.10 .66±.01 .61±.02 1.61±.08 .42±.02 .42±.01", "****--",
          partial(textbook, "alarm")),
    _line("Andes", 1157, "1.03±.06 .17±.01 .15±.01 .65±.05 .08±.00 .08±.00", "****--"),
    _line("Asia", 18, ".57±.16 .34±.04 .28±.03 .31±.05 .22±.02 .18±.03", "*****-",
          partial(textbook, "asia")),
    _line("Cancer", 10, ".86±.35 .09±.04 .07±.05 .54±.11 .05±.01 .03±.01", "*****-",
          partial(textbook, "cancer")),
    _line("Earthquake", 10, "1.50±.82 .15±.04 .13±.03 .35±.22 .11±.01 .10±.01", "****--",
          partial(parse_textbook, EARTHQUAKE)),
    _line("Hailfinder", 2656, "2.85±.01 .46±.00 .41±.00 1.98±.01 .31±.01 .31±.01", "****--"),
    _line("Hepar2", 1453, "3.18±.13 .33±.01 .33±.01 2.58±.15 .30±.01 .29±.00", "****--"),
    _line("Insurance", 984, "1.95±.18 1.17±.03 1.07±.03 .93±.06 .75±.03 .75±.02", "****--",
          partial(textbook, "insurance")),
    _line("Sachs", 178, "1.74±.29 .78±.04 .71±.05 .98±.08 .50±.03 .50±.02", "****--"),
    _line("Survey", 21, ".35±.20 .05±.01 .05±.01 .24±.15 .04±.01 .03±.01", "****--",
          partial(parse_textbook, SURVEY)),
    _line("Weather", 9, ".02±.02 .03±.00 .02±.00 .02±.00 .02±.00 .02±.00", "------",
          partial(textbook, "sprinkler")),
    _line("Win95pts", 574, "3.59±.07 .81±.01 .78±.02 3.20±.10 .67±.02 .64±.01", "*****-"),
)  # fmt: skip
SMALL = ("Asia", "Cancer", "Earthquake", "Survey", "Weather")


def folder_of_data(told: Path | None) -> Path | None:
    """The folder that was named, or the one in $TACIT_DATA; None if there is none."""
    if told is not None:
        return told
    named = os.environ.get("TACIT_DATA")
    return Path(named) if named and Path(named).is_dir() else None


def world(name: str, data: Path | None = None) -> World | None:
    """A network of the table; None where it is not to be had."""
    line = next(each for each in TABLE if each.name == name)
    if line.home is not None:
        return World.of(name, line.home())
    if data is None:
        return None
    found = next((data / place for place in _places(name) if (data / place).is_file()), None)
    return None if found is None else World.of(name, read(found))


def _places(name: str) -> Iterable[str]:
    return (place.format(name.lower()) for place in PLACES)


def cancer() -> World:
    """The network of the figures."""
    return World.of("Cancer", textbook("cancer"))
