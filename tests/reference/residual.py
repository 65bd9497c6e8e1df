"""Slow, obvious reference of the linear residual: one least-squares fit, one pair at a time."""

from __future__ import annotations

import numpy as np


def least_squares(X, Z, strength=1.0):
    """X without the share of what an affine function of Z explains, with X's mean."""
    design = np.column_stack([np.ones(len(X)), Z])
    explained = design @ np.linalg.lstsq(design, X, rcond=None)[0]
    return X - strength * (explained - X.mean(axis=0))


def without_class_means(X, labels):
    """X with every class moved to the overall mean."""
    result = np.empty_like(X)
    for i, label in enumerate(labels):
        members = [j for j in range(len(X)) if labels[j] == label]
        result[i] = X[i] - X[members].mean(axis=0) + X.mean(axis=0)
    return result


def centered_gram(D):
    n = len(D)
    J = np.eye(n) - np.full((n, n), 1 / n)
    return -J @ D**2 @ J / 2


def residual_distances(D, Z, strength):
    """Squared distances of (I - sH) B (I - sH), with H the projection onto centred columns."""
    Z = Z - Z.mean(axis=0)
    shrink = np.eye(len(D)) - strength * Z @ np.linalg.pinv(Z)
    R = shrink @ centered_gram(D) @ shrink
    return np.array(
        [[R[i, i] + R[j, j] - 2 * R[i, j] for j in range(len(D))] for i in range(len(D))]
    )
