"""ct-SNE as a user meets it."""

import numpy as np
import pytest

import unprior as up
from reference import conditional as reference
from unprior import priors, scores
from unprior.affinities import dense_affinities
from unprior.forces import _repulsion


@pytest.mark.parametrize("other", [1.0, 1e-2, 1e-5])
def test_the_first_steps_are_those_of_the_written_equations(two_groups, other):
    X, known, _ = two_groups
    start = 1e-4 * np.random.default_rng(1).normal(size=(90, 2))
    ctsne = up.ConditionalTSNE(
        other_label_weight=other, perplexity=20, init=start, n_iter=5, min_grad_norm=0
    ).fit(X, prior=priors.labels(known))
    expected = reference.descend(
        start,
        dense_affinities(priors.features(X), 20.0).matrix,
        reference.map_weights(known, other),
        n_iter=5,
        learning_rate=ctsne.learning_rate_,
        n_early=250,
    )
    np.testing.assert_allclose(
        ctsne.embedding_, expected, rtol=0, atol=1e-10 * np.abs(expected).max()
    )


def test_the_objective_is_the_true_one_also_while_exaggerating(two_groups):
    X, known, _ = two_groups
    maps = []
    ctsne = up.ConditionalTSNE(
        perplexity=20,
        n_iter=260,
        random_state=0,
        callbacks=[lambda t, value, Y: maps.append(Y)],
    ).fit(X, prior=priors.labels(known))
    assert ctsne.objective_.shape == (ctsne.n_iter_,) == (260,)
    P = dense_affinities(priors.features(X), 20.0).matrix
    weights = reference.map_weights(known, 1e-5)
    for t in (0, 100, 259):
        expected = reference.objective(maps[t], P, weights)
        assert ctsne.objective_[t] == pytest.approx(expected, abs=1e-10)


def test_the_labels_go_and_the_hidden_structure_stays(two_groups):
    X, known, hidden = two_groups
    ours = up.ConditionalTSNE(perplexity=29, random_state=0).fit_transform(
        X, prior=priors.labels(known)
    )
    with pytest.warns(up.PriorMissingWarning, match="ConditionalTSNE was fitted without a prior"):
        plain = up.ConditionalTSNE(perplexity=29, random_state=0).fit_transform(X)
    assert scores.neighbor_purity(plain, priors.labels(known)) > 0.9
    assert scores.neighbor_purity(ours, priors.labels(known)) < 0.5
    assert scores.neighbor_purity(ours, priors.labels(hidden)) > 0.8


def test_equal_weights_and_no_prior_are_tsne(two_groups):
    X, known, _ = two_groups
    settings = {"perplexity": 20, "n_iter": 20, "random_state": 0}
    ours = up.ConditionalTSNE(other_label_weight=1, **settings).fit_transform(
        X, prior=priors.labels(known)
    )
    with pytest.warns(up.PriorMissingWarning):
        plain = up.ConditionalTSNE(**settings).fit_transform(X)
    np.testing.assert_allclose(ours, plain, rtol=0, atol=1e-9 * np.abs(plain).max())


def test_plain_tsne_scores_like_opentsne(two_groups):
    from openTSNE import TSNE

    from reference import jedi

    X, _, _ = two_groups
    theirs = TSNE(perplexity=15, random_state=0, initialization="random").fit(X)
    with pytest.warns(up.PriorMissingWarning):
        ours = up.ConditionalTSNE(perplexity=15, random_state=0).fit_transform(X)
    P = dense_affinities(priors.features(X), 15.0).matrix
    ends = [jedi.kl(P, jedi.map_affinities(np.asarray(Y))[0]) for Y in (ours, theirs)]
    assert ends[0] <= ends[1] + 0.05


@pytest.fixture
def never_exact(monkeypatch):
    """A function: repulsion of few samples, too, is summed up in the ways of many."""

    def begin():
        monkeypatch.setattr(_repulsion, "EXACT_IN_PLANE", 10)
        monkeypatch.setattr(_repulsion, "EXACT_IN_SPACE", 10)

    return begin


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_dimensions_by_every_way_to_sum_the_repulsion(two_groups, never_exact, n_components):
    """With lower limits, 90 samples take the code paths of many samples."""
    X, known, _ = two_groups
    start = np.random.default_rng(1).normal(size=(90, n_components))
    ctsne = up.ConditionalTSNE(
        n_components, other_label_weight=0.1, perplexity=20, init=start, n_iter=1
    )
    exact = ctsne.fit_transform(X, prior=priors.labels(known))
    never_exact()
    fast = ctsne.fit_transform(X, prior=priors.labels(known))
    assert fast.shape == (90, n_components)
    assert not np.array_equal(fast, exact)
    np.testing.assert_allclose(fast, exact, rtol=0, atol=0.02 * np.abs(exact - start).max())


@pytest.mark.parametrize("n_components", [2, 3])
@pytest.mark.parametrize("many", [False, True])
def test_same_seed_same_bits_for_any_number_of_threads(two_groups, never_exact, n_components, many):
    X, known, _ = two_groups
    if many:
        never_exact()
    one, two, other = (
        up.ConditionalTSNE(
            n_components, perplexity=2.5, n_iter=30, n_jobs=n_jobs, random_state=seed
        ).fit_transform(X, prior=priors.labels(known))
        for n_jobs, seed in [(1, 0), (2, 0), (1, 1)]
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)
