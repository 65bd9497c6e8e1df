from __future__ import annotations

import numpy as np

from unprior import priors
from unprior.operators import _sampled_pairs
from unprior.operators._sampled_pairs import PairSample, learning_pairs, pair_distances


def test_few_samples_show_all_their_pairs():
    i, j = learning_pairs(30)
    assert len(set(zip(i, j, strict=True))) == 30 * 29 // 2
    assert (i < j).all()


def test_2000_samples_are_still_few():
    assert len(learning_pairs(2000)[0]) == 2000 * 1999 // 2
    assert len(learning_pairs(2001)[0]) == _sampled_pairs.MANY_PAIRS


def test_many_samples_show_evenly_drawn_pairs():
    i, j = learning_pairs(3000)
    assert (i != j).all()
    assert (np.diff(i) >= 0).all()
    for drawn in (i, j):
        counts = np.bincount(drawn, minlength=3000)
        assert len(counts) == 3000
        # Poisson, about 667 a sample
        assert abs(counts.std() / np.sqrt(counts.mean()) - 1) < 0.1


def test_the_draw_is_the_same_every_time_and_leaves_the_global_state():
    state = np.random.get_state()[1].copy()  # noqa: NPY002 (is it untouched?)
    np.testing.assert_array_equal(learning_pairs(2500), learning_pairs(2500))
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_chunks_make_no_difference(monkeypatch):
    prior = priors.features(np.random.default_rng(0).normal(size=(20, 2)))
    i, j = learning_pairs(20)
    monkeypatch.setattr(_sampled_pairs, "CHUNK", 7)
    np.testing.assert_array_equal(pair_distances(prior, i, j), prior.pairs(i, j))


def test_a_sample_of_pairs_knows_the_largest_and_the_quantiles_of_each_source():
    rng = np.random.default_rng(0)
    sources = [priors.features(scale * rng.normal(size=(20, 2))) for scale in (1, 5)]
    sample, i, j = PairSample(sources), *np.triu_indices(20, 1)
    pairs = [source.to_array()[i, j] for source in sources]
    np.testing.assert_allclose(sample.largest(), [each.max() for each in pairs])
    np.testing.assert_allclose(sample.quantile(0.3), [np.quantile(each, 0.3) for each in pairs])
