"""Slow, obvious twin of a round of the clustered residual: one sample and one cluster at a time."""

from __future__ import annotations

import numpy as np


def memberships(z, centers, penalties, groups, softness):
    """Soft clusters of directions: nearer ones count more, those full of one's own group less."""
    R = np.empty((len(z), len(centers)))
    for i in range(len(z)):
        for k in range(len(centers)):
            R[i, k] = np.exp(2 * (z[i] @ centers[k] - 1) / softness)
            for name, codes in groups.items():
                R[i, k] *= penalties[name][k, codes[i]]
        R[i] /= R[i].sum()
    return R


def moved(X, R, groups, ridge):
    """X less the mean, over clusters, of what a ridge regression says the groups add."""
    left = X.copy()
    indicators = [np.eye(codes.max() + 1)[codes] for codes in groups.values()]
    design = np.column_stack([np.ones(len(X)), *indicators])
    share = design.mean(axis=0)
    share[0] = 0  # the intercept is not drawn to zero, and stays
    for k in range(R.shape[1]):
        W = np.diag(R[:, k])
        gram = design.T @ W @ design + ridge * R[:, k].sum() * np.diag(share)
        found = np.linalg.solve(gram, design.T @ W @ X)
        found[0] = 0
        left -= R[:, [k]] * (design @ found)
    return left
