"""Distances between samples on demand: of rows under a metric, of a matrix, of stored rows."""

from unprior.geometry._base import BLOCK_ENTRIES, SampleDistances, as_rows
from unprior.geometry._classical_scaling import positive_axes, principal_coordinates
from unprior.geometry._data import data_distances
from unprior.geometry._directions import as_counted, unit_rows
from unprior.geometry._farthest import farthest_pair, outermost
from unprior.geometry._landmarks import draw_landmarks
from unprior.geometry._matrix import MatrixDistances
from unprior.geometry._metric_choice import choose_metric
from unprior.geometry._metric_rows import on_unit_sphere
from unprior.geometry._metrics import METRICS, SYNONYMS, RowMetric
from unprior.geometry._points import Curve, Points
from unprior.geometry._row_distances import PointDistances, RowDistances
from unprior.geometry._sphere import arcs, unit_vectors
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
    "principal_coordinates",
    "unit_rows",
    "unit_vectors",
]
