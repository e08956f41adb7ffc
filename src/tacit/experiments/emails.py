"""Emails of six authors about meetings and other things: a stand-in for a corpus that is private.

The paper says of its corpus: 6 authors with 19 to 52 emails each, 215 in all, 68 of them about
meetings, 0.17 to 0.47 of an author's emails, 1070 words, emails mostly under 150 words long. The
numbers here agree with all of it. [Niculescu 2005, section 8.2]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.dag import Dag
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table

EMAILS = np.array([19, 28, 36, 38, 42, 52])
MEETINGS = np.array([9, 9, 6, 13, 13, 18])
LONGEST = 150
AUTHOR = Discrete("Author", tuple("abcdef"))
TOPIC = Discrete("Topic", ("meeting", "other"))
WORD = Discrete("Word", tuple(f"w{word}" for word in range(1, 1071)))
VARIABLES = {variable.name: variable for variable in (AUTHOR, TOPIC, WORD)}
DAG = Dag({"Author": (), "Topic": ("Author",), "Word": ("Author", "Topic")})
SHAPE = (len(AUTHOR.states), len(TOPIC.states), len(WORD.states))


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """Who writes about what in which words.

    network  Author -> Topic, and one Word of an email given both
    shared   (topics, words) the words that all authors use equally often on that topic
    """

    network: Network
    shared: Bools

    @property
    def rules(self) -> str:
        """What the expert says: the shared words, topic by topic; nothing if there are none."""
        states = np.array(WORD.states)
        return "\n".join(
            f"share P(Word | Author=*, Topic={topic}) {{ {', '.join(states[words])} }}"
            for topic, words in zip(TOPIC.states, self.shared, strict=True)
            if words.any()
        )


@dataclass(frozen=True, slots=True, eq=False)
class Emails:
    """Emails in the order they were written.

    author, topic  (emails,) positions of their states
    ends           (emails,) where the words of each email end
    words          (words,) positions of the words, email after email
    """

    author: Ints
    topic: Ints
    ends: Ints
    words: Ints

    def __len__(self) -> int:
        return len(self.author)

    @property
    def owner(self) -> Ints:
        """(words,) the email each word stands in."""
        return np.repeat(np.arange(len(self)), np.diff(self.ends, prepend=0))

    def counts(self, emails: int) -> dict[str, Floats]:
        """What the first emails hold: emails by author and topic, words by author, topic, word."""
        authors, topics, _ = SHAPE
        row = self.author[:emails] * topics + self.topic[:emails]
        held = int(self.ends[emails - 1])
        cell = np.repeat(row, np.diff(self.ends[:emails], prepend=0)) * SHAPE[-1]
        by_topic = np.bincount(row, minlength=authors * topics).reshape(authors, topics)
        words = np.bincount(cell + self.words[:held], minlength=int(np.prod(SHAPE)))
        return {
            "Author": by_topic.sum(axis=1).astype(np.float64),
            "Topic": by_topic.astype(np.float64),
            "Word": words.reshape(SHAPE).astype(np.float64),
        }


def draw_truth(share: float, rng: np.random.Generator) -> Truth:
    """The paper's generator: a share of all (topic, word) pairs is the same for all authors.

    The first author's words are uniform on (0, 1) before they add up to 1; the others copy the
    shared ones and fill what is left with words of their own.
    """
    pairs = np.zeros(SHAPE[1] * SHAPE[2], dtype=np.bool_)
    pairs[rng.permutation(pairs.size)[: round(share * pairs.size)]] = True
    shared = pairs.reshape(SHAPE[1:])
    drawn = rng.random(SHAPE)
    drawn[0] /= drawn[0].sum(axis=-1, keepdims=True)
    common = np.where(shared, drawn[0], 0.0)
    own = np.where(shared, 0.0, drawn)
    mass = own.sum(axis=-1, keepdims=True)
    left = 1.0 - common.sum(axis=-1, keepdims=True)
    table = common + own * np.where(mass > 0, left / np.where(mass > 0, mass, 1.0), 0.0)
    table[0] = drawn[0]
    meeting = MEETINGS / EMAILS
    families = {
        "Author": Table((AUTHOR,), EMAILS / EMAILS.sum()),
        "Topic": Table((AUTHOR, TOPIC), np.stack([meeting, 1 - meeting], axis=-1)),
        "Word": Table((AUTHOR, TOPIC, WORD), table),
    }
    return Truth(Network(DAG, VARIABLES, families), shared)


def write_emails(truth: Truth, emails: int, rng: np.random.Generator) -> Emails:
    """Emails of 0 to 150 words, all lengths equally probable."""
    topics, table = SHAPE[1], _values(truth.network, "Word").reshape(-1, SHAPE[-1])
    author = rng.choice(len(EMAILS), emails, p=EMAILS / EMAILS.sum())
    topic = np.where(rng.random(emails) < (MEETINGS / EMAILS)[author], 0, 1)
    length = rng.integers(0, LONGEST + 1, emails)
    row = np.repeat(author * topics + topic, length)
    words = np.empty(row.size, dtype=np.int64)
    for number, values in enumerate(table):
        here = np.flatnonzero(row == number)
        words[here] = rng.choice(values.size, here.size, p=values)
    return Emails(author, topic, np.cumsum(length), words)


def accuracy(network: Network, emails: Emails) -> float:
    """How often the more probable topic, given author and words, is the right one.

    log P(topic | author) + Σ over words of log P(word | author, topic), meeting against other.
    """
    topic, word = _values(network, "Topic"), _values(network, "Word")
    if network.dag.parents["Topic"] == ():
        topic, word = np.broadcast_to(topic, SHAPE[:2]), np.broadcast_to(word, SHAPE)
    odds = np.log(word[:, 0]) - np.log(word[:, 1])
    owner = emails.owner
    said = np.bincount(owner, odds[emails.author[owner], emails.words], minlength=len(emails))
    said += (np.log(topic[:, 0]) - np.log(topic[:, 1]))[emails.author]
    return float(np.mean((said > 0) == (emails.topic == 0)))


def _values(network: Network, name: str) -> Floats:
    table = network[name]
    assert isinstance(table, Table)
    return table.values
