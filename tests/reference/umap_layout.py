"""Slow, obvious reference of UMAP's layout in rounds: one edge and one draw at a time."""

from __future__ import annotations

from math import floor

import numpy as np

BITS = 2**64


def scramble(x):
    """The finaliser of splitmix64."""
    x %= BITS
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) % BITS
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) % BITS
    return x ^ (x >> 31)


def tournament(n_parts):
    """Rounds of pairs of parts: each pair once, no part twice in a round; then each with itself."""
    last, n_others = n_parts - 1, n_parts - 1
    for r in range(n_others):
        pairs = [(last, r)]
        pairs += [((r + k) % n_others, (r - k) % n_others) for k in range(1, n_parts // 2)]
        yield [(min(pair), max(pair)) for pair in pairs]
    yield [(p, p) for p in range(n_parts)]


def edges_of_round(rounds, pairs):
    """Numbers of the edges between these parts."""
    for p, q in pairs:
        bucket = p * rounds.n_parts + q
        yield from range(rounds.first[bucket], rounds.first[bucket + 1])


def epoch(Y, rounds, a, b, strength, rate, step, number, seed):
    """Return the map after one epoch."""
    Y, n = Y.astype(float), len(Y)
    for sweep in range(2):
        before = Y.copy()
        key = scramble((seed << 32) + 2 * number + sweep)
        for pairs in tournament(rounds.n_parts):
            for e in edges_of_round(rounds, pairs):
                often = float(rounds.often[e])
                times = floor(number * often)
                if times == floor((number - 1) * often):
                    continue
                i, j = rounds.heads[e], rounds.tails[e]
                pull = step * attraction(Y[i] - Y[j], a, b)
                Y[i] += pull
                Y[j] -= pull
                mover = (i, j)[sweep]
                draw = scramble(key + int(e) * 0xD1342543DE82EF95)
                push = np.zeros(Y.shape[1])
                for _ in range(floor(rate * times) - floor(rate * (times - 1))):
                    draw += 0x9E3779B97F4A7C15
                    other = ((scramble(draw) >> 32) * n) >> 32
                    if other != mover:
                        push += repulsion(Y[mover] - before[other], a, b, strength)
                Y[mover] += step * push
    return Y


def attraction(gap, a, b):
    """umap-learn's step of one end towards the other."""
    squared = gap @ gap
    if squared == 0:
        return 0 * gap
    return np.clip(-2 * a * b * squared ** (b - 1) / (a * squared**b + 1) * gap, -4, 4)


def repulsion(gap, a, b, strength):
    """umap-learn's step away from a sample."""
    squared = gap @ gap
    if squared == 0:
        return 0 * gap
    return np.clip(2 * strength * b / ((0.001 + squared) * (a * squared**b + 1)) * gap, -4, 4)
