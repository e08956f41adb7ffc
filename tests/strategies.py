"""What hypothesis draws: dags, networks and cases, small enough to enumerate."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from hypothesis import strategies as st

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families import KINDS
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import Table

LETTERS = "ABCDEFG"

plain_names = st.from_regex(r"[A-Za-z_][A-Za-z0-9_.]{0,8}", fullmatch=True)
odd_names = st.one_of(
    plain_names,
    st.sampled_from(
        ["a -> b", 'say "hi"', "back\\slash", "line\nend", "#1", "A, B", "x;y", " lead", "tail ",
         "<b>&amp;", "\\n", '\\"', "größe", "2024", ".", "tab\there", "因果", "a\u2028b", "a=b"]
    ),
    st.text(min_size=1, max_size=8).filter(lambda name: name.strip() != ""),
)  # fmt: skip


@st.composite
def dags(
    draw: st.DrawFn,
    least: int = 1,
    most: int = 5,
    names: st.SearchStrategy[str] | None = None,
    parents: int = 6,
) -> Dag:
    """A dag whose arcs run along a hidden order that its listing does not show."""
    size = draw(st.integers(least, most))
    if names is None:
        order = list(LETTERS[:size])
    else:
        order = draw(st.lists(names, min_size=size, max_size=size, unique=True))
    order = draw(st.permutations(order))
    above: dict[str, tuple[str, ...]] = {}
    for at, name in enumerate(order):
        who = (
            draw(st.lists(st.sampled_from(order[:at]), unique=True, max_size=parents)) if at else []
        )
        above[name] = tuple(who)
    return Dag({name: above[name] for name in draw(st.permutations(order))})


def states(least: int = 1, most: int = 4) -> st.SearchStrategy[tuple[str, ...]]:
    """Names of the states of one variable."""
    return st.lists(
        st.one_of(plain_names, odd_names), min_size=least, max_size=most, unique=True
    ).map(tuple)


@st.composite
def rows(draw: st.DrawFn, count: int, size: int, zeros: bool = True) -> Any:
    """Distributions over `size` states, some states impossible if `zeros`."""
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    values = random.dirichlet(np.ones(size), size=count) if size > 1 else np.ones((count, 1))
    if zeros and size > 1 and draw(st.booleans()):
        gone = random.random(values.shape) < 0.3
        gone[np.arange(count), random.integers(0, size, count)] = False
        values = np.where(gone, 0.0, values)
        values /= values.sum(axis=1, keepdims=True)
    return values


@st.composite
def tables(
    draw: st.DrawFn, child: Discrete, parents: tuple[Discrete, ...], zeros: bool = True
) -> Table:
    """A table of these variables."""
    shape = [len(variable.states) for variable in (*parents, child)]
    values = draw(rows(int(np.prod(shape[:-1], dtype=int)), shape[-1], zeros))
    return Table((*parents, child), values.reshape(shape))


@st.composite
def discrete_networks(
    draw: st.DrawFn,
    least: int = 1,
    most: int = 4,
    zeros: bool = True,
    most_states: int = 3,
    names: st.SearchStrategy[str] | None = None,
) -> Network:
    """A network of tables."""
    dag = draw(dags(least, most, names, parents=3))
    variables = {
        name: Discrete(name, draw(states(1, most_states).filter(bool))) for name in dag.names
    }
    return Network.of(
        draw(tables(variables[name], tuple(variables[p] for p in dag.parents[name]), zeros))
        for name in dag.names
    )


@st.composite
def noisy_networks(draw: st.DrawFn, kind: str, least: int = 2, most: int = 4) -> Network:
    """A network of noisy-ors, noisy-ands or noisy-maxes; roots have tables, and one may not."""
    dag = draw(dags(least, most, parents=3).filter(lambda dag: dag.arcs))
    several = st.lists(st.sampled_from("abcd"), min_size=2, max_size=3, unique=True)
    two = st.sampled_from([("no", "yes"), ("yes", "no"), ("a", "b")])
    variables = {
        name: Discrete(name, tuple(draw(several if kind == "noisy-max" else two)))
        for name in dag.names
    }
    root = draw(st.booleans())
    families: list[Any] = []
    for name in dag.names:
        axes = tuple(variables[other] for other in (*dag.parents[name], name))
        if len(axes) == 1 and not root:
            families.append(draw(tables(variables[name], (), True)))
        else:
            families.append(draw(noisy(axes, kind)))
    return Network.of(families)


@st.composite
def shared_networks(draw: st.DrawFn, kind: str, least: int = 2, most: int = 4) -> Network:
    """A network of tree tables or default tables; some roots have tables."""
    dag = draw(dags(least, most, parents=3).filter(lambda dag: dag.arcs))
    several = st.lists(st.sampled_from("abcd"), min_size=2, max_size=3, unique=True)
    variables = {name: Discrete(name, tuple(draw(several))) for name in dag.names}
    families: list[Any] = []
    for name in dag.names:
        parents = [variables[other] for other in dag.parents[name]]
        if not parents and draw(st.booleans()):
            families.append(draw(tables(variables[name], (), True)))
        elif kind == "tree-table":
            families.append(draw(tree_tables(variables[name], parents)))
        else:
            families.append(draw(default_tables(variables[name], parents)))
    return Network.of(families)


@st.composite
def tree_tables(draw: st.DrawFn, child: Discrete, parents: list[Discrete]) -> Any:
    """A tree of random questions, some asked twice on a path, with zeros among its rows."""

    def tree(depth: int) -> Any:
        if not parents or depth == 3 or draw(st.booleans()):
            return draw(rows(1, len(child.states)))[0].tolist()
        parent = draw(st.sampled_from(parents))
        apart = draw(st.sampled_from(parent.states))
        others = tuple(state for state in parent.states if state != apart)
        branches = [(apart,), others] if draw(st.booleans()) else [(s,) for s in parent.states]
        return {parent.name: {states: tree(depth + 1) for states in branches}}

    return KINDS["tree-table"].of(child, parents, tree(0))


@st.composite
def default_tables(draw: st.DrawFn, child: Discrete, parents: list[Discrete]) -> Any:
    """Some configurations with rows of their own, and one for the others."""
    every = list(product(*(parent.states for parent in parents))) if parents else []
    listed = draw(st.lists(st.sampled_from(every), max_size=4, unique=True)) if every else []
    listed = listed[: max(0, len(every) - 1)]
    own = {states: draw(rows(1, len(child.states)))[0] for states in listed}
    return KINDS["default-table"].of(child, parents, own, draw(rows(1, len(child.states)))[0])


@st.composite
def noisy(draw: st.DrawFn, axes: tuple[Discrete, ...], kind: str) -> Any:
    """A family of independent causes over these variables, zeros and ones among its numbers."""
    share = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0, 1).map(lambda x: round(x, 3)))
    if kind != "noisy-max":
        links = np.array([draw(share) for _ in axes[:-1]])
        return KINDS[kind](axes, links, draw(share))
    states = len(axes[-1].states)
    absent = tuple(draw(st.sampled_from(axis.states)) for axis in axes[:-1])
    lowest = draw(st.sampled_from([0, states - 1]))
    links = []
    for axis, off in zip(axes, absent, strict=False):
        link = draw(rows(len(axis.states), states))
        link[axis.states.index(off)] = np.eye(states)[lowest]
        links.append(link)
    leak = draw(rows(1, states))[0]
    return KINDS[kind](axes, tuple(links), leak, (*absent, axes[-1].states[lowest]))


@st.composite
def gaussian_networks(draw: st.DrawFn, least: int = 1, most: int = 4) -> Network:
    """A network of linear Gaussian families."""
    dag = draw(dags(least, most, parents=3))
    number = st.floats(-3, 3, allow_nan=False).map(lambda value: round(value, 3))
    spread = st.floats(0.1, 3, allow_nan=False)
    return Network.of(
        LinearGaussian(
            (*(Continuous(parent) for parent in who), Continuous(name)),
            np.array([draw(number) for _ in who], dtype=float),
            draw(number),
            draw(spread),
        )
        for name, who in dag.parents.items()
    )


@st.composite
def curved_networks(draw: st.DrawFn, kind: str, least: int = 1, most: int = 4) -> Network:
    """A network of curves, roots among them."""
    dag = draw(dags(least, most, parents=3))
    number = st.floats(-3, 3, allow_nan=False).map(lambda value: round(value, 3))
    return Network.of(
        KINDS[kind](
            (*(Continuous(parent) for parent in who), Continuous(name)),
            np.array([draw(number) for _ in who], dtype=float),
            *(draw(number) for _ in range(3)),
            draw(st.floats(0.1, 3, allow_nan=False)),
        )
        for name, who in dag.parents.items()
    )


@st.composite
def mixed_networks(draw: st.DrawFn, least: int = 1, most: int = 4) -> Network:
    """A network of tables and of conditional Gaussian families, at least one of these."""
    dag = draw(dags(least, most, parents=3))
    ends = [name for name in dag.names if not dag.children[name]]
    real = {draw(st.sampled_from(ends)), *draw(st.lists(st.sampled_from(dag.names)))}
    for name in dag.order:
        if real.intersection(dag.parents[name]):
            real.add(name)
    axes = {
        name: Continuous(name) if name in real else Discrete(name, draw(states(1, 3)))
        for name in dag.names
    }
    return Network.of(
        draw((conditional_gaussians if name in real else tables)(
            axes[name], tuple(axes[parent] for parent in dag.parents[name])
        ))
        for name in dag.names
    )  # fmt: skip


@st.composite
def conditional_gaussians(
    draw: st.DrawFn, child: Continuous, parents: tuple[Discrete | Continuous, ...]
) -> ConditionalGaussian:
    """A conditional Gaussian family of these variables."""
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = tuple(len(each.states) for each in parents if isinstance(each, Discrete))
    slopes = len(parents) - len(shape)
    return ConditionalGaussian(
        (*parents, child),
        random.normal(0, 2, (*shape, slopes)),
        random.normal(0, 2, shape),
        random.uniform(0.1, 3, shape),
    )


@st.composite
def cases_of(
    draw: st.DrawFn,
    network: Network,
    least: int = 0,
    most: int = 30,
    missing: bool = False,
    weighted: bool = False,
) -> Dataset:
    """Cases with the variables of a network, not drawn from it: any states, any order."""
    size = draw(st.integers(least, most))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    columns: dict[str, Any] = {}
    for name, variable in network.variables.items():
        gone = random.random(size) < (0.2 if missing else 0.0)
        if isinstance(variable, Discrete):
            codes = random.integers(0, len(variable.states), size)
            columns[name] = np.where(gone, -1, codes)
        else:
            columns[name] = np.where(gone, np.nan, random.normal(0, 2, size))
    weights = random.choice([0.0, 0.5, 1.0, 2.0, 3.25], size) if weighted else None
    return Dataset(network.variables, columns, weights)


@st.composite
def datasets(draw: st.DrawFn) -> Dataset:
    """Cases of any kind: discrete and continuous columns, missing cells, weights, odd names."""
    names = draw(st.lists(odd_names, min_size=1, max_size=4, unique=True))
    size = draw(st.integers(0, 12))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    variables: dict[str, Any] = {}
    columns: dict[str, Any] = {}
    for name in names:
        if draw(st.booleans()):
            variables[name] = Discrete(name, draw(states()))
            columns[name] = random.integers(-1, len(variables[name].states), size)
        else:
            variables[name] = Continuous(name)
            columns[name] = np.where(random.random(size) < 0.2, np.nan, random.normal(size=size))
    weights = random.random(size) if draw(st.booleans()) else None
    return Dataset(variables, columns, weights)
