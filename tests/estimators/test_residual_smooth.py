import pickle

import joblib
import numpy as np
import pytest
import sklearn
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import NearestNeighbors
from sklearn.pipeline import make_pipeline

from reference.residual_smooth import aligned, class_weights, neighbor_weights, smooth
from unprior import JEDI, PriorMissingWarning, Residual, priors
from unprior.priors import Features
from unprior.residual import _check, _smoothers
from unprior.scores import neighbor_coherence, neighbor_purity

KINDS = ["smooth", "aligned"]


def same_neighbors(A, B, k=15):
    def find(X):
        return NearestNeighbors(n_neighbors=k).fit(X).kneighbors(return_distance=False)

    return np.mean([len({*a} & {*b}) / k for a, b in zip(find(A), find(B), strict=True)])


def every_kind(n, rng):
    """Priors of every kind, for n samples."""
    Z = rng.normal(size=(n, 2))
    chain = np.triu(np.ones((n, n)), 1) * (np.abs(np.subtract.outer(range(n), range(n))) == 1)
    return {
        "labels": priors.labels(rng.integers(0, 5, n)),
        "features": priors.features(Z, metric="cosine"),
        "distances": priors.distances(cdist(Z, Z, "cityblock")),
        "kernel": priors.kernel(Z @ Z.T + 3 * np.eye(n)),
        "geo": priors.geo(rng.uniform(-60, 60, n), rng.uniform(-180, 180, n)),
        "cyclic": priors.cyclic(rng.uniform(0, 24, n), period=24),
        "graph": priors.graph(chain),
        "tree": priors.tree(linkage(Z, "average")),
        "embedding": priors.embedding(Z),
        "combined": priors.combine([Z, priors.labels(rng.integers(0, 3, n))]),
    }


@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
def test_labels_equal_the_slow_way(two_groups, strength):
    X, known, _ = two_groups
    found = Residual(strength=strength).fit_transform(X, prior=priors.labels(known))
    expected = X + strength * (smooth(X, [class_weights(known)]) - X)
    np.testing.assert_allclose(found, expected, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_neighbors_equal_the_slow_way(rng, kind):
    Z = rng.uniform(-2, 2, size=300)
    X = np.column_stack([Z**2, np.sin(3 * Z), Z]) + rng.normal(size=(300, 3)) / 4
    X[Z > 0, 1] *= 6
    prior = priors.features(Z)
    found = Residual(kind, n_neighbors=9).fit_transform(X, prior=prior)
    expected = smooth(X, [neighbor_weights(prior.to_array(), 9)])
    if kind == "aligned":
        expected = aligned(expected, (_border(Z) < Z).astype(int))
    np.testing.assert_allclose(found, expected, atol=1e-8)


def _border(Z):
    """Where the two groups on a line meet: halfway between their means."""
    centers = KMeans(2, n_init=1, random_state=0).fit(Z[:, None]).cluster_centers_
    return centers.mean()


def test_what_is_not_linear_goes_too(rng):
    Z = rng.uniform(-2, 2, size=600)
    hidden = rng.integers(0, 2, 600)
    X = np.column_stack([3 * Z**2, 3 * np.cos(4 * Z), 2 * hidden]) + rng.normal(size=(600, 3)) / 5
    prior = priors.features(Z)
    linear = Residual("linear").fit_transform(X, prior=prior)
    left = Residual().fit_transform(X, prior=prior)
    assert neighbor_coherence(linear, prior) > 0.3
    assert abs(neighbor_coherence(left, prior)) < 0.05
    assert neighbor_purity(left, hidden) > 0.95


def test_what_the_prior_tells_of_the_scatter_goes_if_aligned(rng):
    known, hidden = rng.integers(0, 2, 600), rng.integers(0, 2, 600)
    X = rng.normal(size=(600, 3)) * np.where(known[:, None] == 1, [1, 5, 1], [5, 1, 1])
    X[:, 2] += 6 * hidden
    prior = priors.labels(known)
    assert neighbor_purity(Residual().fit_transform(X, prior=prior), known) > 0.2
    left = Residual("aligned").fit_transform(X, prior=prior)
    assert neighbor_purity(left, known) < 0.05
    assert neighbor_purity(left, hidden) > 0.95


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("told", [*every_kind(5, np.random.default_rng(0))])
def test_an_independent_prior_leaves_the_neighborhoods_as_they_were(rng, kind, told):
    X = rng.normal(size=(400, 6)) * [6, 5, 4, 3, 2, 1]
    X[:, 0] += 20 * rng.integers(0, 2, 400)
    unrelated = every_kind(400, rng)[told]
    left = Residual(kind).fit_transform(X, prior=unrelated)
    assert same_neighbors(X, left) > 0.97
    related = Residual(kind).fit_transform(X, prior=priors.features(X[:, :2]))
    assert same_neighbors(X, related) < 0.6


@pytest.mark.parametrize("told", [*every_kind(5, np.random.default_rng(0))])
def test_a_prior_of_every_kind_is_taken_out(rng, told):
    prior = every_kind(120, rng)[told]
    # The first samples are landmarks: what is near them in the prior is alike in the data.
    X = np.column_stack(
        [
            np.exp(-3 * prior.block(range(120), [i])[:, 0] / prior.largest())
            for i in range(0, 120, 10)
        ]
    )
    X += rng.normal(size=X.shape) * X.std(axis=0) / 5
    left = Residual().fit_transform(X, prior=prior)
    assert neighbor_coherence(left, prior) < 0.5 * neighbor_coherence(X, prior)


@pytest.mark.parametrize("kind", KINDS)
def test_several_priors_all_go(two_groups, rng, kind):
    n = 500
    known, age = rng.integers(0, 3, n), rng.uniform(-1, 1, n)
    hidden = rng.integers(0, 2, n)
    X = rng.normal(size=(n, 8))
    X[:, :3] += 6 * np.eye(3)[known]
    X[:, 3] += 8 * age**2
    X[:, 4] += 6 * age
    X[:, 6] += 8 * hidden
    several = {"batch": priors.labels(known), "age": priors.features(age)}
    left = Residual(kind).fit_transform(X, prior=several)
    assert neighbor_purity(left, known) < 0.05
    assert neighbor_coherence(left, several["age"]) < 0.05
    assert neighbor_purity(left, hidden) > 0.95
    combined = Residual(kind).fit_transform(X, prior=priors.combine(several))
    np.testing.assert_allclose(combined, left, atol=1e-9)


def two_that_agree(agreement, rng, n=2000):
    """Two splits of the samples into halves that agree for most samples."""
    a = np.repeat([0, 1], n // 2)
    b = a.copy()
    for half in (0, n // 2):
        b[half + rng.permutation(n // 2)[: round((1 - agreement) * n / 2)]] ^= 1
    return a, b


def effect(X, split, among):
    """How far apart the two sides of a split are in a column, among some samples."""
    return abs(X[among & (split == 1)].mean() - X[among & (split == 0)].mean())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("agreement", "second"), [(0.89, 4), (0.95, 0)])
def test_priors_that_mostly_agree_go_in_any_order(rng, kind, agreement, second):
    a, b = two_that_agree(agreement, rng)
    X = rng.normal(size=(len(a), 5))
    X[:, 0] += 6 * a
    X[:, 1] += second * b
    known = {"a": priors.labels(a), "b": priors.labels(b)}
    left = Residual(kind).fit_transform(X, prior=known)
    turned = Residual(kind).fit_transform(X, prior=dict(reversed(known.items())))
    np.testing.assert_allclose(turned, left, atol=0.03)
    # Chance alone makes a difference of .2 between means of 50 samples.
    assert effect(left[:, 0], a, a != b) < 0.5
    assert effect(left[:, 1], b, a != b) < 0.5
    assert effect(left[:, 1], a, a != b) < 0.5


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("slope", [0, 3])
def test_a_class_and_a_number_that_goes_along_with_it_go_in_any_order(rng, kind, slope):
    n = 1500
    a = rng.integers(0, 2, n)
    age = 2.5 * a + rng.normal(size=n)
    X = rng.normal(size=(n, 5))
    X[:, 0] += 6 * a
    X[:, 1] += slope * age
    known = {"a": priors.labels(a), "age": priors.features(age)}
    left = Residual(kind).fit_transform(X, prior=known)
    turned = Residual(kind).fit_transform(X, prior=dict(reversed(known.items())))
    np.testing.assert_allclose(turned, left, atol=1e-9)
    # Where both classes have the same ages, little is left of the class, and within it of age.
    same = (age > 0.7) & (age < 1.8)
    assert effect(left[:, 0], a, same) < 0.4
    assert effect(left[:, 1], a, same) < 0.4
    assert all(abs(np.corrcoef(left[a == k, 1], age[a == k])[0, 1]) < 0.25 for k in (0, 1))


@pytest.mark.parametrize("kind", KINDS)
def test_a_coarse_prior_goes_before_a_fine_one_within_it(rng, kind):
    donor = rng.integers(0, 20, 400)
    X = rng.normal(size=(400, 5))
    X[:, :4] += 5 * np.eye(4)[donor % 4]
    known = {"donor": priors.labels(donor), "batch": priors.labels(donor % 4)}
    left = Residual(kind).fit_transform(X, prior=known)
    turned = Residual(kind).fit_transform(X, prior=dict(reversed(known.items())))
    np.testing.assert_array_equal(turned, left)
    # Donors within a batch differ only by chance, which is not removed from the data.
    alone = Residual(kind).fit_transform(X, prior=known["batch"])
    np.testing.assert_allclose(left, alone, atol=0.3)


@pytest.mark.parametrize("agreement", [0.89, 0.95])
def test_scatter_that_goes_with_one_prior_is_not_blamed_on_another(rng, agreement):
    a, b = two_that_agree(agreement, rng)
    X = rng.normal(size=(len(a), 4))
    X[a == 1, 1] *= 4
    known = {"a": priors.labels(a), "b": priors.labels(b)}
    alone = Residual("aligned").fit_transform(X, prior=known["a"])
    for order in (known, dict(reversed(known.items()))):
        left = Residual("aligned").fit_transform(X, prior=order)
        np.testing.assert_allclose(left, alone, atol=0.3)


@pytest.mark.parametrize("kind", KINDS)
def test_an_independent_prior_beside_others_changes_nothing(rng, kind):
    a, b = two_that_agree(0.9, rng, 600)
    X = rng.normal(size=(600, 5))
    X[:, :2] += 5 * np.column_stack([a, b])
    known = {"a": priors.labels(a), "b": priors.labels(b)}
    left = Residual(kind).fit_transform(X, prior=known)
    for chance in (priors.labels(rng.integers(0, 4, 600)), priors.features(rng.normal(size=600))):
        more = Residual(kind).fit_transform(X, prior={"chance": chance, **known})
        np.testing.assert_array_equal(more, left)


@pytest.mark.parametrize("kind", KINDS)
def test_new_samples_of_priors_that_mostly_agree(rng, kind):
    a, b = two_that_agree(0.9, rng)
    X = rng.normal(size=(2000, 5))
    X[:, :2] += 5 * np.column_stack([a, b])
    known = {"b": priors.labels(b), "a": priors.labels(a)}
    old, new = np.split(rng.permutation(2000), 2)
    fitted = Residual(kind).fit(X[old], prior={k: p[old] for k, p in known.items()})
    left = fitted.transform(X[new], prior={k: p[new] for k, p in known.items()})
    differ = (a != b)[new]
    assert effect(left[:, 0], a[new], differ) < 0.9
    assert effect(left[:, 1], b[new], differ) < 0.9


def test_small_classes_move_less_and_a_class_of_one_stays(rng):
    known = np.r_[np.repeat(np.arange(20), 20), np.repeat(np.arange(20, 40), 2), 40]
    offsets = rng.normal(size=(41, 2)) * 2
    X = rng.normal(size=(441, 2)) * 2 + offsets[known]
    X -= X.mean(axis=0)
    left = Residual().fit_transform(X, prior=priors.labels(known))
    moved = np.linalg.norm(left - X, axis=1) / np.linalg.norm(offsets[known], axis=1)
    assert np.median(moved[400:440]) < 0.8 * np.median(moved[:400])
    np.testing.assert_allclose(left[440], X[440], atol=0.1)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("strength", [0.4, 1.0])
def test_distances_in_distances_out(two_groups, rng, kind, strength):
    X, known, _ = two_groups
    X = X * np.where(known[:, None] == 1, [1, 4, 1, 1, 2, 3], 1)
    prior = {"known": priors.labels(known), "age": X[:, 3:] @ rng.normal(size=(3, 2))}
    points = Residual(kind, strength=strength).fit_transform(X, prior=prior)
    estimator = Residual(kind, strength=strength, metric="precomputed")
    D = cdist(X, X)
    found = estimator.fit_transform(D, prior=prior)
    np.testing.assert_allclose(found, cdist(points, points), atol=1e-6)
    np.testing.assert_array_equal(found, found.T)
    np.testing.assert_array_equal(estimator.transform(D), found)
    with pytest.raises(ValueError, match="knows only the samples it was fitted to"):
        estimator.transform(2 * D)


@pytest.mark.parametrize("kind", KINDS)
def test_distances_that_no_points_have(two_groups, kind):
    X, known, hidden = two_groups
    D = cdist(X, X, "cityblock")
    found = Residual(kind, metric="precomputed").fit_transform(D, prior=priors.labels(known))
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found, found.T)
    assert not np.diagonal(found).any()
    nearest = np.argsort(found + np.diag(np.full(90, np.inf)), axis=1)[:, :5]
    assert np.mean(known[nearest] == known[:, None]) < 0.5
    assert np.mean(hidden[nearest] == hidden[:, None]) > 0.95


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_single_precision_stays_and_inputs_too(two_groups, kind, metric):
    X, known, _ = two_groups
    data = (X if metric == "euclidean" else cdist(X, X)).astype(np.float32)
    before = data.copy()
    single = Residual(kind, metric=metric).fit_transform(data, prior=priors.labels(known))
    double = Residual(kind, metric=metric).fit_transform(
        data.astype(np.float64), prior=priors.labels(known)
    )
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, double, atol=2e-3)
    np.testing.assert_array_equal(data, before)


@pytest.mark.parametrize("kind", KINDS)
def test_the_mean_stays(two_groups, kind):
    X, known, _ = two_groups
    left = Residual(kind).fit_transform(X + 5, prior=priors.labels(known))
    np.testing.assert_allclose(left.mean(axis=0), X.mean(axis=0) + 5, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_data_that_are_the_prior_vanish(kind, metric):
    known = np.arange(40) % 2
    X = np.eye(2)[known] * 4
    data = X if metric == "euclidean" else cdist(X, X)
    left = Residual(kind, metric=metric).fit_transform(data, prior=priors.labels(known))
    np.testing.assert_allclose(left, 2 if metric == "euclidean" else 0, atol=1e-6)


def test_many_features(rng):
    known = rng.integers(0, 3, 80)
    X = rng.normal(size=(80, 200))
    X[:, :30] += 3 * np.eye(3)[known].repeat(10, axis=1)
    left = Residual("aligned").fit_transform(X, prior=priors.labels(known))
    assert neighbor_purity(X, known) > 0.9
    assert neighbor_purity(left, known) < 0.2


def test_no_square_array_is_made(rng, monkeypatch):
    monkeypatch.setattr(_smoothers, "MOST_LANDMARKS", 50)
    monkeypatch.setattr(_check, "MOST_ROWS", 50)
    widths = []
    whole = Features.block

    def block(self, rows, cols):
        widths.append(len(cols))
        return whole(self, rows, cols)

    monkeypatch.setattr(Features, "block", block)
    Z = rng.normal(size=500)
    X = np.column_stack([3 * Z, np.zeros(500)]) + rng.normal(size=(500, 2))
    prior = priors.features(Z)
    monkeypatch.setattr(Features, "is_constant", lambda _: False)
    fitted = Residual("aligned").fit(X, prior=prior)
    assert max(widths) == 50
    assert fitted.n_neighbors_ == 7
    assert neighbor_coherence(fitted.transform(X), prior) < 0.25 * neighbor_coherence(X, prior)


@pytest.mark.parametrize("kind", KINDS)
def test_threads_make_no_difference(rng, kind, in_blocks):
    in_blocks(5000)
    Z = rng.normal(size=(200, 2))
    X = np.column_stack([Z**2, rng.normal(size=(200, 2))])
    one = Residual(kind).fit_transform(X, prior=Z)
    with joblib.parallel_config(n_jobs=2):
        two = Residual(kind).fit_transform(X, prior=Z)
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("kind", KINDS)
def test_new_samples_come_out_like_fitted_ones(rng, kind):
    n = 1200
    known, age, hidden = rng.integers(0, 3, n), rng.uniform(-1, 1, n), rng.integers(0, 2, n)
    X = rng.normal(size=(n, 5)) * np.where(known[:, None] == 2, [1, 1, 1, 3, 1], 1)
    X[:, :3] += 6 * np.eye(3)[known]
    X[:, 3] += 6 * age**2
    X[:, 4] += 6 * hidden
    several = {"batch": priors.labels(known), "age": priors.features(age)}
    old, new = np.arange(800), np.arange(800, n)
    fitted = Residual(kind).fit(X[old], prior={k: p[old] for k, p in several.items()})
    # The other order of names, and classes missing, must not matter.
    left = fitted.transform(X[new], prior={k: several[k][new] for k in ("age", "batch")})
    whole = Residual(kind).fit_transform(X, prior=several)[new]
    assert np.abs(left - whole).mean() < 0.2
    # Class 2 scatters in its own way, which the smooth kind leaves.
    assert neighbor_purity(left, known[new]) < (0.05 if kind == "aligned" else 0.15)
    assert neighbor_coherence(left, several["age"][new]) < 0.05
    one = {k: several[k][new[[5]]] for k in several}
    np.testing.assert_allclose(fitted.transform(X[new[[5]]], prior=one), left[[5]], atol=1e-9)
    again = pickle.loads(pickle.dumps(fitted))
    rest = {k: several[k][new] for k in several}
    np.testing.assert_array_equal(again.transform(X[new], prior=rest), left)


@pytest.mark.parametrize("kind", KINDS)
def test_the_samples_of_fit_come_out_as_they_did(two_groups, rng, kind):
    X, known, _ = two_groups
    prior = {"known": priors.labels(known), "age": rng.normal(size=90)}
    fitted = Residual(kind).fit(X, prior=prior)
    left = Residual(kind).fit_transform(X, prior=prior)
    np.testing.assert_array_equal(fitted.transform(X), left)
    np.testing.assert_array_equal(fitted.transform(X, prior=prior), left)
    other = {**prior, "known": priors.labels(known[::-1])}
    assert np.abs(fitted.transform(X, prior=other) - left).max() > 1
    with pytest.raises(ValueError, match="needs the prior of new samples"):
        fitted.transform(X[:5])


def test_neighbors_are_not_pickled(rng):
    X = rng.normal(size=(2000, 3))
    fitted = Residual().fit(X, prior={"a": X[:, 0], "b": X[:, 1] + X[:, 0]})
    neighbors = 2 * 2000 * fitted.n_neighbors_ * 12
    assert len(pickle.dumps(fitted)) < neighbors / 4


@pytest.mark.parametrize("kind", ["linear", *KINDS])
@pytest.mark.parametrize("name", [lambda b, f: [b, f], lambda b, f: {"batch": b, "age": f}])
def test_new_samples_of_a_combined_prior_come_in_parts(two_groups, rng, kind, name):
    X, known, _ = two_groups
    age = X[:, 3] + rng.normal(size=90)
    prior = priors.combine(name(priors.labels(known), priors.features(age)))
    fitted = Residual(kind).fit(X, prior=prior)
    rows = np.flatnonzero(known == 1)[:4]
    parts = name(priors.labels(known[rows]), age[rows])
    found = fitted.transform(X[rows] + 0.1, prior=parts)
    np.testing.assert_array_equal(found, fitted.transform(X[rows] + 0.1, prior=prior[rows]))
    # The other way round as well.
    apart = Residual(kind).fit(X, prior=name(priors.labels(known), age))
    np.testing.assert_array_equal(apart.transform(X[rows] + 0.1, prior=prior[rows]), found)
    with pytest.raises(ValueError, match=r"takes what fit was given, \['.*\]; got \['prior'\]"):
        fitted.transform(X[rows], prior=age[rows])


def test_new_samples_in_another_metric_are_refused(two_groups):
    X = two_groups[0]
    Z = X[:, :2] + 9
    fitted = Residual().fit(X, prior=priors.features(Z, metric="l1"))
    expected = fitted.transform(X[:5] + 0.1, prior=priors.features(Z[:5], metric="cityblock"))
    np.testing.assert_array_equal(fitted.transform(X[:5] + 0.1, prior=Z[:5]), expected)
    with pytest.raises(
        ValueError, match=r"^Residual: 'prior' takes .* metric of fit, 'cityblock'; got"
    ):
        fitted.transform(X[:5], prior=priors.features(Z[:5], metric="cosine"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["geo", "cyclic"])
def test_new_samples_by_place_or_hour(rng, kind, name):
    angle = rng.uniform(0, 360, 1200)
    X = rng.normal(size=(1200, 4))
    X[:, 0] += 6 * np.sin(np.deg2rad(angle))
    X[:, 1] *= np.where(angle < 180, 1, 3)
    lat = rng.uniform(-1, 1, 1200)
    prior = priors.geo(lat, angle) if name == "geo" else priors.cyclic(angle, period=360)
    fitted = Residual(kind).fit(X[:1000], prior=prior[:1000])
    left = fitted.transform(X[1000:], prior=prior[1000:])
    # New samples get the same result as together with all others.
    together = Residual(kind).fit_transform(X, prior=prior)[1000:]
    assert np.square(left - together).mean() < 0.05 * np.square(X[1000:] - together).mean()
    before = fitted.transform(X[:1000])
    np.testing.assert_array_equal(fitted.transform(X[:1000], prior=prior[:1000]), before)


def test_new_samples_that_cannot_be_told(two_groups, rng):
    X, known, _ = two_groups
    way = priors.distances(cdist(X, X))
    fitted = Residual().fit(X, prior=way)
    with pytest.raises(ValueError, match=r"kind 'distances'.*fit to all samples together"):
        fitted.transform(X[:5], prior=way[:5])
    fitted = Residual().fit(X, prior=priors.labels(known))
    with pytest.raises(ValueError, match="has the class 'x', which no sample had in fit"):
        fitted.transform(X[:1], prior=["x"])
    with pytest.raises(ValueError, match=r"takes what fit was given, \['prior'\]; got \['other'\]"):
        fitted.transform(X[:1], prior={"other": priors.labels([1])})


def test_neighbors_are_counted(two_groups, rng):
    X = two_groups[0]
    Z = rng.normal(size=90)
    assert Residual().fit(X, prior=Z).n_neighbors_ == 9
    assert Residual(n_neighbors=89).fit(X, prior=Z).n_neighbors_ == 89
    with pytest.raises(
        ValueError, match=r"'n_neighbors' takes a whole number in \[1, 89\]; got 90"
    ):
        Residual(n_neighbors=90).fit(X, prior=Z)
    with pytest.raises(ValueError, match="'n_neighbors' takes 'auto' or a whole number"):
        Residual(n_neighbors="few").fit(X, prior=Z)


def test_without_a_prior_the_data_pass(two_groups):
    X = two_groups[0]
    with pytest.warns(PriorMissingWarning, match="Residual was fitted without a prior"):
        fitted = Residual().fit(X)
    np.testing.assert_array_equal(fitted.transform(X[:5]), X[:5])


def test_clusters_of_the_residual_are_the_hidden_ones(two_groups):
    X, known, hidden = two_groups
    pipeline = make_pipeline(Residual(), KMeans(2, n_init=3, random_state=0))
    found = pipeline.fit_predict(X, residual__prior=priors.labels(known))
    assert adjusted_rand_score(found, hidden) > 0.9


@pytest.mark.parametrize("kind", KINDS)
def test_with_routing_every_step_gets_the_prior(two_groups, kind):
    X, known, _ = two_groups
    prior = priors.labels(known)
    with sklearn.config_context(enable_metadata_routing=True):
        steps = make_pipeline(Residual(kind), JEDI(n_iter=10, random_state=0))
        found = steps.fit_transform(X, prior=prior)
    left = Residual(kind).fit_transform(X, prior=prior)
    alone = JEDI(n_iter=10, random_state=0).fit_transform(left, prior=prior)
    np.testing.assert_array_equal(found, alone)
