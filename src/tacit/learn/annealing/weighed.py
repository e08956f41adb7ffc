"""Incomplete cases under any weights: what EM expects of them, and how likely each case is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.dataset import Dataset
from tacit.engines.expected import Contexts, Expectation, Trees
from tacit.infer.contexts import incomplete_cases, piece_weights
from tacit.infer.flat import Layout
from tacit.infer.pieces import log_masses


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The E-step of some cases, for weights that change.

    expected  the E-step at the cases' own weights; what was compiled for it is used again
    counted   the cases that are complete where they are counted and not inferred: all of them, or
              only the complete ones
    """

    data: Dataset
    layout: Layout
    expected: Contexts | Trees
    counted: Ints
    threads: int = 1

    @staticmethod
    def of(data: Dataset, layout: Layout, expected: Expectation, threads: int = 1) -> Weighed:
        """These cases, compiled as `expected` has them."""
        assert isinstance(expected, Contexts | Trees)
        counted = np.arange(len(data), dtype=np.int64)
        if isinstance(expected, Trees):
            counted = np.setdiff1d(counted, incomplete_cases(data, layout.names))
        return Weighed(data, layout, expected, counted, threads)

    def counts(self, weights: Floats, theta: Floats) -> Floats:
        """Σ over cases of weight · E[counts | what is seen of the case], flat. [HV1 2.2]"""
        counts, _ = self._inferred(weights).run(theta, self.threads)
        for block, places, cases in self._families():
            part = counts[block]
            part += np.bincount(places, weights[cases], part.size)
        return counts

    def log_likelihoods(self, theta: Floats) -> Floats:
        """(cases,) log P(what is seen of the case), of every case, whatever its weight."""
        with np.errstate(divide="ignore"):
            logs = np.log(theta)
        found = np.zeros(len(self.data))
        for block, places, cases in self._families():
            found[cases] += logs[block][places]
        if isinstance(self.expected, Contexts):
            compiled = self.expected.compiled
            masses = log_masses(compiled, theta, self.threads)
            np.add.at(found, compiled.pieces.case, masses[compiled.pieces.context])
        else:
            trees = replace(self.expected, weights=np.ones(len(self.expected.codes)))
            _, masses = trees.by_case(theta, self.threads)
            found[incomplete_cases(self.data, self.layout.names)] += masses
        return found

    def _inferred(self, weights: Floats) -> Contexts | Trees:
        """What is inferred, at these weights."""
        if isinstance(self.expected, Contexts):
            compiled = self.expected.compiled
            batch = compiled.batch._replace(weights=piece_weights(compiled.pieces, weights))
            return replace(self.expected, compiled=replace(compiled, batch=batch))
        gaps = incomplete_cases(self.data, self.layout.names)
        return replace(self.expected, weights=weights[gaps])

    def _families(self) -> Iterator[tuple[slice, Ints, Ints]]:
        """Family by family its block, the cells there of the cases complete in it, and these."""
        for axes in self.layout.axes:
            names = [self.layout.names[at] for at in axes.variables]
            if any(name not in self.data for name in names):
                continue
            places = np.zeros(self.counted.size, dtype=np.int64)
            whole = np.ones(self.counted.size, dtype=np.bool_)
            for name, stride in zip(names, axes.strides, strict=True):
                codes = self.data[name][self.counted]
                whole &= codes >= 0
                places += stride * codes.astype(np.int64)
            cells = prod(self.layout.cards[at] for at in axes.variables)
            yield slice(axes.start, axes.start + cells), places[whole], self.counted[whole]
