"""`IndependentTSNE`: the constraint is met for every kind of prior, and otherwise it is t-SNE."""

import numpy as np
import pandas as pd
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform

import unprior as up
from unprior import priors, scores
from unprior.estimators import _independent_tsne
from unprior.optimize import _constraints

N = 150
RNG = np.random.default_rng(0)
HIDDEN = RNG.integers(0, 2, N)
CODES, VALUE, TURN = RNG.integers(0, 3, N), RNG.normal(size=N), RNG.uniform(0, 1, N)
LATITUDE, LONGITUDE = RNG.uniform(-60, 60, N), RNG.uniform(-180, 180, N)
APART = np.abs(np.subtract.outer(VALUE, VALUE))


def with_hidden(*columns):
    """Data with two hidden groups, and the prior in these columns."""
    X = RNG.normal(size=(N, 4))
    X[:, :2] += 5 * np.eye(2)[HIDDEN]
    return np.column_stack([X, *columns])


def on_sphere():
    lat, lon = np.radians(LATITUDE), np.radians(LONGITUDE)
    return np.column_stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


def chain():
    """A graph that links each sample to the one with the next value."""
    order, A = np.argsort(VALUE), np.zeros((N, N))
    A[order[:-1], order[1:]] = A[order[1:], order[:-1]] = 1
    return A


GROUPS, AMOUNT = 6 * np.eye(3)[CODES], 3 * VALUE
CIRCLE = 3 * np.column_stack([np.cos(2 * np.pi * TURN), np.sin(2 * np.pi * TURN)])

#: Kind of prior -> the prior, and columns by which the data show it.
KINDS = {
    "labels": (priors.labels(CODES), GROUPS),
    "features": (priors.features(VALUE), AMOUNT),
    "geo": (priors.geo(LATITUDE, LONGITUDE), 6 * on_sphere()),
    "cyclic": (priors.cyclic(24 * TURN, period=24), CIRCLE),
    "table": (pd.DataFrame({"code": CODES.astype(str), "value": VALUE}), [GROUPS, AMOUNT]),
    "distances": (priors.distances(APART), AMOUNT),
    "kernel": (priors.kernel(np.exp(-(APART**2))), AMOUNT),
    "graph": (priors.graph(chain()), AMOUNT),
    "tree": (priors.tree(linkage(GROUPS + 0.1 * VALUE[:, None])), GROUPS),
    "embedding": (priors.embedding(np.column_stack([VALUE, TURN])), [AMOUNT, 10 * TURN]),
    "combined": (priors.combine([CODES.astype(str), VALUE]), [GROUPS, AMOUNT]),
    "several": ({"code": CODES.astype(str), "value": VALUE}, [GROUPS, AMOUNT]),
}


def fit(X, prior, **options):
    return up.IndependentTSNE(**{"random_state": 0, "n_iter": 250, **options}).fit(X, prior=prior)


@pytest.fixture(scope="module")
def data():
    return up.datasets.make_two_factor(120, random_state=0)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_prior_is_factored_out(kind):
    prior, columns = KINDS[kind]
    X = with_hidden(*(columns if isinstance(columns, list) else [columns]))
    tsne = fit(X, prior)
    shown = fit(X, prior, strength=0.0).left_
    assert min(shown.values()) > 0.25
    assert max(map(abs, tsne.left_.values())) <= 0.05
    assert tsne.left_.keys() == tsne.multiplier_.keys() == shown.keys()
    assert scores.neighbor_purity(tsne.embedding_, HIDDEN) > 0.9


def test_what_is_fitted(data):
    tsne = fit(data.X, {"batch": data.known})
    assert tsne.embedding_.shape == (120, 2)
    assert tsne.left_ == {
        "batch": pytest.approx(scores.neighbor_purity(tsne.embedding_, data.known), abs=1e-3)
    }
    assert tsne.multiplier_["batch"] > 0
    assert isinstance(tsne.residual_, up.Residual)
    assert tsne.n_iter_ == len(tsne.objective_) >= 250
    assert np.isfinite(tsne.objective_).all()
    assert (tsne.perplexity_, tsne.learning_rate_, tsne.n_features_in_) == (30, 30, 14)
    assert tsne.get_feature_names_out().tolist() == ["independenttsne0", "independenttsne1"]


def test_strength_0_is_plain_tsne(data):
    plain = fit(data.X, data.known, strength=0.0)
    assert plain.multiplier_ == {"prior": 0.0}
    assert plain.residual_ is None
    assert plain.left_["prior"] > 0.9
    with pytest.warns(up.PriorMissingWarning):
        alone = fit(data.X, None)
    np.testing.assert_array_equal(alone.embedding_, plain.embedding_)
    assert alone.left_ == alone.multiplier_ == {}
    # Neighbours are kept as in t-SNE, and the objective has decreased.
    assert scores.trustworthiness(plain.embedding_, data.X) > 0.98
    assert plain.objective_[-1] < 0.5 * plain.objective_[0]


@pytest.mark.parametrize("strength", [0.5, 0.75])
def test_strength_is_linear_in_what_is_left(data, strength):
    shown = fit(data.X, data.known, strength=0.0, n_iter=500).left_["prior"]
    left = fit(data.X, data.known, strength=strength, n_iter=500).left_["prior"]
    assert left == pytest.approx((1 - strength) * shown, abs=0.05)


def test_a_prior_that_the_data_do_not_show_changes_little(data):
    permuted = np.random.default_rng(0).permutation(data.known)
    tsne, plain = fit(data.X, permuted), fit(data.X, permuted, strength=0.0)
    assert tsne.residual_ is None
    assert abs(tsne.multiplier_["prior"]) < 1
    kept, could = (scores.overlap_area(each.embedding_, data.X) for each in (tsne, plain))
    assert kept > 0.95 * could


def test_one_prior_of_two_may_stay(data):
    prior = {"batch": data.known, "column": data.X[:, -1]}
    tsne = fit(data.X, prior, strength={"batch": 1, "column": 0})
    assert tsne.multiplier_["column"] == 0
    assert abs(tsne.left_["batch"]) <= 0.05


def test_too_few_steps_are_warned_of_with_the_number(data):
    with pytest.warns(up.ConstraintWarning) as caught:
        tsne = fit(data.X, {"batch": data.known}, n_iter=3, residual=None)
    (told,) = caught
    left = tsne.left_["batch"]
    assert abs(left) > 0.05
    assert f"share {left:.2f} of the prior 'batch', instead of the 0.00" in str(told.message)
    assert told.filename == __file__


@pytest.mark.parametrize("residual", ["aligned", "smooth", "linear"])
def test_the_residual_that_is_asked_for_is_taken(data, residual):
    tsne = fit(data.X, data.known, residual=residual)
    assert tsne.residual_.kind == residual
    assert abs(tsne.left_["prior"]) <= 0.05


def test_without_a_residual_the_constraint_does_it_alone(data):
    tsne = fit(data.X, data.known, residual=None, n_iter=500)
    assert tsne.residual_ is None
    assert abs(tsne.left_["prior"]) <= 0.05
    assert tsne.multiplier_["prior"] > fit(data.X, data.known).multiplier_["prior"]


def test_other_metrics_have_no_residual(data):
    assert fit(data.X, data.known, metric="cityblock", n_iter=500).residual_ is None


def test_distances_are_data_too(data):
    tsne = fit(squareform(pdist(data.X)), data.known, metric="precomputed")
    assert abs(tsne.left_["prior"]) <= 0.05
    assert scores.neighbor_purity(tsne.embedding_, data.hidden) > 0.9


@pytest.mark.parametrize("n_components", [1, 3])
def test_other_dimensions(data, n_components):
    tsne = fit(data.X, data.known, n_components=n_components, n_iter=500)
    assert tsne.embedding_.shape == (120, n_components)
    assert abs(tsne.left_["prior"]) <= 0.05


def test_starts(data):
    given = 1e-2 * np.random.default_rng(0).normal(size=(120, 2))
    before, first = given.copy(), []
    fit(data.X, data.known, init=given, callbacks=[lambda step, value, Y: first.append(Y)])
    np.testing.assert_array_equal(first[0], before)
    np.testing.assert_array_equal(given, before)
    assert abs(fit(data.X, data.known, init="random").left_["prior"]) <= 0.05


def test_the_same_seed_gives_the_same_map_and_another_another(data):
    one, same, other = (
        fit(data.X, data.known, random_state=seed).embedding_
        for seed in (0, np.random.RandomState(0), 1)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


@pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")
def test_callbacks_see_every_step_and_stop(data):
    seen = []

    def stop(step, value, Y):
        seen.append((step, value, Y))
        return step == 30

    tsne = fit(data.X, data.known, callbacks=[stop])
    assert [step for step, _, _ in seen] == [*range(31)]
    assert tsne.n_iter_ == 31
    np.testing.assert_array_equal(tsne.objective_, [value for _, value, _ in seen])
    np.testing.assert_array_equal(tsne.embedding_, seen[-1][2])


def test_single_precision_gives_about_the_same(data):
    tsne = fit(data.X.astype(np.float32), data.known)
    assert abs(tsne.left_["prior"]) <= 0.05
    assert np.isfinite(tsne.embedding_).all()


@pytest.mark.filterwarnings("ignore::unprior.DataWarning")
@pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")
def test_duplicates_by_the_hundred():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(3, 4)), 100, axis=0)
    tsne = fit(X, rng.integers(0, 2, 300).astype(str), n_iter=100)
    assert np.isfinite(tsne.embedding_).all()
    assert np.isfinite(tsne.objective_).all()


@pytest.mark.filterwarnings("ignore::unprior.DataWarning")
@pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")
def test_a_class_of_one_sample(data):
    labels = np.where(np.arange(120) == 7, "alone", "others")
    tsne = fit(data.X, labels)
    assert np.isfinite(tsne.embedding_).all()
    assert np.isfinite(tsne.left_["prior"])


@pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")
@pytest.mark.parametrize("n", [4, 5, 10])
def test_a_handful_of_samples(data, n):
    tsne = fit(data.X[:n], [*"ab"] * (n // 2) + ["a"] * (n % 2))
    assert tsne.embedding_.shape == (n, 2)
    assert np.isfinite(tsne.embedding_).all()
    assert tsne.perplexity_ == max(1, (n - 1) / 3)


@pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")
def test_a_stop_from_the_keyboard_keeps_the_map_so_far(data):
    def stop(step, value, Y):
        if step == 25:
            raise KeyboardInterrupt

    with pytest.warns(up.InterruptedFitWarning, match="after 26 of 250 steps"):
        tsne = fit(data.X, data.known, callbacks=[stop])
    assert tsne.n_iter_ == 26
    assert tsne.left_.keys() == {"prior"}


def test_permuting_classes_names_changes_nothing(data):
    one = fit(data.X, data.known).embedding_
    renamed = np.array([f"x{label}" for label in data.known])
    np.testing.assert_array_equal(fit(data.X, renamed).embedding_, one)


def test_plain_tsne_asks_for_no_prior(two_groups):
    # Warnings are errors here: a map that is to remove nothing misses nothing.
    X, known, _ = two_groups
    options = {"strength": 0.0, "perplexity": 10, "n_iter": 50, "random_state": 0}
    plain = up.IndependentTSNE(**options).fit(X)
    assert (plain.left_, plain.multiplier_) == ({}, {})
    told = up.IndependentTSNE(**options).fit(X, prior=priors.labels(known))
    np.testing.assert_array_equal(plain.embedding_, told.embedding_)


@pytest.mark.filterwarnings("ignore:IndependentTSNE. map neighbours share")  # after one step
@pytest.mark.parametrize("strength", [0.0, 1.0])
@pytest.mark.parametrize("many", [False, True])
def test_of_many_samples_the_first_view_has_the_shares_of_the_prior(monkeypatch, many, strength):
    views, attraction = [], _independent_tsne.attraction
    monkeypatch.setattr(_constraints, "FAIR_FROM", N if many else N + 1)
    monkeypatch.setattr(
        _independent_tsne,
        "attraction",
        lambda given, *rest: views.append(given[0]) or attraction(given, *rest),
    )
    fit(with_hidden(GROUPS), priors.features(CODES), n_iter=1, strength=strength)
    graph = views[0].graph
    places = (CODES[graph.indices][:, :, None] == np.arange(3)).mean(axis=1)
    wanted = (np.bincount(CODES) - np.eye(3)[CODES]) / (N - 1)
    fair = np.abs(places - wanted).max() < 1 / graph.k + 1e-6
    assert fair == (many and strength == 1)
