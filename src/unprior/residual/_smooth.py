r"""The smooth residual: data less the shrunken mean over samples with a similar prior.

The mean over other samples with a similar prior is what the prior predicts, plus noise. Let x be a
coordinate of a sample and m the mean of the others. Since the sample is not part of its own mean,
the expectation of x m is the variance of the signal, and the best linear prediction is

.. math:: \frac{s}{s + (v - s)\,w} \; m,

with s the variance of the signal, v that of the coordinate and w the sum of squared weights in the
mean (one over the number of neighbours). A negative mean product means no signal.

A test keeps unrelated priors out. For these, the mean product of an axis over its standard
deviation is nearly standard normal, so the squares of the positive ones sum to m / 2 over m axes,
with variance 5 m / 4. Nothing is removed unless the sum exceeds that by five standard deviations.

Priors may overlap. The part of each is its prediction of the data less the parts of all others,
found by cycling through the priors until nothing changes (backfitting).

Kept labels have such a part, too: the means of their classes. It is fitted first and not removed,
so what a prior and kept labels predict alike stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from unprior._typing import Floats
from unprior.priors import Keep
from unprior.residual._smoothers import ClassMeans, Smoother

#: Standard deviations above chance from which on a prior is removed.
SIGNIFICANT = 5.0

#: How many times all parts are removed: the second time removes what the first mean has blurred.
ROUNDS = 2

#: Backfitting stops when a sweep moves the points by less than this fraction of their variance, or
#: after this many sweeps. Two priors of two classes that agree in 95 % of samples take about 35.
NOTHING, MOST_SWEEPS = 1e-8, 100


@dataclass(frozen=True, eq=False)
class SmoothStep:
    """How one prior predicts points from means over its neighbours.

    Attributes
    ----------
    name : str
        Name of the prior.
    memory : ndarray
        What the smoother stores of the fitted points.
    signal, noise : ndarray of shape (n_coordinates,)
        Variance of the prediction, and of the rest.
    center : ndarray of shape (n_coordinates,)
        Mean prediction over the fitted samples.
    """

    name: str
    memory: Floats
    signal: Floats
    noise: Floats
    center: Floats

    def predicted(self, smoother: Smoother, points: Floats) -> Floats:
        """Return the prediction for samples; its mean over the fitted ones is zero."""
        means = smoother.means(self.memory, points)
        return shrink(means, smoother.weight, self.signal, self.noise) - self.center


def take_out(
    points: Floats, n_axes: int, smoothers: Mapping[str, Smoother], keep: Keep | None = None
) -> tuple[list[SmoothStep], Floats]:
    """Remove from points what the priors predict, and once more from the residual.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_coordinates)
        Of mean zero.
    n_axes : int
        Number of leading coordinates with a signal variance each; all others share one.
    smoothers : dict of str to Smoother
        For each prior by name.
    keep : Keep, optional
        Kept labels, whose part stays.

    Returns
    -------
    steps : list of SmoothStep
        The predictions that were removed, in order.
    left : ndarray of shape (n_samples, n_coordinates)
        The residual.
    """
    steps: list[SmoothStep] = []
    for _ in range(ROUNDS):
        found, points = take_out_parts(points, n_axes, smoothers, keep)
        steps += found
    return steps, points


def take_out_parts(
    points: Floats, n_axes: int, smoothers: Mapping[str, Smoother], keep: Keep | None = None
) -> tuple[list[SmoothStep], Floats]:
    """Remove the part of each prior that predicts points better than chance.

    Once some priors are removed, another may become significant and joins them. A prior that has
    joined stays: next to the others it may seem weak although it differs from them.
    """
    steps: dict[str, SmoothStep] = {}
    parts: dict[str, Floats] = {}
    nothing = NOTHING * np.square(points).sum()
    kept = np.zeros(1) if keep is None else keep.part(points)
    left = points - kept
    while more := [
        n for n in smoothers if n not in parts and is_significant(smoothers[n], left, n_axes)
    ]:
        parts |= dict.fromkeys(more, np.zeros(1))
        # A single prior without kept labels needs no second sweep.
        for _ in range(MOST_SWEEPS if len(parts) > 1 or keep is not None else 1):
            before = left
            for name, part in parts.items():
                without_others = left + part
                steps[name], parts[name] = predict(name, smoothers[name], without_others, n_axes)
                left = without_others - parts[name]
            if keep is not None:
                without_priors = left + kept
                kept = keep.part(without_priors)
                left = without_priors - kept
            if np.square(left - before).sum() <= nothing:
                break
    # The residual lacks the last part of each prior only, so no other has to be stored.
    return [*steps.values()], left + kept


def is_significant(smoother: Smoother, points: Floats, n_axes: int) -> bool:
    """Whether a prior predicts points better than chance."""
    means = smoother.means(smoother.remember(points), points)
    return estimate_signal(points, n_axes, means, smoother.weight)[2]


def predict(
    name: str, smoother: Smoother, points: Floats, n_axes: int
) -> tuple[SmoothStep, Floats]:
    """Learn to predict points from a prior; return the step and the prediction."""
    memory = smoother.remember(points)
    means = smoother.means(memory, points)
    signal, noise, _ = estimate_signal(points, n_axes, means, smoother.weight)
    predicted = shrink(means, smoother.weight, signal, noise)
    center = predicted.mean(axis=0)
    return SmoothStep(name, memory, signal, noise, center), predicted - center


def estimate_signal(
    points: Floats, n_axes: int, means: Floats, weight: Floats
) -> tuple[Floats, Floats, bool]:
    """Return the variance of signal and noise by coordinate, and whether the signal is significant.

    ``weight`` is the sum of squared weights in each mean.
    """
    # Samples alone in their class have no mean, and do not count.
    n_predicted = max(1, np.count_nonzero(weight))
    # Coordinates beyond the axes share one signal.
    group = np.minimum(np.arange(points.shape[1]), n_axes)
    starts = np.unique(group)
    common = np.add.reduceat(np.einsum("ij,ij->j", points, means), starts) / n_predicted
    variance = np.add.reduceat(np.einsum("ij,ij->j", points, points), starts) / len(points)
    spread = variance.copy()
    if len(spread) > n_axes:
        # No axis among these has more variance than the last separate one.
        spread[-1] = np.sqrt(variance[-1] * variance[-2])
    chance = spread * np.sqrt(2 * weight.sum()) / n_predicted
    signal = np.clip(common, 0, variance)
    return signal[group], (variance - signal)[group], exceeds_chance(signal, chance)


def exceeds_chance(signal: Floats, chance: Floats) -> bool:
    """Whether signals exceed their standard deviations under chance, taken together."""
    ratio = np.divide(signal, chance, out=np.zeros_like(signal), where=chance > 0)
    expected = len(signal) / 2
    return bool(np.square(ratio).sum() > expected + SIGNIFICANT * np.sqrt(2.5 * expected))


def shrink(means: Floats, weight: Floats, signal: Floats, noise: Floats) -> Floats:
    """Shrink means to the fraction that is signal."""
    total = signal + weight[:, None] * noise
    return means * np.divide(signal, total, out=np.zeros_like(total), where=total > 0)


def add_unseen_classes(smoother: Smoother, step: SmoothStep) -> tuple[Smoother, SmoothStep]:
    """Add classes that ``fit`` has not seen to class means: nothing is predicted for them."""
    if not isinstance(smoother, ClassMeans):
        return smoother, step
    n_seen, n_all = len(smoother.counts), int(smoother.codes.max(initial=-1)) + 1
    if n_all <= n_seen:
        return smoother, step
    counts, sums = np.zeros(n_all, dtype=np.intp), np.zeros((n_all, step.memory.shape[1]))
    counts[:n_seen], sums[:n_seen] = smoother.counts, step.memory
    return replace(smoother, counts=counts), replace(step, memory=sums)


def without_unseen_means(points: Floats, smoother: Smoother) -> Floats:
    """Move new points of classes that ``fit`` has not seen to the mean of the fitted ones, zero.

    Each mean is shrunk by its own noise: where the fitted classes do not differ, a new one may.
    The mean of a single sample is all noise, and is not removed.
    """
    if not isinstance(smoother, ClassMeans):
        return points
    points = points.copy()
    for code in range(len(smoother.counts), int(smoother.codes.max(initial=-1)) + 1):
        rows = np.flatnonzero(smoother.codes == code)
        if len(rows) > 1:
            mean, noise = points[rows].mean(axis=0), points[rows].var(axis=0, ddof=1)
            signal = np.maximum(np.square(mean) - noise / len(rows), 0)
            points[rows] -= shrink(mean[None], np.array([1 / len(rows)]), signal, noise)
    return points
