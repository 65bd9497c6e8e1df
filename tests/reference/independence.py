"""Independence of a map from a prior, by plain loops over all pairs."""

import numpy as np


def label_similarity(codes):
    """k̃ of labels: 1/π − 1 within a class, −1 between classes; 0 for who is alone."""
    codes = np.asarray(codes)
    n = len(codes)
    size = {c: int((codes == c).sum()) for c in codes}
    n_others = sum(size[c] > 1 for c in codes) - 1
    k = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            if i != j and size[codes[i]] > 1 and size[codes[j]] > 1:
                same = codes[i] == codes[j]
                k[i, j] = n_others / (size[codes[i]] - 1) - 1 if same else -1
    return k


def level(Y, k, scale=1.0, cutoff=np.inf):
    """L = Σ r k̃ with r ∝ w², w = 1 / (1 + d²/s²), pairs beyond the cutoff left out."""
    total = known = 0.0
    for i in range(len(Y)):
        for j in range(len(Y)):
            squared = ((Y[i] - Y[j]) ** 2).sum() / scale**2
            if i != j and squared < cutoff**2:
                soft = 1 / (1 + squared) ** 2
                total += soft
                known += soft * k[i, j]
    return known / total


def gradient(Y, k, scale=1.0, cutoff=np.inf):
    """∂L/∂y_i = −8/s² Σ_j (k̃ − L) r w (y_i − y_j)."""
    n, L = len(Y), level(Y, k, scale, cutoff)
    result, total = np.zeros_like(Y), 0.0
    for i in range(n):
        for j in range(n):
            d = Y[i] - Y[j]
            squared = (d**2).sum() / scale**2
            if i != j and squared < cutoff**2:
                w = 1 / (1 + squared)
                total += w**2
                result[i] -= 8 / scale**2 * (k[i, j] - L) * w**3 * d
    return result / total
