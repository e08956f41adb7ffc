"""Sequences of letters of which some are bound, because of a word they share. [HV1 8.5]"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Codes, Floats, Ints

ALPHABET = "ACGT"
BACKGROUND = (0.31, 0.19, 0.19, 0.31)
KEPT = 0.7
"""How often an instance has the letter of the consensus; the other three share the rest."""
SETS = tuple(range(1, 10))
CASES, BOUND, LONG = 500, 60, 600
CARRIED, STRAY = 0.9, 0.05
"""How many of the bound sequences carry instances of the motif, and how many of the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Sequences:
    """Sequences of equal length, and the word that was implanted.

    letters    (sequences, positions) positions in `ALPHABET`
    bound      (sequences,) the labels
    consensus  (length of the motif,) the word whose instances were implanted
    """

    letters: Codes
    bound: Bools
    consensus: Ints

    @property
    def word(self) -> str:
        """The consensus as text."""
        return spelled(self.consensus)


def spelled(letters: Ints) -> str:
    """Letters as text."""
    return "".join(ALPHABET[each] for each in letters)


def implanted(number: int, seed: int, cases: int = CASES) -> tuple[Sequences, Sequences]:
    """A set of this number, and as many fresh sequences with the same motif.

    The motif has 8 + number modulo 5 letters, its consensus is any word.
    """
    random = np.random.default_rng([seed, number])
    consensus = random.integers(0, len(ALPHABET), 8 + number % 5)
    return drawn(consensus, random, cases), drawn(consensus, random, cases)


def drawn(consensus: Ints, random: np.random.Generator, cases: int) -> Sequences:
    """Sequences of which 60 in 500 are bound.

    Nine of ten bound ones and a twentieth of the others carry one or two instances, at any place.
    """
    letters = random.choice(len(ALPHABET), (cases, LONG), p=BACKGROUND).astype(np.int8)
    bound = np.arange(cases) < round(cases * BOUND / CASES)
    for case in np.flatnonzero(random.random(cases) < np.where(bound, CARRIED, STRAY)):
        for _ in range(int(random.integers(1, 3))):
            at = int(random.integers(0, LONG - consensus.size + 1))
            letters[case, at : at + consensus.size] = instance(consensus, random)
    return Sequences(letters, bound, consensus)


def instance(consensus: Ints, random: np.random.Generator) -> Codes:
    """The consensus, each letter kept with probability .7 or else any of the other three."""
    other = (consensus + random.integers(1, len(ALPHABET), consensus.size)) % len(ALPHABET)
    return np.where(random.random(consensus.size) < KEPT, consensus, other).astype(np.int8)


def log_odds(consensus: Ints) -> Floats:
    """(positions, letters) log of how much likelier a letter is in an instance than elsewhere."""
    chance = np.full((consensus.size, len(ALPHABET)), (1 - KEPT) / (len(ALPHABET) - 1))
    chance[np.arange(consensus.size), consensus] = KEPT
    odds: Floats = np.log(chance / np.array(BACKGROUND))
    return odds
