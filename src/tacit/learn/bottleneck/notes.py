"""What a reader should know about a path, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.core.errors import quoted
from tacit.core.grid import counted
from tacit.learn.bottleneck.path import BottleneckPath


def path_notes(path: BottleneckPath) -> tuple[str, ...]:
    """Where the path ran, and what its hidden variables came to."""
    return tuple(_notes(path))


def _notes(path: BottleneckPath) -> Iterator[str]:
    if not path.steps:
        return
    first, last = path.steps[0], path.steps[-1]
    yield (
        f"the path went from gamma {first.gamma:.3g} to {last.gamma:.3g} in "
        f"{counted(len(path), 'step')}; hidden variables begin to say something at "
        f"{path.threshold:.3g}"
    )
    if path.tried:
        best = max(path.tried, key=lambda each: each.held_out or float("-inf"))
        yield (
            f"cases held out were most likely at gamma {best.gamma:.3g} "
            f"of {counted(len(path.tried), 'step')}"
        )
    for at, (name, information, states) in enumerate(
        zip(path.hidden, last.information, last.effective, strict=True)
    ):
        if last.states and not last.states[at]:
            yield f"{quoted(name)} came and went on the way"
            continue
        worth = f"{states:,} states of it are" if states > 1 else "no two states of it are"
        yield (
            f"{quoted(name)} keeps {information:.3g} nats about each case at the end of the path; "
            f"{worth} worth telling apart"
        )
    if path.reshaped:
        changes = sum(len(each.changed) for each in path.steps)
        yield f"the network changed on the way: {counted(changes, 'change')}, listed in the path"
    if path.bound:
        yield (
            "on the path the hidden variables were taken for independent of each other given a "
            "case, and the log-likelihoods along it are lower bounds"
        )
