"""Sums over all windows of sequences, and what each window adds to a gradient."""

from __future__ import annotations

import math

from numba import njit

from tacit.arrays import Codes, Floats

_FAINT = 1e-250
"""Products that add up to less may have lost digits to underflow."""
_NOTHING = 1e-17
"""A window with a smaller share of its sequence adds nothing to the slopes."""


@njit(cache=True, nogil=True)
def add_windows(
    codes: Codes,
    word: int,
    scores: Floats,
    factors: Floats,
    offset: float,
    labels: Floats,
    weights: Floats,
    window: Floats,
    log_probability: Floats,
    slopes: Floats,
    slope: bool,
) -> float:
    """log P(label) of every sequence, and the derivatives of their weighted sum if `slope`.

    codes    (sequences, positions) the word that starts at each position
    scores   (words of a window, codes) what a word at its place adds to the log score of a window;
             none above 0
    factors  the exponentials of the scores
    offset   added to the log of the sum over windows: log odds of the label 1
    window   (positions,) room to work in
    slopes   (words of a window, codes) the derivatives by `scores` are added to it
    returns  the derivative by `offset`
    """
    starts = codes.shape[1] - word * (scores.shape[0] - 1)
    by_offset = 0.0
    for number in range(codes.shape[0]):
        top, together = 0.0, _multiplied(codes[number], word, factors, window[:starts])
        if together < _FAINT:
            top, together = _added(codes[number], word, scores, window[:starts])
        odds = offset + top + math.log(together)
        signed = odds if labels[number] > 0 else -odds
        high = math.log1p(math.exp(-abs(signed)))
        log_probability[number] = -high if signed > 0 else signed - high
        # the residual of a logistic: 1 - P(label), towards the label
        miss = math.exp(-high) if signed <= 0 else -math.expm1(-high)
        share = weights[number] * (miss if labels[number] > 0 else -miss)
        by_offset += share
        if slope:
            _spread(codes[number], word, window[:starts], share / together, slopes)
    return by_offset


@njit(cache=True, nogil=True)
def _multiplied(codes: Codes, word: int, factors: Floats, window: Floats) -> float:
    """The exponential of every window's score, and their sum: no exponential is computed here."""
    together = 0.0
    for start in range(window.shape[0]):
        product = factors[0, codes[start]]
        for at in range(1, factors.shape[0]):
            product *= factors[at, codes[start + word * at]]
        window[start] = product
        together += product
    return together


@njit(cache=True, nogil=True)
def _added(codes: Codes, word: int, scores: Floats, window: Floats) -> tuple[float, float]:
    """The highest score; the exponentials relative to it are the windows, and their sum."""
    top, together = -math.inf, 0.0
    for start in range(window.shape[0]):
        total = 0.0
        for at in range(scores.shape[0]):
            total += scores[at, codes[start + word * at]]
        window[start] = total
        top = max(top, total)
    for start in range(window.shape[0]):
        window[start] = math.exp(window[start] - top)
        together += window[start]
    return top, together


@njit(cache=True, nogil=True)
def _spread(codes: Codes, word: int, window: Floats, scale: float, slopes: Floats) -> None:
    """Add every window, times `scale`, to the slopes of its words."""
    together = 0.0
    for start in range(window.shape[0]):
        together += window[start]
    for start in range(window.shape[0]):
        if window[start] > _NOTHING * together:
            part = scale * window[start]
            for at in range(slopes.shape[0]):
                slopes[at, codes[start + word * at]] += part
