import joblib
import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

import unprior as up
from unprior.scores import Measurement, Report
from unprior.tuning import Step
from unprior.tuning._tune import FRACTIONS, GONE, GRID, KNEE, choose, closer

DATA = up.datasets.make_two_factor(120, random_state=0)
X, KNOWN = DATA.X, DATA.known
QUICK = {"strengths": [0, 1], "prior": KNOWN}

ESTIMATORS = [
    up.JEDI(n_iter=60),
    up.Confetti(embedder="tsne", embedder_params={"n_iter": 30}),
    up.Confetti(operator="quantile", embedder="tsne", embedder_params={"n_iter": 30}),
    up.ConfettiNeighbors(),
    up.Residual("linear"),
    up.InverseSLLE(),
]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_every_estimator_with_a_strength_loses_some_of_the_prior(estimator):
    before = str(estimator.get_params())
    path = up.tune(estimator, X, **QUICK)
    assert path.left[1] < path.left[0]
    assert str(estimator.get_params()) == before
    assert not hasattr(estimator, "n_features_in_")
    assert path.to_dict() == up.tune(estimator, X, **QUICK).to_dict()


def test_scores_are_those_of_a_fit_from_scratch():
    path = up.tune(up.JEDI(n_iter=60, random_state=3), X, prior=KNOWN, strengths=[0.5, 1, 2])
    Y = up.JEDI(n_iter=60, random_state=3, strength=2).fit_transform(X, prior=KNOWN)
    report = up.scores.report(Y, X=X, prior=KNOWN)
    assert path.steps[2].report.to_dict() == report.to_dict()


def test_it_finds_where_the_prior_is_gone():
    path = up.tune(up.Residual("linear"), X, prior=KNOWN)
    assert {*FRACTIONS} < {*path.strengths}
    assert len(path.strengths) == len(FRACTIONS) + 2
    best = path.strengths.tolist().index(path.best_strength)
    assert path.left[best] <= path.left_noise[best]
    assert (path.left[:best] > path.left_noise[:best]).all()
    gap = path.strengths[best] - path.strengths[best - 1]
    assert gap == pytest.approx(0.25 / 4)


def test_a_prior_that_has_nothing_to_do_with_the_data_needs_no_strength():
    luck = np.random.default_rng(0).permutation(KNOWN)
    path = up.tune(up.Residual(), X, prior=luck)
    assert path.best_strength == 0
    np.testing.assert_array_equal(path.strengths, FRACTIONS)


@pytest.mark.parametrize(
    ("estimator", "grid"),
    [
        (up.ConfettiNeighbors(operator="linear"), GRID),
        (up.ConfettiNeighbors(), FRACTIONS),
        (up.ConfettiNeighbors(operator="quantile"), FRACTIONS),
        (up.InverseSLLE(), FRACTIONS),
    ],
)
def test_the_grid_goes_as_far_as_the_strength(estimator, grid):
    assert {*grid} <= {*up.tune(estimator, X, prior=KNOWN).strengths}


@pytest.mark.parametrize("operator", ["auto", "balanced", "quantile"])
def test_strengths_that_are_shares_end_at_one(operator):
    message = r"^ConfettiNeighbors: 'strength' takes a number in \[0, 1\] .*\"linear\"\); got 2"
    with pytest.raises(ValueError, match=message):
        up.tune(up.ConfettiNeighbors(operator=operator), X, prior=KNOWN, strengths=[1, 2])
    path = up.tune(up.ConfettiNeighbors(operator="linear"), X, prior=KNOWN, strengths=[1, 2])
    assert path.strengths.tolist() == [1, 2]


def test_distances_and_a_subset_of_their_samples():
    D = squareform(pdist(X))
    kinds = {"strengths": [0, 1], "prior": up.priors.labels(KNOWN), "n_samples": 100}
    of_distances = up.tune(up.Residual("linear", metric="precomputed"), D, **kinds)
    of_features = up.tune(up.Residual("linear"), X, **kinds)
    np.testing.assert_allclose(of_distances.left, of_features.left, atol=1e-6)
    np.testing.assert_allclose(of_distances.kept, of_features.kept, atol=1e-6)
    assert of_distances.n_samples == 120
    assert of_distances.steps[0].report.n_samples == 100


def test_seeds_choose_the_subset():
    one, same, other = (
        up.tune(up.Residual(), X, **QUICK, n_samples=80, random_state=seed).to_dict()
        for seed in (1, 1, 2)
    )
    assert one == same
    assert one["kept"] != other["kept"]


def test_an_estimator_without_a_seed_gets_one():
    estimator = up.JEDI(n_iter=20, init="random")
    one, same, other = (
        up.tune(estimator, X, **QUICK, random_state=seed).to_dict() for seed in (1, 1, 2)
    )
    assert one == same
    assert one["kept"] != other["kept"]
    assert estimator.random_state is None


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_the_result_is_the_same_on_any_backend(backend):
    estimator = up.JEDI(n_iter=30)
    alone = up.tune(estimator, X, **QUICK)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert up.tune(estimator, X, **QUICK).to_dict() == alone.to_dict()


def test_a_stop_from_the_keyboard_stops_all_strengths():
    fits = []

    def stop(iteration, objective, embedding):
        fits.append(iteration)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        up.tune(up.JEDI(callbacks=[stop]), X, **QUICK)
    assert fits == [0]


@pytest.mark.parametrize(
    ("estimator", "told", "message"),
    [
        (up.ConditionalTSNE(), {}, r"takes one with a strength, JEDI\(\), .*; got ConditionalTSNE"),
        (up.JEDI, {}, "got the class JEDI"),
        ("jedi", {}, "got str"),
        (up.Residual(), {"strengths": [0, 2]}, r"Residual: 'strength' takes a number in \[0, 1\]"),
        (up.JEDI(), {"strengths": [-1.0]}, "tune: 'strengths' takes a number of at least 0"),
        (up.JEDI(), {"strengths": ["auto"]}, "tune: 'strengths' takes a number of at least 0"),
        (up.JEDI(), {"strengths": []}, "tune: 'strengths' takes None or a list of numbers"),
        (up.JEDI(), {"strengths": 1.0}, "tune: 'strengths' takes None or a list of numbers"),
        (up.JEDI(), {"n_samples": 2}, "tune: 'n_samples' takes None"),
        (up.JEDI(), {"k": 60}, r"tune: 'k' takes a whole number in \[1, 59\]"),
        (up.JEDI(), {"prior": None}, "tune: 'prior' is None"),
        (up.JEDI(), {"prior": KNOWN[:9]}, "tune: 'prior' has 9 samples, the data 120"),
        (up.JEDI(), {"prior": ["a"] * 120}, "tune: the prior says nothing"),
    ],
)
def test_bad_input_is_refused_before_any_fit(estimator, told, message, monkeypatch):
    monkeypatch.setattr("unprior.tuning._trial.Trial.run", None)
    with pytest.raises((TypeError, ValueError), match=message):
        up.tune(estimator, X, **{**QUICK, **told})


NOISE = 0.02


def step(strength, kept=0.5, **left):
    rows = [Measurement("prior", name, "neighbor_purity", s, 0.0, 0.0) for name, s in left.items()]
    rows.append(Measurement("data", "data", "neighbor_overlap", kept, 0.0, 0.1))
    return Step(strength, Report(tuple(rows), 15, 100, 100), dict.fromkeys(left, NOISE))


def path(left, strengths=(0.0, 0.5, 1.0, 2.0)):
    return choose([step(s, known=x) for s, x in zip(strengths, left, strict=True)], 100)


@pytest.mark.parametrize(
    ("left", "best", "rule"),
    [
        ([0.9, 0.4, 0.01, -0.3], 1.0, GONE),  # the least that is enough, not that leaves least
        ([0.9, 0.4, 0.03, 0.02], 2.0, GONE),  # as much as noise is not more
        ([0.01, 0.0, 0.0, 0.0], 0.0, GONE),  # there was nothing to remove
        ([0.9, -0.2, 0.0, 0.0], 0.5, GONE),  # less than chance is not left
        ([0.9, 0.52, 0.51, 0.5], 0.5, KNEE),  # flat from here on, but for noise
        ([0.9, 0.53, 0.49, 0.5], 1.0, KNEE),
        ([0.9, 0.53, 0.3, 0.6], 1.0, KNEE),  # a higher strength may bring more back
        ([0.9, 0.9, 0.9, 0.9], 0.0, KNEE),  # no strength has an effect
    ],
)
def test_the_least_strength_that_is_enough(left, best, rule):
    found = path(left)
    assert (found.best_strength, found.rule) == (best, rule)


def test_strengths_come_in_any_order():
    steps = [step(2.0, known=0.0), step(0.0, known=0.9), step(1.0, known=0.01)]
    found = choose(steps, 100)
    np.testing.assert_array_equal(found.strengths, [0, 1, 2])
    assert found.best_strength == 1


def test_of_several_priors_all_have_to_be_gone():
    steps = [step(0.0, a=0.9, b=0.3), step(1.0, a=0.0, b=0.2), step(2.0, a=0.01, b=0.0)]
    found = choose(steps, 100)
    assert found.best_strength == 2
    np.testing.assert_array_equal(found.left, [0.9, 0.2, 0.01])


def test_the_next_look_is_between_enough_and_too_weak():
    assert closer(path([0.9, 0.4, 0.01, -0.3])) == [0.75]
    assert closer(path([0.9, 0.52, 0.51, 0.5])) == [0.25]
    assert closer(path([0.0, 0.0, 0.0, 0.0])) == []
