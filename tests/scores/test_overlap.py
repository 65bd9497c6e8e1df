import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors

from reference.overlap import row_overlaps, row_recalls
from unprior import priors
from unprior.scores import OverlapCurve, overlap_area, overlap_curve


def points(seed, n=25, d=2):
    return np.random.RandomState(seed).normal(size=(n, d))


def coarse(seed, n=25, d=2):
    """Points on a coarse grid: many equal distances, some equal points."""
    return np.random.RandomState(seed).randint(3, size=(n, d)).astype(float)


@pytest.mark.parametrize(
    ("A", "B"),
    [
        (points(0), points(1, d=5)),
        (points(0), coarse(1)),
        (coarse(0), points(1)),
        (coarse(0), coarse(1, d=3)),
    ],
    ids=["no ties", "ties in b", "ties in a", "ties in both"],
)
def test_curve_equals_the_slow_twin(A, B):
    expected = row_overlaps(cdist(A, A), cdist(B, B)).mean(axis=0)
    curve = overlap_curve(A, B)
    np.testing.assert_allclose(curve.score, expected, atol=1e-13)
    chance = np.arange(1, 25) / 24
    np.testing.assert_allclose(curve.chance, chance)
    np.testing.assert_array_equal(curve.k, np.arange(1, 25))
    assert curve.area == pytest.approx((expected - chance).mean(), abs=1e-13)
    assert curve.absolute_area == pytest.approx(np.abs(expected - chance).mean(), abs=1e-13)
    assert (curve.n_rows, curve.standard_error) == (25, 0)
    assert overlap_area(A, B) == curve.area


@pytest.mark.parametrize("A", [points(0), coarse(0)], ids=["no ties", "ties"])
def test_curve_with_labels_equals_the_slow_twin(A):
    labels = np.array([*"aaaaaabbbbbbbbccccccccc", "alone", "single"])
    expected = row_recalls(cdist(A, A), labels)
    curve = overlap_curve(A, labels)
    assert curve.n_rows == len(expected) == 23
    np.testing.assert_allclose(curve.score, expected.mean(axis=0), atol=1e-13)
    np.testing.assert_array_equal(overlap_curve(labels, A).score, curve.score)


def test_scores_count_common_neighbors_of_scikit_learn():
    A, B = points(2, n=60), points(3, n=60, d=3)
    curve = overlap_curve(A, B)
    for k in (1, 7, 40):
        near_a, near_b = (
            NearestNeighbors(n_neighbors=k).fit(Z).kneighbors(return_distance=False) for Z in (A, B)
        )
        common = [len({*one} & {*other}) / k for one, other in zip(near_a, near_b, strict=True)]
        assert curve.score[k - 1] == pytest.approx(np.mean(common))


def test_labels_and_their_distances_agree_up_to_the_smallest_class():
    # Below the size of a class, random tie orders and counting members are the same thing.
    A, labels = points(4, n=40), np.repeat([*"abcd"], 10)
    as_labels = overlap_curve(A, labels)
    as_distances = overlap_curve(A, priors.distances((labels[:, None] != labels).astype(float)))
    np.testing.assert_allclose(as_labels.score[:9], as_distances.score[:9])


@given(seed=st.integers(0, 10**6), n=st.integers(3, 40), d=st.integers(1, 4))
@settings(max_examples=40)
def test_properties_of_the_curve(seed, n, d):
    A, B = points(seed, n, d), points(seed + 1, n)
    A = A if d < n else A[:, :1]
    itself = overlap_curve(priors.features(A), priors.features(A))
    np.testing.assert_array_equal(itself.score, np.ones(n - 1))
    assert itself.area == pytest.approx((n - 2) / (2 * (n - 1)))
    curve = overlap_curve(priors.features(A), priors.features(B))
    assert (curve.score >= 0).all()
    assert (curve.score <= 1).all()
    assert curve.score[-1] == 1
    order = np.random.RandomState(seed).permutation(n)
    shuffled = overlap_curve(priors.features(A[order]), priors.features(B[order]))
    np.testing.assert_allclose(shuffled.score, curve.score, atol=1e-12)


@given(seed=st.integers(0, 10**6), levels=st.integers(1, 4))
@settings(max_examples=40)
def test_order_of_tied_samples_does_not_matter(seed, levels):
    rng = np.random.RandomState(seed)
    A, B = (priors.features(rng.randint(levels, size=30)) for _ in range(2))
    curve, order = overlap_curve(A, B), rng.permutation(30)
    np.testing.assert_allclose(overlap_curve(A[order], B[order]).score, curve.score, atol=1e-12)
    np.testing.assert_allclose(overlap_curve(B, A).score, curve.score, atol=1e-12)
    assert (curve.score >= 0).all()
    assert (curve.score <= 1).all()


def test_one_tie_of_all_is_chance_whatever_the_other_side():
    nothing = priors.distances(1 - np.eye(30))
    for other in (points(5, n=30), coarse(5, n=30), nothing):
        assert overlap_curve(nothing, other).absolute_area == pytest.approx(0, abs=1e-12)


def test_unrelated_sides_have_no_area():
    areas = [overlap_area(points(seed, n=200), points(seed + 100, n=200)) for seed in range(10)]
    assert abs(np.mean(areas)) < 0.004
    labels = np.random.RandomState(0).choice([*"abc"], 200)
    assert abs(overlap_area(points(0, n=200), labels)) < 0.01


def test_structure_that_is_avoided_has_negative_area():
    labels = np.repeat(["a", "b"], 50)
    # The nearest neighbours of all samples are in the other class.
    D = np.where(labels[:, None] == labels, 2.0, 1.0)
    np.fill_diagonal(D, 0)
    curve = overlap_curve(priors.distances(D), labels)
    assert curve.area < -0.2
    assert curve.absolute_area == pytest.approx(-curve.area)


@pytest.mark.parametrize("b", [points(7, n=400, d=3), np.tile([*"abcde"], 80)], ids=["X", "labels"])
def test_some_rows_estimate_all(b):
    A = points(6, n=400)
    b = b if b.ndim == 1 else b + 0.5 * A[:, :1]
    exact = overlap_curve(A, b)
    misses = []
    for seed in range(30):
        curve = overlap_curve(A, b, n_rows=80, random_state=seed)
        assert curve.n_rows == 80
        misses.append((curve.area - exact.area) / curve.standard_error)
    assert np.abs(misses).max() < 4
    assert 0.6 < np.std(misses) < 1.5


def test_row_sampling_is_seeded_and_never_from_samples_alone_in_their_class():
    A, labels = points(8, n=50), np.array([*"ab" * 20, *map(str, range(10))])
    one, two = (overlap_curve(A, labels, n_rows=20, random_state=3) for _ in range(2))
    np.testing.assert_array_equal(one.score, two.score)
    assert overlap_curve(A, labels, n_rows=45).n_rows == 40
    assert overlap_curve(A, labels, n_rows=45).standard_error == 0


@pytest.mark.parametrize("b", [coarse(10, n=150, d=3), np.tile([*"abc"], 50)], ids=["X", "labels"])
def test_blocks_and_threads_do_not_change_a_bit(b, in_blocks):
    A = points(9, n=150)
    whole = overlap_curve(A, b)
    in_blocks(150 * 7)
    one = overlap_curve(A, b)
    np.testing.assert_allclose(one.score, whole.score, atol=1e-13)
    with joblib.parallel_config(n_jobs=2):
        two = overlap_curve(A, b)
    np.testing.assert_array_equal(one.score, two.score)
    assert (one.area, one.standard_error) == (two.area, two.standard_error)


def test_anything_that_is_a_prior_can_be_a_side(rng):
    n = 30
    Y, lat, lon = rng.normal(size=(n, 2)), rng.uniform(-90, 90, n), rng.uniform(-180, 180, n)
    sides = [
        priors.geo(lat, lon),
        priors.cyclic(rng.uniform(0, 24, n), 24),
        priors.combine([rng.normal(size=n), rng.choice([*"ab"], n)]),
        rng.normal(size=n),
        rng.normal(size=(n, 3)).astype(np.float32),
        [rng.normal(size=n), rng.normal(size=n)],
    ]
    for side in sides:
        expected = row_overlaps(cdist(Y, Y), priors.as_prior(side).to_array()).mean(axis=0)
        np.testing.assert_allclose(overlap_curve(Y, side).score, expected, atol=1e-12)


def test_inputs_stay_as_they_are():
    D = cdist(points(0), points(0))
    before = D.copy()
    overlap_curve(points(1), priors.distances(D))
    np.testing.assert_array_equal(D, before)


def test_the_curve_prints_without_its_arrays():
    curve = OverlapCurve(np.arange(1, 3), np.ones(2), 0.25, 0.25, 0.0, 3)
    text = "OverlapCurve(area=0.25, absolute_area=0.25, standard_error=0.0, n_rows=3)"
    assert repr(curve) == text


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        (points(0), points(1, n=24), r"'a' has 25 samples and 'b' 24; give both for the same"),
        ([*"aab"], [*"abb"], r"'a' and 'b' are both labels"),
        (points(0, n=3), [*"abc"], r"every sample is a class of its own"),
        (points(0), np.arange(25), r"'b' holds integers.*priors\.labels"),
        (cdist(points(0), points(0)), points(0), r"'a' is a square array.*priors\.distances"),
        ([0.0, 1.0], [0.0, 1.0], r"'a' takes at least 3 samples; got 2"),
        (points(0), np.r_[np.nan, np.zeros(24)], r"'b' holds NaN"),
    ],
)
@pytest.mark.parametrize("score", [overlap_curve, overlap_area])
def test_bad_sides_are_refused_in_a_sentence(score, a, b, message):
    with pytest.raises(ValueError, match=f"^{score.__name__}: .*{message}"):
        score(a, b)


def test_bad_n_rows_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match=r"^overlap_curve: 'n_rows' takes .*; got 1\.$"):
        overlap_curve(points(0), points(1), n_rows=1)
