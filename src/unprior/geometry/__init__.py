"""Distances between samples on demand: of rows under a metric, of a matrix, of stored rows."""

from unprior.geometry._base import SampleDistances
from unprior.geometry._classical_scaling import positive_axes, principal_coordinates
from unprior.geometry._data import data_distances
from unprior.geometry._matrix import MatrixDistances
from unprior.geometry._points import Curve, Points
from unprior.geometry._row_distances import PointDistances, RowDistances
from unprior.geometry._stored_rows import StoredDistances

__all__ = [
    "Curve",
    "MatrixDistances",
    "PointDistances",
    "Points",
    "RowDistances",
    "SampleDistances",
    "StoredDistances",
    "data_distances",
    "positive_axes",
    "principal_coordinates",
]
