"""Slow, obvious reference of the smooth and aligned residuals, one sample or group at a time."""

from __future__ import annotations

import numpy as np
from scipy.linalg import sqrtm


def class_weights(labels):
    """Everyone else of the class counts alike."""
    n = len(labels)
    W = np.zeros((n, n))
    for i in range(n):
        others = [j for j in range(n) if j != i and labels[j] == labels[i]]
        for j in others:
            W[i, j] = 1 / len(others)
    return W


def neighbor_weights(D, k):
    """1 - (d / r)² for those nearer than the (k + 1)-th other; if there are none, all at r."""
    n = len(D)
    W = np.zeros((n, n))
    for i in range(n):
        others = [j for j in range(n) if j != i]
        r = sorted(D[i, j] for j in others)[min(k, n - 2)]
        nearer = [j for j in others if D[i, j] < r]
        for j in nearer:
            W[i, j] = 1 - (D[i, j] / r) ** 2
        if not nearer:
            W[i, [j for j in others if D[i, j] <= r]] = 1
        W[i] /= W[i].sum()
    return W


def smooth(X, weights, rounds=2, significant=5.0, nothing=1e-8):
    """X without what the weighted means of others predict; one number for each axis."""
    mean = X.mean(axis=0)
    axes = np.linalg.svd(X - mean)[2]
    P = (X - mean) @ axes.T
    for _ in range(rounds):
        P = without_parts(P, weights, significant, nothing)
    return P @ axes + mean


def without_parts(P, weights, significant, nothing, sweeps=100):
    """P without the parts of priors, each predicted from P without the parts of the others."""
    parts = {}
    left = P
    while True:
        waiting = [k for k in range(len(weights)) if k not in parts]
        more = [k for k in waiting if exceeds(left, weights[k], significant)]
        if not more:
            return left
        for k in more:
            parts[k] = np.zeros_like(P)
        for _ in range(sweeps if len(parts) > 1 else 1):
            before = left
            for k in parts:
                others = [parts[j] for j in parts if j != k]
                parts[k] = foretold(P - sum(others), weights[k])
            left = P - sum(parts.values())
            if np.sum((left - before) ** 2) <= nothing * np.sum(P**2):
                break


def exceeds(P, W, significant):
    """Whether squared signals add up to more than chance allows."""
    d = P.shape[1]
    signal, variance, chance, _, _, _ = signals(P, W)
    return np.sum((signal / (chance * variance)) ** 2) > d / 2 + significant * np.sqrt(1.25 * d)


def foretold(P, W):
    """The share of means that is signal, of mean zero."""
    signal, variance, _, told, w, M = signals(P, W)
    F = np.zeros_like(P)
    for i in told:
        F[i] = signal / (signal + (variance - signal) * w[i]) * M[i]
    return F - F.mean(axis=0)


def signals(P, W):
    n, d = P.shape
    M = W @ P
    w = [sum(W[i, j] ** 2 for j in range(n)) for i in range(n)]
    told = [i for i in range(n) if w[i] > 0]
    chance = np.sqrt(2 * sum(w)) / len(told)
    signal, variance = np.zeros(d), np.zeros(d)
    for a in range(d):
        variance[a] = np.mean(P[:, a] ** 2)
        product = np.mean([P[i, a] * M[i, a] for i in told])
        signal[a] = min(max(product, 0), variance[a])
    return signal, variance, chance, told, w, M


def aligned(P, groups, significant=3.0):
    """Points with the pooled covariance in every group, as far as more than noise differs."""
    n, d = P.shape
    result = P.copy()
    centers = {g: P[groups == g].mean(axis=0) for g in set(groups.tolist())}
    Y = np.array([P[i] - centers[groups[i]] for i in range(n)])
    pooled = Y.T @ Y / (n - len(centers))
    white = np.linalg.inv(np.real(sqrtm(pooled)))
    color = np.real(sqrtm(pooled))
    for g in centers:
        members = groups == g
        size = np.count_nonzero(members)
        if size < 10:
            continue
        W = Y[members] @ white
        C = W.T @ W / (size - 1)
        biased = W.T @ W / size
        scatter = np.mean([np.sum((np.outer(y, y) - biased) ** 2) for y in W]) / size
        noise = max(scatter, d * (d + 1) / (size - 1))
        difference = np.sum((C - np.eye(d)) ** 2)
        if difference < noise * (1 + significant * np.sqrt(4 / d**2 + 8 / d / (size - 1))):
            continue
        share = max(noise / difference, 0.01)
        own = color @ ((1 - share) * C + share * np.eye(d)) @ color
        root = np.real(sqrtm(own))
        back = np.linalg.inv(root)
        move = back @ np.real(sqrtm(root @ pooled @ root)) @ back
        result[members] = centers[g] + Y[members] @ move
    return result
