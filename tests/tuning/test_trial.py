import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from unprior import JEDI, ConfettiNeighbors, Residual, priors
from unprior.datasets import make_two_factor
from unprior.scores import neighbor_purity
from unprior.scores._neighbors import nearest
from unprior.tuning._trial import Linked, plan_trial, read_result

DATA = make_two_factor(60, random_state=0)


@pytest.fixture
def trial():
    jedi = JEDI(n_iter=20, random_state=0)
    return plan_trial(jedi, DATA.X, {"known": priors.labels(DATA.known)}, 10)


def test_another_process_can_run_it(trial):
    assert pickle.loads(pickle.dumps(trial)).run(1.0) == trial.run(1.0)


def test_noise_is_on_the_scale_of_purity_also_with_classes_smaller_than_k(trial):
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(12), 5).astype(str)
    known = {"known": priors.labels(labels)}
    step = plan_trial(trial.estimator, DATA.X, known, 10).run(0.0)
    Y = clone(trial.estimator).set_params(strength=0.0).fit_transform(DATA.X, prior=known)
    shuffled = [neighbor_purity(Y, rng.permutation(labels), 10) for _ in range(300)]
    assert step.noise["known"] == pytest.approx(2 * np.std(shuffled), rel=0.15)


def test_strengths_do_not_depend_on_those_before(trial):
    alone = trial.run(2.0)
    trial.run(0.0)
    assert trial.run(2.0) == alone
    assert trial.estimator.strength == 1.0


GRAPH = csr_matrix(
    # A chain 0-1-2-3 with an edge of length zero, which is no missing one.
    (
        [0.0, 2.0, 0.0, 2.0, 0.0, 0.0, 0.0, 5.0, 0.0, 5.0],
        ([0, 0, 1, 1, 1, 2, 2, 2, 3, 3], [0, 1, 1, 0, 2, 2, 1, 3, 3, 2]),
    ),
    shape=(4, 4),
)
LENGTHS = np.array(
    [[0, 2, np.inf, np.inf], [2, 0, 0, np.inf], [np.inf, 0, 0, 5], [np.inf, np.inf, 5, 0]]
)


def test_samples_without_an_edge_are_infinitely_far_apart():
    before = GRAPH.copy()
    view = read_result("test", ConfettiNeighbors(), GRAPH)
    np.testing.assert_array_equal(view.to_array(), LENGTHS)
    np.testing.assert_array_equal(view.pairs(np.array([0, 2]), np.array([3, 1])), [np.inf, 0])
    np.testing.assert_array_equal(view[[3, 2]].to_array(), [[0, 5], [5, 0]])
    assert (before != GRAPH).nnz == 0


def test_neighbours_beyond_the_edges_share_the_places_that_are_left():
    view = read_result("test", ConfettiNeighbors(), GRAPH)
    found = nearest(view, np.array([0]), 2)
    np.testing.assert_array_equal(found.column, [1, 2, 3])
    np.testing.assert_array_equal(found.weight, [1, 0.5, 0.5])


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_residuals_are_data_or_distances_as_the_estimator_says(metric):
    square = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    view = read_result("test", Residual(metric=metric), square)
    apart = view.to_array()[1, 2]
    expected = 5 if metric == "precomputed" else np.linalg.norm(square[1] - square[2])
    assert apart == pytest.approx(expected)
    assert not isinstance(view, Linked)
