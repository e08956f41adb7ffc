"""The E-step: weighted points of the bends of every case with gaps, and what was observed of it.

maximise  Σ_m w_m log ∫ P(observed_m, bends, rest) d bends d rest:  the rest is integrated out
exactly, the bends by sums over points that lie around each case's own peak. [HV2 3.6]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.learn.bends.density import Density
from tacit.learn.bends.frames import Frame, around_peaks
from tacit.learn.bends.lattice import AGREE, BEYOND, Integrals, Lattice, lattice
from tacit.learn.bends.pieces import Divided, Piece
from tacit.learn.bends.shape import Numbers, Shape

ROUNDS, MORE = 2, 4
"""How often the frame of points takes the moments of what they found; and further rounds for cases
of which there is more beyond the edge."""
WIDER = 1.5
"""How much wider a frame is made if that does not help."""
MOST_CELLS = 200_000
"""Cases times points times families that are looked at together."""
LEAST = 1e-9
"""Points with a smaller share of their case are left out of fits."""


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """What is known of some cases of a piece.

    points      (cases, points, bends)
    shares      (cases, points) adding up to one in every case
    rest        (cases, points, rest) means given the points
    covariance  (rest, rest) of the rest given the points
    logs        (cases,) log density of what was observed around the gaps
    error       (cases,) how sure these are: how far two lattices are apart, or a standard error
    drawn       whether the points are draws
    """

    piece: Piece
    points: Floats
    shares: Floats
    rest: Floats
    covariance: Floats
    logs: Floats
    error: Floats
    drawn: bool

    def rows(self, shape: Shape, family: int) -> tuple[Floats, Floats]:
        """(rows, variables) parents..., child of a family at all points that count, and their
        weights."""
        weights = self.shares * self.piece.weights[:, None]
        used = self.shares > 0
        bends = {int(at): place for place, at in enumerate(self.piece.bends)}
        rest = {int(at): place for place, at in enumerate(self.piece.rest)}
        columns = []
        for at in (*shape.parents[family].tolist(), family):
            if at in bends:
                columns.append(self.points[:, :, bends[at]][used])
            elif at in rest:
                columns.append(self.rest[:, :, rest[at]][used])
            else:
                own = self.piece.values[:, [at]]
                columns.append(np.broadcast_to(own, used.shape)[used])
        return np.stack(columns, axis=1), weights[used]

    def spread(self, shape: Shape, family: int) -> Floats:
        """(variables, variables) Σ w times the covariance of parents..., child given the points."""
        places = {int(at): place for place, at in enumerate(self.piece.rest)}
        axes = [*shape.parents[family].tolist(), family]
        found = np.zeros((len(axes),) * 2)
        here = [row for row, at in enumerate(axes) if at in places]
        own = [places[axes[row]] for row in here]
        found[np.ix_(here, here)] = self.covariance[np.ix_(own, own)]
        return np.asarray(found * self.piece.weights.sum())


def expect(shape: Shape, numbers: Numbers, divided: Divided) -> list[Expected]:
    """All pieces under these numbers."""
    return [
        found for piece in divided.pieces for found in _piece(Density.of(shape, numbers, piece))
    ]


def _piece(density: Density) -> Iterator[Expected]:
    size = density.piece.bends.size
    points = lattice(size)
    assert points is not None
    cells = len(points.points) * density.piece.families.size
    most = max(1, MOST_CELLS // cells)
    for first in range(0, len(density.piece.cases), most):
        some = density.some(np.arange(first, min(first + most, len(density.piece.cases))))
        yield from _settled(some, _framed(some, points) if size else None)


def _framed(density: Density, points: Lattice) -> Frame:
    """The frame that fits what it finds."""
    frame = around_peaks(density)
    left = np.arange(len(density.piece.cases))
    for turn in range(ROUNDS + MORE):
        own = Frame(frame.centre[left], frame.root[left])
        at = own.points(points)
        found = points.integrals(density.some(left).logs(at))
        after = Frame.of_moments(at, found.shares, own)
        frame.centre[left], frame.root[left] = after.centre, after.root
        if turn + 1 >= ROUNDS:
            left = left[_beyond(found, density)]
        if not left.size:
            break
    return frame


def _settled(density: Density, frame: Frame | None) -> Iterator[Expected]:
    """Finer and finer lattices for cases where the two do not agree."""
    level, size = 0, density.piece.bends.size
    points = lattice(size)
    while points is not None and len(density.piece.cases):
        at = _points(density, frame, points)
        found = points.integrals(density.logs(at))
        finer = lattice(size, level + 1) if frame is not None else None
        beyond = _beyond(found, density)
        doubtful = (found.error > AGREE.get(size, np.inf)) | beyond
        open_ = doubtful & (finer is not None)
        done = np.flatnonzero(~open_)
        if done.size:
            logs = found.logs if frame is None else found.logs + frame.log_volume
            yield _expected(density, at, found, logs, done, points.drawn)
        left = np.flatnonzero(open_)
        density, points, level = density.some(left), finer, level + 1
        if frame is not None:
            wider = np.where(beyond[left], WIDER, 1.0)
            frame = Frame(frame.centre[left], frame.root[left] * wider[:, None, None])


def _beyond(found: Integrals, density: Density) -> Bools:
    """(cases,) whether there is more beyond the edge of the points."""
    return np.asarray(found.edge > BEYOND.get(density.piece.bends.size, np.inf))


def _points(density: Density, frame: Frame | None, points: Lattice) -> Floats:
    """(cases, points, bends); a single one where nothing is bent."""
    return np.zeros((len(density.piece.cases), 1, 0)) if frame is None else frame.points(points)


def _expected(
    density: Density,
    at: Floats,
    found: Integrals,
    logs: Floats,
    done: Ints,
    drawn: bool,
) -> Expected:
    own, shares = density.some(done), found.shares[done]
    kept = np.where(shares > LEAST, shares, 0.0)
    return Expected(
        own.piece, at[done], kept / kept.sum(axis=1, keepdims=True), own.rest(at[done]),
        own.rest_covariance(), logs[done], found.error[done], drawn,
    )  # fmt: skip
