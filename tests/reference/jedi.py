"""JEDI as the paper writes it: dense NumPy, no shortcut taken."""

import numpy as np
from scipy.spatial.distance import cdist


def map_affinities(Y):
    """Student-t affinities Q, and the kernel W they are made of."""
    W = 1 / (1 + cdist(Y, Y, "sqeuclidean"))
    np.fill_diagonal(W, 0)
    return W / W.sum(), W


def kl(P, Q):
    present = P > 0
    return float((P[present] * np.log(P[present] / Q[present])).sum())


def pjsd(R, Q, symmetry, skewness):
    """Definition 1 of the paper; the diagonal, where both are zero, is left out."""
    off = ~np.eye(len(Q), dtype=bool)
    R, Q = R[off], Q[off]
    return symmetry * kl(R, skewness * Q + (1 - skewness) * R) + (1 - symmetry) * kl(
        Q, skewness * R + (1 - skewness) * Q
    )


def objective(Y, P, priors, symmetry, skewness):
    """Value of KL(P‖Q) − Σ strength pJSD(R‖Q); ``priors`` holds pairs (R, strength)."""
    Q, _ = map_affinities(Y)
    return kl(P, Q) - sum(s * pjsd(R, Q, symmetry, skewness) for R, s in priors)


def gradient(Y, P, priors, symmetry, skewness):
    """The paper's gradient, with the derivative of pJSD by every q_ij, constants included."""
    Q, W = map_affinities(Y)
    inner = P - Q
    for R, strength in priors:
        to_map = skewness * Q + (1 - skewness) * R
        to_prior = skewness * R + (1 - skewness) * Q
        off = ~np.eye(len(Q), dtype=bool)
        slope = np.zeros_like(Q)
        slope[off] = (1 - symmetry) * (
            np.log(Q[off] / to_prior[off]) + 1 - (1 - skewness) * Q[off] / to_prior[off]
        ) - symmetry * skewness * R[off] / to_map[off]
        inner = inner + strength * Q * (slope - (Q * slope).sum())
    forces = inner * W
    return 4 * (forces.sum(axis=1)[:, None] * Y - forces @ Y)


def affinities(D, perplexity):
    """Joint affinities of a distance matrix, bandwidths by plain bisection on σ."""
    n = len(D)
    conditional = np.zeros((n, n))
    for i in range(n):
        others = np.arange(n) != i
        d2 = D[i, others] ** 2
        low, high = 0.0, 1e12
        for _ in range(300):
            precision = (low + high) / 2
            p = np.exp(-precision * (d2 - d2.min()))
            p /= p.sum()
            entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
            low, high = (precision, high) if entropy > np.log(perplexity) else (low, precision)
        conditional[i, others] = p
    return (conditional + conditional.T) / (2 * n)


def descend(Y, P, priors, symmetry, skewness, *, n_iter, learning_rate):
    """The exact solver's descent, spelt out: steps shrink and the priors' strength halves."""
    velocity = np.zeros_like(Y)
    for t in range(n_iter):
        done = t / n_iter
        emphasis = 1 + max(0, 1 - done / 0.9)
        enlarged = [(R, emphasis * strength) for R, strength in priors]
        rate = learning_rate * max(1 - done, 0.02)
        velocity = 0.8 * velocity - rate * gradient(Y, P, enlarged, symmetry, skewness)
        for i in range(len(Y)):
            velocity[i] /= max(1, np.linalg.norm(velocity[i]))
        Y = Y + velocity
        Y = Y - Y.mean(axis=0)
    return Y


def attraction(Y, P):
    _, W = map_affinities(Y)
    pull = P * W
    return 4 * (pull.sum(axis=1)[:, None] * Y - pull @ Y)
