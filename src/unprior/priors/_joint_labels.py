"""Priors -> one label for every sample, for the methods that take nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from unprior.priors import Combined, Labels, Prior


def join_labels(who: str, priors: Mapping[str, Prior]) -> Labels | None:
    """Return the labels, of several priors the joint ones; None if there is no prior."""
    parts = [*_each_labels(who, priors)]
    if len(parts) <= 1:
        return parts[0] if parts else None
    classes, codes = np.unique(
        np.column_stack([part.codes for part in parts]), axis=0, return_inverse=True
    )
    joint = Labels(codes.ravel().astype(np.intp, copy=False), np.arange(len(classes)))
    if joint.is_constant():
        message = (
            f"{who}: all labels of 'prior' taken together say nothing: "
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
                f"{who}: 'prior' takes labels only; {name!r} is one of {prior.kind}. Use JEDI or "
                "Confetti, which take any prior."
            )
            raise ValueError(message)
