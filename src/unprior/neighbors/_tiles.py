"""Distances of samples in some order -> tiles in single precision, with bounds on their errors.

A tile holds the distances of some rows to consecutive columns. Matrix products and single precision
make it many times faster than exact distances, but less precise. The bounds on the error are tight
enough that only few pairs remain candidates, among which exact distances decide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.geometry import Curve, Points, SampleDistances, StoredDistances
from unprior.priors import Prior

Single: TypeAlias = NDArray[np.float32]

#: Places in an order of the samples: consecutive ones, or any.
Places: TypeAlias = slice | Indices

EPS = float(np.finfo(np.float32).eps)

#: Beyond this many axes distances are computed by matrix products, else by differences.
FEW_AXES = 12

#: Range of the largest distance within which single precision represents squares well.
TINY, HUGE = 1e-10, 1e15


class Tiles(Protocol):
    """Values for pairs of samples, a tile at a time."""

    def tile(self, rows: Places, columns: slice) -> Single:
        """Return the values of every row and column, both places in the order."""


@dataclass(frozen=True, eq=False)
class BlockTiles:
    """Any distances, divided by a scale."""

    source: SampleDistances
    order: Indices
    scale: float = 1.0

    def tile(self, rows: Places, columns: slice) -> Single:
        """Distances of every row to every column, both places in the order."""
        block = self.source.block(self.order[rows], self.order[columns])
        return np.asarray(block / self.scale, dtype=np.float32)


@dataclass(frozen=True, eq=False)
class LabelTiles:
    """0 within a class, 1 between classes."""

    codes: Indices

    def tile(self, rows: Places, columns: slice) -> Single:
        """Distances of every row to every column, both places in the order."""
        from unprior.kernels._tiles import fill_label_tile

        i, j = self.codes[rows], self.codes[columns]
        tile = np.empty((len(i), len(j)), dtype=np.float32)
        fill_label_tile(i, j, tile)
        return tile


@dataclass(frozen=True, eq=False)
class ProductTiles:
    """Squared Euclidean distances, as products of (−2a, |a|², 1) and (b, 1, |b|²)."""

    left: Single
    right: Single

    def tile(self, rows: Places, columns: slice) -> Single:
        """Squares of every row and every column, both places in the order."""
        return np.asarray(self.left[rows] @ self.right[columns].T)


@dataclass(frozen=True, eq=False)
class StoredTiles:
    """Squared Euclidean distances between points that are read on demand.

    Attributes
    ----------
    data : StoredDistances
    order : ndarray of shape (n_samples,)
    factor : float
        The factor of centred points.
    """

    data: StoredDistances
    order: Indices
    factor: float

    def tile(self, rows: Places, columns: slice) -> Single:
        """Squares of every row and every column, both places in the order."""
        return np.asarray(self.left(rows) @ self.right(columns).T)

    def left(self, places: Places) -> Single:
        """Read points as left factors of `ProductTiles`."""
        return product_left(self._read(places))

    def right(self, places: Places) -> Single:
        """Read points as right factors of `ProductTiles`."""
        return product_right(self._read(places))

    def _read(self, places: Places) -> Single:
        samples, middle = self.order[places], self.data.spread.middle
        centered = np.empty((len(samples), len(middle)), dtype=np.float32)
        for rows, points in self.data.prepared_pieces(samples):
            centered[rows] = (points - middle) * self.factor
        return centered


@dataclass(frozen=True, eq=False)
class DifferenceTiles:
    """Squared Euclidean distances, summed axis by axis."""

    points: Single
    axes: Single

    def tile(self, rows: Places, columns: slice) -> Single:
        """Squares of every row and every column, both places in the order."""
        from unprior.kernels._tiles import fill_squares

        points, others = self.points[rows], self.axes[:, columns]
        tile = np.empty((len(points), others.shape[1]), dtype=np.float32)
        fill_squares(points, others, tile)
        return tile


@dataclass(frozen=True, eq=False)
class CurveTiles:
    """Distances that are a function, a curve, of squared Euclidean distances."""

    squares: Tiles
    curve: Curve
    unit: float

    def tile(self, rows: Places, columns: slice) -> Single:
        """Distances of every row to every column, both places in the order."""
        from unprior.kernels._tiles import apply_curve

        tile = self.squares.tile(rows, columns)
        apply_curve(tile, int(self.curve), self.unit)
        return tile


@dataclass(frozen=True, eq=False)
class BoundedTiles:
    """Tiles of data distances, or of their squares if ``square``, with bounds on their errors.

    Attributes
    ----------
    tiles : Tiles
    errors : ndarray of shape (n_samples,)
        The error of a value is at most that of its row plus that of its column.
    square : bool
    largest : float
        An upper bound of the distances.
    """

    tiles: Tiles
    errors: Single
    square: bool
    largest: float


def bounded_tiles(data: SampleDistances, order: Indices, scale: float = 1.0) -> BoundedTiles | None:
    """Return data distances divided by a scale; None if single precision does not suffice."""
    points = data.some_points()
    if points is None or points.curve is Curve.ARC:
        largest = data.largest() / scale
        errors = np.full(len(order), EPS * largest, dtype=np.float32)
        bounded = BoundedTiles(
            BlockTiles(data, order, scale), errors, square=False, largest=largest
        )
    elif isinstance(data, StoredDistances):
        bounded = _stored_tiles(data, points, order, scale)
    else:
        bounded = _point_tiles(points, order, scale)
    return bounded if TINY < bounded.largest < HUGE else None


def _point_tiles(points: Points, order: Indices, scale: float) -> BoundedTiles:
    centered, size = _center(points.values[order])
    square = points.curve is Curve.LINE
    radius = size * points.unit / scale if square else size * np.sqrt(points.unit / scale)
    centered = (centered * radius).astype(np.float32)
    errors = rounding_share(centered) * np.einsum("ij,ij->i", centered, centered)
    largest = float(2 * radius if square else 4 * radius**2)
    return BoundedTiles(_products(centered), np.asarray(errors, dtype=np.float32), square, largest)


def _stored_tiles(
    data: StoredDistances, points: Points, order: Indices, scale: float
) -> BoundedTiles:
    square = points.curve is Curve.LINE
    factor = points.unit / scale if square else float(np.sqrt(points.unit / scale))
    radii = data.spread.radii[order] * factor
    errors = rounding_share(points.values) * radii**2
    largest = float(2 * radii.max() if square else 4 * radii.max() ** 2)
    tiles = StoredTiles(data, order, factor)
    return BoundedTiles(tiles, np.asarray(errors, dtype=np.float32), square, largest)


def prior_tiles(prior: Prior, order: Indices) -> tuple[Tiles, float]:
    """Return a prior's distances in tiles, and a bound on their error beyond rounding."""
    if prior.class_codes is not None:
        return LabelTiles(prior.class_codes[order]), 0.0
    points = prior.points()
    if points is None:
        return BlockTiles(prior, order), 0.0
    centered, size = _center(points.values[order])
    squares, error = _squares(centered.astype(np.float32))
    unit = points.unit
    if points.curve is Curve.LINE:
        return CurveTiles(squares, points.curve, unit * size), unit * size * error
    if points.curve is Curve.SQUARE:
        # Distances are at most 2, so the error of a square is about four times that of a distance.
        return CurveTiles(squares, points.curve, unit * size**2), 5 * unit * size**2 * error
    squares, error = _squares((centered * size).astype(np.float32))
    # Near antipodes, an arc changes with the square root of its chord.
    return CurveTiles(squares, points.curve, unit), np.pi * unit * np.sqrt(error)


def _squares(points: Single) -> tuple[Tiles, float]:
    """Return squared distances, and a bound on the error of distances, for points within 1."""
    if points.shape[1] > FEW_AXES:
        return _products(points), float(np.sqrt(2 * rounding_share(points)))
    error = (points.shape[1] + 6) * EPS
    return DifferenceTiles(points, np.ascontiguousarray(points.T)), error


def _products(points: Single) -> ProductTiles:
    return ProductTiles(product_left(points), product_right(points))


def product_left(points: Single) -> Single:
    squares = np.einsum("ij,ij->i", points, points)
    return np.column_stack((-2 * points, squares, np.ones_like(squares)))


def product_right(points: Single) -> Single:
    squares = np.einsum("ij,ij->i", points, points)
    return np.column_stack((points, np.ones_like(squares), squares))


def rounding_share(points: Floats) -> float:
    """Bound on the error of |a − b|² by products, as a share of |a|² + |b|²."""
    return 2 * (points.shape[1] + 8) * EPS


def _center(points: Floats) -> tuple[Floats, float]:
    """Centre points and scale them to a radius of 1; also return the radius before."""
    centered = points - points.mean(axis=0, dtype=np.float64).astype(points.dtype)
    widest = np.abs(centered).max() or 1.0
    # Scaled first, so that no square overflows.
    centered /= widest
    radius = np.sqrt(np.einsum("ij,ij->i", centered, centered).max()) or 1.0
    return centered / radius, float(widest) * float(radius)
