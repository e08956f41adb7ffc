"""What is said about fits with gaps that cannot be made, in full."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacit as tc
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import table

FLU, COLD = Discrete("Flu", ("no", "yes")), Discrete("Cold", ("no", "yes"))
COUGH = Discrete("Cough", ("none", "dry", "wet"))
CASES = {"Flu": ["no", "yes", None], "Cough": ["dry", None, "wet"]}
PAIR = {"Flu": ["no", None], "Cold": ["no", "yes"]}
TWO = Network.of([table(FLU, [], [0.5, 0.5]), table(COLD, [], [0.2, 0.8])])
ZEROS = Network.of([table(FLU, [], [1, 0]), table(COUGH, [FLU], [[0.5, 0.5, 0], [0, 0, 1]])])
REALS = tc.read_cases({"A": [0.5, None], "B": [1.5, 2]}, continuous=["A", "B"])


def fit(structure, cases, **options):
    return lambda: tc.fit(structure, cases, **options)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            fit("H -> Flu, Cough", CASES, hidden={"Flu": 2}),
            "'Flu' has a column in the cases, so it is not hidden",
        ),
        (
            fit("H -> Flu, Cough", CASES, hidden={"G": 2}),
            "the dag has no variable 'G' to be hidden\n\nvariables: H, Flu, Cough",
        ),
        (
            fit("H -> Flu, Cough", CASES, hidden={"H": 1}),
            "hidden variable 'H' needs 2 states or more, as a number or by name, not 1",
        ),
        (
            fit("H -> Flu, Cough", CASES, hidden={"H": "mild"}),
            "hidden variable 'H' needs 2 states or more, as a number or by name, not 'mild'"
            "\n\none without states is 'continuous'",
        ),
        (
            fit("H -> Flu, Cough", CASES, hidden="all"),
            'hidden=\'all\' must be "rest" or a mapping like {"H": 3}',
        ),
        (
            fit("H -> Flu, Cough", CASES, hidden="rest"),
            'hidden="rest" needs a network that gives the hidden variables states',
        ),
        (
            fit("H -> G", CASES, hidden={"H": 2, "G": 2}),
            "every variable is hidden: no column says anything about them",
        ),
        (
            fit("Flu -> Cough", CASES, tied=[("Flu", "Cough")]),
            "the tables of Flu, Cough have different shapes and cannot be one: 2 and 2 x 2",
        ),
        (
            fit("Flu -> Cough", CASES, tied=[("Flu", "Coughs")]),
            "there is no variable 'Coughs' to tie; did you mean 'Cough'?",
        ),
        (fit("Flu; Cough", CASES, tied=[("Flu",), ("Flu",)]), "'Flu' is tied twice"),
        (
            fit(TWO, PAIR, tied=[("Flu", "Cold")], prior=tc.Dirichlet({"Flu": [1, 2]})),
            "the prior says different things of Flu, Cold, whose tables are one",
        ),
        (
            fit("Flu -> Cough", CASES, estimate=tc.MAP()),
            "the table of 'Cough' has no most probable value: expected counts plus prior of a "
            "cell come to 0.5833, less than 1"
            "\n\nuse a prior of at least 1 per cell, tc.K2() for example, or "
            "estimate=tc.Smoothed()",
        ),
        (
            fit("Flu -> Cough", CASES, start="given"),
            'start="given" needs a network with numbers, not a dag',
        ),
        (
            fit("Flu -> Cough", CASES, start="here"),
            "start='here' must be \"given\" or left out",
        ),
        (
            fit(ZEROS, {"Flu": ["no", None], "Cough": ["dry", "wet"]}, start="given"),
            "the network to start from holds case 2 impossible, so EM cannot use it"
            '\n\nstart from a network without zeros, or leave out start="given"',
        ),
        (
            fit(ZEROS, {"Cough": ["dry", "wet"]}, hidden={"Flu": 3}, start="given"),
            "'Flu' has the states 1, 2, 3, but in the network to start from: no, yes",
        ),
        (
            fit(TWO, PAIR, tied=[("Flu", "Cold")], start="given"),
            "'Flu' shares its table with others, but in the network to start from it has another",
        ),
        (
            fit("Flu -> Cough", CASES, method=tc.EM),
            "method takes a value such as tc.EM() or tc.AvailableCases(), not the class EM",
        ),
        (
            fit("H -> Flu, Cough", CASES, hidden={"H": 2}, method=tc.AvailableCases()),
            "tc.AvailableCases() counts what is there; hidden variables and tied tables need "
            "tc.EM()",
        ),
        (
            fit("A -> B", REALS, method=tc.Gradient()),
            "A is continuous: its missing cells and hidden variables are inferred by EM"
            "\n\nuse method=tc.EM()",
        ),
        (
            fit("B", REALS, tied=[("B",)]),
            "B is continuous: tied tables need discrete variables only"
            "\n\nmake it discrete with tc.discretise",
        ),
        (
            fit("Flu", tc.Statistics(tc.Dag.parse("Flu")).update({"Flu": ["no"]}), hidden={"H": 2}),
            "hidden variables and tied tables need cases, not statistics",
        ),
        (
            fit("Flu -> Cough", CASES, resume=True),
            "resume=True needs checkpoint=, the file to go on from",
        ),
    ],
)
def test_what_is_wrong_with_a_fit(ask, message: str):
    with pytest.raises(tc.TacitError) as caught:
        ask()
    assert str(caught.value) == message


def test_checkpoints_of_other_fits_and_damaged_ones(tmp_path: Path):
    path = tmp_path / "run.ckpt"
    tc.fit("Flu -> Cough", CASES, seed=1, checkpoint=path)
    with pytest.raises(tc.OptionError) as caught:
        tc.fit("Cough -> Flu", CASES, seed=2, checkpoint=path, resume=True)
    assert str(caught.value) == (
        f"{path}: the checkpoint belongs to another fit; these differ: cases, seed, structure"
        "\n\nresume with the same cases, structure and settings, or choose another file"
    )
    text = path.read_text()
    told = {
        "": f"{path}: this is no checkpoint, or it was cut short; start without it",
        text[:100]: f"{path}: this is no checkpoint, or it was cut short; start without it",
        text.replace('"stop"', '"pots"'): f"{path}: the checkpoint is damaged; start without it",
        text.replace('"version": 1', '"version": 7'): (
            f"{path}: version 7 of checkpoints is not known here; this release reads version 1"
        ),
    }
    for wrong, message in told.items():
        path.write_text(wrong)
        with pytest.raises(tc.FormatError) as caught:
            tc.fit("Flu -> Cough", CASES, seed=1, checkpoint=path, resume=True)
        assert str(caught.value) == message


def test_a_fit_says_what_it_did_with_the_gaps():
    found = tc.fit("Flu -> Cough", CASES, seed=1)
    assert found.notes == (
        "2 cells are missing (Flu: 1, Cough: 1); all cases were used, and EM() filled the cells "
        "in by expectation",
        "intervals take expected cases for seen ones: they are too narrow where much is missing",
    )
    hidden = tc.fit("H -> Flu, Cough", CASES, hidden={"H": 2}, seed=1, method=tc.EM(restarts=3))
    assert hidden.notes[1].startswith("3 of 3 starts ended within 0.01% of the best objective")
