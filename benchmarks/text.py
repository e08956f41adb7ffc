"""Naive Bayes on many documents, beside scikit-learn.

python benchmarks/text.py         into benchmarks/RESULTS.md
python benchmarks/text.py --dry   printed only
"""

from __future__ import annotations

import argparse

import numpy as np
from scipy import sparse
from sklearn.naive_bayes import BernoulliNB, MultinomialNB

import tacit as tc
from results import write_section
from tacit.sklearn import TextClassifier
from timing import clock, machine, table

DOCUMENTS, WORDS, CLASSES, LENGTH = 100_000, 50_000, 20, 100


def drawn(documents: int, words: int) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Documents of a hundred words each, frequent as in natural language: the n-th 1/n as often."""
    random = np.random.default_rng(0)
    shares = 1 / np.arange(1, words + 1)
    written = random.choice(words, size=documents * LENGTH, p=shares / shares.sum())
    place = np.repeat(np.arange(documents), LENGTH)
    counts = sparse.csr_matrix((np.ones(place.size), (place, written)), shape=(documents, words))
    counts.sum_duplicates()
    return counts, random.integers(0, CLASSES, documents)


def rows(kind: str, peer: type, counts: sparse.csr_matrix, classes: np.ndarray) -> list[list[str]]:
    """Seconds to fit, to predict, and to learn batch by batch; the tables agree."""
    theirs, ours = peer(alpha=1.0).fit(counts, classes), tc.fit_text(counts, classes, kind=kind)
    assert np.allclose(ours.log_word[0], theirs.feature_log_prob_, rtol=0, atol=1e-12)

    def batches(estimator: object) -> None:
        for start in range(0, DOCUMENTS, 20_000):
            part = slice(start, start + 20_000)
            estimator.partial_fit(counts[part], classes[part], classes=np.arange(CLASSES))

    works = {
        "fit": (
            lambda: tc.fit_text(counts, classes, kind=kind),
            lambda: peer().fit(counts, classes),
        ),
        "predict": (lambda: ours.predict(counts), lambda: theirs.predict_proba(counts)),
        "five batches": (lambda: batches(TextClassifier(kind)), lambda: batches(peer())),
    }
    told = []
    for what, (mine, other) in works.items():
        one, two = clock(mine, patience=3.0), clock(other, patience=3.0)
        ratio = one.wall / two.wall
        told.append([f"{kind}, {what}", f"{one.wall:.3f}", f"{two.wall:.3f}", f"{ratio:.2f}"])
    return told


def main() -> None:
    """All of it, printed or put on the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry", action="store_true", help="print only")
    options = parser.parse_args()
    counts, classes = drawn(DOCUMENTS, WORDS)
    kinds = {"multinomial": MultinomialNB, "bernoulli": BernoulliNB}
    found = [row for kind, peer in kinds.items() for row in rows(kind, peer, counts, classes)]
    heads = ["work", "Tacit, s", "scikit-learn, s", "ratio (below 1: faster)"]
    text = "\n\n".join(
        [
            "## Documents of words (`python benchmarks/text.py`)",
            machine(["numpy", "scipy", "scikit-learn", "numba"]),
            f"{DOCUMENTS:,} documents of {LENGTH} words each, a dictionary of {WORDS:,}, {CLASSES} "
            "classes, a sparse matrix. The tables agree to 1e-12.",
            table(heads, found),
        ]
    )
    print(text)
    if not options.dry:
        write_section("text", text)


if __name__ == "__main__":
    main()
