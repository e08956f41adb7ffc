"""The stub `tacit/__init__.pyi`, made from the table of public names.

`python tests/stubs.py` writes it, so that type checkers and editors see the names loaded lazily.
"""

from __future__ import annotations

from pathlib import Path

import tacit

STUB = Path(tacit.__file__).with_suffix(".pyi")


def stub() -> str:
    """One explicit re-export per public name, as the linter sorts them."""
    homes = tacit._HOMES
    lines = [
        f"from {module} import {name} as {name}"
        for module in sorted(homes)
        for name in sorted(homes[module], key=_import_order)
    ]
    return "\n".join(["# Made by tests/stubs.py.", *lines, "", "__all__: list[str]", ""])


def _import_order(name: str) -> tuple[int, str]:
    """CONSTANTS, then Classes, then functions."""
    return (0 if name.isupper() else 1 if name[:1].isupper() else 2, name)


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
