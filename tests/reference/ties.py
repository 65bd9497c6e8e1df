"""Slow, obvious reference of the hash that breaks ties between distances: one pair at a time."""

from __future__ import annotations

#: Numbers have 64 bits.
MASK = 2**64 - 1


def scramble(x):
    """The finaliser of splitmix64."""
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB & MASK
    return x ^ (x >> 31)


def tie_order(i, j):
    """A number for a pair of samples, the same from both ends; the lowest is the nearer."""
    first, second = sorted((int(i), int(j)))
    step, seed = 0x9E3779B97F4A7C15, 0x5851F42D4C957F2D
    inner = scramble((first * step + seed) & MASK)
    return scramble((inner + second * step) & MASK)
