"""The caller's state is unchanged: inputs, random state, threads, loggers, warning filters."""

import logging
import warnings

import numba
import numpy as np
import pytest

import unprior as up
from unprior import priors

ESTIMATORS = {
    "IndependentTSNE": lambda: up.IndependentTSNE(perplexity=5, n_iter=5, n_jobs=2, random_state=0),
    "JEDI": lambda: up.JEDI(n_iter=5, n_jobs=2, random_state=0),
    "umap": lambda: up.Confetti(embedder_params={"n_epochs": 5}, n_jobs=2, random_state=0),
    "tsne": lambda: up.Confetti(
        embedder="tsne", embedder_params={"n_iter": 5}, n_jobs=2, random_state=0
    ),
    "ConfettiNeighbors": lambda: up.ConfettiNeighbors(n_jobs=2),
    "ConditionalTSNE": lambda: up.ConditionalTSNE(perplexity=5, n_iter=5, n_jobs=2, random_state=0),
    "RevisedConditionalTSNE": lambda: up.RevisedConditionalTSNE(
        perplexity=5, n_iter=5, n_jobs=2, random_state=0
    ),
    "InverseSLLE": lambda: up.InverseSLLE(n_jobs=2, random_state=0),
    "Residual": lambda: up.Residual(),
}

# After a few steps a map does not meet its constraint yet.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")

TAKE_LABELS_ALONE = (up.ConditionalTSNE, up.RevisedConditionalTSNE, up.InverseSLLE)


def world():
    state = np.random.get_state()  # noqa: NPY002 (the global state is what must not change)
    return {
        "random": (state[1].tobytes(), state[2]),
        "threads": numba.get_num_threads(),
        "level": logging.getLogger().level,
        "handlers": len(logging.getLogger().handlers),
        "filters": list(warnings.filters),
    }


@pytest.fixture(params=ESTIMATORS)
def estimator(request):
    return ESTIMATORS[request.param]()


def test_a_fit_changes_nothing_of_the_callers(estimator, two_groups):
    X, known, _ = two_groups
    D = np.abs(known[:, None] - known).astype(float)
    known = known.astype(str)
    X_before, D_before, known_before, before = X.copy(), D.copy(), known.copy(), world()
    prior = known if isinstance(estimator, TAKE_LABELS_ALONE) else priors.distances(D)
    estimator.fit(X, prior=prior)
    assert world() == before
    np.testing.assert_array_equal(X, X_before)
    np.testing.assert_array_equal(D, D_before)
    np.testing.assert_array_equal(known, known_before)


def test_neither_does_one_that_fails(estimator, two_groups):
    X, known, _ = two_groups
    before = world()
    with pytest.raises(ValueError, match="'prior' has 10 samples, the data 90"):
        estimator.fit(X, prior=priors.labels(known)[:10])
    assert world() == before


def test_nothing_is_printed(estimator, two_groups, capfd):
    X, known, _ = two_groups
    estimator.fit(X, prior=priors.labels(known))
    assert capfd.readouterr() == ("", "")


def test_read_only_input_is_fine(estimator, two_groups):
    X, known, _ = two_groups
    X.setflags(write=False)
    known.setflags(write=False)
    by_labels = isinstance(estimator, TAKE_LABELS_ALONE)
    estimator.fit(X, prior=priors.labels(known) if by_labels else priors.features(X[:, :3]))
