import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.manifold import LocallyLinearEmbedding

from reference.lle import inverse_slle
from unprior import PriorMissingWarning, datasets, priors, scores
from unprior.estimators import _inverse_slle
from unprior.estimators._inverse_slle import InverseSLLE


def up_to_sign(A, B, atol=1e-7):
    np.testing.assert_allclose(A * np.sign((A * B).sum(axis=0)), B, atol=atol)


@pytest.fixture
def cloud(rng):
    """One cloud, in which neighbours are connected, divided into classes."""
    X = rng.normal(size=(80, 4))
    return X, np.digitize(X[:, 0], [-0.5, 0.5])


@pytest.mark.parametrize(("k", "strength"), [(5, 0.5), (30, 0.5), (40, 1.0), (12, 0.0)])
def test_equals_the_slow_one(cloud, k, strength):
    X, known = cloud
    slow = inverse_slle(cdist(X, X), known, strength, k, 1e-3)
    found = InverseSLLE(strength=strength, n_neighbors=k).fit_transform(
        X, prior=priors.labels(known)
    )
    up_to_sign(slow, found)


@pytest.mark.parametrize("k", [5, 15, 40])
def test_at_strength_zero_it_is_plain_lle(cloud, k):
    X, known = cloud
    plain = LocallyLinearEmbedding(n_neighbors=k, eigen_solver="dense").fit(X)
    fitted = InverseSLLE(strength=0, n_neighbors=k, random_state=0).fit(
        X, prior=priors.labels(known)
    )
    up_to_sign(plain.embedding_, fitted.embedding_)
    np.testing.assert_allclose(
        plain.reconstruction_error_, fitted.reconstruction_error_, rtol=1e-6, atol=1e-14
    )
    with pytest.warns(PriorMissingWarning, match="InverseSLLE was fitted without a prior"):
        without = InverseSLLE(n_neighbors=k, random_state=0).fit_transform(X)
    np.testing.assert_array_equal(without, fitted.embedding_)


@pytest.mark.parametrize("k", [3, 8, 40])
def test_features_and_their_distances_agree(cloud, k):
    X, known = cloud
    prior = priors.labels(known)
    by_features = InverseSLLE(n_neighbors=k).fit_transform(X, prior=prior)
    by_distances = InverseSLLE(n_neighbors=k, metric="precomputed").fit_transform(
        cdist(X, X), prior=prior
    )
    np.testing.assert_allclose(by_distances, by_features, atol=1e-8)


def test_another_metric_means_its_distances(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    by_name = InverseSLLE(metric="cosine").fit_transform(X, prior=prior)
    by_matrix = InverseSLLE(metric="precomputed").fit_transform(cdist(X, X, "cosine"), prior=prior)
    np.testing.assert_allclose(by_name, by_matrix, atol=1e-7)
    assert np.abs(by_name - InverseSLLE().fit_transform(X, prior=prior)).max() > 0.01


def test_distances_that_no_points_have(rng, two_groups):
    _, known, _ = two_groups
    D = np.sqrt(rng.uniform(1, 9, size=(90, 90)))
    D = np.triu(D, 1) + np.triu(D, 1).T
    Y = InverseSLLE(metric="precomputed").fit_transform(D, prior=priors.labels(known))
    np.testing.assert_allclose(Y.T @ Y, np.eye(2), atol=1e-8)


def test_it_removes_the_known_and_keeps_the_hidden():
    data = datasets.make_two_factor(400, random_state=1)
    known, hidden = priors.labels(data.known), priors.labels(data.hidden)
    plain = InverseSLLE(strength=0, n_neighbors=200).fit_transform(data.X, prior=known)
    ours = InverseSLLE(random_state=0).fit_transform(data.X, prior=known)
    assert scores.overlap_area(plain, known) > 0.2
    assert scores.overlap_area(ours, known) < 0.05
    assert scores.overlap_area(ours, hidden) > 0.25


def test_several_labels_count_together(two_groups):
    X, known, hidden = two_groups
    several = {"known": priors.labels(known), "hidden": priors.labels(hidden)}
    joint = priors.labels([f"{a}{b}" for a, b in zip(known, hidden, strict=True)])
    slle = InverseSLLE(random_state=0)
    np.testing.assert_array_equal(
        slle.fit_transform(X, prior=several), slle.fit_transform(X, prior=joint)
    )


def test_other_priors_are_sent_to_methods_that_take_them(two_groups):
    X, known, _ = two_groups
    with pytest.raises(ValueError, match=r"^InverseSLLE: .*labels.*features.*JEDI.*Confetti"):
        InverseSLLE().fit(X, prior=X[:, :3])
    with pytest.raises(ValueError, match=r"^InverseSLLE: .*labels.*'place'.*JEDI"):
        InverseSLLE().fit(X, prior={"batch": priors.labels(known), "place": X[:, :2]})


def test_neighbors_by_number_of_samples(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    assert InverseSLLE().fit(X, prior=prior).n_neighbors_ == 45
    assert InverseSLLE(n_neighbors=1000).fit(X, prior=prior).n_neighbors_ == 89
    assert InverseSLLE(3, n_neighbors=1).fit_transform(X[:4], prior=list("aabb")).shape == (4, 3)


def test_same_bits_for_any_threads_and_seed_up_to_rounding(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    Y = InverseSLLE(random_state=0).fit_transform(X, prior=prior)
    again = InverseSLLE(random_state=0, n_jobs=2).fit_transform(X, prior=prior)
    other = InverseSLLE(random_state=1).fit_transform(X, prior=prior)
    np.testing.assert_array_equal(Y, again)
    np.testing.assert_allclose(Y, other, atol=1e-8)


@pytest.mark.filterwarnings("ignore::unprior.DataWarning")
def test_duplicates_are_fine(two_groups):
    X, known, _ = two_groups
    X[1::2] = X[::2]
    Y = InverseSLLE(n_neighbors=1, strength=0).fit_transform(X, prior=priors.labels(known))
    assert np.isfinite(Y).all()


def test_absurd_sizes_are_refused_before_the_work(two_groups, monkeypatch):
    X, known, _ = two_groups
    monkeypatch.setattr(_inverse_slle, "MOST_WORK", 1e5)
    with pytest.raises(ValueError, match=r"90 samples with 45 neighbours each.*'n_neighbors'"):
        InverseSLLE().fit(X, prior=priors.labels(known))
    monkeypatch.setattr("unprior._memory._usable_memory", lambda: 10_000)
    with pytest.raises(MemoryError, match="InverseSLLE: 90 samples need 4 arrays"):
        InverseSLLE().fit(X, prior=priors.labels(known))
