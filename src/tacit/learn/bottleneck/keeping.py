"""A path on disk: enough of it to go on as if nothing had happened."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import DagError, FormatError
from tacit.learn.bottleneck.contexts import Contexts
from tacit.learn.bottleneck.continuation import Along
from tacit.learn.bottleneck.path import PathStep, steps_of
from tacit.learn.bottleneck.reshaping import Growth
from tacit.learn.bottleneck.shape import Shape
from tacit.learn.checkpoints import Checkpoint, Kept
from tacit.learn.diaries import damaged


def kept_of(here: Along) -> Kept:
    """A path on its way."""
    shares = [_packed(each) for each in here.shares]
    more: dict[str, Any] = {"gamma": here.gamma, "shares": shares, "steps": plain(here.steps)}
    if here.growth is not None:
        more["growth"] = growth_plain(here.growth)
    return Kept(here.theta, None, tuple(each.fit for each in here.steps), None, more)


def along_of(contexts: Contexts, kept: Kept, checkpoint: Checkpoint) -> Along:
    """Where a path goes on after a break."""
    try:
        shares = tuple(
            _unpacked(text, (contexts.weights.size, each.states))
            for text, each in zip(kept.more["shares"], contexts.open, strict=True)
        )
        gamma = float(kept.more["gamma"])
    except (KeyError, TypeError, ValueError):
        raise damaged(checkpoint.diary.path) from None
    if kept.theta.shape != (contexts.layout.size,):
        raise damaged(checkpoint.diary.path)
    return Along(gamma, shares, kept.theta, steps_kept(kept, checkpoint))


def growth_plain(growth: Growth) -> dict[str, Any]:
    """A network on its way, and where further variables were tried, as plain data."""
    tried = [
        [parent, list(children), "inf" if gamma == np.inf else gamma]
        for parent, children, gamma in growth.tried
    ]
    return {"shape": growth.shape.plain(), "names": list(growth.names), "tried": tried}


def growth_kept(kept: Kept, checkpoint: Checkpoint) -> Growth:
    """What `growth_plain` wrote."""
    try:
        plain = kept.more["growth"]
        tried = tuple(
            (str(parent), tuple(map(str, children)), float(gamma))
            for parent, children, gamma in plain["tried"]
        )
        return Growth(Shape.of(plain["shape"]), tuple(map(str, plain["names"])), tried)
    except (KeyError, TypeError, ValueError, AttributeError, DagError):
        raise damaged(checkpoint.diary.path) from None


def plain(steps: Sequence[PathStep]) -> list[dict[str, Any]]:
    """Steps as plain data."""
    return [asdict(each) for each in steps]


def steps_kept(kept: Kept, checkpoint: Checkpoint) -> tuple[PathStep, ...]:
    """The steps that a checkpoint remembers."""
    try:
        return steps_of(kept.more["steps"])
    except (KeyError, TypeError, ValueError, FormatError):
        raise damaged(checkpoint.diary.path) from None


def _packed(array: Floats) -> str:
    """An array of doubles as text, to the last bit."""
    return base64.b64encode(np.ascontiguousarray(array, dtype="<f8").tobytes()).decode("ascii")


def _unpacked(text: str, shape: tuple[int, int]) -> Floats:
    values = np.frombuffer(base64.b64decode(text), dtype="<f8").astype(np.float64)
    if not np.isfinite(values).all():
        raise ValueError("no shares")
    return values.reshape(shape)
