"""Words in sequences: which of them do too many bound sequences contain? [HV1 2.7]"""

from __future__ import annotations

from math import log

import numpy as np

from tacit.arrays import Codes, Floats, Ints
from tacit.experiments.elidan.sequences import ALPHABET, Sequences

LETTERS = len(ALPHABET)
SEED = 6
"""Letters of the words from which learning starts."""
DOUBT = 0.05
"""A word is good if chance would give one like it with this probability, among all words."""


def words(letters: Codes, length: int) -> Codes:
    """(sequences, positions) the number of the word that starts at each position."""
    starts = letters.shape[1] - length + 1
    numbers = np.zeros((letters.shape[0], starts), dtype=np.int16)
    for at in range(length):
        numbers = (LETTERS * numbers + letters[:, at : at + starts]).astype(np.int16)
    return numbers


def good_seeds(sequences: Sequences, most: int) -> Ints:
    """(seeds, SEED) the words that bound sequences contain too often, the least likely first.

    Those of which chance would give one in twenty times at most, were all words tried; where there
    is none, the first word alone.
    """
    chance = enrichment(sequences)
    first = np.argsort(chance, kind="stable")[:most]
    good = first[chance[first] <= log(DOUBT / chance.size)]
    return np.stack(np.unravel_index(good if good.size else first[:1], (LETTERS,) * SEED), axis=1)


def enrichment(sequences: Sequences) -> Floats:
    """(words,) log of the probability that as many of the bound sequences would contain a word.

    Hypergeometric: so many of all contain it, and which of them are bound is chance.
    """
    from scipy.stats import hypergeom

    numbers = words(sequences.letters, SEED)
    cases = numbers.shape[0]
    there = np.zeros((cases, LETTERS**SEED), dtype=bool)
    there[np.arange(cases)[:, None], numbers] = True
    pairs = np.stack([there[sequences.bound].sum(axis=0), there.sum(axis=0)])
    (among, total), which = np.unique(pairs, axis=1, return_inverse=True)
    chance: Floats = hypergeom.logsf(among - 1, cases, total, int(sequences.bound.sum()))
    return chance[which.ravel()]


def lacking(found: Ints, consensus: Ints) -> int:
    """How many letters of a consensus a longer word lacks, at the place where it fits best."""
    length = consensus.size
    windows = (found[at : at + length] for at in range(found.size - length + 1))
    return min(int(np.sum(window != consensus)) for window in windows)
