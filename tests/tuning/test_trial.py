import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

from unprior import JEDI, ConfettiNeighbors, Residual, priors
from unprior.datasets import make_two_factor
from unprior.scores import neighbor_purity
from unprior.scores._neighbors import nearest
from unprior.tuning._trial import MATES, RARE, Linked, draw_part, plan_trial, read_result

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
    # A chain 0-1-2-3 with an edge of length zero, which is not a missing edge.
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


def test_all_if_there_are_no_more():
    np.testing.assert_array_equal(draw_part([], 5, 9, seed=0), np.arange(5))


def test_the_same_seed_draws_the_same_samples_in_order():
    rows = draw_part([], 100, 20, seed=3)
    np.testing.assert_array_equal(rows, draw_part([], 100, 20, seed=3))
    assert (np.diff(rows) > 0).all()


@pytest.mark.parametrize(
    "prior",
    [
        priors.labels(["a"] * 2980 + ["b"] * 20),
        priors.features(np.r_[np.zeros(2980), np.arange(1.0, 21.0)]),
    ],
    ids=["labels", "features"],
)
def test_rare_samples_take_the_place_of_others(prior):
    rows = draw_part([prior], 3000, 40, seed=1)
    assert len(rows) == len(set(rows)) == 40
    assert not prior[rows].is_constant()
    assert (rows >= 2980).sum() <= RARE


def test_many_small_classes_are_drawn_as_classes():
    """At random, a sample would have 1.4 others of its class, where it has 139 in the data."""
    prior = priors.labels(np.arange(70_000) % 500)
    rows = draw_part([prior], 70_000, 1000, seed=0)
    assert len(set(rows)) == 1000
    assert (np.diff(rows) > 0).all()
    sizes = np.unique(prior.codes[rows], return_counts=True)[1]
    np.testing.assert_array_equal(np.sort(sizes)[1:], MATES + 1)


def test_samples_that_are_a_class_each_come_last():
    prior = priors.labels(np.r_[np.repeat(np.arange(20), 2), np.arange(20, 5000)])
    rows = draw_part([prior], prior.n_samples, 50, seed=0)
    assert {*range(40)} <= {*rows.tolist()}
    assert len(set(rows)) == 50


@pytest.mark.parametrize("n_classes", [2, 30])
def test_classes_of_which_enough_are_drawn_change_nothing(n_classes):
    prior = priors.labels(np.arange(3000) % n_classes)
    np.testing.assert_array_equal(draw_part([prior], 3000, 900, 2), draw_part([], 3000, 900, 2))


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("turn", [1, -1])
def test_no_prior_takes_the_rare_samples_of_another(seed, turn):
    """Classes are drawn for the pairs, and rare samples for both of the others."""
    rng = np.random.default_rng(0)
    pairs = priors.labels(rng.permutation(np.arange(2500) // 2))
    rare = [priors.labels(np.isin(np.arange(2500), some)) for some in ([3, 900], [4, 901])]
    known = [*rare, pairs][::turn]
    rows = draw_part(known, 2500, 40, seed)
    assert len(set(rows)) == 40
    assert not any(prior[rows].is_constant() for prior in known)
