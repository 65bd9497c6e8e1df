r"""Points and means over prior neighbours -> the part of the data that the prior foretells.

A mean over others tells of a sample what they have in common, and it tells noise. How much is
signal shows in the data: with x a coordinate of a sample and m the mean of the others, x and m have
in common what the prior foretells, and nothing else, for the sample is not in its mean. So the mean
of x m over all samples is the signal's variance, and the best guess of what the prior foretells of
a sample is

.. math:: \frac{s}{s + (v - s)\,w} \; m,

with s the signal's variance, v that of the coordinate and w the sum of squared weights in the mean
(one over the number of neighbours). Where the mean product is negative, there is no signal.

By chance alone an unrelated prior foretells something, too. Measured by its standard deviation
under chance, the mean product of each axis is then nearly a standard normal number, and the squares
of those above zero add up to m / 2 over m axes, with a variance of 5 m / 4. Unless they add up to
five standard deviations more, nothing is taken out at all.

Several priors may foretell the same. So each has a part, which is what it foretells of the points
without the parts of all others. Going through the priors in turn, again and again, finds such
parts, wherever one begins.

Kept labels have a part in the same way, the means of their classes, which is not taken out. It is
found first: what a prior and kept labels foretell alike stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats
from unprior.priors._keep import Keep
from unprior.residual._smoothers import Smoother

#: A prior counts from this many standard deviations of chance on.
SIGNIFICANT = 5.0

#: Times the parts of all priors are taken out: what a mean has blurred shows the second time.
ROUNDS = 2

#: Parts are found when going through all priors moves the points by less than this share of their
#: variance, or after so many times. Two priors of two classes each that agree in 95 % of samples
#: take about 35.
NOTHING, MOST_SWEEPS = 1e-8, 100


@dataclass(frozen=True, eq=False)
class SmoothStep:
    """What one prior foretells of points, in terms of means over its neighbours.

    Attributes
    ----------
    name : str
        Name of the prior.
    memory : ndarray
        What the smoother remembers of the fitted points.
    signal, noise : ndarray of shape (n_coordinates,)
        Variance of what the prior foretells, and of the rest.
    center : ndarray of shape (n_coordinates,)
        Mean of what is foretold of the fitted samples.
    """

    name: str
    memory: Floats
    signal: Floats
    noise: Floats
    center: Floats

    def foretold(self, smoother: Smoother, points: Floats) -> Floats:
        """Return what the prior foretells of samples, of mean zero over the fitted ones."""
        means = smoother.means(self.memory, points)
        return shrink(means, smoother.weight, self.signal, self.noise) - self.center


def take_out(
    points: Floats, n_axes: int, smoothers: Mapping[str, Smoother], keep: Keep | None = None
) -> tuple[list[SmoothStep], Floats]:
    """Take out of points what the priors foretell, and once more of what is left.

    Parameters
    ----------
    points : ndarray of shape (n_samples, n_coordinates)
        Of mean zero.
    n_axes : int
        The first so many coordinates have a signal each; all others share one.
    smoothers : dict of str to Smoother
        For each prior by name.
    keep : Keep, optional
        Kept labels, whose part stays.

    Returns
    -------
    steps : list of SmoothStep
        What was done, in order.
    left : ndarray of shape (n_samples, n_coordinates)
        The points without it.
    """
    steps: list[SmoothStep] = []
    for _ in range(ROUNDS):
        found, points = take_out_parts(points, n_axes, smoothers, keep)
        steps += found
    return steps, points


def take_out_parts(
    points: Floats, n_axes: int, smoothers: Mapping[str, Smoother], keep: Keep | None = None
) -> tuple[list[SmoothStep], Floats]:
    """Take out of points the part of each prior that foretells more than chance would.

    What is taken out with some priors may show more of another, which then counts, too. One that
    counts has a part for good: next to the others it may seem to foretell little, where it differs
    from them much.
    """
    steps: dict[str, SmoothStep] = {}
    parts: dict[str, Floats] = {}
    nothing = NOTHING * np.square(points).sum()
    kept = np.zeros(1) if keep is None else keep.part(points)
    left = points - kept
    while more := [
        n for n in smoothers if n not in parts and foretells(smoothers[n], left, n_axes)
    ]:
        parts |= dict.fromkeys(more, np.zeros(1))
        # Alone, a prior has nobody to wait for.
        for _ in range(MOST_SWEEPS if len(parts) > 1 or keep is not None else 1):
            before = left
            for name, part in parts.items():
                without_others = left + part
                steps[name], parts[name] = foretell(name, smoothers[name], without_others, n_axes)
                left = without_others - parts[name]
            if keep is not None:
                without_priors = left + kept
                kept = keep.part(without_priors)
                left = without_priors - kept
            if np.square(left - before).sum() <= nothing:
                break
    # Only the last part of each prior is in what is left: no more has to be remembered.
    return [*steps.values()], left + kept


def foretells(smoother: Smoother, points: Floats, n_axes: int) -> bool:
    """Whether a prior tells more of points than chance would."""
    means = smoother.means(smoother.remember(points), points)
    return tell_signal(points, n_axes, means, smoother.weight)[2]


def foretell(
    name: str, smoother: Smoother, points: Floats, n_axes: int
) -> tuple[SmoothStep, Floats]:
    """Return how a prior foretells, and what it foretells of the fitted points."""
    memory = smoother.remember(points)
    means = smoother.means(memory, points)
    signal, noise, _ = tell_signal(points, n_axes, means, smoother.weight)
    foretold = shrink(means, smoother.weight, signal, noise)
    center = foretold.mean(axis=0)
    return SmoothStep(name, memory, signal, noise, center), foretold - center


def tell_signal(
    points: Floats, n_axes: int, means: Floats, weight: Floats
) -> tuple[Floats, Floats, bool]:
    """Return by coordinates the variance of what means foretell, and of the rest.

    And whether they foretell more than chance would.
    """
    # Nothing is foretold of a sample that is alone in its class; the others tell the signal.
    n_told = max(1, np.count_nonzero(weight))
    # The coordinates beyond the axes are one group.
    group = np.minimum(np.arange(points.shape[1]), n_axes)
    starts = np.unique(group)
    common = np.add.reduceat(np.einsum("ij,ij->j", points, means), starts) / n_told
    variance = np.add.reduceat(np.einsum("ij,ij->j", points, points), starts) / len(points)
    spread = variance.copy()
    if len(spread) > n_axes:
        # No axis of the group has more variance than the last that stands alone.
        spread[-1] = np.sqrt(variance[-1] * variance[-2])
    chance = spread * np.sqrt(2 * weight.sum()) / n_told
    signal = np.clip(common, 0, variance)
    return signal[group], (variance - signal)[group], exceeds_chance(signal, chance)


def exceeds_chance(signal: Floats, chance: Floats) -> bool:
    """Whether signals are together more than their standard deviations under chance allow."""
    ratio = np.divide(signal, chance, out=np.zeros_like(signal), where=chance > 0)
    expected = len(signal) / 2
    return bool(np.square(ratio).sum() > expected + SIGNIFICANT * np.sqrt(2.5 * expected))


def shrink(means: Floats, weight: Floats, signal: Floats, noise: Floats) -> Floats:
    """Return the share of means that is signal."""
    total = signal + weight[:, None] * noise
    return means * np.divide(signal, total, out=np.zeros_like(total), where=total > 0)
