"""What fuzzing has found, one test for each fault."""

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array, dok_array
from scipy.spatial.distance import cdist
from sklearn.base import clone

import unprior as up
from unprior import priors, scores
from unprior.explorer._protocol import Refused, read_message
from unprior.files import read_samples
from unprior.geometry import power_of_two
from unprior.neighbors import KNNGraph
from unprior.objectives._views import _narrow
from unprior.scores._rest import _scatter

pytestmark = pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")


@pytest.fixture
def X(rng):
    return rng.normal(size=(12, 3))


@pytest.fixture
def known():
    return ["a", "b", "c"] * 4


def test_sparse_distances_are_refused_in_our_words(X, known):
    D = csr_array(cdist(X, X))
    with pytest.raises(TypeError, match=r"^Residual: 'X' is sparse; metric=\"precomputed\" takes"):
        up.Residual(metric="precomputed").fit(D, prior=known)


def test_a_frame_without_columns(known):
    with pytest.raises(ValueError, match=r"0 feature.*required by JEDI"):
        up.JEDI().fit(pd.DataFrame(index=range(12)), prior=known)


@pytest.mark.parametrize(
    "index",
    [
        pd.MultiIndex.from_arrays([range(12), range(12)]),
        pd.date_range("2020-01-01", periods=12),
        pd.Index([f"s{i}" for i in range(12)]),
    ],
)
def test_indexes_of_other_types_do_not_match(X, known, index):
    prior = pd.Series(known, index=range(1, 13))
    for one, other in ((index, prior), (range(1, 13), pd.Series(known, index=index))):
        with pytest.raises(ValueError, match=r"^JEDI: the index of 'prior' does not match"):
            up.JEDI(n_iter=1).fit(pd.DataFrame(X, index=one), prior=other)


@pytest.mark.parametrize("scale", [1e-100, 1e-30, 1e30, 1e100])
def test_distances_beyond_single_precision(scale, rng):
    distances = np.sort(rng.uniform(1, 2, (5, 3)), axis=1)
    others = np.array([[j for j in range(4) if j != i][:3] for i in range(5)])
    graph = KNNGraph(others, distances * scale, 1.0)
    narrow = _narrow(graph).distances
    np.testing.assert_allclose(narrow / narrow.max(), distances / distances.max(), rtol=1e-6)


def test_a_start_from_distances_that_are_all_alike(known):
    X = np.zeros((12, 1))
    X[0] = 1e-200  # whose square is 0
    Y = up.IndependentTSNE(n_iter=2, metric="cityblock", random_state=0).fit_transform(
        X, prior=known
    )
    assert np.isfinite(Y).all()


def test_affinities_that_underflow_in_strata(rng):
    X = np.append(rng.normal(size=(15, 2)), [[1e150, 0]], axis=0)
    jedi = up.JEDI(n_iter=2, solver="sampled", perplexity=1, random_state=0)
    assert np.isfinite(jedi.fit_transform(X, prior=["a", "b"] * 8)).all()


def test_a_prior_that_is_no_labels(X, known):
    with pytest.raises(TypeError, match="takes one label for each sample; got a Features"):
        scores.neighbor_purity(X, priors.features(X))
    with pytest.raises(TypeError, match="takes one label for each sample; got a list"):
        scores.neighbor_purity(X, [known, known[1:]])
    with pytest.raises(TypeError, match="labels that can be compared"):
        scores.neighbor_purity(X, np.array([{1}, *known[1:]], dtype=object))


def test_distances_to_an_outlier_beyond_single_precision(rng):
    X = 1e30 * rng.normal(size=(12, 1))
    X[0] = 1e41
    with pytest.raises(ValueError, match=r"^ConfettiNeighbors: .X. holds numbers as large as 1e"):
        up.ConfettiNeighbors(n_neighbors=3).fit(X, prior=["a", "b"] * 6)


def test_small_numbers_in_single_precision(rng):
    X = rng.normal(size=(40, 3))
    tsne = up.IndependentTSNE(n_iter=20, perplexity=5, random_state=0)
    maps = [tsne.fit_transform(x, prior=["a", "b"] * 20) for x in (X, (1e-30 * X).astype("f4"))]
    assert scores.overlap_area(*maps) > 0.3


@pytest.mark.parametrize("scale", [2.0**-600, 2.0**600])
def test_scatter_at_both_ends_of_double_precision(rng, scale):
    X = rng.normal(size=(20, 4))
    expected, found = (_scatter(x / power_of_two(x), "euclidean") for x in (X, scale * X))
    assert found == expected > 0


def test_neighbours_close_together_and_far_from_the_origin():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(4, 2))
    X[0] += 1e8
    X[1] = X[2] = X[3] + 1e-9 * rng.normal(size=2)
    slle = up.InverseSLLE(n_neighbors=2, random_state=0)
    assert np.isfinite(slle.fit_transform(X, prior=["a", "b", "a", "b"])).all()


def test_numbers_of_a_message_that_no_float_can_hold():
    with pytest.raises(Refused, match="'id' takes a number from 0"):
        read_message(f'{{"v": 1, "op": "hello", "id": {10**400}}}')


def test_the_header_of_an_array_that_is_no_python(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(3))
    held = (tmp_path / "a.npy").read_bytes().replace(b"{'descr'", b"{('desc'")
    (tmp_path / "a.npy").write_bytes(held)
    with pytest.raises(
        ValueError, match=r"^a.npy is damaged or cut short: the header of the array"
    ):
        read_samples(tmp_path / "a.npy")


def test_a_model_file_without_its_first_bytes(tmp_path, X, known):
    up.save_model(up.Residual().fit(X, prior=known), tmp_path / "model")
    (tmp_path / "model").write_bytes((tmp_path / "model").read_bytes()[1:])
    with pytest.raises(ValueError, match=r"^load_model: .* is not a model that save_model has"):
        up.load_model(tmp_path / "model")


def test_kept_labels_that_are_a_prior_of_another_kind(X, known):
    for keep in (priors.geo(X[:, 0], X[:, 1]), {"place": priors.features(X)}):
        with pytest.raises(TypeError, match=r"^Residual: '(keep|place)' takes one label for each"):
            up.Residual().fit(X, prior=known, keep=keep)


def test_new_samples_beyond_single_precision(X, known):
    graph = up.ConfettiNeighbors(n_neighbors=3).fit(X, prior=known)
    far = np.vstack([X[:1], 1e20 * X[1:3]])
    with pytest.raises(ValueError, match=r"^transform: 'X' holds numbers far .*row 1; 2 rows"):
        graph.transform(far, prior=known[:3])


def test_a_prior_where_an_array_is_meant(known):
    with pytest.raises(TypeError, match=r"^Labels: distances between samples are not an array"):
        priors.features(priors.labels(known))


def test_rows_of_unequal_lengths(known):
    for make in (priors.features, priors.distances, priors.kernel):
        with pytest.raises(ValueError, match="got rows of unequal lengths"):
            make([[1.0], [1.0, 2.0]])


def test_weights_that_are_no_numbers(known):
    with pytest.raises(ValueError, match=r"^combine: 'weights' takes numbers"):
        priors.combine([known, known], "much")


def test_confounding_of_several_priors(known):
    with pytest.raises(ValueError, match=r"^confounding: 'prior' takes one label set or column; g"):
        scores.confounding([known, known[::-1]], known)


def test_random_states_that_are_none():
    for seed in ("seed", -1, 2**40):
        with pytest.raises(ValueError, match=r"^random_state: takes None, a whole number"):
            up.datasets.make_two_factor(20, random_state=seed)


def test_a_sparse_map_by_keys_without_columns(X, known):
    with pytest.raises((TypeError, ValueError), match=r"'Y'|^report"):
        scores.report(dok_array((12, 0)), X=X, prior=known, k=3)


@pytest.mark.parametrize("scale", [1e-45, 1e41])
@pytest.mark.parametrize("metric", ["euclidean", "sqeuclidean"])
def test_new_samples_in_units_beyond_single_precision(X, known, scale, metric):
    unit = scale if metric == "euclidean" else np.sqrt(scale)
    tsne = up.IndependentTSNE(perplexity=3, n_iter=3, residual=None, metric=metric, random_state=0)
    here, there = tsne.fit(X, prior=known)._new, clone(tsne).fit(unit * X, prior=known)._new
    found = [
        new.map.views[0].data.distances(Z) for new, Z in ((here, X[:2]), (there, unit * X[:2]))
    ]
    np.testing.assert_allclose(found[1], scale * found[0].astype(np.float64), rtol=1e-4)
