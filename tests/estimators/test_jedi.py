"""JEDI as a user meets it."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

import unprior as up
from reference import jedi as reference
from unprior import priors, scores
from unprior.estimators._jedi import FEW, MOST_EXACT
from unprior.objectives import (
    PriorDivergence,
    Problem,
    WeightedPrior,
    exact_objective,
    sampled_objective,
)
from unprior.objectives._sampled import SampledDivergence


def test_equals_a_plain_numpy_descent(rng):
    X, Z = rng.normal(size=(40, 4)), rng.normal(size=(40, 2))
    start = 1e-2 * rng.normal(size=(40, 2))
    settings = {"symmetry": 0.3, "skewness": 0.9, "strength": 0.7}
    jedi = up.JEDI(
        perplexity=8, prior_perplexity=4, init=start, n_iter=30, min_grad_norm=0, **settings
    ).fit(X, prior=Z)
    P = reference.affinities(cdist(X, X), 8)
    R = reference.affinities(cdist(Z, Z), 4)
    expected = reference.descend(
        start, P, [(R, 0.7)], 0.3, 0.9, n_iter=30, learning_rate=jedi.learning_rate_
    )
    np.testing.assert_allclose(jedi.embedding_, expected, atol=1e-4 * np.abs(expected).max())


def test_the_objective_is_the_true_one_also_while_exaggerating(two_groups):
    X, _, _ = two_groups
    maps = []
    jedi = up.JEDI(n_iter=30, random_state=0, callbacks=[lambda t, value, Y: maps.append(Y)]).fit(
        X, prior=priors.features(X[:, :3])
    )
    assert jedi.objective_.shape == (jedi.n_iter_,) == (30,)
    P = reference.affinities(cdist(X, X), jedi.perplexity_)
    R = reference.affinities(cdist(X[:, :3], X[:, :3]), jedi.prior_perplexity_)
    for t in (0, 5, 29):
        expected = reference.objective(maps[t], P, [(R, 1.0)], 0.0, 0.99)
        assert jedi.objective_[t] == pytest.approx(expected, abs=1e-6)


def test_the_prior_goes_and_the_hidden_structure_stays(two_groups):
    """The sign is right: with the opposite sign, the purity of the prior rises."""
    X, known, hidden = two_groups
    with pytest.warns(up.PriorMissingWarning, match="JEDI was fitted without a prior"):
        plain = up.JEDI(random_state=0).fit_transform(X)
    ours = up.JEDI(random_state=0, strength=1.5).fit_transform(X, prior=priors.labels(known))
    assert scores.neighbor_purity(plain, priors.labels(known)) > 0.9
    assert scores.neighbor_purity(ours, priors.labels(known)) < 0.2
    assert scores.neighbor_purity(ours, priors.labels(hidden)) > 0.8


def test_distances_give_the_map_of_their_features(two_groups):
    X, known, _ = two_groups
    prior = priors.labels(known)
    start = np.random.default_rng(1).normal(size=(90, 2))
    from_features = up.JEDI(init=start, n_iter=20).fit_transform(X, prior=prior)
    D = cdist(X, X)
    from_distances = up.JEDI(init=start, n_iter=20, metric="precomputed").fit_transform(
        D, prior=prior
    )
    np.testing.assert_allclose(from_features, from_distances, atol=1e-6)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_dimensions(two_groups, n_components):
    X, known, _ = two_groups
    Y = up.JEDI(n_components, n_iter=20).fit_transform(X, prior=priors.labels(known))
    assert Y.shape == (90, n_components)
    assert np.isfinite(Y).all()


@pytest.mark.parametrize("solver", ["exact", "sampled"])
@pytest.mark.parametrize("init", ["spectral", "random"])
def test_same_seed_same_bits_for_any_number_of_threads(solver, init):
    data = up.datasets.make_two_factor(FEW + 100, random_state=0)  # enough for two threads
    one, two, other = (
        up.JEDI(n_iter=6, n_jobs=n_jobs, random_state=seed, init=init, solver=solver).fit_transform(
            data.X, prior=data.known_features
        )
        for n_jobs, seed in [(1, 0), (2, 0), (1, 1)]
    )
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


def test_several_priors_with_their_strengths(two_groups):
    X, known, _ = two_groups
    parts = {"known": priors.labels(known), "place": X[:, 3:5]}
    by_name = up.JEDI(n_iter=25, strength={"place": 0.5, "known": 1.0}, random_state=0)
    by_order = up.JEDI(n_iter=25, strength=[1.0, 0.5], random_state=0)
    np.testing.assert_array_equal(
        by_name.fit_transform(X, prior=parts), by_order.fit_transform(X, prior=[*parts.values()])
    )
    # A prior of strength zero is no prior.
    alone = up.JEDI(n_iter=25, random_state=0).fit_transform(X, prior=parts["known"])
    muted = up.JEDI(n_iter=25, strength=[1.0, 0.0], random_state=0)
    np.testing.assert_array_equal(alone, muted.fit_transform(X, prior=[*parts.values()]))


def test_two_priors_leave_neither(two_groups):
    X, known, hidden = two_groups
    Y = up.JEDI(random_state=0).fit_transform(
        X, prior=[priors.labels(known), priors.labels(hidden)]
    )
    assert scores.neighbor_purity(Y, priors.labels(known)) < 0.25
    assert scores.neighbor_purity(Y, priors.labels(hidden)) < 0.25


def test_what_was_automatic_is_told(two_groups):
    X, known, _ = two_groups
    jedi = up.JEDI(n_iter=3).fit(X, prior=priors.labels(known))
    assert (jedi.perplexity_, jedi.prior_perplexity_) == (18.0, 9.0)
    assert jedi.solver_ == "exact"
    assert jedi.learning_rate_ == 90 / 12
    assert jedi.n_features_in_ == 6
    assert jedi.perplexity == "auto"


def test_stops_early_on_a_small_gradient(two_groups):
    X, known, _ = two_groups
    jedi = up.JEDI(n_iter=600, min_grad_norm=1e-2, random_state=0)
    jedi.fit(X, prior=priors.labels(known))
    assert jedi.n_iter_ < 600


def test_a_stop_from_the_keyboard_keeps_the_map(two_groups):
    X, known, _ = two_groups

    def interrupt(iteration, value, Y):
        if iteration == 7:
            raise KeyboardInterrupt

    jedi = up.JEDI(n_iter=50, callbacks=[interrupt])
    with pytest.warns(up.InterruptedFitWarning, match="after 8 of 50 steps"):
        jedi.fit(X, prior=priors.labels(known))
    assert jedi.embedding_.shape == (90, 2)


def test_plain_jedi_scores_like_opentsne(two_groups):
    from openTSNE import TSNE
    from sklearn.manifold import trustworthiness

    X, _, _ = two_groups
    theirs = TSNE(perplexity=15, random_state=0, initialization="random").fit(X)
    with pytest.warns(up.PriorMissingWarning):
        ours = up.JEDI(perplexity=15, random_state=0).fit_transform(X)
    assert trustworthiness(X, ours) == pytest.approx(trustworthiness(X, theirs), abs=0.02)
    # The same objective on the same affinities: ours must not end higher.
    P = reference.affinities(cdist(X, X), 15)
    Q_ours, _ = reference.map_affinities(ours)
    Q_theirs, _ = reference.map_affinities(np.asarray(theirs))
    assert reference.kl(P, Q_ours) <= reference.kl(P, Q_theirs) + 0.05


@pytest.mark.parametrize("n", [4, 5, 7, 12])
def test_few_samples(rng, n):
    X = rng.normal(size=(n, 3))
    Y = up.JEDI(n_iter=50).fit_transform(X, prior=rng.normal(size=(n, 1)))
    assert np.isfinite(Y).all()


def test_a_huge_learning_rate_ends_in_a_finite_map(two_groups):
    X, known, _ = two_groups
    Y = up.JEDI(learning_rate=1e9, n_iter=20).fit_transform(X, prior=priors.labels(known))
    assert np.isfinite(Y).all()


@pytest.fixture(scope="module")
def two_factor():
    return up.datasets.make_two_factor(600, random_state=0)


def test_the_sampled_solver_finds_what_the_exact_one_finds(two_factor):
    """Scores of both, and the true objective at the map of each."""
    prior = priors.features(two_factor.known_features)
    data = priors.features(two_factor.X)
    objective = exact_objective(Problem(data, [WeightedPrior(prior, 1.0)], 120.0, 60.0, 0.0, 0.99))
    results = {}
    for solver in ("exact", "sampled"):
        jedi = up.JEDI(solver=solver, n_iter=300, random_state=0).fit(two_factor.X, prior=prior)
        assert jedi.solver_ == solver
        Y = jedi.embedding_
        results[solver] = (
            scores.overlap_area(Y, priors.labels(two_factor.known)),
            scores.overlap_area(Y, priors.labels(two_factor.hidden)),
            objective.evaluate(Y).value,
        )
    exact, sampled = results["exact"], results["sampled"]
    assert sampled[0] < exact[0] + 0.02
    assert sampled[1] > exact[1] - 0.04
    assert sampled[2] < exact[2] + 0.25


@pytest.mark.parametrize(
    "make",
    [
        lambda data: priors.labels(data.known),
        lambda data: priors.features(data.known_features),
        lambda data: priors.features(data.known_features, metric="cosine"),
        lambda data: priors.distances(cdist(data.known_features, data.known_features)),
        lambda data: priors.cyclic(data.known_features[:, 0], 5.0),
        lambda data: priors.tree(linkage(data.known_features, "average")),
        lambda data: priors.graph(kneighbors_graph(data.known_features, 5, mode="distance")),
        lambda data: priors.features(data.known_features, metric=lambda u, v: abs(u - v).sum()),
        lambda data: [priors.labels(data.known), data.known_features[:, :2]],
    ],
    ids=[
        "labels",
        "features",
        "cosine",
        "distances",
        "cyclic",
        "tree",
        "graph",
        "function",
        "several",
    ],
)
def test_the_sampled_solver_takes_every_kind_of_prior(make):
    data = up.datasets.make_two_factor(150, random_state=0)
    jedi = up.JEDI(solver="sampled", n_iter=20, random_state=0).fit(data.X, prior=make(data))
    assert np.isfinite(jedi.embedding_).all()
    assert np.isfinite(jedi.objective_).all()


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_the_sampled_solver_draws_any_dimensions(two_factor, n_components):
    jedi = up.JEDI(n_components, solver="sampled", n_iter=10, random_state=0)
    assert jedi.fit_transform(two_factor.X, prior=two_factor.known).shape == (600, n_components)


def test_of_many_samples_partners_are_drawn():
    data = up.datasets.make_two_factor(MOST_EXACT + 1, random_state=0)
    jedi = up.JEDI(n_iter=5, random_state=0).fit(data.X.astype(np.float32), prior=data.known)
    assert jedi.solver_ == "sampled"
    assert jedi.perplexity_ == (MOST_EXACT + 1) / 5


@pytest.mark.parametrize(("perplexity", "kind"), [(5, PriorDivergence), (150, SampledDivergence)])
def test_small_prior_perplexities_use_neighbours_instead_of_draws(two_factor, perplexity, kind):
    weighted = WeightedPrior(priors.features(two_factor.known_features), 1.0)
    problem = Problem(priors.features(two_factor.X), [weighted], 30.0, perplexity, 0.0, 0.99)
    objective = sampled_objective(problem, 2, np.random.RandomState(0), None)
    assert [type(prior) for prior in objective.priors] == [kind]


def test_weak_structure_survives_the_draws():
    """With few independent draws the sampled solver kept half of what the exact one does."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(700, 4))
    gender = rng.integers(0, 2, 700)
    factors[:, 0] += gender
    X = np.repeat(0.7 * factors, 5, axis=1) + rng.normal(size=(700, 20))
    prior = priors.labels(gender.astype(str))
    kept = [
        scores.rest_kept(
            up.JEDI(solver=solver, random_state=0).fit_transform(X, prior=prior), X, prior
        )
        for solver in ("exact", "sampled")
    ]
    assert kept[1] == pytest.approx(kept[0], abs=0.05)


def test_small_perplexities_keep_hidden_groups_together(two_factor):
    """A map at perplexity 15, without broad neighbourhoods, tears them apart."""
    jedi = up.JEDI(perplexity=15, random_state=0)
    Y = jedi.fit_transform(two_factor.X, prior=two_factor.known)
    assert up.scores.neighbor_purity(Y, two_factor.hidden) > 0.9
    assert up.scores.overlap_area(Y, two_factor.hidden) > 0.25


def test_no_threads_are_refused(two_groups):
    X, known, _ = two_groups
    with pytest.raises(ValueError, match="'n_jobs' takes None or a whole number other than 0"):
        up.JEDI(n_jobs=0).fit(X, prior=known)
