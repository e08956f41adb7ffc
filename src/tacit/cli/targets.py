"""Files to be written: checked before anything is computed, and put in place all together."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tacit.core.errors import OptionError, TacitError, marked, nearest

if TYPE_CHECKING:
    from tacit.learn.methods import Method


@dataclass(frozen=True, slots=True)
class Target:
    """A file that an option names, the suffixes that tell its format, and those packed by .gz.

    Without suffixes any name will do.
    """

    option: str
    path: str
    suffixes: Sequence[str]
    packed: Sequence[str] = ()

    def check(self) -> None:
        """Nothing, or an error that marks what is wrong about the path."""
        path, known = Path(self.path), [*self.suffixes, *(f"{each}.gz" for each in self.packed)]
        found = "".join(path.suffixes[-2:] if path.suffix.lower() == ".gz" else path.suffixes[-1:])
        if known and found.lower() not in known:
            what = "the suffix must tell the format"
            if found:
                what = f"no format has the suffix {found!r}{nearest(found, known)}"
            start, end = len(self.path) - len(found), len(self.path)
            raise OptionError(f"{self._marked(start, end, what)}\n\nsuffixes: {self._suffixes()}")
        if path.is_dir():
            raise OptionError(self._marked(0, len(self.path), "this is a folder, not a file"))
        folder = len(str(path.parent))
        if not path.parent.is_dir():
            raise OptionError(self._marked(0, folder, "there is no such folder"))
        if not os.access(path.parent, os.W_OK):
            raise OptionError(self._marked(0, folder, "this folder may not be written to"))

    def _suffixes(self) -> str:
        both = " and ".join(self.packed) if self.packed != self.suffixes else "each"
        return ", ".join(self.suffixes) + (f"; {both} also with .gz" if self.packed else "")

    def _marked(self, start: int, end: int, what: str) -> str:
        return marked(self.path, start, end, what, self.option)


def network_target(option: str, path: str) -> Target:
    """A file for a network."""
    from tacit.io.formats import SUFFIXES

    return Target(option, path, SUFFIXES, SUFFIXES)


def structure_target(option: str, path: str) -> Target:
    """A file for a network, or for its dag alone."""
    from tacit.io.formats import DAG_SUFFIX, SUFFIXES

    return Target(option, path, (*SUFFIXES, DAG_SUFFIX), (*SUFFIXES, DAG_SUFFIX))


def report_target(option: str, path: str) -> Target:
    """A file for a report."""
    forms = (".html", ".md", ".txt", ".json")
    return Target(option, path, forms, forms)


def fit_target(option: str, path: str) -> Target:
    """A file for a whole fit."""
    return Target(option, path, (".json",), (".json",))


def path_target(path: str, method: Method | None) -> Target:
    """A file for the path of information bottleneck EM; an error by methods that follow none."""
    from tacit.learn.bottleneck.settings import IBEM

    if not isinstance(method, IBEM):
        raise OptionError("--path-to writes the path that --method ibem follows")
    return Target("--path-to", path, (".csv", ".tsv", ".parquet", ".json"), (".csv", ".tsv"))


def check_targets(targets: Sequence[Target], *sources: tuple[str, str]) -> None:
    """Nothing, or an error: every target can be written, and no two are the same file.

    sources: arguments and the files they name, which are read and must not be written over.
    """
    seen = {_resolved(path): option for option, path in sources}
    for target in targets:
        target.check()
        place = _resolved(target.path)
        if place in seen:
            raise OptionError(f"{seen[place]} and {target.option} name the same file {target.path}")
        seen[place] = target.option


def check_checkpoint(
    checkpoint: str | None,
    resume: bool,
    method: Method | None,
    others: list[Target],
    read: list[tuple[str, str]],
) -> tuple[str, ...]:
    """Notes about the checkpoint of a fit, or an error: only methods with long climbs have one."""
    from tacit.learn.annealing.settings import WeightAnnealing
    from tacit.learn.bottleneck.settings import IBEM
    from tacit.learn.methods import EM, MeanFieldEM

    able = isinstance(method, EM | MeanFieldEM | WeightAnnealing | IBEM | None)
    unable = "--checkpoint keeps a running EM; --method em is the one that has it"
    return check_kept(checkpoint, resume, "" if able else unable, others, read)


def check_kept(
    checkpoint: str | None,
    resume: bool,
    unable: str,
    others: list[Target],
    read: list[tuple[str, str]],
) -> tuple[str, ...]:
    """Notes about the checkpoint, or an error: it is a file of its own, and none gets lost.

    unable  why the method keeps none; empty if it does
    """
    if checkpoint is None:
        check_targets(others, *read)
        if resume:
            raise OptionError("--resume needs --checkpoint FILE, the file to go on from")
        return ()
    check_targets([*others, Target("--checkpoint", checkpoint, ())], *read)
    if unable:
        raise OptionError(unable)
    if Path(checkpoint).exists():
        if not resume:
            what = "this file is there already; --resume goes on from it, or remove it"
            raise OptionError(marked(checkpoint, 0, len(checkpoint), what, "--checkpoint"))
        return ()
    return ("there was no checkpoint to go on from: a fresh start",) if resume else ()


def _resolved(path: str) -> Path:
    """The file itself, whatever way leads there; a text that names none stays as it is."""
    try:
        return Path(path).resolve()
    except (OSError, ValueError):
        return Path(path)


def write_all(writers: Sequence[tuple[Target, Callable[[Path], None]]]) -> None:
    """Every file is written beside its place first; only when all are there do they move in."""
    with ExitStack() as drafts:
        ready = []
        for target, write in writers:
            place = Path(target.path)
            folder = drafts.enter_context(_drafts(target))
            draft = Path(folder) / place.name
            try:
                write(draft)
            except TacitError as problem:
                problem.args = (str(problem).replace(str(draft), target.path),)
                raise
            ready.append((draft, place))
        for draft, place in ready:
            if place.exists():
                draft.chmod(place.stat().st_mode & 0o777)
            draft.replace(place)


def _drafts(target: Target) -> TemporaryDirectory[str]:
    try:
        return TemporaryDirectory(prefix=".tacit-", dir=Path(target.path).parent)
    except OSError as problem:
        raise OptionError(f"{target.path}: cannot be written: {problem.strerror}") from None
