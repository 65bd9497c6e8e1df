"""New samples on fitted maps: placed row by row, near where they belong, or refused."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from sklearn.datasets import load_wine
from sklearn.decomposition import PCA
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline

import unprior as up
from unprior.transform._tsne import TSNEMap

# Few steps leave more of a prior than requested.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")

N_FIT, N_NEW = 160, 40

ESTIMATORS = {
    "independent": up.IndependentTSNE(perplexity=10, n_iter=120, random_state=0),
    "jedi": up.JEDI(n_iter=60, random_state=0),
    "jedi, all steps": up.JEDI(random_state=0),
    "umap": up.Confetti(random_state=0, embedder_params={"n_epochs": 60}),
    "umap in 5 dimensions": up.Confetti(5, random_state=0, embedder_params={"n_epochs": 60}),
    "tsne": up.Confetti(
        embedder="tsne", random_state=0, embedder_params={"perplexity": 10, "n_iter": 100}
    ),
    "linear": up.Confetti(
        operator="linear", random_state=0, embedder_params={"n_epochs": 20}, metric="manhattan"
    ),
    "half": up.Confetti(strength=0.5, random_state=0, embedder_params={"n_epochs": 20}),
    "neighbors": up.ConfettiNeighbors(10),
}


@pytest.fixture(scope="module")
def data():
    data = up.datasets.make_two_factor(N_FIT + N_NEW, random_state=0)
    return data.X, data.known.astype(str), data.hidden


@pytest.fixture(scope="module")
def fitted(data):
    X, known, _ = data
    return {
        name: estimator.fit(X[:N_FIT], prior=known[:N_FIT])
        for name, estimator in ESTIMATORS.items()
    }


def dense(places):
    return places.toarray() if hasattr(places, "toarray") else places


@pytest.mark.parametrize("name", ESTIMATORS)
@settings(max_examples=10)
@given(rows=st.lists(st.integers(0, N_NEW - 1), min_size=1, max_size=12))
def test_rows_are_independent(fitted, data, name, rows):
    X, known = data[0][N_FIT:], data[1][N_FIT:]
    whole = dense(fitted[name].transform(X, prior=known))
    some = dense(fitted[name].transform(X[rows], prior=known[rows]))
    np.testing.assert_array_equal(some, whole[rows])


def test_steep_slopes_of_jedi_after_few_steps_do_not_send_samples_away(data):
    X, known, _ = data
    jedi = up.JEDI(n_iter=20, random_state=0).fit(X[:N_FIT], prior=known[:N_FIT])
    assert np.linalg.norm(jedi._new.map.slopes, axis=1).max() > 0.3
    width = np.ptp(jedi.embedding_, axis=0).max()
    for rows in (slice(N_FIT), slice(N_FIT, None)):
        places = jedi.transform(X[rows], prior=known[rows])
        assert np.abs(places).max() < 3 * width


@pytest.mark.parametrize("name", ["independent", "jedi, all steps", "umap", "tsne"])
def test_fitted_samples_land_near_their_places(fitted, data, name):
    X, known, _ = data
    places = fitted[name].transform(X[:N_FIT], prior=known[:N_FIT])
    embedding = fitted[name].embedding_
    radius = NearestNeighbors(n_neighbors=16).fit(embedding).kneighbors()[0][:, -1]
    assert np.mean(np.linalg.norm(places - embedding, axis=1) < radius) >= 0.95


@pytest.mark.parametrize("name", ["independent", "jedi", "umap", "tsne"])
def test_new_samples_go_where_they_belong(fitted, data, name):
    X, known, hidden = data
    places = fitted[name].transform(X[N_FIT:], prior=known[N_FIT:])
    near = NearestNeighbors(n_neighbors=10).fit(fitted[name].embedding_)
    found = near.kneighbors(places, return_distance=False)
    assert np.mean(hidden[found] == hidden[N_FIT:, None]) > 0.9
    assert np.mean(known[found] == known[N_FIT:, None]) < 0.45
    alone = fitted[name].transform(X[N_FIT:], without_prior=True)
    shown = near.kneighbors(alone, return_distance=False)
    assert np.isfinite(alone).all()
    assert shown.shape == found.shape


def test_samples_far_from_all_are_told(fitted, data):
    X, known, _ = data
    new = np.vstack([X[N_FIT:], X[N_FIT:] + 100])
    prior = np.tile(known[N_FIT:], 2)
    places, far = fitted["independent"].transform(new, prior=prior, return_far=True)
    assert np.isfinite(places).all()
    assert far[N_NEW:].all()
    assert far[:N_NEW].mean() < 0.2


def test_a_missing_prior_is_refused(fitted, data):
    with pytest.raises(ValueError, match=r"^IndependentTSNE: .* without_prior=True"):
        fitted["independent"].transform(data[0])
    with pytest.raises(ValueError, match=r"^ConfettiNeighbors: 'transform' needs the prior"):
        fitted["neighbors"].transform(data[0][:5])


@pytest.mark.parametrize(
    "estimator",
    [up.ConditionalTSNE(), up.RevisedConditionalTSNE(), up.InverseSLLE()],
    ids=lambda estimator: type(estimator).__name__,
)
def test_other_maps_name_those_that_can(estimator):
    assert not hasattr(estimator, "transform")
    with pytest.raises(AttributeError, match=f"^{type(estimator).__name__}: .*IndependentTSNE"):
        _ = estimator.transform


@pytest.mark.parametrize("unseen", ["mean", "fit"])
def test_classes_that_fit_has_not_seen(data, unseen):
    X, known, hidden = data
    seen = known != known[0]
    estimator = up.IndependentTSNE(perplexity=10, n_iter=150, random_state=0)
    estimator.fit(X[seen], prior=known[seen])
    with pytest.raises(ValueError, match=f"has the class '{known[0]}', .*unseen='mean'"):
        estimator.transform(X[~seen], prior=known[~seen])
    places = estimator.transform(X[~seen], prior=known[~seen], unseen=unseen)
    near = NearestNeighbors(n_neighbors=10).fit(estimator.embedding_)
    found = near.kneighbors(places, return_distance=False)
    assert np.mean(hidden[seen][found] == hidden[~seen][:, None]) > 0.9


def test_a_new_class_is_balanced_over_the_fitted_samples(data):
    """Its samples have all fitted ones as neighbours, not only those on the side of its shift."""
    X, known, hidden = data
    new = known == known[0]
    confetti = up.Confetti(random_state=0, embedder_params={"n_epochs": 60})
    confetti.fit(X[~new], prior=known[~new])
    shares = []
    for unseen in ("mean", "fit"):
        places = confetti.transform(X[new], prior=known[new], unseen=unseen)
        together = NearestNeighbors(n_neighbors=11).fit(np.vstack([confetti.embedding_, places]))
        found = together.kneighbors(places, return_distance=False)[:, 1:]
        shares.append(np.mean(found >= (~new).sum()))
        kept = np.append(hidden[~new], hidden[new])[found] == hidden[new][:, None]
        assert np.mean(kept) > 0.9
    assert shares[1] < new.mean() + 0.1 < shares[0]


def test_kept_classes_of_new_samples_are_those_of_their_neighbours(rng):
    """With kept labels, a new sample is compared with its own kept class in the prior."""
    groups = np.repeat([0, 1, -1], 20)
    fitted = TSNEMap(np.zeros((3, 60), np.float32), 2, [], (), 5.0, 1.0, groups=groups)
    classes = np.tile([0, 1], 30)
    near = np.array([np.arange(20), np.arange(20, 40), np.arange(20)])
    lengths = (np.array([0, 1, 2])[:, None] != classes).astype(float)
    found = fitted._within_groups(np.array([0, 1, -1]), near, lengths)
    assert groups[found].tolist()[:2] == [0, 1]
    assert classes[found].tolist()[:2] == [0, 1]
    assert found[2] == -1


@settings(max_examples=5)
@given(rows=st.lists(st.integers(0, 19), min_size=1, max_size=6))
def test_rows_are_independent_with_several_priors(several_priors, rows):
    estimator, X, prior, whole = several_priors
    some = {"batch": prior["batch"][rows], "line": prior["line"][rows], "way": prior["way"][rows]}
    np.testing.assert_array_equal(estimator.transform(X[rows], prior=some), whole[rows])


@pytest.fixture(scope="module")
def several_priors(data):
    X, known, _ = data
    line, way = X[:, 0], np.abs(X[:, 1:2] - X[:N_FIT, 1])
    prior = {"batch": known[:N_FIT], "line": line[:N_FIT], "way": up.priors.distances(way[:N_FIT])}
    estimator = up.IndependentTSNE(perplexity=10, n_iter=60, residual=None, random_state=0)
    estimator.fit(X[:N_FIT], prior=prior)
    new = slice(N_FIT, N_FIT + 20)
    told = {"batch": known[new], "line": line[new], "way": way[new]}
    return estimator, X[new], told, estimator.transform(X[new], prior=told)


@pytest.mark.parametrize("name", ["independent", "umap", "neighbors"])
def test_few_samples_of_a_new_class_are_warned_of(fitted, data, name):
    with pytest.warns(up.DataWarning, match=rf"^{type(fitted[name]).__name__}: .*only 3 samples"):
        fitted[name].transform(data[0][:3], prior=["new"] * 3, unseen="fit")


@pytest.mark.filterwarnings("ignore::unprior.DataWarning")
def test_a_single_sample_of_a_new_class_has_the_neighbours_of_its_data(fitted, data):
    """Balanced over all fitted samples, its neighbours would be arbitrary."""
    X, _, hidden = data
    near = fitted["neighbors"].transform(X[N_FIT:][:1], prior=["new"], unseen="fit")
    assert np.mean(hidden[near.indices] == hidden[N_FIT]) > 0.9


@pytest.mark.parametrize("name", ["jedi", "linear"])
def test_new_classes_that_cannot_be_learnt_are_told(fitted, data, name):
    new = data[0][N_FIT:]
    with pytest.warns(
        up.DataWarning, match=r": nothing is learnt about the new classes of 'prior'"
    ):
        found = fitted[name].transform(new, prior=["new"] * len(new), unseen="fit")
    as_mean = fitted[name].transform(new, prior=["new"] * len(new), unseen="mean")
    np.testing.assert_array_equal(found, as_mean)


@pytest.mark.parametrize(
    ("prior", "rows", "new"),
    [
        (lambda Z: Z, 3, lambda Z: Z),  # as many rows as columns
        (lambda Z: Z[:, :1], 1, lambda Z: Z[:, :1]),
        (lambda Z: Z[:, 0], 1, lambda Z: np.array([2])),  # numbers that happen to be whole
        (lambda Z: Z[:, 0], 1, lambda Z: [2]),
        (lambda Z: up.priors.labels(Z[:, 0] > 0), 2, lambda Z: np.array([0, 1])),
        (lambda Z: pd.DataFrame({"a": Z[:, 0]}), 1, lambda Z: pd.DataFrame({"a": [2]})),
        (lambda Z: {"a": Z[:, 0], "b": Z}, 3, lambda Z: {"a": [1, 2, 3], "b": Z}),
        (
            lambda Z: up.priors.distances(cdist(Z, Z)),
            24,
            lambda Z: cdist(Z, Z),
        ),
    ],
)
@pytest.mark.parametrize(
    "estimator", [up.Residual(), up.ConfettiNeighbors(3)], ids=["residual", "neighbors"]
)
def test_a_prior_is_read_as_in_fit_whatever_the_batch(rng, estimator, prior, rows, new):
    X, Z = rng.normal(size=(24, 4)), rng.normal(size=(24, 3))
    estimator = sklearn.clone(estimator).fit(X, prior=prior(Z))
    told = new(Z[:rows]) if rows < len(Z) else new(Z)
    assert np.isfinite(dense(estimator.transform(X[:rows] + 1, prior=told))).all()


def test_rows_of_a_prior_that_is_read_as_in_fit_are_matched_by_name(rng):
    X = rng.normal(size=(20, 3))
    finder = up.ConfettiNeighbors(3).fit(X, prior=up.priors.labels(np.arange(20) % 2))
    new = pd.DataFrame(X[:3], index=["a", "b", "c"])
    told = pd.Series([1, 1, 0], index=["c", "a", "b"])
    found = finder.transform(new, prior=told)
    np.testing.assert_array_equal(
        found.toarray(), finder.transform(X[:3], prior=[1, 0, 1]).toarray()
    )


def test_pipeline(data):
    X, known, _ = data
    estimator = up.Confetti(random_state=0, embedder_params={"n_epochs": 10})
    pca = PCA(5, random_state=0).fit(X[:N_FIT])
    alone = sklearn.clone(estimator).fit(pca.transform(X[:N_FIT]), prior=known[:N_FIT])
    expected = alone.transform(pca.transform(X[N_FIT:]), prior=known[N_FIT:])
    pipe = make_pipeline(PCA(5, random_state=0), estimator)
    pipe.fit(X[:N_FIT], confetti__prior=known[:N_FIT])
    found = pipe[-1].transform(pipe[:-1].transform(X[N_FIT:]), prior=known[N_FIT:])
    np.testing.assert_array_equal(found, expected)
    with sklearn.config_context(enable_metadata_routing=True):
        routed = make_pipeline(PCA(5, random_state=0), sklearn.clone(estimator))
        routed.fit(X[:N_FIT], prior=known[:N_FIT])
        np.testing.assert_array_equal(routed.transform(X[N_FIT:], prior=known[N_FIT:]), expected)


@pytest.mark.parametrize("operator", ["linear", "balanced"])
def test_distances_may_be_a_read_only_part_of_others(data, operator):
    X, known, _ = data
    D = cdist(X, X)
    D.setflags(write=False)
    options = {"operator": operator, "metric": "precomputed", "random_state": 0}
    confetti = up.Confetti(embedder_params={"n_epochs": 5}, **options)
    jedi = up.JEDI(n_iter=5, metric="precomputed", random_state=0)
    for estimator in (confetti, jedi):
        estimator.fit(D[:N_FIT, :N_FIT], prior=known[:N_FIT])
        part = D[N_FIT:, :N_FIT]
        alone = estimator.transform(part.copy(), prior=known[N_FIT:])
        np.testing.assert_array_equal(estimator.transform(part, prior=known[N_FIT:]), alone)


def test_distances_to_the_fitted_samples(data):
    X, known, _ = data
    options = {"random_state": 0, "embedder_params": {"n_epochs": 20}}
    D = cdist(X, X[:N_FIT])
    by_lines = up.Confetti(metric="precomputed", **options).fit(D[:N_FIT], prior=known[:N_FIT])
    graphs = [
        up.ConfettiNeighbors(9, metric=metric).fit(Z[:N_FIT], prior=known[:N_FIT])
        for metric, Z in (("euclidean", X), ("precomputed", D))
    ]
    new = [g.transform(Z[N_FIT:], prior=known[N_FIT:]) for g, Z in zip(graphs, (X, D), strict=True)]
    np.testing.assert_allclose(new[0].toarray(), new[1].toarray(), rtol=1e-3)
    with pytest.raises(ValueError, match="X has 20 features"):
        by_lines.transform(D[:, :20], prior=known)
    with pytest.raises(ValueError, match="got a negative number"):
        by_lines.transform(-D[N_FIT:], prior=known[N_FIT:])
    refuses = up.IndependentTSNE(perplexity=10, n_iter=20, residual="aligned", metric="precomputed")
    refuses.fit(D[:N_FIT], prior=known[:N_FIT])
    with pytest.raises(ValueError, match=r"^IndependentTSNE: 'transform' .*residual=None"):
        refuses.transform(D[N_FIT:], prior=known[N_FIT:])


@pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")
@pytest.mark.parametrize("strength", [1.0, 3.0])
def test_new_samples_do_not_leave_a_jedi_map(strength):
    """The gradient left at a fitted sample may exceed any attraction by the map."""
    X, y = load_wine(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    X, y = ((X - X.mean(axis=0)) / X.std(axis=0))[order], y[order]
    jedi = up.JEDI(strength=strength, random_state=0).fit(X[:118], prior=up.priors.labels(y[:118]))
    center = jedi.embedding_.mean(axis=0)
    radius = np.linalg.norm(jedi.embedding_ - center, axis=1).max()
    noise = 3 * np.random.default_rng(1).normal(size=X[118:].shape)
    for new in (X[118:], X[118:] + noise):
        places = jedi.transform(new, prior=up.priors.labels(y[118:]))
        assert np.linalg.norm(places - center, axis=1).max() < 1.5 * radius
