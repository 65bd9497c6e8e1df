"""`unprior.embed`: the map, and a report that scores the map that is returned."""

import json

import numpy as np
import pytest
import sklearn
from scipy.spatial.distance import pdist, squareform
from sklearn.base import clone
from sklearn.preprocessing import normalize

import unprior as up
from unprior import scores
from unprior._embed import METHODS
from unprior.estimators import _independent_tsne

#: Methods of which the estimator in the report takes the prior itself.
SINGLE = [name for name in METHODS if name != "residual"]


@pytest.fixture(scope="module")
def data():
    return up.datasets.make_two_factor(120, random_state=0)


def draw(X, prior, **options):
    """Draw a map of a fixed seed, with its report."""
    return up.embed(X, prior=prior, **{"random_state": 0, "return_report": True, **options})


@pytest.fixture(scope="module")
def drawn(data):
    return draw(data.X, data.known)


def overlap(Y, X):
    """Share of the 15 nearest in the data that are among the 15 nearest on a map."""
    rows = scores.report(Y, X=X).rows
    return next(row.score for row in rows if row.measure == "neighbor_overlap")


def test_the_prior_goes_and_hidden_structure_stays(data, drawn):
    Y, report = drawn
    assert Y.shape == (120, 2)
    assert report.before["prior"] > 0.9
    assert abs(report.left["prior"]) <= 0.05
    assert scores.neighbor_purity(Y, data.hidden) > 0.9


def test_the_report_scores_the_map_that_is_returned(data, drawn):
    Y, report = drawn
    assert report.left == {"prior": scores.neighbor_coherence(Y, data.known)}
    assert report.before == {"prior": scores.neighbor_coherence(data.X, data.known)}
    assert report.kept == scores.kept_within(Y, data.X, data.known)
    assert (report.n_samples, report.n_scored) == (120, 120)


@pytest.mark.parametrize("method", SINGLE)
def test_the_estimator_of_the_report_draws_the_same_map(data, method):
    Y, report = draw(data.X, data.known, method=method)
    again = clone(report.estimator).fit_transform(data.X, prior=data.known)
    np.testing.assert_array_equal(again, Y)
    assert not hasattr(report.estimator, "embedding_")


@pytest.mark.parametrize("strength", [0.0, 0.4, 1.0])
def test_the_residual_is_taken_out_and_mapped_by_plain_tsne(data, strength):
    Y, report = draw(data.X, data.known, method="residual", strength=strength)
    residual = up.Residual("aligned", strength=strength).fit_transform(data.X, prior=data.known)
    plain = up.IndependentTSNE(strength=0.0, random_state=0)
    np.testing.assert_array_equal(plain.fit_transform(residual, prior=data.known), Y)
    assert report.settings["estimator"] == "Residual, IndependentTSNE"
    assert report.settings["residual__strength"] == strength
    # t-SNE comes second and is given no prior, without a warning.
    again = report.estimator.fit_transform(data.X, residual__prior=data.known)
    np.testing.assert_array_equal(again, Y)


def test_auto_is_independent_and_plain_tsne_is_its_strength_0(data, drawn):
    np.testing.assert_array_equal(draw(data.X, data.known, method="independent")[0], drawn[0])
    plain, report = draw(data.X, data.known, method="tsne")
    none, at_zero = draw(data.X, data.known, strength=0.0)
    np.testing.assert_array_equal(plain, none)
    assert report.multiplier == at_zero.multiplier == {"prior": 0.0}
    assert "at strength 0" in at_zero.reason
    assert report.left["prior"] > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_every_report_goes_to_json_and_names_every_setting(data, method):
    _, report = draw(data.X, {"batch": data.known}, method=method)
    told = report.to_dict()
    assert json.loads(json.dumps(told)) == told
    assert told["method"] == told["settings"]["method"] == method
    assert [*told["left"]] == [*told["before"]] == ["batch"]
    steps = dict(getattr(report.estimator, "steps", [("", report.estimator)]))
    for step, estimator in steps.items():
        names = {f"{step}__{name}" if step else name for name in estimator.get_params(deep=False)}
        assert names <= told["settings"].keys()
    resolved = told["settings"].keys() - {"method", "neighbors"}  # CONFETTI's search stays "auto"
    assert "auto" not in [told["settings"][name] for name in resolved]


def test_settings_are_those_that_were_used(data, drawn):
    settings = drawn[1].settings
    assert (settings["estimator"], settings["residual"]) == ("IndependentTSNE", "aligned")
    assert (settings["n_iter"], settings["learning_rate"]) == (500, 30.0)
    assert settings["perplexity"] == 30
    assert draw(data.X[:40], data.known[:40])[1].settings["perplexity"] == 13
    unlike = draw(data.X, data.known, metric="cityblock")[1].settings
    assert unlike["residual"] is None


def test_a_seed_of_any_kind_is_told_as_a_number(data):
    Y, report = draw(data.X, data.known, random_state=np.random.RandomState(3))
    seed = report.settings["random_state"]
    assert isinstance(seed, int)
    np.testing.assert_array_equal(draw(data.X, data.known, random_state=seed)[0], Y)
    _, unseeded = draw(data.X, data.known, random_state=None)
    assert isinstance(unseeded.settings["random_state"], int)


def test_the_callers_world_stays_as_it_was(data):
    X, known = data.X.copy(), data.known.copy()
    state = np.random.get_state()  # noqa: NPY002 (the global state is what must not change)
    draw(X, known, random_state=None)
    after = np.random.get_state()  # noqa: NPY002
    assert (state[1].tobytes(), state[2]) == (after[1].tobytes(), after[2])
    np.testing.assert_array_equal(X, data.X)
    np.testing.assert_array_equal(known, data.known)


@pytest.mark.parametrize("strength", [[1.0, 0.0], {"value": 0.0, "batch": 1.0}, np.array([1, 0])])
def test_each_prior_has_its_own_strength(data, strength):
    prior = {"batch": data.known, "value": data.X[:, -1]}
    _, report = draw(data.X, prior, strength=strength)
    assert abs(report.left["batch"]) <= 0.05
    assert report.multiplier["value"] == 0
    told = json.loads(json.dumps(report.to_dict()))["settings"]["strength"]
    assert told == (strength.tolist() if isinstance(strength, np.ndarray) else strength)


def test_several_priors_go_together():
    rng = np.random.default_rng(0)
    batch, site, hidden = rng.integers(0, 3, (3, 300))
    X = rng.normal(size=(300, 9))
    for first, labels in ((0, batch), (3, site), (6, hidden)):
        X[:, first : first + 3] += 5 * np.eye(3)[labels]
    prior = {"batch": batch.astype(str), "site": site.astype(str)}
    Y, report = draw(X, prior)
    assert max(map(abs, report.left.values())) <= 0.05
    assert scores.neighbor_purity(Y, hidden) > 0.9


def test_strength_is_linear_in_what_is_left(data):
    _, plain = draw(data.X, data.known, method="tsne")
    _, half = draw(data.X, data.known, strength=0.5)
    assert half.left["prior"] == pytest.approx(plain.left["prior"] / 2, abs=0.05)


def test_a_class_of_nine_tenths_is_no_obstacle():
    rng = np.random.default_rng(0)
    rare, hidden = rng.random(300) < 0.1, rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 8))
    X[:, 0] += 6 * rare
    X[:, 2:5] += 5 * np.eye(3)[hidden]
    labels = np.where(rare, "rare", "usual")
    Y, report = draw(X, labels)
    assert report.before["prior"] > 0.5
    assert abs(report.left["prior"]) <= 0.05
    assert max(map(abs, scores.class_purity(Y, labels).values())) <= 0.05
    assert scores.neighbor_purity(Y, hidden) > 0.9


def test_a_prior_that_tells_nothing_costs_nothing():
    data = up.datasets.make_two_factor(300, random_state=0)
    permuted = np.random.default_rng(0).permutation(data.known)
    Y, report = draw(data.X, permuted)
    plain = up.embed(data.X, prior=permuted, method="tsne", random_state=0)
    assert overlap(Y, data.X) > overlap(plain, data.X) - 0.02
    assert report.settings["residual"] is None
    assert "not visible" in report.reason


def test_distances_give_about_the_map_of_their_data(data):
    Y, report = draw(squareform(pdist(data.X)), data.known, metric="precomputed")
    assert abs(report.left["prior"]) <= 0.05
    assert report.settings["residual"] == "aligned"
    assert scores.neighbor_purity(Y, data.hidden) > 0.9


@pytest.mark.parametrize("metric", ["cosine", "cityblock", lambda x, y: np.abs(x - y).max()])
def test_other_metrics(data, metric):
    _, report = draw(data.X, data.known, metric=metric)
    assert report.left["prior"] < 0.5 * report.before["prior"]
    assert report.before == {
        "prior": scores.neighbor_coherence(up.priors.features(data.X, metric=metric), data.known)
    }
    json.dumps(report.to_dict())


@pytest.mark.parametrize("n_components", [1, 3])
def test_other_dimensions(data, n_components):
    Y, report = draw(data.X, data.known, n_components=n_components)
    assert Y.shape == (120, n_components)
    assert abs(report.left["prior"]) <= 0.1


def test_without_a_prior_it_is_tsne_and_says_so(data):
    with pytest.warns(up.PriorMissingWarning, match="^embed was fitted without a prior") as caught:
        Y, report = draw(data.X, None)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(Y, up.embed(data.X, prior=data.known, strength=0, random_state=0))
    assert report.left == report.before == report.multiplier == {}
    assert report.to_dict()["kept"] is None
    assert report.reason == "There is no prior to factor out."


def test_a_report_prints_as_a_few_lines(data, drawn):
    lines = repr(drawn[1]).splitlines()
    assert lines[0].startswith("auto: t-SNE of the data and their aligned residual")
    assert lines[1].startswith("- prior: 0.9")
    assert lines[2].startswith("- kept of the data within the prior: 0.")
    assert "-0.00" not in repr(drawn[1])
    named = draw(data.X, {"<b>": data.known})[1]._repr_html_()
    assert "&lt;b&gt;" in named
    assert "<b>" not in named


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": "tsen"}, "^embed: 'method' takes .*got 'tsen'.*Did you mean 'tsne'"),
        ({"strength": -1}, "^embed: 'strength' takes .*got -1"),
        ({"strength": 1.5}, r"'strength' takes a number in \[0, 1\].*got 1.5"),
        ({"strength": [1, 1]}, "'strength' takes a number or one for each prior; got 2 for 1"),
        ({"strength": {"batch": 1}}, r"'strength' takes one number for each prior, \['prior'\]"),
        ({"method": "residual", "strength": [1]}, r"^embed: 'strength' takes a number in \[0, 1\]"),
        ({"method": "residual", "metric": "cityblock"}, "^embed: 'metric' takes 'euclidean' or"),
        ({"metric": "euclidian"}, "[Dd]id you mean 'euclidean'"),
        ({"n_components": 4}, "^embed: 'n_components' takes"),
        ({"n_jobs": 0}, "^embed: 'n_jobs' takes"),
        ({"random_state": -1}, "^embed: 'random_state' takes"),
        ({"verbose": "yes"}, "^embed: 'verbose' takes"),
    ],
)
def test_bad_options_are_named(data, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        up.embed(data.X, prior=data.known, **options)


def test_bad_data_and_priors_are_named(data):
    spoilt = data.X.copy()
    spoilt[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"^embed: 'X' holds NaN .first in row 3, column 1"):
        up.embed(spoilt, prior=data.known)
    with pytest.raises(ValueError, match=r"^embed: .*'prior'.* 100 .*120"):
        up.embed(data.X, prior=data.known[:100])
    with pytest.raises(ValueError, match=r"^embed: the prior says nothing"):
        up.embed(data.X, prior=["a"] * 120)
    with pytest.raises(ValueError, match=r"^embed: all 120 rows of 'X' are identical"):
        up.embed(np.ones((120, 2)), prior=data.known)


def test_a_map_that_keeps_little_is_warned_of(data):
    # Removing the data themselves leaves nothing to keep.
    with pytest.warns(up.UnpriorWarning) as caught:
        _, report = draw(data.X, {"all": up.priors.features(data.X)})
    lost = [w for w in caught if issubclass(w.category, up.OverRemovalWarning)]
    assert len(lost) == 1
    assert f"({report.kept:.2f}; 0 is chance" in str(lost[0].message)
    assert lost[0].filename == __file__


def test_the_number_of_threads_changes_no_bit(data, drawn, monkeypatch):
    monkeypatch.setattr(_independent_tsne, "FEW", 0)  # so that there are several threads at all
    np.testing.assert_array_equal(draw(data.X, data.known, n_jobs=2)[0], drawn[0])


@pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")
@pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning")
def test_a_stop_from_the_keyboard_keeps_the_map_so_far(data, monkeypatch):
    from unprior.optimize import _minimize

    advance, calls = _minimize.advance, []

    def stopped(*step):
        calls.append(step)
        if len(calls) == 20:
            raise KeyboardInterrupt
        return advance(*step)

    monkeypatch.setattr(_minimize, "advance", stopped)
    with pytest.warns(up.InterruptedFitWarning, match="after 20 of 500 steps"):
        Y, report = draw(data.X, data.known)
    assert np.isfinite(Y).all()
    assert report.left == {"prior": scores.neighbor_coherence(Y, data.known)}


@pytest.mark.parametrize("method", ["auto", "residual"])
def test_settings_of_scikit_learn_change_nothing(data, method):
    pytest.importorskip("pandas")
    Y = up.embed(data.X, prior=data.known, method=method, random_state=0)
    with sklearn.config_context(transform_output="pandas", enable_metadata_routing=True):
        again = up.embed(data.X, prior=data.known, method=method, random_state=0)
    assert isinstance(again, np.ndarray)
    np.testing.assert_array_equal(again, Y)


class TestCosine:
    """Directions have a residual, a report and all scores, as data have."""

    @pytest.fixture
    def E(self, data):
        lengths = np.random.default_rng(0).uniform(1, 3, (len(data.X), 1))
        return data.X * lengths

    @pytest.mark.parametrize("method", ["auto", "residual", "tsne"])
    def test_a_map_of_directions_is_that_of_unit_vectors(self, data, E, method):
        options = {"prior": {"known": data.known}, "method": method, "random_state": 0}
        Y, report = up.embed(E, metric="cosine", return_report=True, **options)
        np.testing.assert_array_equal(Y, up.embed(normalize(E), **options))
        step = "residual__" if method == "residual" else ""
        assert report.settings[f"{step}metric"] == "cosine"
        again = report.estimator.fit_transform(E, **{f"{step}prior": options["prior"]})
        np.testing.assert_array_equal(again, Y)

    def test_the_report_names_the_residual(self, data, E):
        report = up.embed(E, prior=data.known, metric="cosine", random_state=0, return_report=True)[
            1
        ]
        assert "t-SNE of the data's directions and their aligned residual" in report.reason
        assert report.multiplier

    def test_new_samples_are_placed_by_their_direction(self, data, E):
        known = up.priors.labels(data.known)
        tsne = up.IndependentTSNE(metric="cosine", random_state=0).fit(E[:100], prior=known[:100])
        unit = up.IndependentTSNE(random_state=0).fit(normalize(E[:100]), prior=known[:100])
        assert tsne.residual_.metric == "cosine"
        new = tsne.transform(3 * E[100:], prior=data.known[100:])
        want = unit.transform(normalize(3 * E[100:]), prior=data.known[100:])
        np.testing.assert_allclose(new, want)

    def test_scores_are_complete(self, data, E):
        Y = np.random.default_rng(0).normal(size=(len(E), 2))
        with pytest.warns(up.OverRemovalWarning):
            told = up.scores.report(Y, X=E, prior=data.known, metric="cosine").to_dict()
        assert {"rest", "within", "data"} <= told.keys()
        unit = E / np.linalg.norm(E, axis=1, keepdims=True)
        rest = up.scores.rest_kept(Y, unit, data.known)
        assert told["rest"]["neighbor_coherence"] == pytest.approx(rest)

    def test_residuals_of_directions(self, data, E):
        unit = E / np.linalg.norm(E, axis=1, keepdims=True)
        residual = up.Residual(metric="cosine").fit(E, prior=data.known)
        want = up.Residual().fit(unit, prior=data.known)
        np.testing.assert_allclose(residual.transform(E), want.transform(unit))
        got = residual.transform(E[:5] * 2, prior=data.known[:5])
        np.testing.assert_allclose(got, want.transform(unit[:5], prior=data.known[:5]))

    def test_a_row_of_zeros_has_no_direction(self, data, E):
        E[7] = 0
        with pytest.raises(ValueError, match=r"^embed: 'X' .* row 7 is all zero"):
            up.embed(E, prior=data.known, metric="cosine")
