"""Docstrings as they are written here, turned into what Sphinx reads.

Paragraphs stay paragraphs, `code` becomes code, indented blocks become literal blocks, and the
columns that explain arguments and fields (a name, two spaces, its meaning) become a list.
"""

from __future__ import annotations

import re

_ENTRY = re.compile(r"(?P<names>[\w.*]+(?:, [\w.*]+)*)(?:  +|: )(?P<meaning>\S.*)")


def as_rst(docstring: str) -> str:
    """The docstring as reStructuredText."""
    paragraphs = re.split(r"\n[ \t]*\n", docstring.strip("\n"))
    return "\n\n".join(_paragraph(text.strip("\n")) for text in paragraphs) + "\n"


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if lines[0].startswith("maximise"):  # a formula; its two columns are no argument
        lines = [f"    {line}" for line in lines]
    if all(line.startswith("    ") for line in lines):
        return "\n".join(["::", "", *lines])
    if _is_columns(lines):
        return _listed(lines)
    return _inline(" ".join(line.strip() for line in lines))


def _is_columns(lines: list[str]) -> bool:
    """Every line starts an entry of two columns or goes on, indented, with the last one."""
    return bool(re.match(r"[\w.*]+(, [\w.*]+)*  +\S", lines[0])) and all(
        line.startswith(" ") or _ENTRY.match(line) for line in lines
    )


def _listed(lines: list[str]) -> str:
    entries: list[list[str]] = []
    for line in lines:
        start = _ENTRY.match(line)
        if start and not line.startswith(" "):
            entries.append([start["names"], start["meaning"].strip()])
        else:
            entries[-1][1] += " " + line.strip()
    return "\n".join(f"* ``{names}``: {_inline(meaning)}" for names, meaning in entries)


def _inline(text: str) -> str:
    """Code in double backticks; nothing else is markup."""
    parts = re.split(r"`([^`]+)`", text)
    for at, part in enumerate(parts):
        parts[at] = f"``{part}``" if at % 2 else re.sub(r"([*_|\\])", r"\\\1", part)
    return "".join(parts)
