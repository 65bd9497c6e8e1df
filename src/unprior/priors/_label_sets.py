"""Several label sets: their joint classes, and how strongly two of them are associated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from unprior._typing import Floats, Indices
from unprior.priors import Combined, Labels, Prior


def join_labels(who: str, priors: Mapping[str, Prior]) -> Labels | None:
    """Return the labels, or the joint labels of several priors; None without a prior."""
    parts = [*_each_labels(who, priors)]
    if len(parts) <= 1:
        return parts[0] if parts else None
    classes, codes = np.unique(
        np.column_stack([part.codes for part in parts]), axis=0, return_inverse=True
    )
    joint = Labels(codes.ravel().astype(np.intp, copy=False), np.arange(len(classes)))
    if joint.is_constant():
        message = (
            f"{who}: the labels of 'prior' taken together say nothing: "
            f"{joint.describe_constant()}. Leave some out."
        )
        raise ValueError(message)
    return joint


def _each_labels(who: str, priors: Mapping[str, Prior]) -> Iterator[Labels]:
    for name, prior in priors.items():
        if isinstance(prior, Combined):
            yield from _each_labels(who, prior.parts)
        elif isinstance(prior, Labels):
            yield prior
        else:
            message = (
                f"{who}: 'prior' takes labels only; {name!r} is a prior of kind "
                f"{prior.kind!r}. Use JEDI or Confetti, which take any prior."
            )
            raise ValueError(message)


def bias_corrected_v(*tables: Indices | Floats) -> float:
    """Return the bias-corrected Cramér's V of a table of counts, or of several tables pooled.

    Examples
    --------
    >>> round(bias_corrected_v(np.array([[20, 0], [0, 20]])), 3)
    1.0
    >>> bias_corrected_v(np.full((2, 2), 10))
    0.0
    """
    above = room = 0.0
    for counts in tables:
        n, (rows, columns) = counts.sum(), counts.shape
        if n < 2:
            continue
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
        possible = expected > 0
        phi = float((np.square(counts - expected)[possible] / expected[possible]).sum() / n)
        least = min(rows - (rows - 1) ** 2 / (n - 1), columns - (columns - 1) ** 2 / (n - 1)) - 1
        if least > 0:
            above += n * (phi - (rows - 1) * (columns - 1) / (n - 1))
            room += n * least
    return float(min(1.0, np.sqrt(max(0.0, above) / room))) if room > 0 else 0.0
