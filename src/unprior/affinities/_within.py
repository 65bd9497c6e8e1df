r"""Prior and kept labels -> the similarity of pairs against chance within kept classes.

With kept classes g, the similarity k̃ has mean 0 over the partners of every kept class, for every
sample. Then the shares of the prior may differ between kept classes at no cost, and only what
differs within them counts.

Within a kept class k̃ is what it would be if there were no other samples. Between two of them, k is
scaled as within each, and then centred twice:

.. math:: \tilde k_{ij} = k_{ij} - \bar k_{i h} - \bar k_{g j} + \bar k_{g h}, \qquad
          i \in g,\ j \in h

with means over the partners in the other kept class. (No scaling alone could do this for labels:
the mean over rows asks for 1 / share in h, that over columns for 1 / share in g.) Samples whose
class has nobody in the other kept class say nothing of chance there: they are left out, with k̃ = 0.

Where a kept label is missing, the chance level is that of all samples.
"""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats, Indices
from unprior.affinities._similarity import (
    MOST_STRATA,
    Similarity,
    kernel_of_strata,
    of_table,
    scale_kernel,
    similarity_of,
)
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep

#: Most combinations of a stratum of the prior and a kept class, for a table of all of them.
MOST_CELLS = 2048

#: Fewest strata of a prior without classes.
LEAST_STRATA = 8


def similarity_within(prior: Prior, keep: Keep | None) -> Similarity:
    """Return the similarity of a prior against chance within kept classes, or among all samples.

    Beyond 2048 combinations of a class and a kept class, pairs of different kept classes do not
    count; a prior without classes has fewer strata instead.

    Examples
    --------
    >>> from unprior.priors import labels
    >>> from unprior.priors._read_keep import read_keep
    >>> keep = read_keep("embed", ["T", "T", "T", "T", "B", "B", "B"])
    >>> within = similarity_within(labels(["x", "x", "y", "y", "x", "x", "x"]), keep)
    >>> within.pairs([0, 0, 4], [1, 2, 5])
    array([ 2., -1.,  0.])
    """
    if keep is None:
        return similarity_of(prior)
    if not isinstance(prior, Labels):
        return _of_kernel(prior, keep)
    cells, own, kept = _find_cells(prior.codes, keep)
    if len(own) > MOST_CELLS:
        return _of_many_labels(cells, kept)
    counts = np.zeros((len(prior.classes), keep.count))
    counts[own[kept >= 0], kept[kept >= 0]] = np.bincount(cells)[kept >= 0]
    everyone = np.zeros_like(kept)
    return of_table(
        cells,
        _by_kept_class(
            kept,
            within=_labels_within(counts, own, kept),
            across=_labels_across(counts, own, kept),
            missing=_labels_within(prior.counts[:, None].astype(float), own, everyone),
        ),
    )


def _find_cells(strata: Indices, keep: Keep) -> tuple[Indices, Indices, Indices]:
    """Return the cell of every sample, and the stratum and kept class (-1: none) of every cell."""
    joint = strata.astype(np.int64) * (keep.count + 1) + keep.codes + 1
    present, cells = np.unique(joint, return_inverse=True)
    return cells.ravel(), present // (keep.count + 1), present % (keep.count + 1) - 1


def _by_kept_class(kept: Indices, *, within: Floats, across: Floats, missing: Floats) -> Floats:
    """Choose the table's entries by the kept classes of both cells."""
    lacking = (kept[:, None] < 0) | (kept < 0)
    return np.where(lacking, missing, np.where(kept[:, None] == kept, within, across))


def _labels_within(counts: Floats, own: Indices, kept: Indices) -> Floats:
    """Return k̃ of cells as if both were of one kept class: n_others / (n_c - 1) - 1, else -1.

    ``counts`` holds the samples of every class, by kept class. Samples that are alone in their
    class are like nobody and unlike nobody.
    """
    several = counts > 1
    n_others = np.where(several, counts, 0).sum(axis=0) - 1
    same = np.where(several, n_others / np.maximum(counts - 1, 1), 0.0)
    told = several[own, kept]
    k = np.where(own[:, None] == own, same[own, kept], 0.0) - 1
    return np.where(told[:, None] & told, k, 0.0)


def _labels_across(counts: Floats, own: Indices, kept: Indices) -> Floats:
    """Return k̃ of cells of two kept classes; what is in both of one class is not for use."""
    present = counts > 0
    shares = counts / np.maximum(counts.sum(axis=0), 1)
    roots = np.sqrt(shares)
    scale = np.divide(1.0, roots, out=np.zeros_like(roots), where=present)
    # Of kept class g, the share whose class is in h, too; the means are over these.
    shared = shares.T @ present
    shared[shared == 0] = 1.0  # no pair of these two counts
    mean = (roots.T @ roots) / (shared * shared.T)
    partners = roots[own] * scale[own, kept][:, None] / shared[:, kept].T
    k = np.where(own[:, None] == own, scale[own, kept][:, None] * scale[own, kept], 0.0)
    k += mean[kept[:, None], kept] - partners[:, kept] - partners[:, kept].T
    told = present[own][:, kept]
    return np.where(told & told.T, k, 0.0)


def _of_many_labels(cells: Indices, kept: Indices) -> Similarity:
    """Return k̃ within kept classes alone, which takes no table of the cells.

    Samples without a kept label then are compared with each other.
    """
    counts = np.bincount(cells)
    several = counts > 1
    groups = np.where(several, kept + 1, kept.max() + 2)  # the last: alone, so like nobody
    in_group = np.bincount(groups, weights=counts)
    table = np.diag(np.append(-np.ones(kept.max() + 2), np.zeros(len(in_group) - kept.max() - 2)))
    same = np.where(several, (in_group[groups] - 1) / np.maximum(counts - 1, 1), 0.0)
    return Similarity(groups[cells].astype(np.int32), table, cells.astype(np.int32), same)


def _of_kernel(prior: Prior, keep: Keep) -> Similarity:
    most = MOST_CELLS // (keep.count + 1)
    if most < LEAST_STRATA:
        message = (
            f"IndependentTSNE: 'keep' takes at most {MOST_CELLS // LEAST_STRATA - 1} classes "
            f"beside a prior without classes; got {keep.count}. Put similar classes together."
        )
        raise ValueError(message)
    strata, kernel = kernel_of_strata(prior, min(MOST_STRATA, most))
    cells, own, kept = _find_cells(strata, keep)
    counts = np.bincount(cells)
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
    return of_table(cells, table)


def _centered(k: Floats, rows: Indices, columns: Indices) -> Floats:
    """Take the means over the columns of every row, and over the rows of every column, out."""
    k = k - (k @ columns / columns.sum())[:, None]
    return np.asarray(k - rows @ k / rows.sum())
