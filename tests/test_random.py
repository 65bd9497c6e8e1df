"""Fits without a seed do not touch NumPy's global generator."""

import numpy as np
import pytest
from sklearn.manifold import TSNE

import unprior as up
from unprior._random import as_generator, draw_seed

ESTIMATORS = {
    "JEDI": up.JEDI(n_iter=5),
    "JEDI sampled": up.JEDI(n_iter=5, solver="sampled"),
    "JEDI random": up.JEDI(n_iter=5, init="random"),
    "IndependentTSNE": up.IndependentTSNE(n_iter=150, perplexity=5),
    "Confetti umap": up.Confetti(embedder_params={"n_epochs": 5}),
    "Confetti tsne": up.Confetti(embedder="tsne", embedder_params={"n_iter": 5}),
    "Confetti own": up.Confetti(embedder=TSNE(metric="precomputed", init="random", max_iter=250)),
    "ConfettiNeighbors": up.ConfettiNeighbors(n_neighbors=5),
    "ConditionalTSNE": up.ConditionalTSNE(perplexity=5, n_iter=5),
    "RevisedConditionalTSNE": up.RevisedConditionalTSNE(perplexity=5, n_iter=5),
    "InverseSLLE": up.InverseSLLE(n_neighbors=5),
    "Residual": up.Residual(),
    "Residual aligned": up.Residual("aligned"),
}


def global_state():
    return np.random.get_state()  # noqa: NPY002


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


def test_every_estimator_is_here():
    fitted = {type(estimator).__name__ for estimator in ESTIMATORS.values()}
    public = {name for name in up.estimators.__all__ if name[0].isupper()}
    assert public <= fitted


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fit_without_a_seed_leaves_the_global_generator_alone(name, two_groups):
    X, known, _ = two_groups
    before = global_state()
    ESTIMATORS[name].fit(X, prior=up.priors.labels(known))
    assert same(before, global_state())


def test_data_without_a_seed_leave_the_global_generator_alone():
    before = global_state()
    one, other = (up.datasets.make_two_factor(20) for _ in range(2))
    up.datasets.make_tuning(20)
    assert same(before, global_state())
    assert not np.array_equal(one.X, other.X)


def test_none_is_another_generator_every_time():
    before = global_state()
    assert as_generator(None).randint(2**31) != as_generator(None).randint(2**31)
    assert draw_seed(None) != draw_seed(None)
    assert same(before, global_state())


def test_seeds_and_generators_stay_what_they_are():
    own = np.random.RandomState(3)
    assert as_generator(own) is own
    assert as_generator(3).randint(100) == np.random.RandomState(3).randint(100)
    assert draw_seed(7) == 7
    assert draw_seed(np.random.RandomState(3)) == draw_seed(np.random.RandomState(3))
