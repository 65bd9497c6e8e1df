"""The similarity within kept classes: mean 0 over the partners in each, and what it equals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.independence import gradient, label_similarity_within, level
from unprior import priors
from unprior.affinities import _within as module
from unprior.affinities._similarity import similarity_of
from unprior.affinities._within import similarity_within
from unprior.forces import SoftNeighbors, _soft_neighbors
from unprior.priors._keep import Keep
from unprior.priors._read_keep import read_keep

N = 60
RNG = np.random.default_rng(0)
KEPT = RNG.choice(3, N, p=[0.6, 0.25, 0.15])

KINDS = {
    "labels": priors.labels(RNG.choice(3, N, p=[0.7, 0.2, 0.1])),
    "lacking": priors.labels(np.where(KEPT == 2, 0, RNG.integers(0, 3, N))),
    "number": priors.features(RNG.exponential(size=N) + KEPT),
    "cyclic": priors.cyclic(RNG.uniform(0, 24, N), period=24),
    "distances": priors.distances(np.abs(np.subtract.outer(*2 * [RNG.normal(size=N)]))),
}


def keep_of(codes):
    return read_keep("test", [None if g < 0 else int(g) for g in codes])


def full(found):
    n = found.n_samples
    i, j = np.divmod(np.arange(n * n), n)
    k = found.pairs(i, j).reshape(n, n)
    np.fill_diagonal(k, 0)
    return k


@pytest.mark.parametrize("kind", KINDS)
def test_partners_in_every_kept_class_have_mean_zero(kind):
    k = full(similarity_within(KINDS[kind], keep_of(KEPT)))
    for g in range(3):
        np.testing.assert_allclose(k[:, g == KEPT].sum(axis=1) / N, 0, atol=1e-6)
    np.testing.assert_allclose(k, k.T, atol=1e-12)
    assert np.abs(k).max() > 0.5


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-1, 2)), min_size=5, max_size=25))
def test_labels_equal_the_slow_twin(both):
    codes, kept = map(np.array, zip(*both, strict=True))
    keep = keep_of(kept)
    found = full(similarity_within(priors.labels(codes), keep))
    expected = label_similarity_within(codes, kept if keep else np.zeros_like(kept))
    np.testing.assert_allclose(found, expected, atol=1e-9)


@settings(max_examples=15)
@given(st.integers(0, 10**6))
def test_priors_that_are_independent_within_kept_classes_are_at_chance(seed):
    """Over all permutations of the prior within kept classes, any sum over pairs has mean 0."""
    rng = np.random.default_rng(seed)
    kept = rng.choice(2, 40, p=[0.7, 0.3])
    kept[:2] = [0, 1]
    codes = (rng.random(40) < np.where(kept, 0.9, 0.2)).astype(int)  # goes with the kept labels
    keep, same = keep_of(kept), kept[:, None] == kept
    k = full(similarity_within(priors.labels(codes), keep))
    i, j = np.nonzero(same & (rng.random((40, 40)) < 0.5) & ~np.eye(40, dtype=bool))
    state = np.random.RandomState(seed)
    deals = [
        k[np.ix_(deal, deal)][i, j].mean() for deal in (keep.permutation(state) for _ in range(300))
    ]
    assert abs(np.mean(deals)) < 5 * np.std(deals) / np.sqrt(300) + 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_one_kept_class_is_none(kind):
    everyone = Keep(np.zeros(N, dtype=np.intp), np.array(["all"]))
    found = full(similarity_within(KINDS[kind], everyone))
    np.testing.assert_allclose(found, full(similarity_of(KINDS[kind])), atol=1e-9)
    np.testing.assert_array_equal(
        full(similarity_within(KINDS[kind], None)), full(similarity_of(KINDS[kind]))
    )


@pytest.mark.parametrize("kind", KINDS)
def test_where_a_kept_label_is_missing_the_chance_level_is_that_of_all(kind):
    missing = np.arange(N) % 7 == 3
    found = full(similarity_within(KINDS[kind], keep_of(np.where(missing, -1, KEPT))))
    lacking = missing[:, None] | missing
    expected = full(similarity_of(KINDS[kind]))
    np.testing.assert_allclose(found[lacking], expected[lacking], atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_names_of_kept_classes_do_not_matter(kind):
    one, other = (similarity_within(KINDS[kind], keep_of(each)) for each in (KEPT, 2 - KEPT))
    np.testing.assert_allclose(full(one), full(other), atol=1e-9)


def test_the_prior_itself_as_kept_labels_leaves_nothing():
    prior = KINDS["labels"]
    assert not full(similarity_within(prior, keep_of(prior.codes))).any()


def test_many_classes_count_within_kept_classes_alone(monkeypatch):
    monkeypatch.setattr(module, "MOST_JOINT", 4)
    codes = RNG.integers(0, 5, N)
    k = full(similarity_within(priors.labels(codes), keep_of(KEPT)))
    expected = label_similarity_within(codes, KEPT)
    same = KEPT[:, None] == KEPT
    np.testing.assert_allclose(k, np.where(same, expected, 0), atol=1e-9)


def test_too_many_kept_classes_beside_a_number_are_refused():
    keep = keep_of(np.arange(600) // 2)
    with pytest.raises(ValueError, match="at most 255 classes together with a prior"):
        similarity_within(priors.features(np.arange(600.0)), keep)


@pytest.mark.parametrize("kind", ["lacking", "number"])
@pytest.mark.parametrize("all_pairs", [True, False])
def test_sums_and_gradient_equal_the_slow_twin(kind, all_pairs):
    similarity = similarity_within(KINDS[kind], keep_of(np.where(RNG.random(N) < 0.1, -1, KEPT)))
    Y, k = 4 * RNG.normal(size=(N, 2)), full(similarity)
    space = np.column_stack([Y, np.zeros(N)])
    sums = SoftNeighbors.of(similarity, np.random.RandomState(0))
    found = sums.sums(space, 1.0, all_pairs=all_pairs)
    cutoff = np.inf if all_pairs else _soft_neighbors.CUTOFF
    assert found.level == pytest.approx(level(Y, k, 1.0, cutoff), rel=1e-4, abs=1e-6)
    expected = gradient(Y, k, 1.0, cutoff)
    np.testing.assert_allclose(found.gradient[:, :2], expected, atol=1e-5 * np.abs(expected).max())
    step = 1e-5
    if all_pairs:
        for i, axis in ((0, 0), (31, 1)):
            shift = np.zeros_like(Y)
            shift[i, axis] = step
            slope = (level(Y + shift, k) - level(Y - shift, k)) / (2 * step)
            assert found.gradient[i, axis] == pytest.approx(slope, rel=1e-3, abs=1e-6)
