"""Cells draw what they say, with weights that make up for it."""

import numpy as np
import pytest

from unprior import priors
from unprior.affinities import class_cells, find_bandwidths, prior_cells
from unprior.affinities._cells import _alias_table


@pytest.mark.parametrize("n", [1, 2, 7, 100])
def test_an_alias_table_holds_the_distribution(rng, n):
    probabilities = rng.random(n) ** 4 + 1e-9
    probabilities /= probabilities.sum()
    accept, alias = _alias_table(probabilities)
    drawn = accept / n
    np.add.at(drawn, alias, (1 - accept) / n)
    np.testing.assert_allclose(drawn, probabilities, atol=1e-12)


def test_classes_draw_from_themselves():
    labels = priors.labels(["a", "b", "a", "c", "b", "a"])
    partners, weights = class_cells(labels).draw(50, np.uint64(1))
    assert (labels.codes[partners] == labels.codes[:, None]).all()
    np.testing.assert_allclose(weights * 50, labels.counts[labels.codes][:, None] * np.ones(50))


def test_weights_count_everyone(rng):
    """The weights of a sample's draws estimate the number of samples."""
    prior = priors.features(rng.normal(size=(500, 2)))
    random = np.random.RandomState(0)
    cells = prior_cells(prior, find_bandwidths(prior, 50.0, random), random)
    totals = [cells.draw(20, np.uint64(key))[1].sum(axis=1).mean() for key in range(200)]
    assert np.mean(totals) == pytest.approx(500, rel=0.01)


def test_likely_partners_are_drawn_more_often(rng):
    line = np.sort(rng.normal(size=2000))
    prior = priors.features(line)
    random = np.random.RandomState(0)
    cells = prior_cells(prior, find_bandwidths(prior, 100.0, random), random)
    partners, _ = cells.draw(20, np.uint64(1))
    near = np.abs(partners - np.arange(2000)[:, None]) < 200
    assert near.mean() > 0.6  # drawn from everyone alike it would be 0.2


def test_samples_that_coincide_share_cells():
    prior = priors.features(np.repeat([0.0, 1.0, 5.0], 40))
    random = np.random.RandomState(0)
    cells = prior_cells(prior, find_bandwidths(prior, 10.0, random), random)
    assert len(np.unique(cells.of_sample)) == 3
    assert sorted(cells.members) == list(range(120))
