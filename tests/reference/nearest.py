"""Slow, obvious reference of a search among points: each query is compared with all points."""

from __future__ import annotations

import numpy as np

from reference.ties import tie_order


def nearest_points(points, queries, k, ids=None, query_ids=None):
    """The k nearest points of each query by (distance, hash of the pair), and their distances."""
    ids = range(len(points)) if ids is None else ids
    query_ids = range(len(queries)) if query_ids is None else query_ids
    indices, distances = [], []
    for query, own in zip(np.asarray(queries, dtype=float), query_ids, strict=True):
        lengths = np.sqrt(((np.asarray(points, dtype=float) - query) ** 2).sum(axis=1))
        order = sorted(range(len(points)), key=lambda j: (lengths[j], tie_order(own, ids[j])))[:k]
        indices.append(order)
        distances.append(lengths[order])
    return np.array(indices), np.array(distances)
