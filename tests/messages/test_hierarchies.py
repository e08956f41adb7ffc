"""What is said of hierarchies that cannot be: the whole texts."""

from __future__ import annotations

import pytest

import tacit as tc


def said(kind, call, *given, **options):
    with pytest.raises(kind) as caught:
        call(*given, **options)
    assert type(caught.value) is kind
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "groups", "text"),
    [
        (tc.OptionError, {},
         "groups={} must say which variables each hidden one is the parent of: "
         '{"Heat": ["h1", "h2"]}'),
        (tc.OptionError, ["a"],
         "groups=['a'] must say which variables each hidden one is the parent of: "
         '{"Heat": ["h1", "h2"]}'),
        (tc.DagError, {"H": []}, "H is the parent of nothing: a hidden variable needs one"),
        (tc.OptionError, {"H": [1]}, "groups['H'] takes a name or a list of names, not [1]"),
        (tc.DagError, {"H": ["a", "b"], "K": ["b"]},
         "b stands below H and below K: in a hierarchy every variable has one parent at most"),
        (tc.CycleError, {"H": ["K"], "K": ["H"]}, None),
    ],
)  # fmt: skip
def test_groups_that_make_no_hierarchy(kind, groups, text):
    found = said(kind, tc.grouped_hierarchy, groups)
    assert text is None or found == text


@pytest.mark.parametrize(
    ("rows", "columns", "levels", "text"),
    [
        (0, 4, 3, "rows=0 must be a whole number, 1 or more"),
        (4, 4, 1, "levels=1 must be a whole number, 2 or more"),
        (6, 8, 4,
         "levels=4 cuts each side into 4 parts, and 6 x 8 pixels cannot be cut so\n\n"
         "both sides must be multiples of 4"),
    ],
)  # fmt: skip
def test_images_that_cannot_be_cut(rows, columns, levels, text):
    assert said(tc.OptionError, tc.quadrant_hierarchy, rows, columns, levels=levels) == text
