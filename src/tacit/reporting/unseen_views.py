"""Hidden variables as the page lays them out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.reporting import inferred, wording
from tacit.reporting.blocks import Section
from tacit.reporting.pictures import Sketch, neighbourhood


def hidden_view(known: Mapping[str, Section]) -> dict[str, Any]:
    """Every hidden variable with its picture and its neighbours."""
    section = known["hidden"]
    sketch = Sketch.of(known["network"])
    found = section["identified"]
    return {
        "views": [unseen_view(one, sketch) for one in section["variables"]],
        "place": sketch.place,
        "identification": inferred.identification(found) if found else "",
        "said": inferred.UNSEEN,
        "also": wording.first(section["others"], 20),
    }


def unseen_view(one: Section, sketch: Sketch) -> dict[str, Any]:
    """A hidden variable with its picture; neighbours in the order of what they tell."""
    shares = one["shares"] or [None] * len(one["states"])
    picture, beyond = neighbourhood(sketch, one["name"])
    return {
        **one,
        "said": inferred.place(one),
        "picture": picture,
        "beyond": beyond,
        "heads": [
            (state, inferred.share_text(share))
            for state, share in zip(one["states"], shares, strict=True)
        ],
        "told": [near for near in one["neighbours"] if "given" in near],
        "rest": [near for near in one["neighbours"] if "given" not in near],
    }
