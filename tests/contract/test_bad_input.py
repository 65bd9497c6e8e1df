"""Bad input gets one clear sentence: who, which argument, what it takes, what it got."""

import re

import numpy as np
import pytest
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist

import unprior as up
from unprior import priors

ESTIMATORS = {
    "IndependentTSNE": lambda **options: up.IndependentTSNE(
        **{"perplexity": 5, "n_iter": 2, **options}
    ),
    "JEDI": lambda **options: up.JEDI(n_iter=2, **options),
    "Confetti": lambda **options: up.Confetti(embedder_params={"n_epochs": 2}, **options),
    "ConfettiNeighbors": lambda **options: up.ConfettiNeighbors(n_neighbors=3, **options),
    "ConditionalTSNE": lambda **options: up.ConditionalTSNE(perplexity=5, n_iter=2, **options),
    "RevisedConditionalTSNE": lambda **options: up.RevisedConditionalTSNE(
        perplexity=5, n_iter=2, **options
    ),
    "InverseSLLE": lambda **options: up.InverseSLLE(n_neighbors=5, **options),
    "Residual": lambda **options: up.Residual(**options),
}
# After a few steps a map does not meet its constraint yet.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")

TAKE_LABELS_ALONE = {"ConditionalTSNE", "RevisedConditionalTSNE"}
TAKE_A_SHARE = {"InverseSLLE", "Residual"}


@pytest.fixture(params=ESTIMATORS)
def make(request):
    return ESTIMATORS[request.param]


@pytest.fixture(params=[n for n in ESTIMATORS if n not in TAKE_LABELS_ALONE | TAKE_A_SHARE])
def make_general(request):
    """Makers of estimators that take any prior, with a strength."""
    return ESTIMATORS[request.param]


@pytest.fixture
def X(rng):
    return rng.normal(size=(30, 4))


@pytest.fixture
def labels():
    return np.array(["a", "b", "c"] * 10)


def refuses(call, *fragments, error=ValueError):
    with pytest.raises(error) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    for fragment in fragments:
        assert re.search(fragment, message), message


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_nan_and_infinity_name_the_first_row(make, X, labels, value, word):
    X[7, 2] = X[9, 0] = value
    who = type(make()).__name__
    refuses(
        lambda: make().fit(X, prior=labels),
        f"^{who}: 'X' holds {word} .first in row 7, column 2; 2 rows in all",
    )


@pytest.mark.parametrize(("dtype", "large"), [(np.float64, -1e160), (np.float32, 1e20)])
def test_numbers_whose_squares_overflow(make, X, labels, dtype, large):
    X[7, 2] = large
    refuses(
        lambda: make().fit(X.astype(dtype), prior=labels),
        rf"'X' holds numbers as large as {abs(large):.0e}".replace("+", r"\+"),
    )


def test_nan_in_the_prior(make, X):
    Z = np.linspace(0, 1, 30)
    Z[4] = np.nan
    refuses(lambda: make().fit(X, prior=Z), "NaN", "row 4")


def test_missing_labels(make, X, labels):
    labels = labels.astype(object)
    labels[5] = None
    refuses(lambda: make().fit(X, prior=labels), "sample 5")


@pytest.mark.parametrize(
    ("spoil", "fragment"),
    [
        (lambda D: D.__setitem__((2, 3), -1.0), r"negative distance, -1 at \(2, 3\)"),
        (lambda D: D.__setitem__((2, 3), 9.0), r"symmetric.*9 at \(2, 3\)"),
        (lambda D: D.__setitem__((4, 4), 1.0), r"zero from a sample to itself; got 1 at \(4, 4\)"),
        (lambda D: D.__setitem__((4, 5), np.nan), "NaN.*row 4"),
    ],
)
def test_matrices_that_are_no_distances(make, X, labels, spoil, fragment):
    D = cdist(X, X)
    spoil(D)
    refuses(lambda: make(metric="precomputed").fit(D, prior=labels), "'X'", fragment)
    refuses(lambda: make().fit(X, prior=priors.distances(D)), "distances: 'D'", fragment)


def test_distances_that_are_not_square(make, X, labels):
    refuses(lambda: make(metric="precomputed").fit(X, prior=labels), "'X' takes a square", "30, 4")


def rounded_distances(X):
    D = cdist(X, X)
    D[2, 3] *= 1 + 1e-9
    D[4, 4] = 1e-9
    D[5, 6] = D[6, 5] = -1e-12
    return D


def test_rounding_is_mended_silently(make, X, labels):
    D = rounded_distances(X)
    before = D.copy()
    make(metric="precomputed").fit(D, prior=labels)
    np.testing.assert_array_equal(D, before)


def test_rounding_is_mended_silently_in_a_prior(make_general, X):
    D = rounded_distances(X)
    before = D.copy()
    make_general().fit(X, prior=priors.distances(D))
    np.testing.assert_array_equal(D, before)


def test_a_prior_of_another_length(make, X, labels):
    refuses(lambda: make().fit(X, prior=labels[:20]), "'prior'", "20", "30")


def test_one_class_only(make, X):
    refuses(lambda: make().fit(X, prior=["a"] * 30), "says nothing", "one class only")


def test_a_class_for_every_sample(make, X):
    refuses(lambda: make().fit(X, prior=[f"id{i}" for i in range(30)]), "says nothing")


def test_a_constant_prior(make, X):
    refuses(lambda: make().fit(X, prior=np.ones(30)), "says nothing")
    refuses(lambda: make().fit(X, prior=priors.distances(1 - np.eye(30))), "says nothing")


def test_identical_rows(make, X, labels):
    refuses(lambda: make().fit(np.ones((30, 4)), prior=labels), "all 30 rows of 'X' are identical")
    D = np.zeros((30, 30))
    refuses(lambda: make(metric="precomputed").fit(D, prior=labels), "identical")


@pytest.mark.parametrize("n", [0, 1, 2, 3])
def test_too_few_samples(make, X, labels, n):
    refuses(lambda: make().fit(X[:n], prior=labels[:n]), "minimum of 4 is required by")


def test_sparse_distances(make, X, labels):
    D = csr_array(cdist(X, X))
    refuses(
        lambda: make(metric="precomputed").fit(D, prior=labels),
        "[Ss]parse",
        error=(TypeError, ValueError),
    )


def test_words_in_the_data(make, X, labels):
    spoilt = X.astype(object)
    spoilt[3, 1] = "high"
    refuses(lambda: make().fit(spoilt, prior=labels), "high")


def test_integer_and_object_data_are_fine(make, X, labels):
    make().fit((10 * X).astype(int), prior=labels)
    make().fit(X.astype(object), prior=labels)


def test_integers_as_a_prior_are_ambiguous(make, X):
    codes = np.arange(30) % 3
    refuses(lambda: make().fit(X, prior=codes), r"priors\.labels", r"priors\.features")


def test_a_square_array_as_a_prior_is_ambiguous(make, X):
    refuses(lambda: make().fit(X, prior=cdist(X, X)), r"priors\.distances", r"priors\.features")


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"metric": 3}, "'metric' takes"),
        ({"metric": "euclidian"}, "euclidian.*[Dd]id you mean 'euclidean'"),
        ({"n_jobs": 1.5}, "'n_jobs' takes"),
        ({"verbose": -1}, "'verbose' takes"),
    ],
)
def test_options_out_of_range(make, X, labels, options, fragment):
    if not options.keys() <= make().get_params().keys():
        pytest.skip("no such option")
    refuses(lambda: make(**options).fit(X, prior=labels), fragment)


@pytest.mark.parametrize(
    ("strength", "fragment"),
    [
        (-1, "'strength' takes .*a number (of at least 0|in .0, 1.).*got -1"),
        ("strong", "'strength' takes"),
        ([1.0, -2.0], "'strength' takes"),
        (np.nan, "'strength' takes"),
    ],
)
def test_strengths_out_of_range(make_general, X, labels, strength, fragment):
    refuses(lambda: make_general(strength=strength).fit(X, prior=labels), fragment)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"skewness": 1}, r"^JEDI: 'skewness' takes a number in \(0, 1\); got 1\.$"),
        ({"symmetry": 1.1}, r"'symmetry' takes a number in \[0, 1\]; got 1\.1"),
        ({"perplexity": 0.5}, "'perplexity' takes 'auto' or a number of at least 1; got 0.5"),
        ({"perplexity": "Auto"}, "Did you mean 'auto'"),
        ({"prior_perplexity": -3}, "'prior_perplexity' takes"),
        ({"n_components": 4}, r"'n_components' takes a whole number in \[1, 3\]; got 4"),
        ({"solver": "exactly"}, "'solver' takes 'auto' or 'exact'.*Did you mean 'exact'"),
        ({"init": "pca"}, "'init' takes"),
        ({"learning_rate": 0}, "'learning_rate' takes"),
        ({"callbacks": 3}, "'callbacks' takes"),
        ({"random_state": "seed"}, "'random_state' takes"),
    ],
)
def test_options_of_jedi(X, labels, options, fragment):
    refuses(lambda: up.JEDI(**options).fit(X, prior=labels), fragment)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"residual": "alinged"}, "'residual' takes None or 'auto' or .*Did you mean 'aligned'"),
        ({"perplexity": 0.5}, "'perplexity' takes a number of at least 1; got 0.5"),
        ({"n_components": 4}, r"'n_components' takes a whole number in \[1, 3\]; got 4"),
        ({"strength": 1.01}, r"'strength' takes .*got 1.01"),
        ({"init": "spectral"}, "'init' takes 'pca' or 'random' or an array; got 'spectral'"),
        ({"init": np.zeros((3, 2))}, r"'init' takes an array of shape \(30, 2\)"),
        ({"learning_rate": 0}, "'learning_rate' takes 'auto' or a number above 0; got 0"),
        ({"n_iter": 0}, "'n_iter' takes"),
        ({"callbacks": [3]}, "'callbacks' takes"),
        ({"random_state": "seed"}, "'random_state' takes"),
    ],
)
def test_options_of_independent_tsne(X, labels, options, fragment):
    options = {"perplexity": 5, **options}
    estimator = up.IndependentTSNE(**options)
    refuses(lambda: estimator.fit(X, prior=labels), "^IndependentTSNE: '", fragment)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"operator": "linaer"}, "'operator' takes.*Did you mean 'linear'"),
        ({"scale": "mean"}, "'scale' takes"),
        ({"embedder": "umpa"}, "'embedder' takes.*Did you mean 'umap'"),
        ({"n_neighbors": 0}, "'n_neighbors' takes"),
    ],
)
def test_options_of_confetti(X, labels, options, fragment):
    refuses(lambda: up.Confetti(**options).fit(X, prior=labels), "^Confetti: ", fragment)


@pytest.mark.parametrize(
    ("method", "options", "fragment"),
    [
        ("ConditionalTSNE", {"other_label_weight": 0}, r"takes a number in \(0, 1\]; got 0\.$"),
        ("RevisedConditionalTSNE", {"same_label_weight": 1.5}, r"in \(0, 1\]; got 1\.5"),
        *[
            (method, options, fragment)
            for method in sorted(TAKE_LABELS_ALONE)
            for options, fragment in [
                ({"perplexity": 0.5}, "'perplexity' takes a number of at least 1; got 0.5"),
                ({"perplexity": "auto"}, "'perplexity' takes a number"),
                ({"init": "pca"}, "'init' takes 'random' or an array; got 'pca'"),
                ({"init": np.zeros((3, 2))}, r"'init' takes an array of shape \(30, 2\)"),
                ({"learning_rate": 0}, "'learning_rate' takes 'auto' or a number above 0; got 0"),
                ({"n_iter": 0}, "'n_iter' takes"),
                ({"callbacks": [3]}, "'callbacks' takes"),
            ]
        ],
    ],
)
def test_options_of_the_rivals(X, labels, method, options, fragment):
    options = {"perplexity": 5, **options}
    refuses(lambda: getattr(up, method)(**options).fit(X, prior=labels), f"^{method}: '", fragment)


@pytest.mark.parametrize("name", sorted(TAKE_A_SHARE))
@pytest.mark.parametrize("strength", [-0.1, 1.5, np.nan, "strong", [0.5], None])
def test_strengths_that_are_no_share(X, labels, name, strength):
    refuses(
        lambda: ESTIMATORS[name](strength=strength).fit(X, prior=labels),
        rf"^{name}: 'strength' takes a number in \[0, 1\]; got ",
    )


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        ({"n_neighbors": 0}, "'n_neighbors' takes 'auto' or a whole number of at least 1; got 0"),
        ({"regularization": 0}, "'regularization' takes a number of at least 1e-08; got 0"),
        ({"n_components": 0}, "'n_components' takes"),
        ({"random_state": "seed"}, "'random_state' takes"),
    ],
)
def test_options_of_inverse_slle(X, labels, options, fragment):
    refuses(lambda: up.InverseSLLE(**options).fit(X, prior=labels), "^InverseSLLE: ", fragment)


@pytest.mark.parametrize(
    ("options", "fragment"),
    [
        (
            {"kind": "liner"},
            "'kind' takes 'linear' or 'smooth' or 'aligned' or 'clustered' or 'auto'; got 'liner'",
        ),
        (
            {"metric": "l1"},
            "'metric' takes 'euclidean' or 'l2' or 'cosine' or .*; got 'l1'",
        ),
    ],
)
def test_options_of_residual(X, labels, options, fragment):
    refuses(lambda: up.Residual(**options).fit(X, prior=labels), "^Residual: ", fragment)


def test_strengths_for_other_priors(make_general, X, labels):
    refuses(lambda: make_general(strength=[1.0, 0.5]).fit(X, prior=labels), "got 2 for 1 prior")
    refuses(
        lambda: make_general(strength={"batch": 1.0}).fit(X, prior={"donor": labels}),
        "donor.*batch",
    )


def test_a_misspelt_option_is_refused_by_name():
    with pytest.raises(TypeError, match="strenght"):
        up.JEDI(strenght=2)


def test_text_as_data(two_groups):
    X, known = two_groups[:2]
    text, finder = np.full(X.shape, "much"), up.ConfettiNeighbors(3)
    finder.fit(X, prior=known.astype(str))
    for call in (up.ConfettiNeighbors(3).fit, finder.transform):
        with pytest.raises(ValueError, match=r"^ConfettiNeighbors: 'X' takes numbers; got"):
            call(text, prior=known.astype(str))
