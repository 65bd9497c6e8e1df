"""A number of samples -> real or generated data of that size, with what is known of each sample."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

#: Samples of Fashion-MNIST and of CyTOF, which larger sizes take if a folder has them.
N_IMAGES, N_CELLS = 70_000, 172_791


@dataclass(frozen=True, eq=False)
class Data:
    """Samples, a continuous prior, labels, and the name of the data."""

    X: np.ndarray
    known: np.ndarray
    labels: np.ndarray
    name: str

    def first(self, n: int) -> Data:
        """The first samples."""
        return Data(self.X[:n], self.known[:n], self.labels[:n], self.name)


def load(n: int, folder: Path | None) -> Data:
    """Load real data if a folder has as many samples, else generate them."""
    if folder is not None and n <= N_IMAGES:
        return _images(folder / "fashion_mnist.npz", n)
    if folder is not None and n <= N_CELLS:
        return _cells(folder / "cytof_bcrxl.npz", n)
    return _generated(n)


def _images(path: Path, n: int) -> Data:
    file = np.load(path)
    rows = np.random.default_rng(0).permutation(N_IMAGES)[:n]
    intensity = file["mean_intensity"][rows].astype(float)
    return Data(file["pca50"][rows], intensity, file["label"][rows].astype(str), "Fashion-MNIST")


def _cells(path: Path, n: int) -> Data:
    file = np.load(path)
    rows = np.random.default_rng(0).permutation(N_CELLS)[:n]
    X = np.hstack([file["lineage"], file["signalling"]])[rows].astype(np.float32)
    return Data(X, X[:, : file["lineage"].shape[1]], file["patient"][rows].astype(str), "CyTOF")


def _generated(n: int) -> Data:
    """Ten clusters in 50 columns, one of which is known."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 10, n)
    X = rng.standard_normal((n, 50), dtype=np.float32)
    X += 3 * rng.standard_normal((10, 50), dtype=np.float32)[labels]
    X[:, 0] += 10 * rng.random(n, dtype=np.float32)
    return Data(X, X[:, 0].astype(float), labels.astype(str), "generated")
