"""Networks that stand in for data that nobody gives away, each made from a seed.

All agree with what is said of the data: how many variables, states and cases, and what is hidden.
[HV1 8.1 to 8.4 and 8.6]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, table
from tacit.io.textbook import parse_textbook

Random = np.random.Generator
BEFORE = 8
"""Parents are among so many variables that come before."""
CORE = ("MSFT", "DELL", "COMS", "CPQ")
MARKET = Discrete("Market", ("strong", "stationary"))
MOVES = ("up", "same", "down")
STRONG = 0.45
FAMILIES = (5, 4, 4, 3, 2, 1, 1)
"""How many of the twenty newsgroups each family has."""
WORDS, OWNED = 99, 90

TUBERCULOSIS = """\
population{US_young_or_old,US_middle,Hispanic,Asian} : .30 .25 .15 .30
birthplace{US,foreign} | population : .97 .03; .97 .03; .05 .95; .02 .98
age{<30,30-60,>60} | population : .35 .10 .55; .10 .85 .05; .35 .50 .15; .15 .40 .45
ethnic{Asian,Black,Hispanic,White} | population : .10 .35 .10 .45; .03 .50 .12 .35; \
.02 .02 .95 .01; .95 .01 .01 .03
hiv{neg,pos,unknown} | population : .85 .03 .12; .35 .50 .15; .60 .20 .20; .90 .01 .09
homeless{no,yes} | population : .80 .20; .50 .50; .85 .15; .97 .03
gender{M,F} | homeless : .60 .40; .85 .15
drugs{no,yes} | homeless : .93 .07; .55 .45
site{pulmonary,extra,both} | hiv : .80 .15 .05; .50 .30 .20; .75 .17 .08
smear{neg,pos} | site : .40 .60; .90 .10; .45 .55
xray{normal,infiltrate,cavity} | site : .05 .60 .35; .70 .25 .05; .08 .67 .25
transmission{recent,reactivated} | birthplace, homeless : .35 .65; .55 .45; .15 .85; .30 .70
"""

CODES: Mapping[int, tuple[str, ...]] = {
    2: ("00000", "11111"),
    3: ("00011", "01100", "11111"),
    4: ("00000", "00111", "11001", "11110"),
}
"""Of a hidden variable with so many states: which of its five children each state turns on."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of data of which only the size is known.

    states  the shares of variables with 2, 3 and 4 states
    class_states  the states of the class, which about half of the others depend on; 0: none
    """

    others: int
    states: tuple[float, float, float]
    class_states: int = 0

    def network(self, random: Random) -> Network:
        """A random dag with random tables: rows are Dirichlet(1/2). [HV1 8.1]

        In a random order every variable has up to three of the eight before it as parents.
        """
        sizes = random.choice((2, 3, 4), self.others, p=self.states)
        variables = [_numbered(f"x{at + 1}", int(size)) for at, size in enumerate(sizes)]
        order = random.permutation(self.others)
        parents: dict[int, list[Discrete]] = {}
        for place, at in enumerate(order):
            before = order[max(0, place - BEFORE) : place]
            many = min(len(before), int(random.binomial(3, 0.5)))
            parents[int(at)] = [variables[each] for each in random.permutation(before)[:many]]
        families = []
        if self.class_states:
            top = _numbered("class", self.class_states)
            families.append(_drawn(top, [], random))
            for at in random.permutation(self.others)[: self.others // 2]:
                parents[int(at)].append(top)
        families += [_drawn(variables[at], parents[at], random) for at in range(self.others)]
        return Network.of(families)


SOYBEAN = Shape(35, (0.5, 0.3, 0.2), 19)
AUDIOLOGY = Shape(69, (0.8, 0.1, 0.1), 24)
ROSETTA = Shape(40, (0.0, 1.0, 0.0))
"""37 genes and three regulators, which no one has measured."""


def regulators(network: Network) -> tuple[str, ...]:
    """The three variables with the most children; of equals the first."""
    children = network.dag.children
    return tuple(sorted(network.dag.names, key=lambda name: -len(children[name]))[:3])


def stock(random: Random) -> Network:
    """Twenty stocks that copy each other; the first four move with a hidden market. [HV1 8.2]"""
    stocks = [Discrete(name, MOVES) for name in CORE]
    stocks += [Discrete(f"s{number}", MOVES) for number in range(len(CORE) + 1, 21)]
    core, copied = np.array([[0.55, 0.20, 0.25], [0.22, 0.56, 0.22]]), np.eye(len(MOVES))
    first, *others = stocks[: len(CORE)]
    families = [table(MARKET, [], [STRONG, 1 - STRONG]), table(first, [MARKET], core)]
    pulled = 0.15 * copied + 0.85 * core[:, None]
    families += [table(each, [MARKET, first], pulled) for each in others]
    for at in range(len(CORE), len(stocks)):
        parent = stocks[int(random.integers(max(0, at - 6), at))]
        own = random.dirichlet((8, 9, 8))
        families.append(table(stocks[at], [parent], 0.35 * copied + 0.65 * own))
    return Network.of(families)


def days(network: Network, cases: int, random: Random, keep: float = 0.8) -> Dataset:
    """Successive days: the market keeps yesterday's state with probability `keep`. [HV1 8.2]

    Otherwise it is drawn afresh, so that it is strong as often as on days drawn one by one.
    """
    fresh = network[MARKET.name].sample([], cases, random)
    kept = random.random(cases) < keep
    kept[:1] = False
    last = np.maximum.accumulate(np.where(kept, 0, np.arange(cases)))
    columns: dict[str, Column] = {MARKET.name: fresh[last]}
    for name in network:
        if name != MARKET.name:
            family = network[name]
            columns[name] = family.sample([columns[each] for each in family.parents], cases, random)
    return Dataset(network.variables, {name: columns[name] for name in network.dag.names})


def tuberculosis() -> Network:
    """Patients of four hidden populations; no number of it is drawn. [HV1 8.3]"""
    return parse_textbook(TUBERCULOSIS)


def news(random: Random) -> Network:
    """Messages to twenty newsgroups of seven families, each with words of its own. [HV1 8.4]

    A message's topic, which is hidden, is the family of its group with probability .7, otherwise
    any of the seven. A word of a family is there with a probability from Beta(2, 6) where that is
    the topic, and from Beta(1, 30), drawn once for each, elsewhere; a general one from Beta(2, 8).
    """
    topic = _numbered("topic", len(FAMILIES))
    group = _numbered("group", sum(FAMILIES))
    family = np.repeat(np.arange(len(FAMILIES)), FAMILIES)
    topics = 0.3 / len(FAMILIES) + 0.7 * np.eye(len(FAMILIES))[family]
    families = [table(group, [], np.full(len(family), 1 / len(family)))]
    families.append(table(topic, [group], topics))
    for word in range(WORDS):
        there = random.beta(1, 30, len(FAMILIES))
        if word < OWNED:
            there[word % len(FAMILIES)] = random.beta(2, 6)
        else:
            there[:] = random.beta(2, 8)
        said = Discrete(f"w{word + 1}", ("no", "yes"))
        families.append(table(said, [topic], np.stack([1 - there, there], axis=-1)))
    return Network.of(families)


def interacting() -> Network:
    """Four hidden variables of 3, 2, 4 and 3 states, and five children of each. [HV1 8.6]

    h0 -> h1, h0 -> h2, h1 -> h3 <- h2; h3 is mostly h1 + h2 modulo 3. No number of it is drawn.
    """
    hidden = [_numbered(f"h{at}", states, first=0) for at, states in enumerate((3, 2, 4, 3))]
    third = np.full((2, 4, 3), 0.1)
    for left, right in product(range(2), range(4)):
        third[left, right, (left + right) % 3] = 0.8
    h0, h1, h2, h3 = hidden
    families = [
        table(h0, [], [0.40, 0.35, 0.25]),
        table(h1, [h0], [[0.85, 0.15], [0.2, 0.8], [0.5, 0.5]]),
        table(h2, [h0], [[0.7, 0.1, 0.1, 0.1], [0.1, 0.7, 0.1, 0.1], [0.1, 0.1, 0.4, 0.4]]),
        table(h3, [h1, h2], third),
    ]
    for at, parent in enumerate(hidden):
        for bit in range(5):
            on = [0.9 if code[bit] == "1" else 0.1 for code in CODES[len(parent.states)]]
            child = _numbered(f"x{5 * at + bit}", 2, first=0)
            families.append(table(child, [parent], [[1 - each, each] for each in on]))
    return Network.of(families)


def _drawn(child: Discrete, parents: Sequence[Discrete], random: Random) -> Table:
    """A table with rows from Dirichlet(1/2)."""
    rows = int(np.prod([len(each.states) for each in parents], dtype=np.int64))
    values: Floats = random.dirichlet(np.full(len(child.states), 0.5), rows)
    return table(child, parents, values)


def _numbered(name: str, states: int, first: int = 1) -> Discrete:
    return Discrete(name, tuple(str(first + at) for at in range(states)))
