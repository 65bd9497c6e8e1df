"""The recommended map: chosen by trials, the same for a seed, and told in words."""

import warnings

import numpy as np
import pytest
import sklearn
from scipy.spatial.distance import cdist

import unprior as up
from unprior.selection import Composition
from unprior.selection import _trials as trials


@pytest.fixture(scope="module")
def two_factor():
    return up.datasets.make_two_factor(150, random_state=0)


@pytest.fixture(scope="module")
def chosen(two_factor):
    return up.embed(two_factor.X, prior=two_factor.known, random_state=0, return_report=True)


def test_the_prior_is_gone_and_the_hidden_factor_is_there(two_factor, chosen):
    Y, _ = chosen
    assert abs(up.scores.knn_purity(Y, two_factor.known, 10)) < 0.1
    assert up.scores.knn_purity(Y, two_factor.hidden, 10) > 0.9


def test_tells_the_choice_the_others_and_the_reason(chosen):
    _, choice = chosen
    text = str(choice)
    assert text.startswith(str(choice.chosen))
    assert choice.reason in text
    tried = [trial.composition for trial in choice.trials]
    assert tried[0] == choice.chosen == trials.FIRST
    assert {*tried} == {trials.FIRST, *trials.REMOVALS}
    for trial in choice.trials:
        assert str(trial.composition) in text


def test_the_same_seed_gives_the_same_map(two_factor, chosen):
    again = up.embed(two_factor.X, prior=two_factor.known, random_state=0, n_jobs=2)
    np.testing.assert_array_equal(again, chosen[0])


def test_many_samples_are_tried_on_some_of_them(two_factor, monkeypatch):
    monkeypatch.setattr(trials, "TRIAL_SAMPLES", 80)
    Y, choice = up.embed(two_factor.X, prior=two_factor.known, random_state=0, return_report=True)
    assert choice.n_samples == 80
    assert Y.shape == (150, 2)


def test_distances_give_what_features_give(two_factor, chosen):
    D = cdist(two_factor.X, two_factor.X)
    prior = up.priors.labels(two_factor.known)
    Y, choice = up.embed(D, prior=prior, metric="precomputed", random_state=0, return_report=True)
    assert choice.chosen == chosen[1].chosen
    assert up.scores.knn_purity(Y, two_factor.hidden, 10) > 0.9


def test_entangled_structure_asks_for_a_compromise(rng):
    """Nothing but noise is beside the prior, so a map of the rest shows nothing."""
    z = rng.normal(size=(150, 1))
    X = np.hstack([5 * z, rng.normal(size=(150, 30))])
    _, choice = up.embed(X, prior=up.priors.features(z), random_state=0, return_report=True)
    assert choice.chosen.residual is None
    assert choice.trials[-1].composition == trials.FIRST


def test_other_metrics_try_no_residual(two_factor):
    _, choice = up.embed(
        two_factor.X, prior=two_factor.known, metric="cityblock", random_state=0, return_report=True
    )
    assert all(trial.composition.residual is None for trial in choice.trials)


@pytest.mark.parametrize("method", ["tsne", "jedi", "confetti", "residual"])
def test_methods_by_name(two_factor, method):
    Y, choice = up.embed(
        two_factor.X, prior=two_factor.known, method=method, random_state=0, return_report=True
    )
    assert Y.shape == (150, 2)
    assert choice.trials == ()


def test_without_a_prior_it_is_tsne(two_factor):
    with pytest.warns(up.PriorMissingWarning):
        _, choice = up.embed(two_factor.X, prior=None, random_state=0, return_report=True)
    assert choice.chosen == Composition()


def test_a_prior_without_a_part_in_the_data_needs_no_removal(two_factor, rng):
    """Whatever is drawn, plain t-SNE is among what it is compared with."""
    nonsense = rng.permutation(two_factor.known)
    _, choice = up.embed(two_factor.X, prior=nonsense, random_state=0, return_report=True)
    left = {trial.composition: trial.left for trial in choice.trials}
    assert abs(left[choice.chosen]) <= abs(left[Composition()]) + 0.05


def test_an_independent_prior_costs_no_more_than_noise(two_factor, rng):
    nonsense = rng.permutation(two_factor.known)
    plain = up.embed(two_factor.X, prior=nonsense, method="tsne", random_state=0)
    Y = up.embed(two_factor.X, prior=nonsense, random_state=0)
    overlap = [up.scores.overlap_curve(m, two_factor.X).score[14] for m in (plain, Y)]
    assert overlap[1] > overlap[0] - 0.05


def test_bad_options_get_one_sentence(two_factor):
    with pytest.raises(ValueError, match="embed: 'method' takes"):
        up.embed(two_factor.X, prior=two_factor.known, method="umap")


def test_a_stop_ends_all_trials(two_factor, monkeypatch):
    def interrupted(*_):
        warnings.warn("stopped", up.InterruptedFitWarning, stacklevel=2)

    monkeypatch.setattr(Composition, "draw_rest", interrupted)
    with pytest.raises(KeyboardInterrupt):
        up.embed(two_factor.X, prior=two_factor.known, random_state=0)


def test_a_rare_class_is_among_those_tried(two_factor, monkeypatch):
    monkeypatch.setattr(trials, "TRIAL_SAMPLES", 60)
    rare = np.where(np.arange(150) < 3, "b", "a")
    Y, choice = up.embed(two_factor.X, prior=rare, random_state=0, return_report=True)
    assert Y.shape == (150, 2)
    assert choice.n_samples == 60


def test_the_map_is_an_array_whatever_scikit_learn_is_told(two_factor):
    with sklearn.config_context(transform_output="pandas"):
        Y = up.embed(two_factor.X, prior=two_factor.known, random_state=0)
    assert isinstance(Y, np.ndarray)


def test_the_reason_is_true_where_no_residual_was_tried(two_factor):
    _, choice = up.embed(
        two_factor.X, prior=two_factor.known, metric="cityblock", random_state=0, return_report=True
    )
    assert "since the metric is 'cityblock'" in choice.reason
    assert "nan" not in str(choice)


def test_a_residual_by_another_metric_is_refused(two_factor):
    with pytest.raises(ValueError, match="embed: method 'residual' takes the metric"):
        up.embed(two_factor.X, prior=two_factor.known, method="residual", metric="cosine")


def test_errors_speak_for_embed(two_factor):
    X = two_factor.X.copy()
    X[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"^embed: "):
        up.embed(X, prior=two_factor.known)
