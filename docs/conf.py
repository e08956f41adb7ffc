"""How Sphinx builds these pages: without the network, and with warnings as errors."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from plaintext import as_rst

from tacit.version import __version__

project = "Tacit"
author = "The Tacit authors"
copyright = "The Tacit authors"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]

autodoc_typehints = "signature"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
autodoc_type_aliases = {"npt.ArrayLike": "ArrayLike", "Floats": "Floats", "Column": "Column"}
html_sidebars = {"**": []}
python_use_unqualified_type_names = True

html_theme = "pydata_sphinx_theme"
html_title = "Tacit"
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": False, "header_links_before_dropdown": 8}


def _plain_docstrings(app: Any, what: str, name: str, thing: Any, options: Any, lines: Any) -> None:
    """Docstrings are plain text with columns; Sphinx wants its own markup."""
    del app, what, name, thing, options
    lines[:] = as_rst("\n".join(lines)).splitlines()


def _short_aliases(*called: Any) -> tuple[str | None, str | None]:
    """Names of array types inside other types, without Sphinx's wrapping."""
    given, returned = (
        text and re.sub(r"TypeAliasForwardRef\('(\w+)'\)", r"\1", text) for text in called[-2:]
    )
    return given, returned


def setup(app: Any) -> None:
    """Hook both in."""
    app.connect("autodoc-process-docstring", _plain_docstrings)
    app.connect("autodoc-process-signature", _short_aliases)
