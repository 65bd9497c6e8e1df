import numpy as np
import pytest

from reference.independence import gradient, level
from unprior import priors
from unprior._threads import compiled_threads
from unprior.affinities._similarity import similarity_of
from unprior.forces import SoftNeighbors
from unprior.forces import _soft_neighbors as forces

RNG = np.random.default_rng(1)

KINDS = {
    "labels": priors.labels(RNG.choice(3, 40, p=[0.85, 0.1, 0.05])),
    "alone": priors.labels([*["a"] * 20, *["b"] * 19, "c"]),
    "number": priors.features(RNG.normal(size=40)),
    "geo": priors.geo(RNG.uniform(-80, 80, 40), RNG.uniform(-180, 180, 40)),
    "distances": priors.distances(np.abs(np.subtract.outer(*2 * [RNG.normal(size=40)]))),
}


def similarity_matrix(found):
    n = found.n_samples
    i, j = np.divmod(np.arange(n * n), n)
    return found.pairs(i, j).reshape(n, n)


def in_space(Y):
    space = np.zeros((len(Y), 3))
    space[:, : Y.shape[1]] = Y
    return space


def prepare(prior, seed=0):
    return SoftNeighbors.of(similarity_of(prior), np.random.RandomState(seed))


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_all_pairs_equal_the_slow_twin(kind, n_components):
    Y = RNG.normal(size=(40, n_components)) * 2
    k = similarity_matrix(similarity_of(KINDS[kind]))
    found = prepare(KINDS[kind]).sums(in_space(Y), 1.5)
    assert found.level == pytest.approx(level(Y, k, 1.5), rel=1e-4, abs=1e-6)
    expected = in_space(gradient(Y, k, 1.5))
    np.testing.assert_allclose(found.gradient, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_is_that_of_finite_differences(kind):
    Y, k, step = RNG.normal(size=(40, 2)), similarity_matrix(similarity_of(KINDS[kind])), 1e-5
    found = prepare(KINDS[kind]).sums(in_space(Y), 1.3).gradient
    for i, axis in ((0, 0), (7, 1), (39, 0)):
        ahead, behind = Y.copy(), Y.copy()
        ahead[i, axis] += step
        behind[i, axis] -= step
        slope = (level(ahead, k, 1.3) - level(behind, k, 1.3)) / (2 * step)
        assert found[i, axis] == pytest.approx(slope, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("n_components", [1, 2, 3])
def test_near_pairs_equal_the_slow_twin_with_a_cutoff(n_components):
    Y = RNG.normal(size=(40, n_components)) * 6
    k = similarity_matrix(similarity_of(KINDS["labels"]))
    found = prepare(KINDS["labels"]).sums(in_space(Y), 1.0, all_pairs=False)
    assert found.level == pytest.approx(level(Y, k, 1.0, forces.CUTOFF), rel=1e-4)
    expected = in_space(gradient(Y, k, 1.0, forces.CUTOFF))
    np.testing.assert_allclose(found.gradient, expected, atol=1e-5 * np.abs(expected).max())


@pytest.mark.compiled
@pytest.mark.parametrize("prior", ["labels", "number"])
def test_near_pairs_are_close_to_all_pairs(prior):
    rng = np.random.default_rng(0)
    Y = in_space(rng.normal(size=(4000, 2)) * 20)
    made = priors.labels(rng.integers(0, 5, 4000))
    if prior == "number":
        made = priors.features(rng.normal(size=4000))
    sums = prepare(made)
    near, everything = sums.sums(Y, 1.0, all_pairs=False), sums.sums(Y, 1.0, all_pairs=True)
    assert near.level == pytest.approx(everything.level, abs=0.03)
    off = np.linalg.norm(near.gradient - everything.gradient)
    assert off < 0.12 * np.linalg.norm(everything.gradient)


@pytest.mark.compiled
def test_a_dense_map_visits_a_bounded_number_of_pairs(monkeypatch):
    monkeypatch.setattr(forces, "MOST_PARTNERS", 600)
    rng = np.random.default_rng(0)
    places = rng.normal(size=(6000, 3)) * [20, 20, 0]
    places[:1500] /= 20  # a quarter of the samples lie close together
    grid = forces.Grid.of(places.astype(np.float32), np.arange(6000))
    around = forces._around(np.diff(grid.first).reshape(grid.shape), grid.span).ravel()
    assert around.max() > 2 * forces.MOST_PARTNERS > (around / grid.step).max()
    # For example every third partner: other numbers would give partners too much weight.
    assert grid.step.dtype.kind == "i"
    prior = priors.labels(places[:, 0] > 0.3 * rng.normal(size=6000))
    assert grid.mean_partners < forces.MOST_PARTNERS
    thinned = prepare(prior).sums(places, 1.0, all_pairs=False)
    everything = prepare(prior).sums(places, 1.0, all_pairs=True)
    assert np.corrcoef(thinned.gradient[:, 0], everything.gradient[:, 0])[0, 1] > 0.8
    assert thinned.level == pytest.approx(everything.level, rel=0.15)


def test_a_map_that_has_not_spread_yet_has_no_forces():
    rng = np.random.default_rng(0)
    places = rng.normal(size=(4000, 3)) * [0.1, 0.1, 0]
    found = prepare(priors.labels(rng.integers(0, 3, 4000))).sums(places, 1.0)
    assert found.level == 0
    assert not found.gradient.any()


def test_an_outlier_does_not_make_a_huge_grid():
    places = np.zeros((100, 3), dtype=np.float32)
    places[:, :2] = RNG.normal(size=(100, 2))
    places[0] = 1e6
    grid = forces.Grid.of(places, np.arange(100))
    assert len(grid.step) <= forces.MOST_BOXES * 100 + 1


def test_lonely_samples_show_nothing():
    Y = in_space(np.arange(40.0)[:, None] * 1e3)
    found = prepare(KINDS["labels"]).sums(Y, 1.0, all_pairs=False)
    assert found.level == 0
    assert not found.gradient.any()


@pytest.mark.compiled
def test_the_bits_do_not_depend_on_threads():
    rng = np.random.default_rng(0)
    Y, sums = (
        in_space(rng.normal(size=(5000, 2)) * 15),
        prepare(priors.labels(rng.integers(0, 4, 5000))),
    )
    results = []
    for n_jobs in (1, 2):
        with compiled_threads(n_jobs):
            results.append(sums.sums(Y, 1.0))
    np.testing.assert_array_equal(results[0].gradient, results[1].gradient)
    assert results[0].level == results[1].level


def test_permuting_samples_permutes_forces():
    Y, codes = RNG.normal(size=(40, 2)), KINDS["labels"].codes
    order = RNG.permutation(40)
    one = prepare(priors.labels(codes)).sums(in_space(Y), 1.0)
    other = prepare(priors.labels(codes[order]), seed=5).sums(in_space(Y[order]), 1.0)
    np.testing.assert_allclose(other.gradient, one.gradient[order], atol=1e-6)


def test_all_pairs_are_summed_up_to_a_number_of_samples(monkeypatch):
    Y, sums = in_space(RNG.normal(size=(40, 2)) * 6), prepare(KINDS["labels"])
    wanted = {flag: sums.sums(Y, 1.0, all_pairs=flag).level for flag in (True, False)}
    assert wanted[True] != wanted[False]
    for most in (39, 40, 41):
        monkeypatch.setattr(forces, "ALL_PAIRS", most)
        assert sums.sums(Y, 1.0).level == wanted[most >= 40]


@pytest.mark.parametrize("span", [0, 1, 2, 9])
def test_boxes_around_a_box_are_counted_by_plain_loops(span):
    counts = RNG.integers(0, 9, (3, 4, 5))
    found = forces._around(counts, span)
    for place in np.ndindex(counts.shape):
        box = tuple(slice(max(at - span, 0), at + span + 1) for at in place)
        assert found[place] == counts[box].sum()
