"""Counting cases into tables, about as fast as memory delivers the columns.

Columns come as the addresses of their first codes: they differ in number and type from call to
call, and numba would compile anew for every combination. The caller keeps them alive, contiguous,
and no shorter than the cases it asks for. No cell outside a table is ever written, whatever the
columns hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numba.np.numpy_support import carray

from tacit.arrays import Codes, Floats, Ints

BLOCK = 16_384
"""Cases worked on at a time: long enough to stream from memory, short enough for the cache."""
PAGE = 4_096
"""Bytes that memory hands out at a time."""
BYTE = 256
"""Cells of a table whose positions fit one byte."""
LANES = 4
"""Copies of such a table: equal neighbours go to different copies and need not wait for each
other."""


def _pointer_to(kind: Any) -> Any:
    pointer_type: Any = types.CPointer

    @intrinsic
    def pointer(typing_context: Any, address: Any) -> Any:
        del typing_context, address

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

        return pointer_type(kind)(types.int64), generate

    return pointer


_pairs_at = _pointer_to(types.uint16)
_bytes_at = _pointer_to(types.uint8)
_int8_at = _pointer_to(types.int8)
_int16_at = _pointer_to(types.int16)
_int32_at = _pointer_to(types.int32)


@njit(cache=True, nogil=True)
def _read_ahead(addresses: Ints, start: int, sink: Codes) -> None:
    """Read a code of every page of the next block, so that memory has it ready when it comes."""
    for column in range(addresses.size):
        codes = carray(_bytes_at(addresses[column] + start), BLOCK)
        for at in range(0, BLOCK, PAGE):
            sink[0] |= codes[at]


@njit(cache=True, nogil=True)
def _add_bytes(one: int, other: int, cases: int, strides: Any, keeps: Any, cells: Codes) -> Any:
    """cells += stride * (codes & keep) of two columns; the bits that any kept code had set.

    Two cases to a word: sums of at most 255 never carry into the next byte.
    """
    words, seen = cells.view(np.uint16), np.uint16(0)
    ones, others = carray(_pairs_at(one), cases // 2), carray(_pairs_at(other), cases // 2)
    for at in range(cases // 2):
        this, that = ones[at] & keeps[0], others[at] & keeps[1]
        seen |= this | that
        words[at] += this * strides[0] + that * strides[1]
    if cases % 2:
        this = carray(_bytes_at(one), cases)[cases - 1] & keeps[0]
        that = carray(_bytes_at(other), cases)[cases - 1] & keeps[1]
        seen |= this | that
        cells[cases - 1] += this * strides[0] + that * strides[1]
    return seen


@njit(cache=True, nogil=True)
def _tally(cells: Codes, cases: int, weights: Floats | None, start: int, table: Any) -> None:
    """Add the cases to their cells of a table (lanes, cells), a quarter of them to each lane."""
    quarter = cases // LANES if table.shape[0] == LANES else 0
    if weights is None:
        for at in range(quarter):
            table[0, cells[at]] += 1
            table[1, cells[at + quarter]] += 1
            table[2, cells[at + 2 * quarter]] += 1
            table[3, cells[at + 3 * quarter]] += 1
        for at in range(LANES * quarter, cases):
            table[0, cells[at]] += 1
    else:
        of_block = weights[start:]
        for at in range(quarter):
            table[0, cells[at]] += of_block[at]
            table[1, cells[at + quarter]] += of_block[at + quarter]
            table[2, cells[at + 2 * quarter]] += of_block[at + 2 * quarter]
            table[3, cells[at + 3 * quarter]] += of_block[at + 3 * quarter]
        for at in range(LANES * quarter, cases):
            table[0, cells[at]] += of_block[at]


@njit(cache=True, nogil=True)
def count_bytes(
    addresses: Ints,
    groups: Ints,
    columns: Ints,
    strides: Codes,
    keeps: Codes,
    span: tuple[int, int],
    weights: Floats | None,
    tables: Any,
) -> bool:
    """Add the cases of `span` to small tables; False if a cell is missing where none may be.

    addresses  (columns,)     of the int8 codes of each column
    groups     (groups + 1,)  the slots of each group in the following three, even in number
    columns    (slots,)       which column
    strides    (slots,)       how far apart its states lie in the group's table
    keeps      (slots,)       the bits of a code to keep, for both bytes of a word: all of them, or
                              only so many that a missing cell, all ones, gets the place behind
                              the states that the table has for it
    tables     (groups, LANES, BYTE)
    """
    cells, sink = np.empty(BLOCK, np.uint8), np.zeros(1, np.uint8)
    for start in range(span[0], span[1], BLOCK):
        cases = min(BLOCK, span[1] - start)
        if start + 2 * BLOCK <= span[1]:
            _read_ahead(addresses, start + BLOCK, sink)
        for group in range(groups.size - 1):
            cells[:] = 0
            seen = 0
            for slot in range(groups[group], groups[group + 1], 2):
                one, other = addresses[columns[slot]] + start, addresses[columns[slot + 1]] + start
                steps, masks = strides[slot : slot + 2], keeps[slot : slot + 2]
                seen |= _add_bytes(one, other, cases, steps, masks, cells)
            if seen & 0x8080:
                return False
            _tally(cells, cases, weights, start, tables[group])
    return True


@njit(cache=True, nogil=True)
def _add_codes(codes: Codes, stride: Any, cells: Codes, absent: Codes) -> None:
    for at in range(codes.size):
        absent[at] |= codes[at]
        cells[at] += codes[at] * stride


@njit(cache=True, nogil=True)
def _set_aside(cells: Codes, absent: Codes, end: Any) -> Any:
    """Move cases with a missing cell to the cell at `end`; below zero if there are any."""
    seen = np.int32(0)
    for at in range(cells.size):
        seen |= absent[at]
        cells[at] = end if absent[at] < 0 else min(cells[at], end)
    return seen


@njit(cache=True, nogil=True)
def count_cells(
    addresses: Ints,
    widths: Ints,
    strides: Ints,
    cases: int,
    weights: Floats | None,
    table: Any,
) -> bool:
    """Add all cases to one table of any size; False if there are cases with a missing cell.

    widths  (columns,)  bytes of a code: 1, 2 or 4
    table   (LANES or 1, cells + 1)  the last cell is for cases with a missing cell
    """
    cells, absent = np.empty(BLOCK, np.uint32), np.empty(BLOCK, np.int32)
    complete, end = True, np.uint32(table.shape[1] - 1)
    for start in range(0, cases, BLOCK):
        here = min(BLOCK, cases - start)
        cells[:], absent[:] = 0, 0
        for slot in range(addresses.size):
            address, stride = addresses[slot] + start * widths[slot], np.uint32(strides[slot])
            if widths[slot] == 1:
                _add_codes(carray(_int8_at(address), here), stride, cells, absent)
            elif widths[slot] == 2:
                _add_codes(carray(_int16_at(address), here), stride, cells, absent)
            else:
                _add_codes(carray(_int32_at(address), here), stride, cells, absent)
        if _set_aside(cells[:here], absent[:here], end) < 0:
            complete = False
        _tally(cells, here, weights, start, table)
    return complete
