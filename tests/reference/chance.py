"""What is left of a prior by chance, over all its permutations."""

from itertools import permutations

import numpy as np


def coherence_by_luck(Y, D, k):
    """Coherence of a map without ties with every order of a prior's distances."""
    n = len(D)
    distances = np.linalg.norm(Y[:, None] - Y, axis=-1)
    np.fill_diagonal(distances, np.inf)
    near = np.argsort(distances, axis=1)[:, :k]
    far = D[~np.eye(n, dtype=bool)].mean()
    found = []
    for order in permutations(range(n)):
        dealt = D[np.ix_(order, order)]
        found.append(1 - np.take_along_axis(dealt, near, axis=1).mean() / far)
    return np.array(found)
