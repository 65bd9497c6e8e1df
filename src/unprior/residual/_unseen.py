"""Classes that fit has not seen -> what is foretold of them: nothing, or what new samples show."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unprior._typing import Floats
from unprior.residual._smooth import SmoothStep
from unprior.residual._smoothers import ClassMeans, Smoother


def with_unseen(
    smoother: Smoother, step: SmoothStep, points: Floats, *, learn: bool
) -> tuple[Smoother, SmoothStep]:
    """Add classes without samples, or with those of new points, to means over classes."""
    if not isinstance(smoother, ClassMeans):
        return smoother, step
    n_seen, n_all = len(smoother.counts), int(smoother.codes.max(initial=-1)) + 1
    if n_all <= n_seen:
        return smoother, step
    counts, sums = np.zeros(n_all, dtype=np.intp), np.zeros((n_all, step.memory.shape[1]))
    counts[:n_seen], sums[:n_seen] = smoother.counts, step.memory
    if learn:
        new = smoother.codes >= n_seen
        np.add.at(counts, smoother.codes[new], 1)
        np.add.at(sums, smoother.codes[new], points[new])
    return replace(smoother, counts=counts), replace(step, memory=sums)
