"""The recommended map: chosen by trials, the same for a seed, and told in words."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from scipy.spatial.distance import cdist

import unprior as up
from unprior.selection import Choice, Composition
from unprior.selection import _choose as choosing
from unprior.selection import _trials as trials
from unprior.selection._choice import Trial
from unprior.selection._composition import Setting
from unprior.tuning._chance import luck, sum_prior


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
    assert tried[0] == choice.chosen == choosing.FIRST
    assert {*tried} == {choosing.FIRST, choosing.STEERED, choosing.PLAIN}
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


def test_entangled_structure_asks_for_a_compromise():
    """The prior is a blurred copy of all structure there is; what is left of that is noise."""
    rng = np.random.default_rng(0)
    clusters = 4 * rng.normal(size=(5, 2))
    structure = clusters[rng.integers(5, size=150)] + rng.normal(size=(150, 2))
    X = np.hstack([structure, rng.normal(size=(150, 30))])
    prior = up.priors.features(structure + 1.5 * rng.normal(size=(150, 2)))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=up.OverRemovalWarning)
        _, choice = up.embed(X, prior=prior, random_state=0, return_report=True)
    found = {trial.composition: trial for trial in choice.trials}
    assert {*found} == {choosing.FIRST, choosing.PLAIN, *choosing.COMPROMISES}
    assert choice.reason == choosing.COMPROMISED
    assert choice.chosen in choosing.COMPROMISES
    assert found[choice.chosen].data_kept > found[choosing.FIRST].data_kept
    assert found[choosing.FIRST].rest_kept < choosing.HOLDS_STRUCTURE


@pytest.mark.parametrize(("best", "plain", "warned"), [(0.1, 0.4, 1), (0.1, 0.2, 0), (0.3, 0.4, 0)])
def test_a_rest_that_only_the_plain_map_shows_is_warned_of(best, plain, warned):
    """Of a rest that no map shows there is nothing to say."""
    tried = Trial(choosing.FIRST, (0.0,), best, 0.1), Trial(choosing.PLAIN, (0.5,), plain, 0.6)
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", category=up.OverRemovalWarning)
        choosing._warn_of_loss(Choice(choosing.FIRST, tried, 100, choosing.ENTANGLED))
    assert [one.category for one in caught] == [up.OverRemovalWarning] * warned
    assert all("0.10, and a plain map 0.40" in str(one.message) for one in caught)


def test_more_priors_are_to_stand_out_more_from_luck(two_factor, rng):
    priors = {f"z{i}": up.priors.features(rng.normal(size=150)) for i in range(8)}
    part = trials.Part(two_factor.X, priors, Setting("euclidean", 2, None, 0), whole=True)
    plain = part.try_out(choosing.PLAIN)
    one = trials.Part(two_factor.X, dict([*priors.items()][:1]), part.setting, whole=True)
    one._maps, one.k = part._maps, part.k
    lucky = luck(
        up.priors.data_distances(part._maps[choosing.PLAIN], "euclidean"),
        part.k,
        sum_prior(priors["z0"]),
    )
    seen = replace(plain, each_left=(2.8 * lucky, *[0.0] * 7))
    assert not part.sees(seen)
    assert one.sees(replace(plain, each_left=(2.8 * lucky,)))


def test_a_compromise_that_leaves_the_prior_is_none(rng):
    """Nothing but noise is beside the prior; CONFETTI's gentle map would leave nearly all of it."""
    z = rng.normal(size=(150, 1))
    X = np.hstack([5 * z, rng.normal(size=(150, 30))])
    _, choice = up.embed(X, prior=up.priors.features(z), random_state=0, return_report=True)
    left = {trial.composition: trial.left for trial in choice.trials}
    assert left[Composition(contrast=0.5)] > choosing.MOST_LEFT * left[choosing.PLAIN]
    assert left[choice.chosen] < 0.1
    assert choice.reason == choosing.ENTANGLED
    order = [trial.composition for trial in choice.trials]
    assert order[-2:] == [Composition(contrast=0.5), choosing.PLAIN]


def test_where_the_prior_is_all_there_is_it_says_so(rng):
    z = rng.uniform(-3, 3, size=(150, 2))
    X = np.hstack([z, z**2 / 3, np.sin(z)])
    with pytest.warns(up.OverRemovalWarning, match="the prior explains all of the data") as caught:
        Y, choice = up.embed(X, prior=up.priors.features(z), random_state=0, return_report=True)
    assert caught[0].filename == __file__
    assert choice.reason == choosing.EXPLAINED
    assert abs(up.scores.neighbor_coherence(Y, up.priors.features(z))) < 0.1


def test_a_line_is_chosen_by_planes(two_factor, chosen):
    Y, choice = up.embed(
        two_factor.X, prior=two_factor.known, n_components=1, random_state=0, return_report=True
    )
    assert Y.shape == (150, 1)
    assert choice.trials == chosen[1].trials


def test_other_metrics_try_no_residual(two_factor):
    _, choice = up.embed(
        two_factor.X, prior=two_factor.known, metric="cityblock", random_state=0, return_report=True
    )
    assert all(trial.composition.residual is None for trial in choice.trials)


def test_l2_is_euclidean(two_factor):
    Y, other = (
        up.embed(two_factor.X, prior=two_factor.known, metric=metric, random_state=0)
        for metric in ("euclidean", "l2")
    )
    np.testing.assert_array_equal(Y, other)


def test_a_code_for_missing_values_hides_no_prior(rng):
    age = rng.uniform(20, 80, 200)
    X = rng.normal(size=(200, 4))
    X[:, 0] += age / 4
    coded = np.r_[9999.0, age[1:]]
    Y, choice = up.embed(X, prior=coded, random_state=0, return_report=True)
    assert choice.chosen == choosing.FIRST
    assert abs(up.scores.neighbor_coherence(Y[1:], age[1:])) < 0.05


def test_the_global_generator_is_left_alone(two_factor):
    before = str(np.random.get_state())  # noqa: NPY002
    up.embed(two_factor.X, prior=two_factor.known, method="tsne")
    assert str(np.random.get_state()) == before  # noqa: NPY002


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


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_an_unrelated_prior_costs_nothing(two_factor, kind):
    """Beyond what counts as luck is one in a hundred; then the map differs, but not by much."""
    plain = up.embed(two_factor.X, prior=two_factor.known, method="tsne", random_state=0)
    kept, as_plain = [], 0
    for seed in range(6):
        rng = np.random.default_rng(seed)
        nonsense = rng.permutation(two_factor.known) if kind == "labels" else rng.normal(size=150)
        Y, choice = up.embed(two_factor.X, prior=nonsense, random_state=0, return_report=True)
        if choice.reason == choosing.UNSEEN:
            as_plain += 1
            np.testing.assert_array_equal(Y, plain)
        kept.append(up.scores.overlap_curve(Y, two_factor.X).score[14])
    assert as_plain >= 4
    assert min(kept) > up.scores.overlap_curve(plain, two_factor.X).score[14] - 0.05


def test_one_prior_that_is_seen_is_enough_to_remove(two_factor, rng):
    priors = {"known": two_factor.known, "nonsense": rng.normal(size=150)}
    Y, choice = up.embed(two_factor.X, prior=priors, random_state=0, return_report=True)
    assert choice.reason != choosing.UNSEEN
    assert abs(up.scores.knn_purity(Y, two_factor.known, 10)) < 0.1


def test_a_seed_is_the_method_s_own(two_factor):
    drawn = up.embed(two_factor.X, prior=two_factor.known, method="jedi", random_state=3)
    jedi = up.JEDI(perplexity=30, random_state=3)
    np.testing.assert_array_equal(drawn, jedi.fit_transform(two_factor.X, prior=two_factor.known))


def test_a_metric_of_one_s_own_is_named(two_factor):
    def steps(a, b):
        return np.abs(a - b).sum()

    X = two_factor.X[:40]
    _, choice = up.embed(
        X, prior=two_factor.known[:40], metric=steps, random_state=0, return_report=True
    )
    assert "0x" not in choice.reason


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
