import numpy as np
import pytest

from reference.residual_smooth import class_weights, neighbor_weights, smooth
from unprior import Residual, priors
from unprior.priors._keep import Keep
from unprior.residual import _smooth
from unprior.residual._principal_axes import find_axes
from unprior.residual._smooth import (
    add_unseen_classes,
    estimate_signal,
    exceeds_chance,
    predict,
    shrink,
    take_out,
    take_out_parts,
    without_unseen_means,
)
from unprior.residual._smoothers import ClassMeans, fitted_smoother


def steps_and_left(X, **known):
    frame = find_axes(X)
    smoothers = {name: fitted_smoother(prior, 6) for name, prior in known.items()}
    steps, points = take_out(frame.points(X), frame.n_axes, smoothers)
    return [step.name for step in steps], frame.vectors(points) + frame.mean


def left(X, **known):
    return steps_and_left(X, **known)[1]


def test_one_prior_equals_the_slow_way(two_groups):
    X, known, _ = two_groups
    found = left(X, known=priors.labels(known))
    np.testing.assert_allclose(found, smooth(X, [class_weights(known)]), atol=1e-9)
    assert np.abs(found - X).max() > 1


@pytest.mark.parametrize("turn", [1, -1])
def test_several_priors_equal_the_slow_way(two_groups, rng, monkeypatch, turn):
    monkeypatch.setattr(_smooth, "NOTHING", 0.0)
    X, known, _ = two_groups
    Z = X[:, 3:] @ rng.normal(size=(3, 2)) + rng.normal(size=(90, 2)) + known[:, None]
    prior = priors.features(Z)
    both = {"known": priors.labels(known), "age": prior}
    found = left(X, **dict([*both.items()][::turn]))
    weights = [class_weights(known), neighbor_weights(prior.to_array(), 6)]
    np.testing.assert_allclose(found, smooth(X, weights, nothing=0), atol=1e-9)


def test_each_prior_predicts_what_the_others_leave(rng):
    # Two classes of 95 %: once through both would leave the second much of what the first has.
    a = np.repeat([0, 1], 300)
    b = np.where(np.arange(600) % 20 == 0, 1 - a, a)
    X = rng.normal(size=(600, 3)) + 6 * np.column_stack([a, b, 0 * a])
    frame = find_axes(X)
    points = frame.points(X)
    smoothers = {name: fitted_smoother(priors.labels(y), 6) for name, y in (("a", a), ("b", b))}
    steps, rest = take_out_parts(points, frame.n_axes, smoothers)
    parts = {step.name: step.predicted(smoothers[step.name], points) for step in steps}
    for name, smoother in smoothers.items():
        # The mean over others contains a bit of the sample itself, by which the two may differ.
        _, again = predict(name, smoother, rest + parts[name], frame.n_axes)
        np.testing.assert_allclose(again, parts[name], atol=0.05)
    assert np.abs(frame.vectors(parts["a"])[:, 1]).max() < 0.5
    assert np.abs(frame.vectors(parts["b"])[:, 0]).max() < 0.5


def test_a_prior_that_others_hide_counts_after_them(rng):
    a, b = np.arange(400) % 2, np.arange(400) // 2 % 2
    X = rng.normal(size=(400, 1)) + 40 * a[:, None] + 2 * b[:, None]
    known = {"b": priors.labels(b), "a": priors.labels(a)}
    assert steps_and_left(X, b=known["b"])[0] == []
    names, found = steps_and_left(X, **known)
    assert {*names} == {"a", "b"}
    assert abs(found[b == 1].mean() - found[b == 0].mean()) < 0.05


def test_a_prior_that_predicts_nothing_is_not_stored(two_groups, rng):
    X, known, _ = two_groups
    prior = priors.labels(known)
    alone = steps_and_left(X, known=prior)
    names, found = steps_and_left(X, chance=priors.labels(rng.integers(0, 4, 90)), known=prior)
    assert names == alone[0]
    np.testing.assert_array_equal(found, alone[1])


def test_however_often_priors_are_gone_through_little_is_remembered(rng):
    a = rng.integers(0, 2, 500)
    b = np.where(rng.random(500) < 0.9, a, 1 - a)
    X = rng.normal(size=(500, 3)) + 4 * np.column_stack([a, b, a])
    names, _ = steps_and_left(X, a=priors.labels(a), b=priors.labels(b))
    assert len(names) <= 4


def test_an_axis_without_signal_keeps_everything(rng):
    # What the neighbours say is wrong on the second axis: the more they agree, the less they tell.
    points = np.array([[1.0, 1.0], [-1.0, -1.0]]).repeat(50, axis=0)
    points -= points.mean(axis=0)
    means = points * [1.0, -1.0]
    signal, noise, _ = estimate_signal(points, 2, means, np.full(100, 0.1))
    np.testing.assert_allclose(signal, [1.0, 0.0])
    np.testing.assert_allclose(noise, [0.0, 1.0])


def test_coordinates_beyond_the_axes_share_a_signal(rng):
    points = rng.normal(size=(200, 5)) * [5, 3, 1, 1, 1]
    points -= points.mean(axis=0)
    means = points * [0.5, 0.2, 0.5, 0.5, 0.0]
    signal, noise, _ = estimate_signal(points, 2, means, np.full(200, 0.01))
    v = (points**2).mean(axis=0)
    expected = np.array([0.5 * v[0], 0.2 * v[1], *3 * [0.5 * (v[2] + v[3])]])
    np.testing.assert_allclose(signal, expected)
    np.testing.assert_allclose(noise, [v[0] / 2, 0.8 * v[1], *3 * [v[2:].sum() - expected[2]]])


def test_the_share_that_is_taken_is_the_best_one(rng):
    # Of a class of five others: what leaves the least of the true offsets, among all shares.
    truth = rng.normal(size=(4000, 1))
    means = truth + rng.normal(size=(4000, 1)) * np.sqrt(2.0 / 5)
    taken = shrink(means, np.full(4000, 1 / 5), np.array([1.0]), np.array([2.0]))
    errors = [np.square(share * means - truth).mean() for share in np.linspace(0, 1, 101)]
    assert np.square(taken - truth).mean() < 1.01 * min(errors)


@pytest.mark.parametrize("n_axes", [1, 10, 50])
def test_chance_is_seldom_exceeded(rng, n_axes):
    normal = np.maximum(rng.normal(size=(400, n_axes)), 0)
    found = [exceeds_chance(signal, np.ones(n_axes)) for signal in normal]
    assert np.mean(found) < 0.02
    assert exceeds_chance(np.eye(n_axes)[0] * 9, np.ones(n_axes))


def test_nothing_varies_nothing_breaks():
    signal, noise, more = estimate_signal(np.zeros((5, 2)), 2, np.zeros((5, 2)), np.full(5, 0.2))
    assert not more
    assert not signal.any()
    assert not shrink(np.zeros((5, 2)), np.full(5, 0.2), signal, noise).any()


def test_the_prediction_for_fitted_samples_has_mean_zero(two_groups):
    X, known, _ = two_groups
    frame = find_axes(X + 100)
    points, smoother = frame.points(X + 100), fitted_smoother(priors.labels(known), 6)
    step, part = predict("known", smoother, points + 7, frame.n_axes)
    np.testing.assert_allclose(part.mean(axis=0), 0, atol=1e-9)
    np.testing.assert_allclose(step.predicted(smoother, points + 7), part, atol=1e-9)


def test_chance_is_the_deviation_of_products_with_an_unrelated_prior(rng, monkeypatch):
    seen = []
    monkeypatch.setattr(_smooth, "exceeds_chance", lambda signal, chance: seen.append(chance))
    points = rng.normal(size=(120, 3)) * [1, 2, 5]
    points -= points.mean(axis=0)
    products = []
    for _ in range(600):
        smoother = fitted_smoother(priors.labels(rng.permutation(120) % 12), 6)
        means = smoother.means(smoother.remember(points), points)
        products.append((points * means).mean(axis=0))
        estimate_signal(points, 3, means, smoother.weight)
    np.testing.assert_allclose(np.std(products, axis=0), np.mean(seen, axis=0), rtol=0.12)


def test_axes_of_large_variance_do_not_hide_a_signal_beyond_them(rng):
    """The rest is compared with the last separate axis, not with the first ones."""
    y = np.arange(200) % 2
    points = rng.normal(size=(200, 6)) * [100, 100, 100, 1, 1, 1]
    points[:, 4] += y
    points -= points.mean(axis=0)
    smoother = fitted_smoother(priors.labels(y), 6)
    means = smoother.means(smoother.remember(points), points)
    signal, _, more = estimate_signal(points, 4, means, smoother.weight)
    assert more
    assert signal[4] == signal[5] == pytest.approx(0.25, abs=0.1)


@pytest.mark.parametrize("agree", [0.5, 0.6, 0.7, 0.8, 0.9])
def test_kept_labels_keep_their_part_and_priors_lose_theirs(rng, agree):
    """However strongly both are associated: each has a column that depends on it alone."""
    kept = np.arange(600) % 2
    known = np.where(rng.random(600) < agree, kept, 1 - kept)
    points = rng.normal(size=(600, 2)) + 5 * np.column_stack([kept, known])
    points -= points.mean(axis=0)
    smoothers = {"known": fitted_smoother(priors.labels(known), 6)}
    keep = Keep(kept.astype(np.intp), np.arange(2))
    _, rest = take_out_parts(points, 2, smoothers, keep)

    def gap(column, of, within):
        inside = [rest[(of == 1) & (within == w), column].mean() for w in (0, 1)]
        other = [rest[(of == 0) & (within == w), column].mean() for w in (0, 1)]
        return np.subtract(inside, other)

    np.testing.assert_allclose(gap(0, kept, known), 5, atol=0.7)
    np.testing.assert_allclose(gap(1, known, kept), 0, atol=0.7)


def test_two_priors_are_gone_through_until_nothing_changes(rng):
    """After a single round, the first would have removed what belongs to the second."""
    a = np.arange(600) % 2
    b = np.where(rng.random(600) < 0.1, 1 - a, a)
    X = rng.normal(size=(600, 2)) + 6 * np.column_stack([a, b])
    X -= X.mean(axis=0)
    smoothers = {name: fitted_smoother(priors.labels(y), 6) for name, y in (("a", a), ("b", b))}
    one, other = (take_out_parts(X, 2, dict([*smoothers.items()][::turn]))[1] for turn in (1, -1))
    np.testing.assert_allclose(one, other, atol=0.02)


def test_nothing_is_predicted_for_unseen_classes(rng):
    codes = np.array([0, 1, 2, 2])
    fitted = ClassMeans(np.arange(20) % 2, np.array([10, 10]), True)
    step, _ = predict("known", fitted, rng.normal(size=(20, 2)), 2)
    empty, same = add_unseen_classes(ClassMeans(codes, fitted.counts, False), step)
    assert empty.counts.tolist() == [10, 10, 0]
    np.testing.assert_array_equal(same.memory, [*step.memory, [0, 0]])
    seen = ClassMeans(codes % 2, fitted.counts, False)
    assert add_unseen_classes(seen, step) == (seen, step)


def test_unseen_classes_move_to_the_mean_of_the_fitted_ones(rng):
    points = rng.normal(size=(403, 3))
    codes = np.repeat([0, 2, 3, 4], [100, 2, 300, 1])
    points[codes == 3] += [0, 8, 0]
    new = ClassMeans(codes, np.array([50, 50]), False)
    left = without_unseen_means(points, new)
    np.testing.assert_array_equal(left[codes == 0], points[codes == 0])
    np.testing.assert_array_equal(left[codes == 4], points[codes == 4])  # a single sample
    assert np.abs(left[codes == 3].mean(axis=0)).max() < 0.1
    of_numbers = fitted_smoother(priors.features(points[:, 0]), 6)
    assert without_unseen_means(points, of_numbers) is points


@pytest.mark.parametrize("shift", [0.0, 4.0])
def test_a_new_class_may_differ_where_fitted_ones_do_not(rng, shift):
    X, batch = rng.normal(size=(900, 5)), np.repeat(["a", "b", "c"], 300)
    X[batch == "b", 0] += shift
    X[batch == "c", 1] += 6
    fitted, new = np.flatnonzero(batch != "c"), np.flatnonzero(batch == "c")
    for kind in ("smooth", "aligned"):
        residual = Residual(kind).fit(X[fitted], prior=batch[fitted])
        left = residual.transform(X[new], prior=batch[new], unseen="fit")
        mean = residual.transform(X[fitted], prior=batch[fitted]).mean(axis=0)
        np.testing.assert_allclose(left.mean(axis=0), mean, atol=0.2)
