import numpy as np
import pytest
from scipy.sparse import csc_matrix, csr_array, csr_matrix, random_array
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler, normalize

import unprior as up
from unprior import _sparse
from unprior._projection import Projection
from unprior._sparse import dense_data

LABELS = ["u", "v"] * 30


@pytest.fixture
def wide(rng):
    """Counts of 300 words, of which a few make two groups."""
    X = random_array((60, 300), density=0.1, random_state=rng).toarray()
    X[::3, :5] += 2
    return X


@pytest.fixture
def X(two_groups):
    return two_groups[0][:60]


@pytest.mark.parametrize("form", [csr_matrix, csr_array, csc_matrix])
@pytest.mark.parametrize("make", [up.JEDI(n_iter=20, random_state=0), up.Residual()])
def test_few_columns_give_the_same_as_dense_data(X, form, make):
    got = make.fit_transform(form(X), prior=LABELS)
    np.testing.assert_array_equal(got, make.fit_transform(X, prior=LABELS))
    assert make.n_features_in_ == X.shape[1]


def test_many_columns_are_reduced_and_it_is_said(wide):
    with pytest.warns(up.DataWarning, match="300 columns; its 50 leading components, which hold"):
        got = dense_data("embed", "X", csr_matrix(wide), "euclidean")
    want = PCA(50, svd_solver="full").fit_transform(wide)
    np.testing.assert_allclose(np.abs(got), np.abs(want), atol=1e-6)  # up to the sign of an axis


def test_directions_are_kept_by_uncentred_components(wide):
    with pytest.warns(up.DataWarning, match="50 leading"):
        got = dense_data("embed", "X", csr_matrix(wide), "cosine")
    want = normalize(wide)
    assert np.corrcoef((got @ got.T).ravel(), (want @ want.T).ravel())[0, 1] > 0.99


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_every_way_in_takes_sparse_data(wide, metric, monkeypatch):
    """None makes them dense; a map of the components is the same."""
    components = dense_data_quietly(wide, metric)
    monkeypatch.setattr(csr_array, "toarray", lambda *_: pytest.fail("made dense"))
    options = {"prior": {"kind": LABELS}, "metric": metric, "random_state": 0}
    with pytest.warns(up.DataWarning, match="^embed: 'X' is sparse") as caught:
        Y, report = up.embed(csr_matrix(wide), **options, return_report=True)
    assert len(caught) == 1
    np.testing.assert_array_equal(Y, up.embed(components, **options))
    assert np.isfinite(report.kept)
    with pytest.warns(up.DataWarning, match="^report: 'X' is sparse"):
        told = up.scores.report(Y, X=csr_matrix(wide), prior=LABELS, metric=metric).to_dict()
    assert "rest" in told


def dense_data_quietly(X, metric):
    with pytest.warns(up.DataWarning):
        return dense_data("", "X", csr_matrix(X), metric)


def test_a_residual_has_all_columns(wide):
    got = up.Residual("linear").fit_transform(csr_matrix(wide), prior=LABELS)
    np.testing.assert_allclose(got, up.Residual("linear").fit_transform(wide, prior=LABELS))


def test_the_linear_residual_of_components_is_that_of_the_data(wide):
    pca = PCA(20).fit(wide)
    of_scores = up.Residual("linear").fit_transform(pca.transform(wide), prior=LABELS)
    of_data = up.Residual("linear").fit_transform(wide, prior=LABELS)
    np.testing.assert_allclose(of_scores, pca.transform(of_data), atol=1e-9)


def test_neighbours_of_sparse_data_come_again(wide):
    neighbors = up.ConfettiNeighbors(n_neighbors=5)
    with pytest.warns(up.DataWarning):
        graph = neighbors.fit(csr_matrix(wide), prior=LABELS).transform(csr_matrix(wide))
    assert graph.shape == (60, 60)


@pytest.mark.parametrize(
    ("spoil", "metric", "error", "reason"),
    [
        (lambda X: X, "cityblock", TypeError, "takes a dense array with metric='cityblock'"),
        (lambda X: X * 1j, "euclidean", ValueError, "takes real numbers; got complex"),
        (lambda X: X * np.nan, "euclidean", ValueError, r"holds NaN \(first in row 0"),
    ],
)
def test_what_cannot_be_reduced_is_refused(wide, spoil, metric, error, reason):
    with pytest.raises(error, match=f"^JEDI: 'X' {reason}"):
        up.JEDI(metric=metric).fit(csr_matrix(spoil(wide)), prior=LABELS)


def test_what_does_not_fit_into_memory_is_refused(wide, monkeypatch):
    monkeypatch.setattr("unprior._memory._usable_memory", lambda: 1000)
    with pytest.raises(MemoryError, match=r"^Residual: 'X' is sparse; 60 samples with all 300"):
        up.Residual().fit(csr_matrix(wide), prior=LABELS)
    assert _sparse.COMPONENTS == 50


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_new_sparse_samples_are_reduced_as_those_of_fit(wide, metric):
    estimator = up.Confetti(metric=metric, random_state=0, embedder_params={"n_epochs": 30})
    with pytest.warns(up.DataWarning, match="300 columns"):
        estimator.fit(csr_matrix(wide), prior=LABELS)
    places = estimator.transform(csr_matrix(wide), prior=LABELS)
    apart = np.linalg.norm(places - estimator.embedding_, axis=1)
    assert np.median(apart) < np.linalg.norm(estimator.embedding_.std(axis=0)) / 2
    alone = estimator.transform(csr_matrix(wide[7:8]), prior=LABELS[7:8])
    np.testing.assert_array_equal(alone, places[7:8])
    dense = estimator.transform(wide, prior=LABELS)
    np.testing.assert_allclose(np.median(np.abs(dense - places)), 0, atol=1e-3)


def test_projections_are_those_of_scikit_learn(wide, rng):
    scaler = StandardScaler().fit(wide)
    pca = PCA(5, random_state=0).fit(scaler.transform(wide))
    center = scaler.mean_ + scaler.scale_ * pca.mean_
    project = Projection(center, scaler.scale_, pca.components_.T)
    want = pca.transform(scaler.transform(wide))
    for X in (wide, csr_matrix(wide)):
        found = project(X)
        np.testing.assert_allclose(found, want, atol=1e-9)
        np.testing.assert_array_equal(project(X[7:9]), found[7:9])
