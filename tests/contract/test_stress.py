"""Numerically hard data: no foreign warnings, no NaN, and the same map as of easier data."""

import numpy as np
import pytest

import unprior as up
from unprior import priors, scores

ESTIMATORS = {
    "IndependentTSNE": lambda **o: up.IndependentTSNE(
        **{"perplexity": 5, "n_iter": 40, "random_state": 0, **o}
    ),
    "JEDI": lambda **o: up.JEDI(**{"n_iter": 40, "random_state": 0, **o}),
    "sampled": lambda **o: up.JEDI(**{"n_iter": 40, "solver": "sampled", "random_state": 0, **o}),
    "ConditionalTSNE": lambda **o: up.ConditionalTSNE(
        **{"perplexity": 5, "n_iter": 40, "random_state": 0, **o}
    ),
    "RevisedConditionalTSNE": lambda **o: up.RevisedConditionalTSNE(
        **{"perplexity": 5, "n_iter": 40, "random_state": 0, **o}
    ),
    "Residual": lambda **o: up.Residual("aligned", **o),
    "tsne": lambda **o: up.Confetti(
        embedder="tsne",
        embedder_params={"n_iter": 5, "early_exaggeration_iter": 5},
        random_state=0,
        **o,
    ),
    "umap": lambda **o: up.Confetti(embedder_params={"n_epochs": 10}, random_state=0, **o),
    "InverseSLLE": lambda **o: up.InverseSLLE(random_state=0, **o),
}

# Warnings about such data, or about so few steps, are tested elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")


@pytest.fixture(params=ESTIMATORS)
def make(request):
    return ESTIMATORS[request.param]


def many_duplicates(X):
    return X[np.arange(len(X)) % 3]


def one_outlier(X):
    X[0] *= 1e10
    return X


def far_clusters(X):
    return X + 1e8 * (np.arange(len(X)) % 4)[:, None]


def one_column(X):
    return X[:, :1]


HARD = [many_duplicates, one_outlier, far_clusters, one_column]


@pytest.mark.parametrize("spoil", HARD)
def test_hard_data(make, two_groups, spoil):
    X, known, _ = two_groups
    Y = make().fit_transform(spoil(X), prior=known.astype(str))
    assert np.isfinite(Y).all()


@pytest.mark.parametrize("scale", [1e-30, 1e-10, 1e10, 1e30])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_scales(make, two_groups, scale, dtype):
    X, known, _ = two_groups
    if dtype == "f4" and scale == 1e30:
        with pytest.raises(ValueError, match="whose squares overflow in float32"):
            make().fit(np.float32(scale * X), prior=known.astype(str))
        return
    Y = make().fit_transform((scale * X).astype(dtype), prior=known.astype(str)).astype("f8")
    assert np.isfinite(Y).all()
    assert (Y.std(axis=0) > 0).all()


@pytest.mark.parametrize("scale", [1e-30, 1e30])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("name", ["IndependentTSNE", "JEDI", "ConditionalTSNE", "Residual", "umap"])
def test_scales_of_distances(two_groups, name, scale, dtype):
    X, known, _ = two_groups
    D = (scale * priors.features(X).to_array()).astype(dtype)
    Y = ESTIMATORS[name](metric="precomputed").fit_transform(D, prior=known.astype(str))
    assert np.isfinite(Y).all()
    assert (Y.astype("f8").std(axis=0) > 0).all()
    with pytest.raises(ValueError, match=r"'X' holds numbers as large as .*squares overflow"):
        ESTIMATORS[name](metric="precomputed").fit(
            D.astype("f8") / scale * 1e160, prior=known.astype(str)
        )


@pytest.mark.parametrize("scale", [1e-100, 1e100])
@pytest.mark.parametrize("name", ["IndependentTSNE", "JEDI", "Residual", "umap"])
def test_scales_of_a_prior_of_distances(two_groups, name, scale):
    X, _, _ = two_groups
    prior = priors.distances(scale * priors.features(X[:, :3]).to_array())
    assert np.isfinite(ESTIMATORS[name]().fit_transform(X, prior=prior)).all()


def one_class_of_nearly_all(n):
    return np.where(np.arange(n) == 3, "b", "a")


def all_different_but_two(n):
    return np.array([f"c{max(i, 1)}" for i in range(n)])


@pytest.mark.parametrize("classes", [one_class_of_nearly_all, all_different_but_two])
def test_classes_of_odd_sizes(make, two_groups, classes):
    X, _, _ = two_groups
    assert np.isfinite(make().fit_transform(X, prior=classes(len(X)))).all()


@pytest.mark.parametrize("name", ["IndependentTSNE", "JEDI", "sampled", "Residual", "tsne"])
def test_a_prior_that_is_the_data(two_groups, name):
    X, _, _ = two_groups
    assert np.isfinite(ESTIMATORS[name]().fit_transform(X, prior=priors.features(X))).all()


@pytest.mark.parametrize("perplexity", [1.0, 29.6, 88.0])
@pytest.mark.parametrize("name", ["IndependentTSNE", "JEDI", "ConditionalTSNE"])
def test_perplexities_at_both_ends(two_groups, name, perplexity):
    X, known, _ = two_groups
    Y = ESTIMATORS[name](perplexity=perplexity).fit_transform(X, prior=known.astype(str))
    assert np.isfinite(Y).all()


@pytest.mark.parametrize("strength", [0.0, 1e-9, 10.0, 100.0])
@pytest.mark.parametrize("skewness", [1e-6, 0.999999])
@pytest.mark.parametrize("name", ["JEDI", "sampled"])
def test_strengths_and_skewness_at_both_ends(two_groups, name, strength, skewness):
    X, known, _ = two_groups
    jedi = ESTIMATORS[name](strength=strength, skewness=skewness)
    assert np.isfinite(jedi.fit_transform(X, prior=known.astype(str))).all()


@pytest.mark.parametrize("strength", [0.0, 1e-9, 10.0, 100.0])
@pytest.mark.parametrize("scale", ["max", "quantile"])
def test_strengths_of_the_linear_operator_at_both_ends(two_groups, strength, scale):
    X, known, _ = two_groups
    confetti = up.ConfettiNeighbors(operator="linear", strength=strength, scale=scale)
    graph = confetti.fit_transform(X, prior=known.astype(str))
    assert np.isfinite(graph.data).all()
    assert (graph.data >= 0).all()


@pytest.mark.parametrize("name", ["IndependentTSNE", "sampled", "ConditionalTSNE", "Residual"])
def test_thousands_of_duplicates_and_a_class_of_nearly_all(rng, name):
    X, classes = rng.normal(size=(3, 4)), np.full(3000, "a")
    classes[:3] = "b"
    options = {"n_iter": 3} if name != "Residual" else {}
    Y = ESTIMATORS[name](**options).fit_transform(X[np.arange(3000) % 3], prior=classes)
    assert np.isfinite(Y).all()


@pytest.mark.parametrize("n_classes", [1, 90])
def test_classes_that_say_nothing_are_refused(make, two_groups, n_classes):
    X, _, _ = two_groups
    classes = [f"c{i % n_classes}" for i in range(len(X))]
    with pytest.raises(ValueError, match=r"the prior says nothing: .*(one class only|own)"):
        make().fit(X, prior=classes)


def test_single_precision_tells_the_same(make, two_groups):
    X, known, _ = two_groups
    X = X.astype("f4")
    maps = [make().fit_transform(x, prior=known.astype(str)) for x in (X, X.astype("f8"))]
    # Rounding grows in a descent; neighbours on the map stay the same ones.
    same = scores.overlap_area(maps[0], maps[0])
    assert scores.overlap_area(*maps) > 0.95 * same


def test_multipliers_that_do_not_settle_are_said(two_groups):
    X, known, _ = two_groups
    with pytest.warns(up.ConstraintWarning, match="instead of the 0.00 requested"):
        ESTIMATORS["IndependentTSNE"](n_iter=2).fit(X, prior=known.astype(str))
