import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from reference.residual import residual_distances
from unprior import priors
from unprior.priors._keep import Keep
from unprior.residual import _linear
from unprior.residual._linear import learn_linear, linear_distances, span, squared_residual


@settings(max_examples=40)
@given(st.integers(3, 20), st.integers(1, 6), st.integers(0, 2**32 - 1), st.floats(-8, 8))
@example(n=3, p=3, seed=1, exponent=7.640559427885073)
def test_the_basis_projects_as_pinv_does(n, p, seed, exponent):
    Z = np.random.default_rng(seed).normal(size=(n, p))
    part = span(Z * 10.0 ** (exponent * np.arange(p) / p))
    Z = Z - Z.mean(axis=0)
    np.testing.assert_allclose(part.basis @ part.basis.T, Z @ np.linalg.pinv(Z), atol=1e-7)
    np.testing.assert_allclose(part.basis.sum(axis=0), 0, atol=1e-8)


def test_columns_that_do_not_fit_into_memory_are_not_made(rng, monkeypatch):
    X, sample = rng.normal(size=(60, 3)), np.arange(60)
    both = {"a": priors.labels(sample % 20), "b": priors.labels(sample % 9)}
    # One prior of labels makes groups; the other needs nine columns.
    monkeypatch.setattr("unprior._memory._usable_memory", lambda: 6 * 8 * 60 * 9)
    learn_linear(X, both)
    monkeypatch.setattr("unprior._memory._usable_memory", lambda: 6 * 8 * 60 * 9 - 1)
    monkeypatch.setattr(_linear, "learn_regressors", lambda _: pytest.fail("columns"))
    with pytest.raises(MemoryError, match=r"^Residual: 'prior' makes 9 columns .*; use kind=\"smo"):
        learn_linear(X, both)
    with pytest.raises(MemoryError, match=r"^Residual: 'prior' makes 29 columns for 60 samples"):
        linear_distances(cdist(X, X), both, 1.0)


def test_columns_that_follow_from_others_add_nothing(rng):
    Z = rng.normal(size=(30, 2))
    part = span(np.column_stack([Z, Z @ [2, -1], np.full(30, 0.1), Z[:, 0] + 7]))
    assert part.basis.shape == (30, 2)
    assert span(np.full((30, 2), 0.1)).basis.shape == (30, 0)


def test_directions_of_the_same_columns_are_the_basis(rng):
    Z = np.column_stack([rng.normal(size=(30, 3)) * [1, 1e6, 1e-6] + 5, np.ones(30)])
    part = span(Z)
    one = np.zeros(30, dtype=np.intp)
    np.testing.assert_allclose(part.directions(Z, one), part.basis, atol=1e-9)
    np.testing.assert_allclose(part.directions(Z[4:9], one[:5]), part.basis[4:9], atol=1e-9)


def test_groups_are_as_good_as_a_column_for_each(rng):
    groups = rng.permutation(np.arange(30) % 4)
    Z = np.column_stack([rng.normal(size=(30, 2)), groups / 10 + 0.1, np.arange(30) + 2000])
    part = span(Z, groups)
    assert part.basis.shape == (30, 3)
    members = np.eye(4)[groups]
    np.testing.assert_allclose(members.T @ part.basis, 0, atol=1e-12)
    whole, of_groups = span(np.hstack([Z, members])).basis, span(members).basis
    found = part.basis @ part.basis.T + of_groups @ of_groups.T
    np.testing.assert_allclose(found, whole @ whole.T, atol=1e-9)
    np.testing.assert_allclose(part.directions(Z[:5], groups[:5]), part.basis[:5], atol=1e-9)


@pytest.mark.parametrize("strength", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_distances_equal_the_slow_ones(rng, strength, metric):
    X, Z = rng.normal(size=(25, 4)), rng.normal(size=(25, 2))
    D = cdist(X, X, metric)
    found = squared_residual(D**2, span(Z).basis, strength)
    np.testing.assert_allclose(found, residual_distances(D, Z, strength), atol=1e-10)
    np.testing.assert_array_equal(found, found.T)
    assert not np.diagonal(found).any()


def test_labels_alone_explain_the_means_of_their_groups(rng):
    X, codes = rng.normal(size=(30, 2)), np.arange(30) % 3
    model, explained = learn_linear(X, {"batch": priors.labels(codes)})
    means = np.array([X[codes == group].mean(axis=0) for group in range(3)])
    np.testing.assert_allclose(explained, means[codes] - X.mean(axis=0), atol=1e-12)
    assert [*model.readers] == ["batch"]


def test_as_many_columns_as_samples_allow(rng):
    X, Z = rng.normal(size=(8, 2)), rng.normal(size=(8, 7))
    learn_linear(X, {"some": priors.features(Z[:, :6])})
    with pytest.raises(ValueError, match=r"^Residual: the prior has 7 independent columns"):
        learn_linear(X, {"all": priors.features(Z)})


def test_labels_and_numbers_explain_what_least_squares_say(rng):
    codes, more, age = rng.integers(0, 4, 60), rng.integers(0, 2, 60), rng.normal(size=60)
    X = rng.normal(size=(60, 3)) + codes[:, None] + np.outer(age, [1, 2, 3]) + 50
    known = {
        "age": priors.features(age),
        "batch": priors.labels(codes),
        "more": priors.labels(more),
    }
    model, explained = learn_linear(X, known)
    design = np.column_stack([np.eye(4)[codes], np.eye(2)[more], age])
    fit = design @ np.linalg.lstsq(design, X, rcond=None)[0]
    np.testing.assert_allclose(explained, fit - X.mean(axis=0), atol=1e-9)
    assert {*model.readers} == {*known}
    assert model.rank == 5
    read = {name: how.read("", name, known[name]) for name, how in model.readers.items()}
    np.testing.assert_allclose(model.explained(X, read), explained, atol=1e-9)


def test_numbers_alone_explain_what_least_squares_say(rng):
    Z = rng.normal(size=(40, 2))
    X = rng.normal(size=(40, 3)) + Z @ rng.normal(size=(2, 3))
    model, explained = learn_linear(X, {"z": priors.features(Z)})
    design = np.column_stack([Z, np.ones(40)])
    fit = design @ np.linalg.lstsq(design, X, rcond=None)[0]
    np.testing.assert_allclose(explained, fit - X.mean(axis=0), atol=1e-9)
    assert model.rank == 2


def test_beside_kept_labels_priors_explain_what_a_joint_fit_says(rng):
    kept, age = np.arange(60) % 3, rng.normal(size=60) + np.arange(60) % 3
    X = rng.normal(size=(60, 2)) + 4 * kept[:, None] + np.outer(age, [1, 2])
    keep = Keep(kept.astype(np.intp), np.arange(3))
    model, explained = learn_linear(X, {"age": priors.features(age)}, keep)
    slope = np.linalg.lstsq(np.column_stack([age, np.eye(3)[kept]]), X, rcond=None)[0][0]
    np.testing.assert_allclose(explained, np.outer(age - age.mean(), slope), atol=1e-9)
    assert [*model.readers] == ["age"]
