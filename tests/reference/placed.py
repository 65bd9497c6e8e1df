"""Slow, obvious references of the objectives that place new samples."""

import numpy as np


def tsne(y, places, affinities, push, known, scale, farthest):
    """F of a place; affinities and known have an entry for every fitted sample."""
    squared = np.square(y - places).sum(axis=1)
    soft = np.where(squared < farthest, 1 / (1 + squared / scale**2), 0)
    value = affinities @ np.log1p(squared) + push * (1 / (1 + squared)).sum()
    return value + known @ soft**2


def jedi(y, places, affinities, known, strengths, shape):
    normalizer, push, symmetry, skewness = shape
    squared, n = np.square(y - places).sum(axis=1), len(places)
    w = 1 / (1 + squared)
    value = affinities @ np.log1p(squared) + push * w.sum()
    for row, strength in zip(known, strengths, strict=True):
        r, q = row[row > 0] / n, w[row > 0] / normalizer
        mixed = skewness * r + (1 - skewness) * q
        other = skewness * q + (1 - skewness) * r
        backward = q * np.log(q / mixed) + q * np.log(1 - skewness)
        term = (1 - symmetry) * backward + symmetry * r * np.log(r / other)
        value -= n * strength * term.sum()
    return value


def umap(y, places, weights, others, push, a, b):
    squared = np.square(y - places).sum(axis=1)
    far = np.square(y - others).sum(axis=1) + 1e-3
    return weights @ np.log1p(a * squared**b) + push * np.log1p(1 / (a * far**b)).sum()


def balanced(squares, width, shares, groups, back):
    """What is left of squares once every group has its share; ``back`` are fitted potentials."""
    rest = squares - back
    for group in np.unique(groups):
        mine = groups == group
        low = rest[mine].min()
        nearness = -low / width + np.log(np.exp(-(rest[mine] - low) / width).sum())
        rest[mine] -= width * (np.log(shares[group]) - nearness)
    return rest
