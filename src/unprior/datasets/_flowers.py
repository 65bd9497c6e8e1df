"""Distance matrices of the Oxford 102 flowers, downloaded from their source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unprior._extras import import_extra
from unprior._params import Whole, check_value
from unprior._random import as_generator
from unprior._typing import Floats, Indices

SOURCE = "https://www.robots.ox.ac.uk/~vgg/data/flowers/102/"
DISTANCES, LABELS = "distancematrices102.mat", "imagelabels.mat"

#: Name here -> name of the matrix in the file.
MATRICES = {"hsv": "Dhsv", "hog": "Dhog", "siftint": "Dsiftint", "siftbdy": "Dsiftbdy"}


@dataclass(frozen=True, eq=False, repr=False)
class Flowers102:
    """Distances between images of flowers, one matrix for each kind of image features.

    Attributes
    ----------
    distances : dict of str to ndarray of float32, shape (n_samples, n_samples)
        χ² distances of colour ("hsv"), spatial distribution of petals ("hog"), local shape and
        texture ("siftint") and the shape of the boundary ("siftbdy").
    labels : ndarray of int, shape (n_samples,)
        The species, 1 to 102.
    images : ndarray of int, shape (n_samples,)
        The number of each image in the collection, from 1.
    """

    distances: Mapping[str, Floats]
    labels: Indices
    images: Indices

    def subset(
        self, n_classes: int = 25, per_class: int = 40, random_state: Any = None
    ) -> Flowers102:
        """Draw classes at random, and equally many images of each.

        Parameters
        ----------
        n_classes : int, default=25
            Number of classes, as in the paper.
        per_class : int, default=40
            Number of images of each class, as in the paper.
        random_state : None, int or RandomState, default=None
            Seed: the same seed gives the same images.

        Returns
        -------
        flowers : Flowers102
            The subset, sorted by class and image.
        """
        classes, counts = np.unique(self.labels, return_counts=True)
        check_value("Flowers102.subset", "per_class", per_class, Whole(1, int(counts.max())))
        large = classes[counts >= per_class]
        check_value("Flowers102.subset", "n_classes", n_classes, Whole(1, len(large)))
        rng = as_generator(random_state)
        rows = np.concatenate(
            [
                np.sort(rng.choice(np.flatnonzero(self.labels == label), per_class, replace=False))
                for label in np.sort(rng.choice(large, n_classes, replace=False))
            ]
        )
        distances = {name: D[np.ix_(rows, rows)] for name, D in self.distances.items()}
        return Flowers102(distances, self.labels[rows], self.images[rows])

    def __repr__(self) -> str:
        return (
            f"<flowers: {len(self.labels)} images of {len(np.unique(self.labels))} classes, "
            f"distances {', '.join(self.distances)}>"
        )


def fetch_flowers102(*, data_home: str | Path | None = None) -> Flowers102:
    """Fetch the distance matrices of the Oxford 102 flowers, on which the paper tests priors.

    The first call downloads them from the Visual Geometry Group in Oxford, later calls read them
    from disk. There are four matrices of 8189 images, 268 MB each in memory. Needs the
    package pooch (``pip install "unprior[data]"``).

    Parameters
    ----------
    data_home : str or Path, default=None
        The folder for the files; by default this library's cache folder.

    Returns
    -------
    flowers : Flowers102
        The paper's experiment is ``flowers.subset()``: the data are the sum of its four matrices,
        the prior is "hsv".

    References
    ----------
    Nilsback and Zisserman, "Automated flower classification over a large number of classes",
    ICVGIP 2008. For research use.

    Examples
    --------
    >>> from unprior.datasets import fetch_flowers102
    >>> flowers = fetch_flowers102().subset(random_state=0)  # doctest: +SKIP
    >>> flowers  # doctest: +SKIP
    <flowers: 1000 images of 25 classes, distances hsv, hog, siftint, siftbdy>
    """
    distances, labels = _download(DISTANCES, data_home), _download(LABELS, data_home)
    return _read(distances, labels)


def _download(name: str, data_home: str | Path | None) -> Path:
    """Return the path of a file of the collection, downloading it if necessary."""
    pooch = import_extra("pooch", "fetch_flowers102")
    folder = Path(data_home) if data_home is not None else Path(pooch.os_cache("unprior"))
    try:
        # The source publishes no checksums.
        return Path(pooch.retrieve(SOURCE + name, known_hash=None, fname=name, path=folder))
    except OSError as error:  # all connection errors are subclasses
        message = (
            f"fetch_flowers102: could not download {SOURCE + name} ({type(error).__name__}); "
            f"connect to the internet, or put the file into {folder}."
        )
        raise ConnectionError(message) from error


def _read(distances: Path, labels: Path) -> Flowers102:
    """Read the two files of the collection."""
    # One matrix at a time, as they are stored in double precision.
    matrices = {
        name: _variable(distances, variable).astype(np.float32)
        for name, variable in MATRICES.items()
    }
    numbers = _variable(labels, "labels").ravel().astype(np.intp)
    for name, D in matrices.items():
        if D.shape != (len(numbers), len(numbers)):
            message = (
                f"fetch_flowers102: {distances.name} has {name!r} of shape {D.shape}, "
                f"{labels.name} {len(numbers)} labels; delete both files in {distances.parent} and "
                "fetch again."
            )
            raise ValueError(message)
    return Flowers102(matrices, numbers, np.arange(1, len(numbers) + 1))


def _variable(path: Path, name: str) -> Any:
    """Read one variable of a MATLAB file."""
    from scipy.io import loadmat

    try:
        return loadmat(path, variable_names=[name])[name]
    except Exception as error:  # broken files raise many types of errors
        message = (
            f"fetch_flowers102: {path} holds no readable {name!r} ({type(error).__name__}); delete "
            "the file and fetch again."
        )
        raise ValueError(message) from error
