"""Names in double quotes."""

from __future__ import annotations

import re

from tacit.knowledge.sums import Wrong
from tacit.knowledge.tokens import Phrase

_MEANS = {"n": "\n", '"': '"', "\\": "\\"}


def unquoted(phrase: Phrase, at: int) -> str:
    """What a word in double quotes says."""

    def means(found: re.Match[str]) -> str:
        if found[1] not in _MEANS:
            raise Wrong(
                at, at, f"{found[0]} means nothing in a name",
                r"in double quotes, \\ is one backslash, \" a quote and \n the end of a line",
            )  # fmt: skip
        return _MEANS[found[1]]

    return re.sub(r"\\(.)", means, phrase.word(at)[1:-1])
