"""Slow, obvious reference of inverse supervised LLE: one sample and one neighbour at a time."""

from __future__ import annotations

import numpy as np

from reference.confetti import nearest


def pushed(D, labels, strength):
    """D' = D + α max(D) [same class], zero from a sample to itself."""
    result = D.copy()
    for i, j in np.ndindex(D.shape):
        if i != j and labels[i] == labels[j]:
            result[i, j] += strength * D.max()
    return result


def gram_of_points(X, i, near):
    return np.array([[(X[j] - X[i]) @ (X[m] - X[i]) for m in near] for j in near])


def gram_of_distances(D, i, near):
    return np.array(
        [[(D[i, j] ** 2 + D[i, m] ** 2 - D[j, m] ** 2) / 2 for m in near] for j in near]
    )


def weights(gram, neighbors, regularization):
    """The matrix of weights; ``gram(i, near)`` is the local Gram matrix."""
    W = np.zeros((len(neighbors), len(neighbors)))
    for i, near in enumerate(neighbors):
        G = gram(i, near)
        G = G + regularization * (np.trace(G) or 1) * np.eye(len(near))
        w = np.linalg.solve(G, np.ones(len(near)))
        W[i, near] = w / w.sum()
    return W


def bottom(W, n_components):
    """Eigenvalues and vectors of (I - W)ᵀ (I - W), smallest first, beside the constant."""
    n = len(W)
    across = np.linalg.svd(np.eye(n) - 1 / n)[0][:, : n - 1]  # orthogonal to the constant
    values, vectors = np.linalg.eigh(across.T @ (np.eye(n) - W).T @ (np.eye(n) - W) @ across)
    return values[:n_components], across @ vectors[:, :n_components]


def inverse_slle(D, labels, strength, k, regularization, n_components=2):
    """The whole method on distances."""
    neighbors = nearest(pushed(D, labels, strength), k)[0]
    W = weights(lambda i, near: gram_of_distances(D, i, near), neighbors, regularization)
    return bottom(W, n_components)[1]
