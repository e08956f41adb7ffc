"""Cases of real values that leave nothing to learn: what is said, and that nothing breaks."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc

RANDOM = np.random.default_rng(0)
ONE, OTHER = RANDOM.normal(size=(2, 40))


def reals(**columns):
    variables = {name: tc.Continuous(name) for name in columns}
    return tc.Dataset(
        variables, {name: np.asarray(column, float) for name, column in columns.items()}
    )


def complaint(ask):
    with pytest.raises(tc.TacitError) as caught:
        ask()
    return str(caught.value)


@pytest.mark.parametrize("hidden", [2, "continuous"])
@pytest.mark.parametrize("prior", [None, [tc.BDeu(1), tc.NormalGamma()]])
def test_nothing_is_inferred_from_no_cases(hidden, prior):
    none = reals(X=[], Y=[])
    weightless = reals(X=ONE, Y=OTHER).with_weights(np.zeros(40))
    for data in (none, weightless):
        assert complaint(
            lambda data=data: tc.fit("H -> X, Y", data, hidden={"H": hidden}, prior=prior, seed=1)
        ) == ("there are no cases to learn from: none was given, or all weigh 0")


def test_residuals_that_are_all_alike_are_not_judged():
    same = reals(X=np.ones(40), Y=OTHER)
    fit = tc.fit("X -> Y", same, prior=tc.NormalGamma())
    check = tc.residuals(fit, same)["X"]
    assert np.isnan(check.skewness)
    assert "X" in str(tc.report(fit, data=same))


def test_a_column_far_from_0_is_told_to_be_shifted():
    far = reals(X=ONE + 1e15, Y=OTHER)
    assert complaint(lambda: tc.fit("X -> Y", far, prior=tc.NormalGamma())) == (
        "X varies less than its size rounds to, so no variance can be told"
        "\n\nsubtract a number from the column that brings it near 0"
    )
    near = reals(X=ONE, Y=OTHER)
    assert tc.fit("X -> Y", near, prior=tc.NormalGamma()).network["X"].sd > 0.5


def test_weights_beyond_all_bounds_are_refused():
    with pytest.raises(tc.WeightError) as caught:
        reals(X=ONE).with_weights(np.full(40, 1e300))
    assert str(caught.value) == (
        "the weights add up to 4e+301, more than can be computed with"
        "\n\ndivide them by a number, so that they come to 1e+50 at most"
    )


def test_variances_tied_across_all_scales_are_estimated():
    wide = reals(X=ONE * 1e-70, Y=(ONE + OTHER) * 1e70, Z=OTHER)
    fit = tc.fit("X -> Y; Z", wide, knowledge="variance(Y) = 2 * variance(Z)")
    np.testing.assert_allclose(fit.network["Y"].sd ** 2, 2 * fit.network["Z"].sd ** 2)


def test_more_cases_than_memory_are_refused():
    network = tc.Network.of([tc.LinearGaussian((tc.Continuous("X"),), [], 0, 1)])
    assert complaint(lambda: tc.sample(network, 10**15, seed=1)) == (
        "1,000,000,000,000,000 cases of 1 variable do not fit into memory\n\ndraw fewer at a time"
    )
