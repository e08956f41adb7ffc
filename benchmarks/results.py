"""One page of results, a section per benchmark; each benchmark replaces its own section only."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "RESULTS.md"
HEAD = """# How fast, beside others

Each section is written by the script it names, all sides in one run on one machine. Ratios are of
wall seconds, each side at its best number of threads. Where Tacit loses, the table says so.
"""


def write_section(name: str, text: str) -> None:
    """Put a section in its place, or at the end of the page."""
    page = PAGE.read_text() if PAGE.exists() else HEAD
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    section = f"{begin}\n{text.strip()}\n{end}\n"
    found = re.search(f"{re.escape(begin)}.*?{re.escape(end)}\n", page, re.DOTALL)
    if found:
        page = page[: found.start()] + section + page[found.end() :]
    else:
        page = f"{page.rstrip()}\n\n{section}"
    PAGE.write_text(page)
