"""Settings in the last section: each with its argument in Python and its words on the command line.

A verb is a table of settings. What a fit was told is written from that table and from nothing else,
so that a setting is told in both languages, or a remark says which of them lacks it; tests hold the
tables against the arguments of the library and the options of the command line.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tacit.core.errors import listed
from tacit.reporting.again_reading import Cases


@dataclass(frozen=True, slots=True)
class Said:
    """What a fit was told of one setting.

    python  what stands behind `argument=`; "" where the call says nothing of it
    words   of the command line; None where it has none for this
    lines   of Python that stand before the call
    remark  a sentence about what is not kept
    """

    python: str = ""
    words: Sequence[str] | None = ()
    lines: Sequence[str] = ()
    remark: str = ""


NOTHING = Said()
"""As usual: neither language need say it."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting of a verb.

    arguments  of the call: the first is written, others are other ways to say it
    options    of the command that say it; none where it has no word for it
    said       what a fit was told of it
    """

    arguments: tuple[str, ...]
    options: tuple[str, ...]
    said: Callable[[Any], Said]


@dataclass(frozen=True, slots=True)
class Verb:
    """A function of the library and its command, with every setting that changes what comes of it.

    call        such as `fit = tc.fit`
    command     such as `fit`; "" where there is none
    positional  arguments that are written without their name; "cases" is what was read
    beside      whether the command reads the columns of a network that it is given
    output      the option that says where the command writes a network
    after       lines of Python that follow the call
    """

    call: str
    command: str
    settings: tuple[Setting, ...]
    positional: tuple[str, ...] = ("cases",)
    beside: bool = False
    output: str = "-o"
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A verb in both languages.

    lines    of Python, the call among them
    named    the arguments of the call by name
    words    of the command
    outputs  options for what it writes
    lost     arguments for which the command line has no words
    """

    lines: tuple[str, ...]
    named: Mapping[str, str]
    words: tuple[str, ...]
    output: str
    lost: tuple[str, ...]
    remarks: tuple[str, ...]

    @property
    def python(self) -> str:
        """The whole program."""
        return "\n".join(["import tacit as tc", "", *self.lines])

    def command(self, path: str) -> str | None:
        """The command line, which writes to this path; None where it cannot say something."""
        if self.lost:
            return None
        written = [self.output, path] if self.output else []
        return shlex.join([*self.words, *written, "--report", "report.html"])

    @property
    def wordless(self) -> str:
        """The remark about what the command line cannot say."""
        names = listed([each if " " in each else f"`{each}=`" for each in self.lost], 6)
        return f"No command repeats this: the command line has no words for {names}."


def written(verb: Verb, fit: Any, cases: Cases) -> Written:
    """What the settings of a fit come to."""
    told = [(setting, setting.said(fit)) for setting in verb.settings]
    named = {setting.arguments[0]: said.python for setting, said in told if setting.arguments}
    places = [{**named, "cases": "cases"}[name] for name in verb.positional]
    rest = {name: text for name, text in named.items() if text and name not in verb.positional}
    lines = cases.among([line for _, said in told for line in said.lines])
    lost = [setting.arguments[0] for setting, said in told if said.words is None]
    lost += cases.lost(verb.beside)
    if not verb.command:
        lost = [f"{verb.call.partition(' = ')[2]} at all"]
    return Written(
        (*lines, called(verb.call, places, rest), *verb.after),
        rest,
        (
            "tacit", verb.command, cases.word,
            *(word for _, said in told for word in said.words or ()), *cases.words,
        ),
        verb.output,
        tuple(dict.fromkeys(lost)),
        (*cases.remarks, *(said.remark for _, said in told if said.remark)),
    )  # fmt: skip


def called(what: str, places: Sequence[str], named: Mapping[str, str]) -> str:
    """A call on one line."""
    given = [*filter(None, places), *(f"{name}={text}" for name, text in named.items())]
    return f"{what}({', '.join(given)})"
