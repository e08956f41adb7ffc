"""Searches that end at the best dag of their kind: any dag, trees, augmented trees."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.core.errors import OptionError


@dataclass(frozen=True, slots=True)
class Exact:
    """The best dag there is, by dynamic programming; for 20 variables or a few more.

    most_parents  how many parents a variable may have; None: as many as knowledge allows

    Time and memory double with every variable: 20 take seconds and 0.1 GiB, 25 a minute or more
    and 4 GiB. A bound on the parents saves time, not memory. [Silander and Myllymäki 2006]
    """

    most_parents: int | None = None

    def __post_init__(self) -> None:
        most: object = self.most_parents
        if most is not None and (type(most) is not int or most < 0):
            raise OptionError(f"most_parents={most!r} must be a whole number, 0 or more")

    def describe(self) -> str:
        """The method as Python writes it."""
        return "Exact()" if self.most_parents is None else f"Exact({self.most_parents})"


@dataclass(frozen=True, slots=True)
class ChowLiu:
    """The best dag in which nobody has two parents: a tree, or several where arcs do not pay.

    root      the variable that must have no parent; None: any
    spanning  join all variables as far as knowledge allows, also by arcs that lower the score

    With score=tc.LogLikelihood() the tree closest to the cases in relative entropy (Chow and Liu
    1968); with a score that prices parameters a forest. Rules may set directions. [Edmonds 1967]
    """

    root: str | None = None
    spanning: bool = False

    def describe(self) -> str:
        """The method as Python writes it."""
        return f"ChowLiu({_said(root=self.root, spanning=self.spanning or None)})"


@dataclass(frozen=True, slots=True)
class TAN:
    """Tree-augmented naive Bayes: the target is a parent of all, the others form a best tree.

    target    the variable that is to be predicted
    root      the variable that has no parent but the target; None: any
    spanning  join all others as far as knowledge allows, also by arcs that lower the score

    With score=tc.LogLikelihood() the classifier of Friedman, Geiger and Goldszmidt (1997); with a
    score that prices parameters a forest.
    """

    target: str
    root: str | None = None
    spanning: bool = False

    def describe(self) -> str:
        """The method as Python writes it."""
        more = _said(root=self.root, spanning=self.spanning or None)
        return f"TAN({self.target!r}{', ' + more if more else ''})"


def _said(**given: object) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
