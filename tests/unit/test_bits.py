"""Counting by sets of bits against counting case by case with a dictionary."""

from __future__ import annotations

from collections import Counter
from itertools import product

import numpy as np
import pytest

from climbs import columns, leaning
from tacit.engines import bit_tables
from tacit.engines.bit_tables import Bits


def bits_of(here):
    return Bits.of(here.codes, here.states)


def cases_in(words):
    """The numbers of the cases whose bits are set, read off bit by bit."""
    return {
        64 * at + bit
        for at, word in enumerate(words.tolist())
        for bit in range(64)
        if word >> bit & 1
    }


@pytest.mark.parametrize("many", [1, 2, 63, 64, 65, 128, 1000])
def test_a_row_of_bits_holds_the_cases_of_a_state(many):
    states = [2, 3, 1]
    here = columns(leaning(np.random.default_rng(1), states, many), states)
    bits = bits_of(here)
    for variable, state in ((v, s) for v in range(3) for s in range(states[v])):
        row = bits.words[bits.first[variable] + state]
        assert cases_in(row) == set(np.flatnonzero(here.codes[variable] == state).tolist())


@pytest.mark.parametrize("variables", [(0,), (1, 0), (3, 1, 2), (0, 1, 2, 3)])
@pytest.mark.parametrize("many", [1, 64, 200])
def test_a_cell_holds_the_cases_that_show_its_states_the_last_fastest(variables, many):
    states = [2, 3, 4, 2]
    here = columns(leaning(np.random.default_rng(2), states, many), states)
    cells = bits_of(here).cells(variables)
    counted = Counter(zip(*(here.codes[each].tolist() for each in variables), strict=True))
    shown = list(product(*(range(states[each]) for each in variables)))
    assert cells.totals.tolist() == [counted[each] for each in shown]
    for row, each in zip(cells.words, shown, strict=True):
        same = np.all([here.codes[v] == s for v, s in zip(variables, each, strict=True)], axis=0)
        assert cases_in(row) == set(np.flatnonzero(same).tolist())


def test_tables_that_would_need_too_much_are_left_to_counting_by_cases(monkeypatch):
    states = [2, bit_tables.MOST_STATES + 1, 3, 40, 40]
    here = columns(leaning(np.random.default_rng(3), states, 300), states)
    bits = bits_of(here)
    assert bits.first.tolist() == [0, -1, 2, 5, 45]
    assert bits.cells((0, 1)) is None
    assert bits.cells((3, 4)) is None  # 1,600 cells
    cells = bits.cells((0, 2))
    assert bits.worth(cells, np.array([1, 3])).tolist() == [False, True]
    monkeypatch.setattr(bit_tables, "MOST_WORDS", 29)
    assert bits.cells((0, 2)) is None
    assert bits.cells((2,)) is not None


def test_no_cases_and_no_variables_have_no_bits():
    none = bits_of(columns(np.zeros((2, 0), dtype=int), [2, 3]))
    assert none.cells((0, 1)).totals.tolist() == [0] * 6
    assert Bits.of(np.zeros((0, 5), dtype=np.int8), np.zeros(0, dtype=np.int64)).words.shape == (
        0,
        1,
    )
