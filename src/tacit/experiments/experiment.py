"""What is known of an experiment before it is run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment of a paper.

    source  where its figures are printed
    home    the module whose `run(settings)` makes its `Outcome`
    takes   how long it takes on two cores: smoke, default and full
    needs   which public data it needs; nothing where it draws its own
    uses    which public data it takes where it is told of them, and does without otherwise
    """

    name: str
    title: str
    source: str
    home: str
    takes: tuple[str, str, str]
    needs: str = ""
    uses: str = ""
