"""What ct-SNE and revised ct-SNE share, as a user meets it."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import unprior as up
from unprior import priors


@pytest.fixture(params=["ConditionalTSNE", "RevisedConditionalTSNE"])
def method(request):
    return getattr(up, request.param)


def test_distances_give_the_map_of_their_features(method, two_groups):
    X, known, _ = two_groups
    start = np.random.default_rng(1).normal(size=(90, 2))
    settings = {"init": start, "n_iter": 20, "perplexity": 10}
    from_features = method(**settings).fit_transform(X, prior=priors.labels(known))
    from_distances = method(metric="precomputed", **settings).fit_transform(
        cdist(X, X), prior=priors.labels(known)
    )
    np.testing.assert_allclose(from_features, from_distances, atol=1e-6)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_dimensions(method, two_groups, n_components):
    X, known, _ = two_groups
    Y = method(n_components, perplexity=10, n_iter=20).fit_transform(X, prior=priors.labels(known))
    assert Y.shape == (90, n_components)
    assert np.isfinite(Y).all()


def test_several_labels_are_one_joint_label(method, two_groups):
    X, known, hidden = two_groups
    joint = [f"{a} {b}" for a, b in zip(known, hidden, strict=True)]
    parts = {"known": priors.labels(known), "hidden": priors.labels(hidden)}
    settings = {"n_iter": 25, "perplexity": 10, "random_state": 0}
    expected = method(**settings).fit_transform(X, prior=joint)
    for several in (parts, [*parts.values()], priors.combine(parts)):
        ours = method(**settings).fit_transform(X, prior=several)
        np.testing.assert_array_equal(ours, expected)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda X: priors.features(X[:, :2]), "features"),
        (lambda X: priors.distances(cdist(X, X)), "distances"),
        (lambda X: {"batch": ["a", "b"] * 45, "age": X[:, 0]}, "features"),
    ],
)
def test_other_priors_are_refused_with_a_method_that_takes_them(method, two_groups, make, kind):
    X, _, _ = two_groups
    with pytest.raises(
        ValueError, match=rf"takes labels only; .* is a prior of kind '{kind}'\. Use JEDI or Conf"
    ):
        method(perplexity=10).fit(X, prior=make(X))


def test_labels_that_together_name_every_sample_are_refused(method, rng):
    X = rng.normal(size=(12, 3))
    rows, columns = np.divmod(np.arange(12), 4)
    with pytest.raises(ValueError, match=r"every sample is a class of its own\. Leave some"):
        method(perplexity=3).fit(X, prior=[priors.labels(rows), priors.labels(columns)])


def test_what_was_automatic_is_told(method, two_groups):
    X, known, _ = two_groups
    few = method(perplexity=20, n_iter=3).fit(X, prior=priors.labels(known))
    assert (few.perplexity_, few.learning_rate_, few.n_features_in_) == (20.0, 50.0, 6)
    with pytest.warns(up.UnpriorWarning, match="'perplexity' of 30 is too large for 90 samples"):
        cut = method(n_iter=3, learning_rate=7).fit(X, prior=priors.labels(known))
    assert (cut.perplexity_, cut.learning_rate_) == (89 / 3, 7.0)


def test_stops_early_on_a_small_gradient(method, two_groups):
    X, known, _ = two_groups
    ours = method(perplexity=10, n_iter=300, min_grad_norm=1.0).fit(X, prior=priors.labels(known))
    assert ours.n_iter_ == 251


def test_a_stop_from_the_keyboard_keeps_the_map(method, two_groups):
    X, known, _ = two_groups

    def interrupt(iteration, value, Y):
        if iteration == 7:
            raise KeyboardInterrupt

    ours = method(perplexity=10, n_iter=50, callbacks=[interrupt])
    with pytest.warns(up.InterruptedFitWarning, match="after 8 of 50 steps"):
        ours.fit(X, prior=priors.labels(known))
    assert ours.embedding_.shape == (90, 2)


@pytest.mark.filterwarnings("ignore::unprior.DivergenceWarning")
@pytest.mark.parametrize("learning_rate", [1e200, 1e308])
def test_a_descent_that_diverges_says_so(method, two_groups, learning_rate):
    X, known, _ = two_groups
    ours = method(perplexity=10, learning_rate=learning_rate, n_iter=20)
    with pytest.raises(FloatingPointError, match="use a smaller 'learning_rate'"):
        ours.fit(X, prior=priors.labels(known))


@pytest.mark.parametrize("n", [4, 5, 7, 12])
def test_few_samples(method, rng, n):
    X = rng.normal(size=(n, 3))
    labels = ["a", "b", "b", "a"] * 3
    Y = method(perplexity=1, n_iter=300).fit_transform(X, prior=labels[:n])
    assert np.isfinite(Y).all()
