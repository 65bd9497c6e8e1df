"""What must not matter does not: order, units, names, and uninformative priors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

import unprior as up
from unprior import priors, scores

SEEDS = st.integers(0, 2**16)

pytestmark = pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")


def drawn(seed, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    known = rng.integers(0, 3, n)
    X[:, 0] += 5 * known
    return rng, X, known


@settings(max_examples=10, derandomize=True)
@given(SEEDS)
def test_the_order_of_samples_is_nothing_to_scores(seed):
    rng, X, known = drawn(seed)
    Y, order = rng.normal(size=(40, 2)), rng.permutation(40)
    one = scores.report(Y, X=X, prior=priors.labels(known), k=5)
    other = scores.report(Y[order], X=X[order], prior=priors.labels(known[order]), k=5)
    values = [[row.score for row in report.rows] for report in (one, other)]
    np.testing.assert_allclose(*values, atol=1e-9)


@settings(max_examples=10, derandomize=True)
@given(SEEDS, st.sampled_from([0.25, 64.0]), st.sampled_from(["linear", "quantile", "balanced"]))
def test_units_and_origins_are_nothing_to_confetti(seed, unit, operator):
    _, X, _ = drawn(seed)
    prior = X[:, :1]
    others = [(unit * X, prior), (X, unit * prior), (X + unit, prior), (X, prior + unit)]
    graphs = [
        up.ConfettiNeighbors(operator=operator, n_neighbors=5).fit_transform(x, prior=z)
        for x, z in ((X, prior), *others)
    ]
    for graph in graphs[1:]:
        np.testing.assert_array_equal(graph.indices, graphs[0].indices)


@settings(max_examples=5, derandomize=True)
@given(SEEDS)
def test_names_of_classes_are_nothing(seed):
    _, X, known = drawn(seed)
    # In the same order, as classes are numbered by their names.
    names = np.array(["a1", "b", "zz"])[known]
    maps = [
        up.JEDI(n_iter=20, random_state=0).fit_transform(X, prior=prior)
        for prior in (names, priors.labels(known))
    ]
    np.testing.assert_array_equal(*maps)


RENAMED = {
    "IndependentTSNE": lambda: up.IndependentTSNE(n_iter=5, perplexity=5, random_state=0),
    "JEDI": lambda: up.JEDI(n_iter=5, random_state=0),
    "ConditionalTSNE": lambda: up.ConditionalTSNE(n_iter=5, perplexity=5, random_state=0),
    "Residual": lambda: up.Residual("aligned"),
    "linear": lambda: up.ConfettiNeighbors(5, operator="linear"),
    "balanced": lambda: up.ConfettiNeighbors(5, operator="balanced"),
}


@pytest.mark.parametrize("name", RENAMED)
def test_names_of_classes_in_another_order_are_nothing(name):
    _, X, known = drawn(1)
    # Classes are numbered by their names, so sums are added up in another order.
    results = [
        _dense(RENAMED[name]().fit_transform(X, prior=np.array(names)[known]))
        for names in (["a", "b", "c"], ["z", "a", "b"])
    ]
    np.testing.assert_allclose(*results, rtol=1e-3, atol=1e-3)


def _dense(result):
    return result.toarray() if hasattr(result, "toarray") else result


def test_strength_0_leaves_the_neighbours_and_the_data():
    _, X, known = drawn(0)
    plain = NearestNeighbors(n_neighbors=5).fit(X).kneighbors(return_distance=False)
    for operator in ("linear", "quantile", "balanced"):
        confetti = up.ConfettiNeighbors(5, operator=operator, strength=0.0)
        graph = confetti.fit_transform(X, prior=priors.labels(known))
        either = np.zeros((40, 40), dtype=bool)  # one of the two samples has the other as neighbour
        either[np.repeat(np.arange(40), 5), plain.ravel()] = True
        np.testing.assert_array_equal(graph.toarray() > 0, either | either.T)
    kept = up.Residual(strength=0.0).fit_transform(X, prior=priors.labels(known))
    np.testing.assert_allclose(kept, X)


@pytest.mark.parametrize("make", [up.IndependentTSNE, up.JEDI])
def test_strength_0_is_the_plain_method(make):
    _, X, known = drawn(0)
    options = {"n_iter": 30, "perplexity": 5, "random_state": 0}
    plain = make(**options).fit_transform(X)
    np.testing.assert_array_equal(
        make(**options, strength=0.0).fit_transform(X, prior=priors.labels(known)), plain
    )


def test_a_prior_that_says_nothing_costs_no_more_than_noise():
    data = up.datasets.make_two_factor(300, random_state=0)
    told = np.random.default_rng(0).permutation(["a", "b"] * 150)
    maps = [
        up.embed(data.X, prior=told, method=method, random_state=0) for method in ("tsne", "auto")
    ]
    kept = [1 - scores.overlap_area(Y, data.X) for Y in maps]
    assert abs(kept[0] - kept[1]) < 0.02


def test_a_class_that_is_split_at_random_leaves_as_much():
    data = up.datasets.make_two_factor(300, random_state=0)
    coin = np.random.default_rng(0).integers(0, 2, 300).astype(bool)
    split = np.where((data.known == data.known[0]) & coin, "other", data.known.astype(str))
    left = [
        scores.neighbor_purity(up.embed(data.X, prior=prior, random_state=0), data.known)
        for prior in (data.known.astype(str), split)
    ]
    assert abs(left[0] - left[1]) < 0.05
