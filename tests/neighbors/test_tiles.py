import numpy as np
import pytest

from unprior import priors
from unprior.neighbors._tiles import EPS, BlockTiles, StoredTiles, bounded_tiles, prior_tiles


def sources(rng, n=80):
    X = rng.normal(size=(n, 4))
    return {
        "labels": priors.labels(rng.integers(3, size=n)),
        "line": priors.features(X[:, 0] + 1e4),
        "plane": priors.features(X[:, :2]),
        "many axes": priors.features(rng.normal(size=(n, 30))),
        "squares": priors.features(X, metric="cosine"),
        "no points": priors.features(X, metric="l1"),
        "given": priors.distances(priors.features(X).to_array()),
        "globe": priors.geo(rng.uniform(-90, 90, n), rng.uniform(-180, 180, n)),
        "circle": priors.cyclic(rng.uniform(0, 24, n), period=24),
        "graph": priors.graph(np.diag(np.ones(n - 1), 1)),
    }


@pytest.mark.parametrize("name", sources(np.random.default_rng(0)))
def test_priors_are_off_by_no_more_than_they_say(rng, name):
    prior, order = sources(rng)[name], rng.permutation(80)
    tiles, error = prior_tiles(prior, order)
    found = tiles.tile(slice(5, 60), slice(20, 80))
    assert found.dtype == np.float32
    truth = prior.block(order[5:60], order[20:80])
    assert (np.abs(found - truth) <= error + 2 * EPS * truth).all()
    assert error <= 0.01 * truth.max()


@pytest.mark.parametrize(
    "name", [name for name in sources(np.random.default_rng(0)) if name != "labels"]
)
@pytest.mark.parametrize("scale", [1e-3, 1.0, 700.0])
def test_data_are_off_by_no_more_than_they_say(rng, name, scale):
    assert_within_errors(sources(rng)[name], rng.permutation(80), scale)


@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean", "cosine", "l1"])
@pytest.mark.parametrize("scale", [1e-3, 1.0, 700.0])
def test_so_are_stored_data(rng, metric, scale, store):
    X = store(rng.normal(size=(80, 16)) + 3, entries=7 * 16)
    data = priors.features(X, metric=metric)
    lines = assert_within_errors(data, rng.permutation(80), scale)
    assert isinstance(lines.tiles, BlockTiles if metric == "l1" else StoredTiles)


def assert_within_errors(data, order, scale):
    lines = bounded_tiles(data, order, scale)
    found = lines.tiles.tile(slice(5, 60), slice(20, 80)).astype(float)
    errors = lines.errors[5:60, None] + lines.errors[20:80]
    truth = data.block(order[5:60], order[20:80]) / scale
    assert (truth <= lines.largest * (1 + 1e-6)).all()
    power = 2 if lines.square else 1
    assert (np.maximum(found - errors, 0) <= truth**power * (1 + 1e-12)).all()
    assert (found + errors >= truth**power * (1 - 1e-12)).all()
    return lines


def test_what_single_precision_cannot_hold_has_no_lines(rng):
    data = priors.features(rng.normal(size=(20, 2)))
    assert bounded_tiles(data, np.arange(20), 1e-20) is None
    assert bounded_tiles(data, np.arange(20), 1e20) is None
