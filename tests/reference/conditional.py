"""ct-SNE and revised ct-SNE as their papers write them: dense NumPy, no shortcut taken."""

import numpy as np

from reference.jedi import attraction, kl, map_affinities


def same_label(codes):
    return np.asarray(codes)[:, None] == np.asarray(codes)


def share(codes):
    """Share of ordered pairs with the same label, counted."""
    n = len(codes)
    off = ~np.eye(n, dtype=bool)
    return same_label(codes)[off].sum() / (n * (n - 1))


def map_weights(codes, other):
    """A for pairs with the same label and B for the others, with A rho + B (1 - rho) = 1."""
    rho = share(codes)
    return np.where(same_label(codes), (1 - other * (1 - rho)) / rho, other)


def weighted_affinities(Y, weights):
    """T, the map's affinities Q under the weights; and the kernel W."""
    Q, W = map_affinities(Y)
    T = weights * Q
    return T / T.sum(), W


def objective(Y, P, weights):
    T, _ = weighted_affinities(Y, weights)
    return kl(P, T)


def gradient(Y, P, weights):
    T, W = weighted_affinities(Y, weights)
    forces = (P - T) * W
    return 4 * (forces.sum(axis=1)[:, None] * Y - forces @ Y)


def descend(Y, P, weights, *, n_iter, learning_rate, n_early):
    """t-SNE's descent, spelt out: gains, momentum .5 then .8, exaggeration 12 then 1."""
    velocity, gains = np.zeros_like(Y), np.ones_like(Y)
    for t in range(n_iter):
        early = t < n_early
        step = gradient(Y, P, weights) + (11 * attraction(Y, P) if early else 0)
        turned = np.sign(step) != np.sign(velocity)
        gains = np.maximum(np.where(turned, gains + 0.2, gains * 0.8), 0.01)
        velocity = (0.5 if early else 0.8) * velocity - learning_rate * gains * step
        Y = Y + velocity
        Y = Y - Y.mean(axis=0)
    return Y


def balanced_neighbors(D, codes, k):
    """Neighbours of each sample: the larger half of k with its label, the rest with others."""
    found = []
    for i in range(len(D)):
        near = sorted((j for j in range(len(D)) if j != i), key=lambda j: D[i, j])
        same = [j for j in near if codes[j] == codes[i]]
        other = [j for j in near if codes[j] != codes[i]]
        half = (k + 1) // 2
        chosen, rest = same[:half] + other[: k - half], same[half:] + other[k - half :]
        rest.sort(key=lambda j: D[i, j])
        found.append({*chosen, *rest[: k - len(chosen)]})
    return found


def revised_affinities(D, codes, perplexity, same, k):
    """P~: bandwidths over the balanced neighbours, then weights, rows, symmetry."""
    n = len(D)
    rho = share(codes)
    weights = np.where(same_label(codes), same, (1 - same * rho) / (1 - rho))
    conditional = np.zeros((n, n))
    for i, near in enumerate(balanced_neighbors(D, codes, k)):
        columns = sorted(near)
        p = weights[i, columns] * _row(D[i, columns] ** 2, perplexity)
        conditional[i, columns] = p / p.sum()
    return (conditional + conditional.T) / (2 * n)


def _row(squared, perplexity):
    low, high = 0.0, 1e9
    for _ in range(300):
        precision = (low + high) / 2
        p = np.exp(-precision * (squared - squared.min()))
        p /= p.sum()
        entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
        low, high = (precision, high) if entropy > np.log(perplexity) else (low, precision)
    return p
