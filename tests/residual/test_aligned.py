import numpy as np
import pytest

from reference.residual_smooth import aligned
from unprior import priors
from unprior.residual._aligned import find_groups, learn_alignment, own_covariance


@pytest.fixture
def stretched(rng):
    """Three groups of points, two of them with their own covariance, and a single sample."""
    groups = np.append(rng.integers(0, 3, 240), 3)
    points = rng.normal(size=(241, 3)) * [2, 1, 0.5]
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    points[groups == 1] = points[groups == 1] @ turn * 3 + 1
    points[groups == 2] *= [0.2, 1, 3]
    return points, groups


def test_maps_equal_the_slow_way(stretched):
    points, groups = stretched
    step = learn_alignment("known", points, 3, groups)
    assert set(step.changes) == {0, 1, 2}
    moved = step.moved(points, groups)
    np.testing.assert_allclose(moved, aligned(points, groups), atol=1e-8)
    assert np.abs(moved - points).max() > 1


def test_groups_end_up_alike_and_where_they_were(stretched):
    points, groups = stretched
    moved = learn_alignment("known", points, 3, groups).moved(points, groups)

    def apart(A):
        covariances = [np.cov(A[groups == g].T) for g in range(3)]
        return np.abs(np.array(covariances) - np.mean(covariances, axis=0)).max()

    assert apart(moved) < 0.35 * apart(points)
    for g in range(4):
        np.testing.assert_allclose(
            moved[groups == g].mean(axis=0), points[groups == g].mean(axis=0), atol=1e-9
        )


def test_coordinates_beyond_the_axes_stay(stretched, rng):
    points, groups = stretched
    more = np.column_stack([points, rng.normal(size=(241, 2))])
    moved = learn_alignment("known", more, 3, groups).moved(more, groups)
    np.testing.assert_array_equal(moved[:, 3:], more[:, 3:])
    np.testing.assert_allclose(moved[:, :3], aligned(points, groups), atol=1e-8)


@pytest.mark.parametrize("sizes", [[200, 200], [150, 40, 8], [2] * 60, [1, 1, 300]])
def test_groups_that_differ_by_chance_stay(rng, sizes):
    groups = np.repeat(np.arange(len(sizes)), sizes)
    points = rng.normal(size=(len(groups), 6)) * np.arange(1, 7)
    moved = learn_alignment("unrelated", points, 6, groups).moved(points, groups)
    np.testing.assert_array_equal(moved, points)


def test_groups_of_one_point_each_stay():
    groups = np.repeat([0, 1, 2], 20)
    points = np.array([[1.0, -4.0], [0.0, 2.0], [-1.0, 2.0]])[groups]
    step = learn_alignment("known", points, 2, groups)
    assert step.changes == {}
    np.testing.assert_array_equal(step.moved(points, groups), points)


def test_a_covariance_is_drawn_less_the_more_samples_show_it(rng):
    scatter = np.array([3.0, 1.0, 1.0, 1.0])
    few = own_covariance(rng.normal(size=(25, 4)) * scatter)
    many = own_covariance(rng.normal(size=(3000, 4)) * scatter)
    assert few is not None
    assert few[0, 0] < 0.8 * many[0, 0]
    np.testing.assert_allclose(many, np.diag(scatter**2), atol=0.8)
    assert own_covariance(np.zeros((1, 4))) is None


def test_a_flat_group_grows_tenfold_at_most(rng):
    groups = np.repeat([0, 1], 2000)
    points = rng.normal(size=(4000, 2))
    points[groups == 1, 0] *= 1e-4
    step = learn_alignment("known", points, 2, groups)
    growth = np.linalg.eigvalsh(np.eye(2) + step.changes[1])
    assert 9 < growth.max() < 10 + 1e-6


def test_cells_of_a_prior_and_of_new_samples(rng):
    Z = rng.normal(size=(1000, 2))
    groups, tell = find_groups(priors.features(Z))
    assert np.count_nonzero(np.bincount(groups)) == 5
    np.testing.assert_array_equal(tell(Z[:50]), groups[:50])
    codes, tell = find_groups(priors.labels([3, 1, 3]))
    np.testing.assert_array_equal(codes, [1, 0, 1])
    np.testing.assert_array_equal(tell(np.array([1, 1])), [1, 1])


def test_no_more_cells_than_places(rng):
    groups, _ = find_groups(priors.features(rng.integers(0, 3, 900).astype(float)))
    assert len(np.unique(groups)) == 3
    places = priors.geo(rng.uniform(-60, 60, 500), rng.uniform(-180, 180, 500))
    assert len(np.unique(find_groups(places)[0])) == 2


def test_a_new_group_is_learnt_from_its_points(stretched):
    points, groups = stretched
    step = learn_alignment("known", points, 3, groups)
    new = points[groups == 1] + 5
    wider = step.with_groups(new, np.full(len(new), 4))
    np.testing.assert_allclose(wider.centers[4], new.mean(axis=0))
    np.testing.assert_allclose(wider.changes[4], step.changes[1], atol=1e-8)


@pytest.mark.parametrize("kind", ["geo", "cyclic", "manhattan", "distances"])
def test_cells_of_new_samples_are_those_of_the_nearest_fitted_ones(rng, kind):
    places = rng.uniform(-60, 60, (400, 2))
    prior = {
        "geo": priors.geo(*places.T),
        "cyclic": priors.cyclic(places[:, 0] % 24, period=24),
        "manhattan": priors.features(places, metric="manhattan"),
        "distances": priors.distances(priors.features(places).to_array()),
    }[kind]
    cells, tell = find_groups(prior)
    assert 1 < len(np.unique(cells)) <= 50
    if kind == "distances":
        new = priors.features(places).to_array()[:30]
    else:
        new = prior.reader().read("", "", prior[np.arange(30)])
    np.testing.assert_array_equal(tell(new), cells[:30])


def test_groups_of_few_samples_in_many_directions_stay(rng):
    """What counts as noise allows for its own scatter, which is large in small groups."""
    found = [own_covariance(rng.normal(size=(12, d))) for d in (2, 10, 40) for _ in range(100)]
    assert sum(each is not None for each in found) <= 6


def test_one_column_is_given_one_spread(rng):
    groups = np.repeat([0, 1], 500)
    points = rng.normal(size=(1000, 1)) * np.where(groups == 1, 3.0, 1.0)[:, None]
    moved = learn_alignment("known", points, 1, groups).moved(points, groups)
    spreads = [moved[groups == group].std() for group in (0, 1)]
    assert spreads[0] == pytest.approx(spreads[1], rel=0.1)
