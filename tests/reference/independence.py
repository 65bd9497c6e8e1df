"""Independence of a map from a prior, by plain loops over all pairs."""

import numpy as np


def label_similarity(codes):
    """k̃ of labels: 1/π − 1 within a class, −1 between classes; 0 for samples alone in theirs."""
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


def label_similarity_within(codes, kept):
    """k̃ of labels against chance within kept classes; None or -1 is a missing kept label."""
    codes, kept = np.asarray(codes), np.asarray([-1 if g is None else g for g in kept])
    n, everyone = len(codes), label_similarity(codes)
    k = np.zeros((n, n))
    for g in set(kept):
        for h in set(kept):
            rows, cols = np.flatnonzero(kept == g), np.flatnonzero(kept == h)
            if g < 0 or h < 0:
                k[np.ix_(rows, cols)] = everyone[np.ix_(rows, cols)]
            elif g == h:
                k[np.ix_(rows, rows)] = label_similarity(codes[rows])
            else:
                k[np.ix_(rows, cols)] = _centered_block(codes[rows], codes[cols])
    return k


def _centered_block(here, there):
    """[same class] over the roots of both shares, centred over those with a counterpart."""
    block = np.zeros((len(here), len(there)))
    for i, c in enumerate(here):
        for j, d in enumerate(there):
            if c == d:
                block[i, j] = 1 / np.sqrt((here == c).mean() * (there == c).mean())
    rows, cols = np.isin(here, there), np.isin(there, here)
    told = np.ix_(rows, cols)
    if rows.any():
        shared = block[told]
        shared = shared - shared.mean(axis=1, keepdims=True)
        block[told] = shared - shared.mean(axis=0)
    return block


def left_within(D, kept, neighbors, k):
    """What neighbours share of labels within kept classes, pair by pair."""
    kept = np.asarray([-1 if g is None else g for g in kept])
    n, above, room = len(D), 0.0, 0.0
    for i in range(n):
        whose = [-1 if kept[i] < 0 or kept[j] < 0 else kept[j] for j in neighbors[i]]
        for j, h in zip(neighbors[i], whose, strict=True):
            others = [m for m in range(n) if m != i and (h < 0 or kept[m] == h)]
            far = np.mean([D[i, m] for m in others])
            nearest = sorted(D[i, m] for m in others)[: whose.count(h)]
            least = sum(nearest) / whose.count(h) if len(set(D.ravel())) == 2 else 0.0
            above += far - D[i, j]
            room += far - least
    return above / room if room else 0.0
