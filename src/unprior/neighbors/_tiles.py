"""Distances of samples in some order -> tiles in single precision, and how far off they may be.

A tile holds the distances of some rows to consecutive columns. Matrix products and single
precision make it many times quicker than distances to the last bit, but they round. How much is
bounded: well enough to say who may be a neighbour, so that true distances can decide among few.
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

#: Where rows stand in an order of the samples: one after another, or anywhere.
Places: TypeAlias = slice | Indices

EPS = float(np.finfo(np.float32).eps)

#: Points of more axes are measured by matrix products, of fewer by differences.
FEW_AXES = 12

#: Largest distances outside this range have squares that single precision hardly holds.
TINY, HUGE = 1e-10, 1e15


class Tiles(Protocol):
    """Numbers for pairs of samples, a tile at a time."""

    def tile(self, rows: Places, columns: slice) -> Single:
        """Numbers of every row with every column, both places in the order."""


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

        own, others = self.codes[rows], self.codes[columns]
        tile = np.empty((len(own), len(others)), dtype=np.float32)
        fill_label_tile(own, others, tile)
        return tile


@dataclass(frozen=True, eq=False)
class ProductTiles:
    """Squared straight lines between points, as products of (−2a, |a|², 1) and (b, 1, |b|²)."""

    left: Single
    right: Single

    def tile(self, rows: Places, columns: slice) -> Single:
        """Squares of every row and every column, both places in the order."""
        return np.asarray(self.left[rows] @ self.right[columns].T)


@dataclass(frozen=True, eq=False)
class StoredTiles:
    """Squared straight lines between points that are read when they are needed.

    Attributes
    ----------
    data : StoredDistances
    order : ndarray of shape (n_samples,)
    factor : float
        Points are moved around zero, and then multiplied by it.
    """

    data: StoredDistances
    order: Indices
    factor: float

    def tile(self, rows: Places, columns: slice) -> Single:
        """Squares of every row and every column, both places in the order."""
        return np.asarray(self.left(rows) @ self.right(columns).T)

    def left(self, places: Places) -> Single:
        """Read points as `ProductTiles` has them on the left."""
        return product_left(self._read(places))

    def right(self, places: Places) -> Single:
        """Read points as `ProductTiles` has them on the right."""
        return product_right(self._read(places))

    def _read(self, places: Places) -> Single:
        samples, middle = self.order[places], self.data.spread.middle
        cloud = np.empty((len(samples), len(middle)), dtype=np.float32)
        for some, points in self.data.prepared_pieces(samples):
            cloud[some] = (points - middle) * self.factor
        return cloud


@dataclass(frozen=True, eq=False)
class DifferenceTiles:
    """Squared straight lines between points, axis by axis."""

    points: Single
    axes: Single

    def tile(self, rows: Places, columns: slice) -> Single:
        """Squares of every row and every column, both places in the order."""
        from unprior.kernels._tiles import fill_squares

        own, others = self.points[rows], self.axes[:, columns]
        tile = np.empty((len(own), others.shape[1]), dtype=np.float32)
        fill_squares(own, others, tile)
        return tile


@dataclass(frozen=True, eq=False)
class BentTiles:
    """Distances that are a curve of the straight line between points."""

    squares: Tiles
    curve: Curve
    unit: float

    def tile(self, rows: Places, columns: slice) -> Single:
        """Distances of every row to every column, both places in the order."""
        from unprior.kernels._tiles import bend

        tile = self.squares.tile(rows, columns)
        bend(tile, int(self.curve), self.unit)
        return tile


@dataclass(frozen=True, eq=False)
class BoundedTiles:
    """Tiles of data distances, or of their squares if ``square``, with bounds on their errors.

    Attributes
    ----------
    tiles : Tiles
    errors : ndarray of shape (n_samples,)
        No number is off by more than the error of its row plus that of its column.
    square : bool
    largest : float
        No distance is larger.
    """

    tiles: Tiles
    errors: Single
    square: bool
    largest: float


def bounded_tiles(data: SampleDistances, order: Indices, scale: float = 1.0) -> BoundedTiles | None:
    """Return data distances divided by a scale; None if single precision cannot hold them."""
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
    cloud, size = _around_zero(points.values[order])
    square = points.curve is Curve.LINE
    radius = size * points.unit / scale if square else size * np.sqrt(points.unit / scale)
    cloud = (cloud * radius).astype(np.float32)
    errors = rounding_share(cloud) * np.einsum("ij,ij->i", cloud, cloud)
    largest = float(2 * radius if square else 4 * radius**2)
    return BoundedTiles(_products(cloud), np.asarray(errors, dtype=np.float32), square, largest)


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
    cloud, size = _around_zero(points.values[order])
    squares, error = _squares(cloud.astype(np.float32))
    unit = points.unit
    if points.curve is Curve.LINE:
        return BentTiles(squares, points.curve, unit * size), unit * size * error
    if points.curve is Curve.SQUARE:
        # No line is longer than 2, so that its square is off by four times as much and a little.
        return BentTiles(squares, points.curve, unit * size**2), 5 * unit * size**2 * error
    squares, error = _squares((cloud * size).astype(np.float32))
    # Near the far side of the globe, an arc changes as the root of its chord does.
    return BentTiles(squares, points.curve, unit), np.pi * unit * np.sqrt(error)


def _squares(cloud: Single) -> tuple[Tiles, float]:
    """Squared lines between points, and how far a line may be off, for points within 1."""
    if cloud.shape[1] > FEW_AXES:
        return _products(cloud), float(np.sqrt(2 * rounding_share(cloud)))
    error = (cloud.shape[1] + 6) * EPS
    return DifferenceTiles(cloud, np.ascontiguousarray(cloud.T)), error


def _products(cloud: Single) -> ProductTiles:
    return ProductTiles(product_left(cloud), product_right(cloud))


def product_left(cloud: Single) -> Single:
    squares = np.einsum("ij,ij->i", cloud, cloud)
    return np.column_stack((-2 * cloud, squares, np.ones_like(squares)))


def product_right(cloud: Single) -> Single:
    squares = np.einsum("ij,ij->i", cloud, cloud)
    return np.column_stack((cloud, np.ones_like(squares), squares))


def rounding_share(cloud: Floats) -> float:
    """Bound on the error of |a − b|² by products, as a share of |a|² + |b|²."""
    return 2 * (cloud.shape[1] + 8) * EPS


def _around_zero(points: Floats) -> tuple[Floats, float]:
    """Move points around zero and shrink them to a radius of 1; the second is what 1 was."""
    centred = points - points.mean(axis=0, dtype=np.float64).astype(points.dtype)
    widest = np.abs(centred).max() or 1.0
    # Shrunk first, no square overflows.
    centred /= widest
    radius = np.sqrt(np.einsum("ij,ij->i", centred, centred).max()) or 1.0
    return centred / radius, float(widest) * float(radius)
