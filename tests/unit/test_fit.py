"""`fit` from the outside: what it takes, what it says, what it refuses."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.variables import Continuous, Discrete

CASES = {
    "Smoker": ["yes", "no", "no", "yes", "no", "no"],
    "Cancer": ["yes", "no", "no", "no", "no", "no"],
}
DAG = "Smoker -> Cancer"


def test_the_default_is_smoothed_by_one_case():
    fit = tc.fit(DAG, CASES)
    assert fit.settings["estimate"] == "Smoothed()"
    assert fit.settings["prior"] == "BDeu(1)"
    assert_allclose(fit.network["Smoker"].row()["yes"], (2 + 0.5) / 7)
    assert_allclose(fit.network["Cancer"].row({"Smoker": "yes"})["yes"], (1 + 0.25) / (2 + 0.5))


def test_a_fit_says_what_it_rests_on():
    fit = tc.fit(DAG, CASES)
    assert fit.cases_used == fit.cases.cases == 6
    assert fit.cases.weight == 6
    assert dict(fit.cases.missing) == {}
    assert len(fit.cases.fingerprint) == 16
    assert fit.rules == ()
    assert fit.stop.value == "the optimum has a closed form; no steps were needed"


def test_a_fit_prints_a_summary_and_the_network():
    fit = tc.fit(DAG, CASES)
    lines = str(fit).splitlines()
    assert lines[0] == "Fit to 6 cases, Smoothed() with prior BDeu(1)"
    assert lines[1].startswith("log-likelihood ")
    assert "Network of 2 variables, 1 arc, 3 free parameters" in lines
    assert repr(fit) == "<Fit of 2 variables to 6 cases>"
    assert fit._repr_html_().startswith("<ul><li>Fit to 6 cases")


@pytest.mark.parametrize("kind", [dict, pd.DataFrame])
def test_cases_come_as_columns_or_frames(kind):
    assert tc.fit(DAG, kind(CASES)).network == tc.fit(DAG, tc.read_cases(CASES)).network


def test_columns_that_are_not_asked_for_are_ignored_and_noted():
    fit = tc.fit(DAG, {**CASES, "Shoe size": [41, 42, 43, 44, 45, 46]})
    assert list(fit.network) == ["Smoker", "Cancer"]
    assert any("Shoe size" in note for note in fit.notes)


def test_a_network_gives_states_and_not_numbers():
    smoker = Discrete("Smoker", ("no", "sometimes", "yes"))
    cancer = Discrete("Cancer", ("yes", "no"))
    network = tc.Network.of(
        [tc.table(smoker, [], [0.1, 0.2, 0.7]), tc.table(cancer, [smoker], [[0.5, 0.5]] * 3)]
    )
    fit = tc.fit(network, CASES)
    assert fit.network.variables["Smoker"] == smoker
    assert fit.network.variables["Cancer"] == cancer
    assert "the network gave structure and states; its numbers were not used" in fit.notes
    assert_allclose(fit.network["Smoker"].row()["sometimes"], (1 / 3) / 7)


def test_files_hold_structures_too(tmp_path):
    fit = tc.fit(DAG, CASES)
    for name in ("net.bif", "net.json", "net.bif.gz"):
        tc.write(fit.network, tmp_path / name)
        from_path = tc.fit(tmp_path / name, CASES)
        from_text = tc.fit(str(tmp_path / name), CASES)
        assert from_path.network == from_text.network == fit.network


def test_a_file_that_is_not_there_is_no_dag():
    with pytest.raises(tc.FormatError, match="there is no file"):
        tc.fit("nowhere.bif", CASES)


def test_what_is_no_structure():
    with pytest.raises(tc.OptionError) as caught:
        tc.fit(42, CASES)
    assert str(caught.value) == (
        "a structure is a Dag, its text, a Network or a file of one, not int"
    )


def test_a_variable_without_a_column_is_an_error_that_knows_better():
    with pytest.raises(tc.ColumnError, match="did you mean 'Cancer'"):
        tc.fit("Smoker -> cancer", CASES)


def test_a_state_the_network_lacks_is_an_error():
    smoker = Discrete("Smoker", ("no", "ja"))
    network = tc.Network.of([tc.table(smoker, [], [0.5, 0.5])])
    with pytest.raises(tc.StateError, match="yes"):
        tc.fit(network, CASES)


def test_missing_cells_are_inferred_unless_a_method_says_otherwise():
    gaps = {"Smoker": ["yes", None, "no"], "Cancer": ["yes", "no", None]}
    inferred = tc.fit(DAG, gaps)
    assert inferred.settings["method"] == "EM()"
    assert inferred.evidence["Smoker"].total == inferred.evidence["Cancer"].total == 3
    assert inferred.known["Cancer"].total == 1
    fit = tc.fit(DAG, gaps, method=tc.AvailableCases())
    assert fit.evidence["Smoker"].total == 2
    assert fit.evidence["Cancer"].total == 1
    assert dict(fit.cases.missing) == {"Smoker": 1, "Cancer": 1}
    assert any("2 cells are missing" in note for note in fit.notes)


def test_weights_that_are_none_are_refused():
    smoker = Discrete("Smoker", ("no", "yes"))
    with pytest.raises(tc.WeightError):
        tc.fit("Smoker", Dataset({"Smoker": smoker}, {"Smoker": np.array([0])}, np.array([-1.0])))


def test_kinds_that_no_family_joins():
    mixed = {"Smoker": ["yes", "no"], "Age": [30.5, 41.25]}
    with pytest.raises(tc.NetworkError) as caught:
        tc.fit("Age -> Smoker", mixed)
    assert str(caught.value) == (
        "Smoker is discrete and its parent Age is continuous: no family joins the two\n\n"
        "turn the arc round, make the continuous one discrete with tc.discretise, or read the "
        "discrete one as numbers with tc.read_cases(..., continuous=[...])"
    )


def test_a_level_is_a_probability():
    wide, narrow = (tc.fit(DAG, CASES, level=level).intervals["Cancer"] for level in (0.99, 0.5))
    assert (wide.lower < narrow.lower).all()
    assert (wide.upper > narrow.upper).all()
    with pytest.raises(tc.OptionError, match="level=2 must lie between 0 and 1"):
        tc.fit(DAG, CASES, level=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"estimate": tc.ML}, "estimate takes a value such as tc.ML(), not the class ML"),
        ({"estimate": "ml"}, "estimate takes a value such as tc.ML(), not 'ml'"),
        ({"prior": tc.BDeu}, "prior takes a value such as tc.BDeu(1), not the class BDeu"),
        ({"prior": 10}, "prior takes a value such as tc.BDeu(1), not 10"),
        ({"method": "em"}, "method takes a value such as tc.EM() or tc.AvailableCases(), not 'em'"),
        ({"level": "high"}, "level='high' must lie between 0 and 1, 0.95 for example"),
        ({"seed": "x"}, "a seed is a whole number, 0 or more, not 'x'"),
        ({"threads": 0}, "threads=0 must be a whole number, 1 or more"),
    ],
)
def test_options_that_make_no_sense(options, message):
    with pytest.raises(tc.OptionError) as caught:
        tc.fit(DAG, CASES, **options)
    assert str(caught.value) == message


def test_a_fit_is_no_network_but_has_one():
    fit = tc.fit(DAG, CASES)
    message = "a network is needed here, not a Fit; its network is under .network"
    for ask in (
        lambda: tc.sample(fit, 3),
        lambda: tc.log_likelihood(fit, CASES),
        lambda: tc.divergence(fit.network, fit),
    ):
        with pytest.raises(tc.OptionError) as caught:
            ask()
        assert str(caught.value) == message
    with pytest.raises(tc.OptionError, match="a network is needed here, not a str"):
        tc.sample(DAG, 3)


def test_results_travel_to_other_processes():
    fit = tc.fit(DAG, CASES)
    for again in (copy.deepcopy(fit), pickle.loads(pickle.dumps(fit))):
        assert again.network == fit.network
        assert str(again) == str(fit)
    scored = tc.log_likelihood(fit.network, CASES)
    again = pickle.loads(pickle.dumps(scored))
    assert (again, again.average) == (scored, scored.average)
    assert again.per_case.tolist() == scored.per_case.tolist()
    apart = pickle.loads(pickle.dumps(tc.divergence(fit.network, fit.network)))
    assert dict(apart.families) == {"Smoker": 0, "Cancer": 0}


def test_a_prior_that_names_a_stranger_is_refused():
    with pytest.raises(tc.OptionError, match="did you mean 'Smoker'"):
        tc.fit(DAG, CASES, prior=tc.Dirichlet({"smoker": 1}))


def test_progress_is_told_to_a_callback():
    told = []
    tc.fit(DAG, CASES, progress=lambda done, total: told.append((done, total)))
    assert told
    assert all(0 <= done <= total for done, total in told)
    assert told[-1][0] == told[-1][1]


def test_statistics_of_another_dag_are_refused():
    counted = tc.Statistics(DAG).update(CASES)
    assert tc.fit(DAG, counted).network == tc.fit(DAG, CASES).network
    with pytest.raises(tc.OptionError, match="counted for another structure"):
        tc.fit("Cancer -> Smoker", counted)


def test_no_cases_leave_the_prior():
    smoker = Discrete("Smoker", ("no", "yes"))
    none = Dataset({"Smoker": smoker}, {"Smoker": np.zeros(0, dtype=int)})
    fit = tc.fit("Smoker", none)
    assert_allclose(fit.network["Smoker"].values, [0.5, 0.5])
    assert fit.log_marginal_likelihood == 0
    assert "0 cases" in str(fit)


def test_dependent_parents_of_a_gaussian_are_noted():
    random = np.random.default_rng(1)
    x = random.normal(size=30)
    cases = {"X": x, "Double": 2 * x, "Y": x + random.normal(size=30)}
    fit = tc.fit("X, Double -> Y", cases, estimate=tc.ML())
    assert any("depend on each other" in note for note in fit.notes)
    exact = tc.fit("X -> Double", cases, estimate=tc.ML())
    assert exact.network["Double"].sd == 0
    assert exact.log_likelihood == np.inf
    assert any("exact linear function" in note for note in exact.notes)


def test_one_state_is_nothing_to_learn_from():
    fit = tc.fit("A -> B", {"A": ["x", "x"], "B": ["u", "v"]})
    assert any("only one state is known of A" in note for note in fit.notes)
    fit = tc.fit("A -> B", {"A": ["x"], "B": ["u"]})
    assert "only one state is known of A, B, so nothing can be learned about them" in fit.notes
    assert fit.network["A"].values.tolist() == [1]


def test_a_fit_cannot_be_changed():
    fit = tc.fit(DAG, CASES)
    with pytest.raises(AttributeError):
        fit.network = None
    with pytest.raises(TypeError):
        fit.settings["estimate"] = "ML()"
    with pytest.raises(ValueError, match="read-only"):
        fit.pseudo["Smoker"][0] = 9


def test_a_continuous_column_becomes_a_gaussian():
    fit = tc.fit("Age", {"Age": [30.5, 41.25, 50.75]})
    assert fit.network.variables["Age"] == Continuous("Age")
    assert_allclose(fit.network["Age"].intercept, np.mean([30.5, 41.25, 50.75]))


def test_a_table_too_large_to_keep_is_refused_before_it_is_made():
    cases = {f"X{at}": ["no", "yes"] for at in range(41)}
    parents = ", ".join(f"X{at}" for at in range(40))
    with pytest.raises(tc.SizeError) as caught:
        tc.fit(f"{parents} -> X40", cases)
    assert str(caught.value) == (
        "a table of 'X40' given 40 parents has 2.199e+12 cells, more than can be kept; "
        "the most are 200,000,000 cells and 63 parents"
    )


def test_one_variable_and_one_case_are_said_in_the_singular():
    assert repr(tc.fit("A", {"A": ["yes"]})) == "<Fit of 1 variable to 1 case>"
