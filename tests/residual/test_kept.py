"""Residuals with kept labels: the prior's part of a joint fit is removed, all else stays."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import unprior as up
from unprior import priors, scores

KINDS = ["linear", "smooth", "aligned"]
N = 400
RNG = np.random.default_rng(0)
TYPE = RNG.integers(0, 3, N)
#: Batches differ in composition: type 2 is in the first batch alone.
BATCH = np.where(TYPE == 2, 0, RNG.random(N) < np.array([0.5, 0.2, 0.0])[TYPE]).astype(int)
NOISE = RNG.normal(size=(N, 6))
CLEAN = NOISE + 6 * np.eye(6)[TYPE]
X = CLEAN + 5 * np.eye(6)[3] * BATCH[:, None]
#: Batches of equal composition.
MIXED = RNG.integers(0, 2, N)
batch, cell = BATCH.astype(str), TYPE.astype(str)


def apart(R, of=TYPE):
    """Means of groups, relative to that of the first."""
    means = np.array([R[of == group].mean(axis=0) for group in np.unique(of)])
    return means - means[0]


@pytest.mark.parametrize("kind", KINDS)
def test_what_kept_classes_differ_by_stays(kind):
    R = up.Residual(kind).fit_transform(X, prior=batch, keep=cell)
    np.testing.assert_allclose(apart(R), apart(CLEAN), atol=0.4)
    for group in (0, 1):
        inside = apart(R[group == TYPE], BATCH[group == TYPE])
        assert np.abs(inside).max() < 0.35
    # Without them, types that a batch lacks are moved onto others.
    assert np.abs(apart(up.Residual(kind).fit_transform(X, prior=batch)) - apart(CLEAN)).max() > 1


def test_linear_is_the_joint_regression():
    age = RNG.normal(size=N) + TYPE
    Z = X + 2 * age[:, None]
    R = up.Residual("linear").fit_transform(Z, prior={"batch": batch, "age": age}, keep=cell)
    known = np.column_stack([BATCH, age])
    design = np.column_stack([known, np.eye(3)[TYPE]])
    slopes = np.linalg.lstsq(design, Z, rcond=None)[0][:2]
    np.testing.assert_allclose(R, Z - (known - known.mean(axis=0)) @ slopes, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_distances_are_those_of_the_residual(kind):
    D = squareform(pdist(X[:80]))
    R = up.Residual(kind).fit_transform(X[:80], prior=batch[:80], keep=cell[:80])
    found = up.Residual(kind, metric="precomputed").fit_transform(
        D, prior=batch[:80], keep=cell[:80]
    )
    np.testing.assert_allclose(found, squareform(pdist(R)), atol=1e-6)


@pytest.mark.filterwarnings("ignore:Residual. 'prior' does not differ:unprior.ConfoundingWarning")
@pytest.mark.parametrize("kind", [*KINDS, "clustered", "auto"])
@pytest.mark.parametrize("same", ["prior", "one class", "none"])
def test_kept_labels_at_the_edges(kind, same):
    keep = {"prior": batch, "one class": ["all"] * N, "none": [None] * N}[same]
    R = up.Residual(kind).fit_transform(X, prior=batch, keep=keep)
    expected = X if same == "prior" else up.Residual(kind).fit_transform(X, prior=batch)
    np.testing.assert_allclose(R, expected, atol=1e-9 if same == "prior" else 0)


@pytest.mark.parametrize("kind", [*KINDS, "clustered", "auto"])
def test_unrelated_labels_change_nothing_beyond_noise(kind):
    shifted = NOISE + 6 * np.eye(6)[TYPE] + 5 * np.outer(MIXED, np.eye(6)[3])
    none, unrelated = (
        up.Residual(kind).fit_transform(shifted, prior=MIXED.astype(str), keep=keep)
        for keep in (None, np.random.default_rng(1).integers(0, 2, N).astype(str))
    )
    removed = np.square(none - shifted).mean()
    assert np.square(none - unrelated).mean() < 0.1 * removed
    for labels, atol in ((MIXED, 0.06), (cell, 0.02)):
        before, then = (scores.neighbor_purity(R, labels.astype(str)) for R in (none, unrelated))
        assert then == pytest.approx(before, abs=atol)


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_without_kept_labels_is_still_aligned(kind):
    labels = np.where(BATCH == 1, None, cell)
    R = up.Residual(kind).fit_transform(X, prior=batch, keep=labels)
    # The unlabelled batch has types 0 and 1 alone, so its mean is not where that of the other is.
    assert abs(apart(R, BATCH)[1, 3]) < 1.5 < 4.5 < apart(X, BATCH)[1, 3]


@pytest.mark.parametrize("kind", KINDS)
def test_new_samples_need_no_kept_label(kind):
    residual = up.Residual(kind).fit(X, prior=batch, keep=cell)
    fresh = X + 0.01
    R = residual.transform(fresh, prior=batch)
    np.testing.assert_allclose(R, residual.transform(X) + 0.01, atol=0.2)
    np.testing.assert_array_equal(residual.transform(X), residual.transform(X, prior=batch))


def test_a_number_is_taken_out_within_kept_classes():
    age = np.random.default_rng(0).normal(size=N) + 2 * TYPE
    Z = CLEAN + np.outer(age, np.eye(6)[4]) * 3
    R = up.Residual("smooth").fit_transform(Z, prior=priors.features(age), keep=cell)
    inside = [np.corrcoef(age[g == TYPE], R[g == TYPE, 4])[0, 1] for g in range(3)]
    assert np.abs(inside).max() < 0.5
    np.testing.assert_allclose(apart(R)[:, :4], apart(CLEAN)[:, :4], atol=1.0)


@pytest.mark.parametrize("seed", range(2))
def test_the_automatic_kind_also_mixes_within_kept_classes(seed):
    """The batch shifts the two subtypes of each kept type in different directions."""
    subtype = np.random.default_rng(seed).integers(0, 2, N)
    Z = NOISE + 8 * np.eye(6)[TYPE] + 6 * np.outer(subtype, np.eye(6)[3])
    Z += np.outer(BATCH, 3 * np.eye(6)[5]) + 3 * np.outer(BATCH * (2 * subtype - 1), np.eye(6)[4])
    left = {}
    for kind in ("aligned", "clustered", "auto"):
        residual = up.Residual(kind).fit(Z, prior=batch, keep=cell)
        left[kind] = scores.left_within(residual.transform(Z), batch, cell)
    assert residual.kind_ == "aligned and clustered"
    assert abs(left["auto"]) < 0.04 < min(left["aligned"], left["clustered"])
    R = residual.transform(Z)
    assert scores.neighbor_purity(R, cell) > 0.99
    np.testing.assert_allclose(residual.transform(Z[:9] + 0.01, prior=batch[:9]), R[:9], atol=0.5)
