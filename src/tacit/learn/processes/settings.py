"""What is said of hidden processes before anything is measured, and how groups are looked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from tacit.core.errors import OptionError, listed, nearest, quoted
from tacit.core.options import check_flag, check_value, exact, is_number
from tacit.core.trials import Onset, Trials

if TYPE_CHECKING:
    from tacit.learn.processes.fitted import ProcessFit
    from tacit.learn.progress import Callback


@dataclass(frozen=True, slots=True)
class Partition:
    """Groups are cells of space, cut as long as cutting predicts held-out trials better.

    cuts        per axis, into how many equal parts a cell is cut; 2 for each if not given. The
                source takes (2, 2, 4)
    look_ahead  how many further levels of cuts a cell may wait for its first cut to pay; the source
                waits for none, which misses finer partitions that pay
    nested      whether the score of the result is that of a search inside each fold's training
                trials, so that no trial is scored by groups it helped to choose

    [Sec. 8.3.1, Alg 8.3.1]
    """

    cuts: tuple[int, ...] | None = None
    look_ahead: int = 0
    nested: bool = True

    def __post_init__(self) -> None:
        cuts = self.cuts
        if cuts is not None:
            whole = isinstance(cuts, Sequence) and all(_whole(each, 1) for each in cuts)
            if not whole or not cuts or max(cuts) < 2:
                raise OptionError(f"cuts takes parts per axis such as (2, 2, 4), not {cuts!r}")
            object.__setattr__(self, "cuts", tuple(cuts))
        if not _whole(self.look_ahead, 0):
            raise OptionError(f"look_ahead={self.look_ahead!r} must be a whole number, 0 or more")
        check_flag("nested", self.nested)

    def describe(self) -> str:
        """As Python would write it."""
        return f"Partition(cuts={self.cuts}, look_ahead={self.look_ahead}, nested={self.nested})"


@dataclass(frozen=True, slots=True)
class Merging:
    """Groups grow: the two that predict held-out trials best together become one.

    start       groups to begin from: every series by itself, or the cells of a `Partition`
    neighbours  with how many of the most similar groups each one is tried
    slack       how many standard errors over folds a merge may lose: between groups that predict
                equally well, fewer are better. With 0 every merge must gain
    nested      as in `Partition`

    Needs no places, and finds groups that are no boxes. [Sec. 9.2.5: merging moves]
    """

    start: Partition | None = None
    neighbours: int = 4
    slack: float = 1.0
    nested: bool = True

    def __post_init__(self) -> None:
        check_value("start", self.start, Partition | None, "tc.Partition()")
        if not _whole(self.neighbours, 1):
            raise OptionError(f"neighbours={self.neighbours!r} must be a whole number, 1 or more")
        if not is_number(self.slack) or self.slack < 0:
            raise OptionError(f"slack={self.slack!r} must be a number, 0 or more")
        check_flag("nested", self.nested)

    def describe(self) -> str:
        """As Python would write it."""
        start = None if self.start is None else self.start.describe()
        return (
            f"Merging(start={start}, neighbours={self.neighbours}, slack={exact(self.slack)}, "
            f"nested={self.nested})"
        )


Share: TypeAlias = str | Mapping[str, Sequence[str]] | Partition | Merging
SHARES = ("all", "none", "regions")
NOISES = ("common", "own")
BASELINES = ("none", "trial")


@dataclass(frozen=True, slots=True, repr=False)
class HiddenProcesses:
    """Processes that add up in what is measured, each with a course that starts at its onset.

    x[trial, time, series]  ~  N(Σ_k c[k, series] p_k[time - onset of k in the trial], σ²)

    lengths   how many measurements each process lasts; one number for all that `onsets` names
    onsets    when each process starts in which trial: a table with the columns trial, process and
              onset (a file, a frame, a dict of columns), or `tc.Onset` values. The columns
              earliest and latest leave an onset open between two times, sd says how sure the
              expected one is; the column series restricts a process to one series
    share     which series share courses, up to a scale of their own: "all", "none", "regions",
              {group: series}, `tc.Partition()` or `tc.Merging()`
    noise     "common" to all series of a group, or its "own" variance for each
    baseline  "none": series stand at 0 where no process runs; "trial": at a level of their own in
              each trial, which is left out of account: only what differs from it counts
    restarts  random starts beside the two that every group has
    tolerance, max_steps  when a climb ends

    [Sec. 6.3, 8.3]
    """

    lengths: Mapping[str, int] | int
    onsets: Any
    share: Share = "all"
    noise: str = "common"
    baseline: str = "none"
    restarts: int = 0
    tolerance: float = 1e-8
    max_steps: int = 500
    known: tuple[Onset, ...] = field(init=False, repr=False)
    file: str = field(init=False, default="", repr=False)

    def __post_init__(self) -> None:
        from tacit.io.trials import as_onsets

        onsets = as_onsets(self.onsets)
        if isinstance(self.onsets, str | Path):
            object.__setattr__(self, "file", str(self.onsets))
        named = dict.fromkeys(onset.process for onset in onsets)
        lengths = self.lengths if isinstance(self.lengths, Mapping) else dict.fromkeys(
            named, self.lengths
        )  # fmt: skip
        if not lengths:
            raise OptionError("lengths names no process")
        for name, length in lengths.items():
            if not _whole(length, 1):
                raise OptionError(
                    f"the length of process {quoted(str(name))} must be a whole number of "
                    f"measurements, 1 or more, not {length!r}"
                )
        for name in named:
            if name not in lengths:
                raise OptionError(
                    f"the onsets name the process {name!r}, which has no length"
                    f"{nearest(name, lengths)}\n\nlengths: {listed(map(quoted, lengths))}"
                )
        object.__setattr__(self, "lengths", MappingProxyType(dict(lengths)))
        object.__setattr__(self, "known", onsets)
        object.__setattr__(self, "onsets", onsets)
        self._check_choices()

    def __reduce__(self) -> tuple[type[HiddenProcesses], tuple[Any, ...]]:
        held = (self.lengths, self.onsets, self.share)
        plain = (dict(each) if isinstance(each, Mapping) else each for each in held)
        return HiddenProcesses, (
            *plain, self.noise, self.baseline, self.restarts, self.tolerance, self.max_steps
        )  # fmt: skip

    def __repr__(self) -> str:
        told = self.describe()
        share = told["share"] if isinstance(told["share"], str) else f"{len(told['share'])} groups"
        return (
            f"<HiddenProcesses {told['lengths']} with {len(self.known):,} onsets, share {share}, "
            f"noise {self.noise}>"
        )

    def _check_choices(self) -> None:
        share = self.share
        if isinstance(share, Mapping):
            groups = {str(name): tuple(series) for name, series in share.items()}
            object.__setattr__(self, "share", MappingProxyType(groups))
        elif not isinstance(share, Partition | Merging) and share not in SHARES:
            raise OptionError(
                f"share={share!r} must be {', '.join(map(repr, SHARES))}, "
                "{group: series}, tc.Partition() or tc.Merging()"
                + (nearest(share, SHARES) if isinstance(share, str) else "")
            )
        if self.noise not in NOISES:
            raise OptionError(f"noise={self.noise!r} must be 'common' or 'own'")
        if self.baseline not in BASELINES:
            raise OptionError(f"baseline={self.baseline!r} must be 'none' or 'trial'")
        if not _whole(self.restarts, 0):
            raise OptionError(f"restarts={self.restarts!r} must be a whole number, 0 or more")
        if not _whole(self.max_steps, 1):
            raise OptionError(f"max_steps={self.max_steps!r} must be a whole number, 1 or more")
        if not (isinstance(self.tolerance, float | int) and 0 <= self.tolerance < 1):
            raise OptionError(f"tolerance={self.tolerance!r} must be a number from 0 to 1")

    def fit(
        self,
        trials: Trials | Any,
        *,
        folds: int | None = None,
        level: float = 0.95,
        seed: int | None = None,
        progress: bool | Callback | None = None,
        checkpoint: str | Path | None = None,
        resume: bool = False,
    ) -> ProcessFit:
        """The most likely courses, scales and variances, and how well they predict held-out trials.

        trials      `tc.read_trials(...)`, or anything that takes
        folds       of the cross-validation, stratified by when processes start; by default as
                    many as the rarest such condition has trials, 20 at most; 0 for none
        level       of the intervals around courses and scales
        seed        of random starts
        checkpoint  a file that keeps the scores of a search for groups; `resume` goes on from it
        """
        from tacit.learn.processes.fitting import fit_processes

        return fit_processes(
            self, trials, folds=folds, level=level, seed=seed, progress=progress,
            checkpoint=checkpoint, resume=resume,
        )  # fmt: skip

    def describe(self) -> dict[str, Any]:
        """The settings as plain data, onsets aside."""
        share: Any = self.share
        if isinstance(share, Partition | Merging):
            share = share.describe()
        elif isinstance(share, Mapping):
            share = {name: list(series) for name, series in share.items()}
        assert isinstance(self.lengths, Mapping)
        return {
            "lengths": dict(self.lengths),
            "share": share,
            "noise": self.noise,
            "baseline": self.baseline,
            "restarts": self.restarts,
            "tolerance": self.tolerance,
            "max_steps": self.max_steps,
        }


def _whole(given: object, least: int) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and given >= least
