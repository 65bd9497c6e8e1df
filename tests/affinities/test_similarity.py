import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.independence import label_similarity
from unprior import priors
from unprior.affinities import _similarity as similarity
from unprior.affinities._similarity import similarity_of

RNG = np.random.default_rng(0)

KINDS = {
    "labels": priors.labels(RNG.integers(0, 4, 60)),
    "number": priors.features(RNG.exponential(size=60)),
    "features": priors.features(RNG.normal(size=(60, 3))),
    "cyclic": priors.cyclic(RNG.uniform(0, 24, 60), period=24),
    "geo": priors.geo(RNG.uniform(-80, 80, 60), RNG.uniform(-180, 180, 60)),
    "distances": priors.distances(np.abs(np.subtract.outer(*2 * [RNG.normal(size=60)]))),
    "kernel": priors.kernel(np.exp(-np.square(np.subtract.outer(*2 * [RNG.normal(size=60)])))),
    "ties": priors.features(RNG.integers(0, 3, 60).astype(float)),
    "outlier": priors.features(np.append(RNG.normal(size=59), 1e6)),
}


def full(found):
    n = found.n_samples
    i, j = np.divmod(np.arange(n * n), n)
    k = found.pairs(i, j).reshape(n, n)
    np.fill_diagonal(k, 0)
    return k


@pytest.mark.parametrize("kind", KINDS)
def test_partners_have_mean_zero(kind):
    k = full(similarity_of(KINDS[kind]))
    np.testing.assert_allclose(k.sum(axis=1) / 59, 0, atol=1e-6)
    np.testing.assert_allclose(k, k.T, atol=1e-12)


@pytest.mark.parametrize("kind", ["number", "features", "cyclic", "geo", "distances", "kernel"])
def test_nearer_pairs_are_more_alike(kind):
    prior = KINDS[kind]
    k, d = full(similarity_of(prior)), prior.to_array()
    for row in range(0, 60, 7):
        others = np.delete(np.arange(60), row)
        near = others[np.argsort(d[row, others])]
        assert k[row, near[:5]].mean() > k[row, near[-20:]].mean() + 0.3


def test_an_outlier_is_like_nobody_in_particular():
    # With no others near it, its nearest would have to be as similar to it as all 59 together.
    k = full(similarity_of(KINDS["outlier"]))
    assert np.abs(k[-1]).max() < 10


@given(st.lists(st.integers(0, 4), min_size=5, max_size=30))
def test_labels_equal_the_slow_twin(codes):
    prior = priors.labels(codes)
    np.testing.assert_allclose(full(similarity_of(prior)), label_similarity(codes), atol=1e-12)


@settings(max_examples=20)
@given(st.integers(0, 10**6), st.sampled_from([0.5, 0.9, 0.97]))
def test_independent_labels_of_any_shares_are_at_chance(seed, share):
    """Over all permutations of the labels, any sum over pairs has mean L = 0."""
    rng = np.random.default_rng(seed)
    codes = (rng.random(40) > share).astype(int)
    codes[:2] = [0, 1]
    k = full(similarity_of(priors.labels(codes)))
    i, j = rng.integers(0, 40, (2, 300))
    i, j = i[i != j], j[i != j]
    deals = [
        k[np.ix_(deal, deal)][i, j].mean() for deal in (rng.permutation(40) for _ in range(400))
    ]
    assert abs(np.mean(deals)) < 5 * np.std(deals) / np.sqrt(400) + 1e-12


def test_relabelling_and_permuting_change_nothing():
    codes = RNG.integers(0, 5, 50)
    order = RNG.permutation(50)
    k = full(similarity_of(priors.labels(codes)))
    np.testing.assert_array_equal(full(similarity_of(priors.labels(4 - codes))), k)
    np.testing.assert_array_equal(
        full(similarity_of(priors.labels(codes[order]))), k[np.ix_(order, order)]
    )


def test_strata_stand_for_their_samples(monkeypatch):
    values = RNG.normal(size=400)
    exact = full(similarity_of(priors.features(values)))
    monkeypatch.setattr(similarity, "MOST_STRATA", 100)
    found = similarity_of(priors.features(values))
    assert len(found.table) <= 100
    k = full(found)
    np.testing.assert_allclose(k.sum(axis=1) / 399, 0, atol=1e-6)
    i, j = np.triu_indices(400, k=1)
    # Soft neighbours of three maps that show all, some and nothing of the prior.
    for noise in (0.0, 0.5, 10.0):
        map_places = values + noise * RNG.normal(size=400)
        soft = 1 / (1 + np.square(map_places[i] - map_places[j]) / 0.01) ** 2
        levels = [float(soft @ each[i, j] / soft.sum()) for each in (k, exact)]
        assert levels[0] == pytest.approx(levels[1], rel=0.1, abs=0.02)


def test_many_classes_take_no_table():
    found = similarity_of(priors.labels(np.arange(100_000) // 5))
    assert found.table.size == 4
    assert found.pairs(np.array([0, 0]), np.array([1, 7])).tolist() == [99_999 / 4 - 1, -1]


def test_the_floor_of_a_kernel_is_a_share_of_its_mean():
    strata, kernel = similarity.kernel_of_strata(KINDS["features"], 8)
    floor = kernel.diagonal() - 1
    inner, counts = kernel - floor, np.bincount(strata)
    pairs = np.outer(counts, counts) - np.diag(counts)
    expected = similarity.FLOOR * (pairs * inner).sum() / counts.sum() ** 2
    np.testing.assert_allclose(floor, expected)


@pytest.mark.parametrize("kind", ["number", "features", "distances"])
def test_a_kernel_is_gaussian_with_the_width_of_near_pairs(kind):
    prior = KINDS[kind]
    _, kernel = similarity.kernel_of_strata(prior, 60)
    found, d = kernel - (kernel.diagonal()[0] - 1), prior.to_array()
    i, j = np.triu_indices(60, 1)
    width = np.quantile(d[i, j], similarity.WIDTH_QUANTILE)
    near = d[i, j] < 2 * width
    np.testing.assert_allclose(
        -2 * np.log(found[i, j][near]), np.square(d[i, j][near] / width), rtol=0.1
    )
