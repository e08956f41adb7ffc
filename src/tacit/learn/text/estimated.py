"""Parameters of naive Bayes for documents: the tables of an ordinary network, from pooled counts.

The multinomial model has one family P(Word | Class) that every position of a document shares; its
evidence is the sum over positions, so the network Class -> Word with these counts is all of it, and
rules, priors and estimates are those of any fit. [EST 1.8, tied positions]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.errors import SizeError
from tacit.core.network import Network
from tacit.core.variables import Discrete, Variable
from tacit.engines.statistics import statistics_of
from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import Dirichlet, Prior, TablePrior
from tacit.estimate.tables import estimate_table
from tacit.families.counts import Counts
from tacit.families.table import Table
from tacit.knowledge.knowledge import KnowledgeLike
from tacit.learn.fit import fit
from tacit.learn.fits import Fit
from tacit.learn.text.evidence import TextCounts

if TYPE_CHECKING:
    from tacit.learn.text.model import TextModel

KINDS = ("multinomial", "bernoulli")
SAID = "text"
"""Where the settings of a fit keep what was asked of documents."""
MOST = 5_000
"""Words of a dictionary that may each become a variable of a network."""
ABSENT, PRESENT = "no", "yes"


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What is learned: kind of model, variables, dictionary, and how.

    group  a variable of documents that class and words depend on, such as who wrote them; or None
    said   what else was asked for, as plain data, to ask for it again
    """

    kind: str
    target: Discrete
    group: Discrete | None
    word: str
    dictionary: tuple[str, ...]
    prior: Prior
    estimate: Estimate
    knowledge: KnowledgeLike
    said: Mapping[str, Any] = field(default_factory=dict)

    @property
    def shape(self) -> tuple[int, int]:
        """How many groups and classes."""
        return (1 if self.group is None else len(self.group.states), len(self.target.states))

    @property
    def parents(self) -> tuple[Discrete, ...]:
        """What words depend on."""
        return (self.target,) if self.group is None else (self.group, self.target)


def learned(task: Task, counts: TextCounts) -> tuple[Floats, Floats, Fit | None]:
    """log P(group, class), log P(word | group, class), and the fit where rules ask for one."""
    if task.knowledge is None and _alike(task.prior):
        return _arrays(task, counts)
    found = fit_of(task, counts)
    return *_logs(task, found.network), found


def _alike(prior: Prior) -> bool:
    """Whether it is the same for tables of the same shape, whatever their names."""
    if isinstance(prior, Dirichlet):
        return not isinstance(prior.alpha, Mapping)
    return isinstance(prior, TablePrior)


def _logs(task: Task, network: Network) -> tuple[Floats, Floats]:
    with np.errstate(divide="ignore"):
        classes = np.log(_table(network, task.target.name).values).reshape(task.shape)
        if task.group is not None:
            classes = classes + np.log(_table(network, task.group.name).values)[:, None]
        if not task.dictionary:
            values = np.empty((*task.shape, 0))
        elif task.kind == "multinomial":
            values = _table(network, task.word).values
        else:
            tables = [_table(network, word).values[..., 1] for word in task.dictionary]
            values = np.stack(tables, axis=-1)
        return classes, np.log(values).reshape(*task.shape, -1)


def _table(network: Network, name: str) -> Table:
    family = network[name]
    assert isinstance(family, Table)
    return family


def fit_of(task: Task, counts: TextCounts) -> Fit:
    """`tc.fit` of the network, from what was counted."""
    words = _word_variables(task)
    dag, families = _shape(task, words)
    evidence = dict(_evidence(task, counts, words))
    total = float(counts.documents.sum())
    held = statistics_of(dag, families, evidence, round(total), total)
    structure = _uniform(task, words)
    found = fit(structure, held, knowledge=task.knowledge, prior=task.prior, estimate=task.estimate)
    said = {
        "kind": task.kind, "target": task.target.name, "word": task.word,
        "group": None if task.group is None else task.group.name, **task.said,
    }  # fmt: skip
    return replace(found, settings={**found.settings, SAID: said})


def _word_variables(task: Task) -> list[Discrete]:
    if task.kind == "multinomial":
        return [Discrete(task.word, task.dictionary)]
    if len(task.dictionary) > MOST:
        raise SizeError(
            f"a dictionary of {len(task.dictionary):,} words would be as many variables of a "
            f"network; up to {MOST:,} are made into one\n\nuse kind='multinomial', or fewer words"
        )
    return [Discrete(word, (ABSENT, PRESENT)) for word in task.dictionary]


def _shape(task: Task, words: list[Discrete]) -> tuple[Dag, dict[str, Variable]]:
    above = tuple(each.name for each in task.parents)
    parents: dict[str, tuple[str, ...]] = {} if task.group is None else {task.group.name: ()}
    parents[task.target.name] = above[:-1]
    parents |= {each.name: above for each in words}
    return Dag(parents), {each.name: each for each in (*task.parents, *words)}


def _evidence(task: Task, counts: TextCounts, words: list[Discrete]) -> Any:
    shape = tuple(len(each.states) for each in task.parents)
    documents = counts.documents.reshape(shape)
    if task.group is not None:
        yield task.group.name, Counts(documents.sum(axis=1))
    yield task.target.name, Counts(documents)
    if task.kind == "multinomial":
        yield task.word, Counts(counts.words.reshape(*shape, -1))
        return
    for at, each in enumerate(words):
        stands = counts.words[..., at].reshape(shape)
        yield each.name, Counts(np.stack([documents - stands, stands], axis=-1))


def _uniform(task: Task, words: list[Discrete]) -> Network:
    """The network without numbers worth having: it fixes the order of the states."""
    above = [] if task.group is None else [task.group]
    tables = [_even((each,)) for each in above] + [_even((*above, task.target))]
    return Network.of([*tables, *(_even((*task.parents, each)) for each in words)])


def _even(variables: tuple[Discrete, ...]) -> Table:
    shape = tuple(len(each.states) for each in variables)
    return Table(variables, np.full(shape, 1.0 / shape[-1]))


def _arrays(task: Task, counts: TextCounts) -> tuple[Floats, Floats, None]:
    """The same without a network; of "bernoulli" for every word at once, as one more parent."""
    shape = tuple(len(each.states) for each in task.parents)
    there = counts.words.reshape(*shape, -1)
    words = Discrete(task.word, task.dictionary)
    if task.kind == "multinomial":
        axes, held = (*task.parents, words), there
    else:
        stands = Discrete(f"{task.word} stands", (ABSENT, PRESENT))
        absent = np.maximum(counts.documents.reshape(*shape, 1) - there, 0.0)
        axes, held = (*task.parents, words, stands), np.stack([absent, there], axis=-1)
    assert isinstance(task.prior, TablePrior)
    alpha = task.prior.pseudo_counts((*task.parents, axes[-1]))
    if task.kind == "bernoulli":
        alpha = np.broadcast_to(alpha[..., None, :], held.shape)
    found = estimate_table(axes, Counts(held), alpha, task.estimate).table.values
    classes = _classes(task, counts)
    with np.errstate(divide="ignore"):
        logs = np.log(found if task.kind == "multinomial" else found[..., 1])
    return classes, logs.reshape(*task.shape, -1), None


def _classes(task: Task, counts: TextCounts) -> Floats:
    """log P(group, class)."""
    bare = replace(task, kind="bernoulli", dictionary=())
    return _logs(bare, fit_of(bare, counts).network)[0]


def log_words(kind: str, counts: Any, log_word: Floats) -> Floats:
    """(documents, rows) log P(words | row); a word that cannot be makes it -inf."""
    if kind == "multinomial":
        return _weighed(counts, log_word)
    stands = counts.copy()
    stands.data = (counts.data > 0).astype(np.float64)
    with np.errstate(divide="ignore"):
        absent = np.log1p(-np.exp(np.minimum(log_word, 0.0)))
    if np.isfinite(absent).all() and np.isfinite(log_word).all():
        return np.asarray(_weighed(stands, log_word - absent) + absent.sum(axis=1))
    sure = np.isneginf(absent)  # a word that every document of the class has
    base = np.where(sure, 0.0, absent).sum(axis=1)
    found = _weighed(stands, log_word) - _weighed(stands, np.where(sure, 0.0, absent)) + base
    if sure.any():
        lacking = sure.sum(axis=1) - stands @ sure.T.astype(np.float64)
        found[lacking > 0.5] = -np.inf
    return np.asarray(found)


def _weighed(counts: Any, log_word: Floats) -> Floats:
    """counts @ log_word.T where 0 times -inf is 0."""
    never = np.isneginf(log_word)
    if not never.any():
        return np.asarray(counts @ np.ascontiguousarray(log_word.T))
    found = np.asarray(counts @ np.ascontiguousarray(np.where(never, 0.0, log_word).T))
    found[np.asarray(counts @ never.T.astype(np.float64)) > 0] = -np.inf
    return np.asarray(found)


def network_of(model: TextModel) -> Network:
    """Class and every word as an ordinary network; an error where that would be too many."""
    task = model.task
    words = _word_variables(task)
    theta = np.exp(model.log_word).reshape(*(len(v.states) for v in task.parents), -1)
    bare = replace(task, dictionary=())
    tables = list(fit_of(bare, model.counts).network.families.values())
    each = (
        Table((*task.parents, word), np.stack([1 - theta[..., at], theta[..., at]], axis=-1))
        for at, word in enumerate(words)
    )
    return Network.of([*tables, *each])
