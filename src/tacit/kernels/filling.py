"""Missing cells drawn one after the other, each given everything else."""

from __future__ import annotations

from numba import njit

from tacit.arrays import Floats, Ints


@njit(cache=True, nogil=True)
def fill(
    codes: Ints,
    gap_case: Ints,
    gap_variable: Ints,
    uniform: Floats,
    theta: Floats,
    cards: Ints,
    touch_at: Ints,
    touch: Ints,
    axes_at: Ints,
    axes: Ints,
    strides: Ints,
    starts: Ints,
    mass: Floats,
) -> None:
    """Draw every missing cell of `codes` given its Markov blanket.

    gap_case, gap_variable  (gaps,) where the missing cells are; uniform (gaps,) in [0, 1)
    mass                    (most states,) room to work in

    A cell that nothing is possible for, given its blanket, stays as it is.
    """
    for gap in range(gap_case.size):
        case, variable = gap_case[gap], gap_variable[gap]
        total = 0.0
        for state in range(cards[variable]):
            product = 1.0
            for which in range(touch_at[variable], touch_at[variable + 1]):
                family = touch[which]
                cell = starts[family]
                for axis in range(axes_at[family], axes_at[family + 1]):
                    other = axes[axis]
                    code = state if other == variable else codes[case, other]
                    cell += code * strides[axis]
                product *= theta[cell]
            total += product
            mass[state] = total
        if total <= 0.0:
            continue
        wanted, state = uniform[gap] * total, 0
        while state < cards[variable] - 1 and mass[state] <= wanted:
            state += 1
        codes[case, variable] = state


@njit(cache=True, nogil=True)
def tally(
    codes: Ints, axes_at: Ints, axes: Ints, strides: Ints, starts: Ints, counts: Floats
) -> None:
    """Add one for every case and family to the cell it uses."""
    for case in range(codes.shape[0]):
        for family in range(starts.size):
            cell = starts[family]
            for axis in range(axes_at[family], axes_at[family + 1]):
                cell += codes[case, axes[axis]] * strides[axis]
            counts[cell] += 1.0
