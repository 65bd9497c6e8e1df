"""Places on Earth against the haversine formula."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference.priors import EARTH_RADIUS, all_pairs, great_circle
from unprior import priors

places = st.lists(st.tuples(st.floats(-90, 90), st.floats(-1000, 1000)), min_size=3, max_size=8)


@given(places)
def test_distances_are_great_circles(points):
    lat, lon = zip(*points, strict=True)
    found = priors.geo(lat, lon).to_array()
    # Near the point opposite, both formulas lose half their digits: a metre in 20 000 km.
    np.testing.assert_allclose(found, all_pairs(points, great_circle), atol=1e-3)
    far = found < 0.9 * found.max(initial=1)
    np.testing.assert_allclose(
        found[far], all_pairs(points, great_circle)[far], rtol=1e-6, atol=1e-6
    )


@given(places)
def test_distances_are_a_metric(points):
    found = priors.geo(*zip(*points, strict=True)).to_array()
    np.testing.assert_array_equal(np.diag(found), 0)
    np.testing.assert_array_equal(found, found.T)
    detour = (found[:, :, None] + found[None, :, :]).min(axis=1)
    assert (found <= detour + 1e-3).all()
    assert found.max() <= np.pi * EARTH_RADIUS


def test_known_distances():
    lat, lon = [0, 0, 90, -90, 0], [0, 90, 12, 77, 180]
    quarter = np.pi * EARTH_RADIUS / 2
    expected = [0, quarter, quarter, quarter, 2 * quarter]
    np.testing.assert_allclose(priors.geo(lat, lon).block([0], range(5))[0], expected, rtol=1e-12)


def test_longitudes_wrap():
    found = priors.geo([10, 10, 10, 10], [180, -180, 540, 181]).to_array()
    np.testing.assert_array_equal(found[:3, :3], 0)
    assert found[0, 3] == pytest.approx(priors.geo([10, 10], [0, 1]).largest(), rel=1e-9)


def test_neighbors_a_meter_apart_are_told_apart():
    step = np.rad2deg(0.001 / EARTH_RADIUS)
    assert priors.geo([50, 50 + step], [8, 8]).largest() == pytest.approx(0.001, rel=1e-5)


@pytest.mark.parametrize("degrees", [1e-6, 0.01, 5, 60, 90])
@pytest.mark.parametrize("n_samples", [2, 50, 400])
def test_largest_distance_within_a_town_a_country_and_the_world(degrees, n_samples, rng):
    lat, lon = rng.uniform(-degrees, degrees, size=(2, n_samples))
    prior = priors.geo(lat, 2 * lon + 170)
    assert prior.largest() == pytest.approx(prior.to_array().max(), rel=1e-12)


@pytest.mark.parametrize(
    ("lat", "lon", "match"),
    [
        ([10, 120], [50, 60], "from -90 to 90; got 120 for sample 1. Perhaps .* swapped"),
        ([10, 120], [50, 160], "from -90 to 90; got 120 for sample 1.$"),
        ([10, 20, 30], [50, 60], "'lat' has 3 samples and 'lon' 2; give both for each"),
        ([10, np.nan], [50, 60], "'lat' holds NaN .first in row 1"),
        ([10, 20], [50, np.inf], "'lon' holds infinity .first in row 1"),
        ([[10, 20]], [[50, 60]], r"'lat' takes one angle for each sample; got shape \(1, 2\)"),
    ],
)
def test_bad_places_are_refused(lat, lon, match):
    with pytest.raises(ValueError, match=rf"^geo: .*{match}"):
        priors.geo(lat, lon)
