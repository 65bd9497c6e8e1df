r"""Prior and kept labels -> similarity of pairs relative to chance within kept classes.

With kept classes g, the similarity k̃ has mean 0 over the partners in each kept class, for each
sample. Then the distribution of the prior may differ between kept classes at no cost, and only
differences within them count.

Within a kept class k̃ is as if there were no other samples. Between two kept classes, k is scaled as
within each, and then centred twice:

.. math:: \tilde k_{ij} = k_{ij} - \bar k_{i h} - \bar k_{g j} + \bar k_{g h}, \qquad
          i \in g,\ j \in h

with means over the partners in the other kept class. (Scaling alone cannot do this for labels: the
mean over rows would need 1 / share in h, that over columns 1 / share in g.) Pairs whose class is
absent from the other kept class have k̃ = 0.

Where a kept label is missing, the chance level is the one among all samples.

A *joint stratum* is a stratum (or class) of the prior within one kept class.
"""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities._similarity import (
    MOST_STRATA,
    Similarity,
    kernel_of_strata,
    scale_kernel,
    similarity_of,
    similarity_of_strata,
)
from unprior.priors import Keep, Prior

#: Largest number of joint strata with a table of their similarities.
MOST_JOINT = 2048

#: Smallest number of strata of a prior without classes.
LEAST_STRATA = 8


def similarity_within(prior: Prior, keep: Keep | None) -> Similarity:
    """Return the similarity relative to chance within kept classes, or among all samples.

    Beyond 2048 combinations of a class and a kept class, pairs of different kept classes have
    similarity 0; a prior without classes gets fewer strata instead.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> from unprior.priors import read_keep
    >>> keep = read_keep("embed", ["T", "T", "T", "T", "B", "B", "B"])
    >>> within = similarity_within(labels(["x", "x", "y", "y", "x", "x", "x"]), keep)
    >>> within.pairs([0, 0, 4], [1, 2, 5])
    array([ 2., -1.,  0.])
    """
    if keep is None:
        return similarity_of(prior)
    codes = prior.class_codes
    if codes is None:
        return _of_kernel(prior, keep)
    joint, own, kept = _join_strata(codes, keep)
    if len(own) > MOST_JOINT:
        return _of_many_labels(joint, kept)
    sizes = np.bincount(codes)
    counts = np.zeros((len(sizes), keep.count))
    counts[own[kept >= 0], kept[kept >= 0]] = np.bincount(joint)[kept >= 0]
    one_class = np.zeros_like(kept)
    return similarity_of_strata(
        joint,
        _by_kept_class(
            kept,
            within=_labels_within(counts, own, kept),
            across=_labels_across(counts, own, kept),
            missing=_labels_within(sizes[:, None].astype(float), own, one_class),
        ),
    )


def _join_strata(strata: Indices, keep: Keep) -> tuple[Indices, Indices, Indices]:
    """Return the joint stratum of each sample, and its stratum and kept class (-1: none)."""
    codes = strata.astype(np.int64) * (keep.count + 1) + keep.codes + 1
    present, joint = np.unique(codes, return_inverse=True)
    return joint.ravel(), present // (keep.count + 1), present % (keep.count + 1) - 1


def _by_kept_class(kept: Indices, *, within: Floats, across: Floats, missing: Floats) -> Floats:
    """Choose the entries of the table by the kept classes of both joint strata."""
    lacking = (kept[:, None] < 0) | (kept < 0)
    return np.where(lacking, missing, np.where(kept[:, None] == kept, within, across))


def _labels_within(counts: Floats, own: Indices, kept: Indices) -> Floats:
    """Return k̃ as if both were in one kept class: n_others / (n_c - 1) - 1 within a class, else -1.

    ``counts`` is the number of samples by class and kept class. Samples that are alone in their
    class have similarity 0.
    """
    several = counts > 1
    n_others = np.where(several, counts, 0).sum(axis=0) - 1
    same = np.where(several, n_others / np.maximum(counts - 1, 1), 0.0)
    counted = several[own, kept]
    k = np.where(own[:, None] == own, same[own, kept], 0.0) - 1
    return np.where(counted[:, None] & counted, k, 0.0)


def _labels_across(counts: Floats, own: Indices, kept: Indices) -> Floats:
    """Return k̃ between different kept classes; entries within one are not used."""
    present = counts > 0
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    roots = np.sqrt(shares)
    scale = np.divide(1.0, roots, out=np.zeros_like(roots), where=present)
    # Fraction of kept class g whose class is also in h; the means are over these.
    shared = shares.T @ present
    shared[shared == 0] = 1.0  # these two have no class in common
    mean = (roots.T @ roots) / (shared * shared.T)
    partners = roots[own] * scale[own, kept][:, None] / shared[:, kept].T
    k = np.where(own[:, None] == own, scale[own, kept][:, None] * scale[own, kept], 0.0)
    k += mean[kept[:, None], kept] - partners[:, kept] - partners[:, kept].T
    counted = present[own][:, kept]
    return np.where(counted & counted.T, k, 0.0)


def _of_many_labels(joint: Indices, kept: Indices) -> Similarity:
    """Return k̃ within kept classes only, without a table of the joint strata.

    Samples without a kept label are compared with each other.
    """
    counts = np.bincount(joint)
    several = counts > 1
    groups = np.where(several, kept + 1, kept.max() + 2)  # the last: alone in their class
    in_group = np.bincount(groups, weights=counts)
    table = np.diag(np.append(-np.ones(kept.max() + 2), np.zeros(len(in_group) - kept.max() - 2)))
    same = np.where(several, (in_group[groups] - 1) / np.maximum(counts - 1, 1), 0.0)
    return Similarity(groups[joint].astype(np.int32), table, joint.astype(np.int32), same)


def _of_kernel(prior: Prior, keep: Keep) -> Similarity:
    most = MOST_JOINT // (keep.count + 1)
    if most < LEAST_STRATA:
        message = (
            f"IndependentTSNE: 'keep' takes at most {MOST_JOINT // LEAST_STRATA - 1} classes "
            f"together with a prior without classes; got {keep.count}. Merge similar classes."
        )
        raise ValueError(message)
    strata, kernel = kernel_of_strata(prior, min(MOST_STRATA, most))
    joint, own, kept = _join_strata(strata, keep)
    counts = np.bincount(joint)
    k = kernel[np.ix_(own, own)]
    table = (scale_kernel(kernel, np.bincount(strata))[0] - 1)[np.ix_(own, own)]
    groups = [np.flatnonzero(kept == g) for g in range(keep.count)]
    groups = [group for group in groups if len(group)]
    scale = np.ones(len(own))
    for group in groups:
        if counts[group].sum() > 1:
            block, scale[group] = scale_kernel(k[np.ix_(group, group)], counts[group])
            table[np.ix_(group, group)] = block - 1
    k *= scale * scale[:, None]
    for place, group in enumerate(groups):
        for other in groups[:place]:
            block = _centered(k[np.ix_(group, other)], counts[group], counts[other])
            table[np.ix_(group, other)], table[np.ix_(other, group)] = block, block.T
    return similarity_of_strata(joint, table)


def _centered(k: Floats, rows: Indices, columns: Indices) -> Floats:
    """Subtract the mean of each row, then that of each column."""
    k = k - (k @ columns / columns.sum())[:, None]
    return np.asarray(k - rows @ k / rows.sum())
