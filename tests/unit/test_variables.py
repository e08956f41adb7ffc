"""Variables check themselves when built."""

from __future__ import annotations

import pytest

from tacit.core.errors import NetworkError, StateError
from tacit.core.variables import Continuous, Discrete


def test_states_keep_their_order_and_become_a_tuple():
    assert Discrete("Stage", ["I", "II", "III"]).states == ("I", "II", "III")


def test_a_code_is_a_place_among_the_states():
    stage = Discrete("Stage", ("I", "II", "III"))
    assert [stage.code(state) for state in stage.states] == [0, 1, 2]


def test_variables_are_equal_by_name_and_states():
    assert Discrete("A", ("x", "y")) == Discrete("A", ["x", "y"], inferred_order=True)
    assert hash(Discrete("A", ("x", "y"))) == hash(Discrete("A", ("x", "y"), inferred_order=True))
    assert Discrete("A", ("x", "y")) != Discrete("A", ("y", "x"))
    assert Discrete("A", ("x", "y")) != Discrete("B", ("x", "y"))
    assert Continuous("A") == Continuous("A")
    assert Continuous("A") != Discrete("A", ("x",))


def test_variables_cannot_be_changed():
    with pytest.raises(AttributeError):
        Discrete("A", ("x",)).states = ("y",)
    with pytest.raises(AttributeError):
        Continuous("A").name = "B"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Discrete("", ("x",)), "a variable needs a name, not ''"),
        (lambda: Discrete(" ", ("x",)), "a variable needs a name, not ' '"),
        (lambda: Continuous(None), "a variable needs a name, not None"),
        (lambda: Discrete("A", ()), "variable 'A' has no states"),
        (lambda: Discrete("A", "yes"), "the states of 'A' must be a sequence, not 'yes'"),
        (lambda: Discrete("A", ("x", "")), "a state of 'A' must be a text, not ''"),
        (lambda: Discrete("A", ("x", 1)), "a state of 'A' must be a text, not 1"),
        (lambda: Discrete("A", ("x", "y", "x")), "variable 'A' repeats a state: x, y, x"),
    ],
)
def test_what_is_no_variable(build, message):
    with pytest.raises(NetworkError) as caught:
        build()
    assert str(caught.value) == message


def test_a_state_that_is_none_is_answered_with_those_that_are():
    with pytest.raises(StateError) as caught:
        Discrete("Flu", ("no", "yes")).code("Yes")
    assert (
        str(caught.value)
        == "'Flu' has no state 'Yes'; did you mean 'yes'?\n\nstates of 'Flu': no, yes"
    )
