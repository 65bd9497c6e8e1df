"""Slow, obvious reference of how PaCMAP chooses pairs: one sample at a time."""

from __future__ import annotations


def scaled_nearest(indices, distances, size):
    """The nearest of each sample once distances are divided by the usual ones of both ends."""
    usual = [sum(row[3:6]) / len(row[3:6]) for row in distances.tolist()]
    chosen = []
    for i, (near, lengths) in enumerate(zip(indices.tolist(), distances.tolist(), strict=True)):
        scaled = {j: d * d / usual[i] / usual[j] for j, d in zip(near, lengths, strict=True)}
        chosen.append(sorted(scaled, key=scaled.get)[:size])
    return chosen


def second_nearest(D):
    """The second nearest other sample of each."""
    others = [[j for j in range(len(D)) if j != i] for i in range(len(D))]
    return [sorted(some, key=lambda j, i=i: D[i, j])[1] for i, some in enumerate(others)]
