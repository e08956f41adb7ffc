"""A classifier of documents in the last section: the table of its settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.core.errors import quoted
from tacit.core.variables import Discrete
from tacit.learn.fits import Fit
from tacit.learn.text.estimated import SAID
from tacit.reporting.again_given import estimate, knowledge, prior, unkept
from tacit.reporting.again_reading import Cases, lost_words
from tacit.reporting.again_settings import NOTHING, Said, Setting, Verb

READ = ("columns", "discrete")
"""What the command says of reading by naming its columns."""
TEXTS = (
    "def texts(name):\n"
    "    states = cases.variables[name].states\n"
    "    return [states[code] if code >= 0 else '' for code in cases[name]]\n"
)
"""A column of cases as texts."""


class Documents(Cases):
    """The cases of a classifier, whose columns are documents, classes and groups."""

    @property
    def words(self) -> list[str]:
        """None: the columns are named."""
        return []

    def lost(self, beside: bool) -> list[str]:
        """What else was said of reading."""
        del beside
        if self.reading is None:
            return ["documents that no file holds"]
        rest = self.reading.without(*READ)
        return [*lost_words(rest, False), *(name for name in rest.options if name != "delimiter")]

    def among(self, lines: Sequence[str]) -> list[str]:
        """The lines that read them come first."""
        return [*([] if self.reading is None else [self.line, "", TEXTS]), *lines]

    @property
    def remarks(self) -> list[str]:
        """Dots stand for documents that no file holds."""
        if self.reading is not None:
            return super().remarks
        return ["The documents and their classes are not kept: put them where the dots stand."]


def text_cases(fit: Fit) -> Cases:
    """The documents of a fit."""
    return Documents(fit.cases.reading, fit.cases.source, fit.cases.fingerprint)


def _column(name: str, option: str) -> Any:
    """A column that holds one text for each document."""

    def said(fit: Fit) -> Said:
        told = fit.settings[SAID]
        columns = told.get("columns")
        if name == "groups" and told["group"] is None:
            return NOTHING
        if not columns or fit.cases.reading is None:
            return Said(name, (), [f"{name} = ...  # one for each document"])
        return Said(f"texts({columns[name]!r})", [option, quoted(columns[name])])

    return said


def _target(fit: Fit) -> Said:
    """What the class is called; on the command line as its column is."""
    return Said(repr(fit.settings[SAID]["target"]))


def _group(fit: Fit) -> Said:
    """What the group is called; on the command line as its column is."""
    said = fit.settings[SAID]["group"]
    return NOTHING if said is None else Said(repr(said))


def _word(fit: Fit) -> Said:
    """What a word is called."""
    said = fit.settings[SAID]["word"]
    return NOTHING if said == "Word" else Said(repr(said), None)


def _kind(fit: Fit) -> Said:
    """What a word says: each time it is written, or whether it occurs."""
    said = fit.settings[SAID]["kind"]
    return Said(repr(said), ["--kind", said])


def _least(fit: Fit) -> Said:
    """In how many documents a word of the dictionary stands."""
    said = fit.settings[SAID].get("least")
    return NOTHING if said is None else Said(repr(said), ["--least", str(said)])


def _dictionary(fit: Fit) -> Said:
    """The words that count, where they were named."""
    told = fit.settings[SAID]
    if told.get("least") is not None:
        return NOTHING
    if told["kind"] == "bernoulli":
        others = (told["target"], told["group"])
        return Said(repr([name for name in fit.network.dag.names if name not in others]), None)
    variable = fit.network.variables[told["word"]]
    assert isinstance(variable, Discrete)
    return Said(repr(list(variable.states)), None)


def _states(fit: Fit) -> Said:
    """The classes in their order, where that was given."""
    said = fit.settings[SAID].get("states")
    return NOTHING if said is None else Said(repr(said), None)


def _weights(fit: Fit) -> Said:
    """How often documents counted."""
    return unkept("weights", "one number per document") if _weighted(fit) else NOTHING


def _weighted(fit: Fit) -> bool:
    return bool(fit.settings[SAID].get("weighted"))


def _estimate(fit: Fit) -> Said:
    """The command line takes the usual one."""
    said = estimate(fit)
    usual = said.python == "tc.Smoothed()"
    return Said(said.python, () if usual else None)


TEXT = Verb(
    "model = tc.fit_text",
    "text",
    (
        Setting(("documents",), ("--text",), _column("documents", "--text")),
        Setting(("classes",), ("--target",), _column("classes", "--target")),
        Setting(("kind",), ("--kind",), _kind),
        Setting(("dictionary",), (), _dictionary),
        Setting(("least",), ("--least",), _least),
        Setting(("groups",), ("--group",), _column("groups", "--group")),
        Setting(("states",), (), _states),
        Setting(("weights",), (), _weights),
        Setting(("knowledge",), ("--knowledge",), knowledge),
        Setting(("prior",), ("--prior",), prior),
        Setting(("estimate",), (), _estimate),
        Setting(("target",), (), _target),
        Setting(("word",), (), _word),
        Setting(("group",), (), _group),
    ),
    ("documents", "classes"),
    after=("fit = model.fit",),
)
