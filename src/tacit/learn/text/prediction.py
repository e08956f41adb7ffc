"""Classes of documents, predicted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit import frames
from tacit.arrays import Floats
from tacit.core.errors import OptionError
from tacit.core.grid import counted, percentage
from tacit.core.variables import Discrete
from tacit.learn.evaluation.evaluation import Evaluation
from tacit.learn.text.evidence import coded


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class TextPrediction:
    """P(class | words) of every document.

    classes      the variable that was predicted
    probability  (documents, classes)
    log_joint    (documents, classes) log P(class, words)
    known        (documents,) how many words of the document the dictionary holds
    unknown      (documents,) how many it does not; they say nothing about the class
    """

    classes: Discrete
    probability: Floats
    log_joint: Floats
    known: Floats
    unknown: Floats

    def __len__(self) -> int:
        return int(self.probability.shape[0])

    @property
    def most_probable(self) -> list[str]:
        """The most probable class of every document."""
        return [self.classes.states[at] for at in self.probability.argmax(axis=1)]

    @property
    def notes(self) -> tuple[str, ...]:
        """What the dictionary lacks."""
        lost, held = float(self.unknown.sum()), float(self.known.sum())
        notes = []
        if lost:
            share = percentage(float(f"{lost / (lost + held):.2g}"))
            notes.append(
                f"{lost:,.6g} of {lost + held:,.6g} words ({share}) are not in the dictionary and "
                "say nothing about the class"
            )
        empty = int((self.known == 0).sum())
        if empty:
            hold = "holds" if empty == 1 else "hold"
            notes.append(f"{counted(empty, 'document')} {hold} no word of the dictionary")
        return tuple(notes)

    def evaluate(self, classes: Any) -> Evaluation:
        """How well the classes were predicted, given those that came."""
        truth = coded(classes, self.classes, "class")
        if truth.size != len(self):
            raise OptionError(f"{counted(len(self), 'document')} need as many classes")
        places = np.arange(len(self))
        states = self.classes.states
        return Evaluation(self.classes.name, states, truth, self.probability, None, places)

    def to_frame(self, backend: str | None = None) -> Any:
        """A line per document: `Class=x` for every class, known and unknown words."""
        return frames.build(dict(self.columns()), backend)

    def columns(self) -> Iterator[tuple[str, Floats]]:
        """The columns of `to_frame`."""
        for at, state in enumerate(self.classes.states):
            yield f"{self.classes.name}={state}", self.probability[:, at]
        yield "known words", self.known
        yield "unknown words", self.unknown

    def __repr__(self) -> str:
        return f"<TextPrediction of {counted(len(self), 'document')}>"

    def __str__(self) -> str:
        shares = self.probability.argmax(axis=1)
        told = np.bincount(shares, minlength=len(self.classes.states))
        each = ", ".join(
            f"{state} {many:,}" for state, many in zip(self.classes.states, told, strict=True)
        )
        lines = [f"{counted(len(self), 'document')} by most probable class: {each}"]
        return "\n".join([*lines, *(f"note: {note}" for note in self.notes)])
