"""The prior of places on Earth: great-circle distances in kilometres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from unprior._typing import Floats, Indices
from unprior._validation import check_finite, check_numeric
from unprior.geometry import Curve, Points, arcs, as_rows, farthest_pair, outermost, unit_vectors
from unprior.priors._base import Kind, Prior, Source
from unprior.priors._reader import Reader
from unprior.priors._row_names import keeps_names

#: Mean radius of the Earth in kilometres (International Union of Geodesy and Geophysics).
EARTH_RADIUS = 6371.0088


@dataclass(frozen=True, eq=False, repr=False)
class Geo(Prior):
    """Places on Earth as a prior: great-circle distances in kilometres.

    Attributes
    ----------
    vectors : ndarray of shape (n_samples, 3)
        The places, as points on the unit sphere.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.geo(lat=[0, 0], lon=[0, 1]).pairs([0], [1]).round(1)
    array([111.2])
    """

    kind: ClassVar[str] = "geo"

    vectors: Floats

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.vectors)

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        chords = cdist(self.vectors[as_rows(rows)], self.vectors[as_rows(cols)])
        return EARTH_RADIUS * arcs(chords)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        gaps = self.vectors[as_rows(i)] - self.vectors[as_rows(j)]
        return EARTH_RADIUS * arcs(np.sqrt(np.einsum("ij,ij->i", gaps, gaps)))

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        i, j = _farthest_places(self.vectors)
        return float(self.pairs(np.array([i]), np.array([j]))[0])

    def points(self) -> Points:
        """Return points on the unit sphere, whose arcs are the distances."""
        return Points(np.ascontiguousarray(self.vectors), Curve.ARC, EARTH_RADIUS)

    def reader(self) -> GeoReader:
        """Return the reader of places of new samples."""
        return GeoReader()

    def _take(self, rows: Indices) -> Geo:
        return Geo(self.vectors[rows])


@dataclass(frozen=True)
class GeoReader(Reader):
    """Reads places on Earth as points on the unit sphere."""

    reads: ClassVar[type[Geo]] = Geo

    def _values(self, who: str, name: str, prior: Geo) -> Floats:
        return prior.vectors

    def distances(self, new: Floats, fitted: Floats) -> Floats:
        """Return distances of new samples to fitted ones."""
        return EARTH_RADIUS * arcs(cdist(new, fitted))


@keeps_names
def geo(lat: Any, lon: Any) -> Geo:
    """Make a prior from places on Earth.

    Parameters
    ----------
    lat : array-like of shape (n_samples,)
        Latitudes in degrees, from -90 to 90.
    lon : array-like of shape (n_samples,)
        Longitudes in degrees; 181 is the same as -179.

    Returns
    -------
    prior : Geo
        Great-circle distances in kilometres, on a sphere of the Earth's mean radius.

    Examples
    --------
    >>> from unprior import priors
    >>> places = priors.geo(lat=[52.52, 48.86], lon=[13.41, 2.35])
    >>> round(places.largest())
    878
    """
    lat, lon = _read_angles("lat", lat), _read_angles("lon", lon)
    if len(lat) != len(lon):
        message = f"geo: 'lat' has {len(lat)} samples and 'lon' {len(lon)}; give both for each."
        raise ValueError(message)
    outside = np.abs(lat) > 90
    if outside.any():
        sample = int(outside.argmax())
        swapped = " Perhaps 'lat' and 'lon' were swapped." if _fits(lon) else ""
        message = (
            f"geo: 'lat' takes degrees from -90 to 90; got {lat[sample]:g} for sample {sample}."
            f"{swapped}"
        )
        raise ValueError(message)
    # Wrapped first, so that 180 and -180 are exactly equal.
    return Geo(unit_vectors(np.deg2rad(lat), np.deg2rad(np.mod(lon, 360))))


def _farthest_places(vectors: Floats) -> tuple[int, int]:
    radius = np.linalg.norm(vectors - vectors.mean(axis=0), axis=1).max()
    if radius < 0.5:  # seen from the antipodes, these places are too close to be distinguished
        return farthest_pair(vectors)
    # The place farthest from another is the nearest to its antipode.
    among = outermost(vectors)
    gaps, nearest = cKDTree(vectors[among]).query(-vectors[among])
    place = int(np.argmin(gaps))
    return int(among[place]), int(among[nearest[place]])


def _read_angles(name: str, values: Any) -> Floats:
    angles = check_numeric("geo", name, values).astype(np.float64, copy=False)
    if angles.ndim != 1:
        message = f"geo: {name!r} takes one angle for each sample; got shape {angles.shape}."
        raise ValueError(message)
    check_finite("geo", name, angles)
    return angles


def _fits(lon: Floats) -> bool:
    return bool((np.abs(lon) <= 90).all())


def _make(source: Source) -> Geo:
    return geo(*source.take(2))


GEO = Kind("geo", "lat,lon:geo", _make)
