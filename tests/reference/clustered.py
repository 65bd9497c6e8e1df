"""Slow, obvious reference of a round of the clustered residual, sample by sample."""

from __future__ import annotations

import numpy as np


def memberships(z, centers, penalties, groups, softness):
    """Soft clusters of directions: nearer ones count more, those dominated by its group less."""
    R = np.empty((len(z), len(centers)))
    for i in range(len(z)):
        for k in range(len(centers)):
            R[i, k] = np.exp(2 * (z[i] @ centers[k] - 1) / softness)
            for name, codes in groups.items():
                R[i, k] *= penalties[name][k, codes[i]]
        R[i] /= R[i].sum()
    return R


def moved(X, R, groups, ridge):
    """X minus the mean, over clusters, of the shifts that a ridge regression gives the groups."""
    left = X.copy()
    indicators = [np.eye(codes.max() + 1)[codes] for codes in groups.values()]
    design = np.column_stack([np.ones(len(X)), *indicators])
    share = design.mean(axis=0)
    share[0] = 0  # the intercept is not shrunk, and stays
    for k in range(R.shape[1]):
        W = np.diag(R[:, k])
        gram = design.T @ W @ design + ridge * R[:, k].sum() * np.diag(share)
        found = np.linalg.solve(gram, design.T @ W @ X)
        found[0] = 0
        left -= R[:, [k]] * (design @ found)
    return left
