"""Distances between samples, computed on demand from rows, a matrix or stored rows."""

from unprior.geometry._base import (
    BLOCK_ENTRIES,
    SampleDistances,
    as_rows,
    draw_landmarks,
    power_of_two,
)
from unprior.geometry._classical_scaling import positive_axes, principal_coordinates
from unprior.geometry._data import MatrixDistances, data_distances
from unprior.geometry._farthest import farthest_pair, outermost
from unprior.geometry._metric_choice import choose_metric
from unprior.geometry._metric_rows import on_unit_sphere
from unprior.geometry._metrics import METRICS, SYNONYMS, RowMetric
from unprior.geometry._points import Curve, Points
from unprior.geometry._row_distances import PointDistances, RowDistances
from unprior.geometry._sphere import arcs, as_counted, unit_rows, unit_vectors
from unprior.geometry._stored_rows import StoredDistances

__all__ = [
    "BLOCK_ENTRIES",
    "METRICS",
    "SYNONYMS",
    "Curve",
    "MatrixDistances",
    "PointDistances",
    "Points",
    "RowDistances",
    "RowMetric",
    "SampleDistances",
    "StoredDistances",
    "arcs",
    "as_counted",
    "as_rows",
    "choose_metric",
    "data_distances",
    "draw_landmarks",
    "farthest_pair",
    "on_unit_sphere",
    "outermost",
    "positive_axes",
    "power_of_two",
    "principal_coordinates",
    "unit_rows",
    "unit_vectors",
]
