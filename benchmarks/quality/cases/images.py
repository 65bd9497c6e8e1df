"""Handwriting, clothes and flowers: angle, colour or brightness is known, the thing is hidden."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quality.case import Recipe, Samples, principal, read_arrays, some_rows
from unprior import priors


def flowers_colour(folder: Path | None) -> Samples:
    """Flowers by four distances of the paper, of which the distance in colour is known."""
    from scipy.spatial.distance import squareform

    file = read_arrays(folder, "flowers102_dist.npz")
    parts = {key: squareform(file[key].astype(float)) for key in file if key.startswith("d_")}
    known = priors.distances(parts["d_hsv"])
    return Samples(sum(parts.values()), known, file["label"], metric="precomputed")


def fashion_intensity(folder: Path | None) -> Samples:
    """Clothes: how bright an image is on average is known."""
    file = read_arrays(folder, "fashion_mnist.npz")
    rows = some_rows(len(file["label"]))
    intensity = priors.features(file["mean_intensity"][rows].astype(float))
    return Samples(file["pca50"][rows].astype(float), intensity, file["label"][rows])


def digits_rotated(folder: Path | None) -> Samples:
    """Digits, each turned by a known angle up to a quarter turn either way."""
    from scipy.ndimage import rotate

    images, digit = _digits()
    angle = np.random.default_rng(201).uniform(-90, 90, len(digit))
    turned = [
        rotate(image, degrees, reshape=False, order=1)
        for image, degrees in zip(images, angle, strict=True)
    ]
    return Samples(principal(np.reshape(turned, (len(turned), -1))), priors.features(angle), digit)


def digits_tinted(folder: Path | None) -> Samples:
    """Digits in four colours on paper of known darkness: two things known at once."""
    images, digit = _digits()
    rng = np.random.default_rng(202)
    ink = np.array([[1, 0.2, 0.2], [0.2, 1, 0.2], [0.2, 0.2, 1], [0.9, 0.9, 0.1]])
    color, paper = rng.integers(len(ink), size=len(digit)), rng.uniform(0, 0.5, len(digit))
    shown = images[..., None] / 16 * ink[color, None, None] + paper[:, None, None, None]
    known = priors.combine({"color": priors.labels(color), "paper": priors.features(paper)})
    return Samples(principal(shown.reshape(len(digit), -1)), known, digit)


def digits_random(folder: Path | None) -> Samples:
    """Digits, dealt at random into three groups: nothing there to be factored out."""
    images, digit = _digits()
    group = np.random.default_rng(203).integers(3, size=len(digit))
    return Samples(principal(images.reshape(len(digit), -1)), priors.labels(group), digit)


def _digits() -> tuple[np.ndarray, np.ndarray]:
    from sklearn.datasets import load_digits

    digits = load_digits()
    rows = some_rows(len(digits.target))
    return digits.images[rows], digits.target[rows]


RECIPES = (
    Recipe("flowers-colour", "open", "distance in colour known → kind of flower", flowers_colour),
    Recipe("fashion-intensity", "closed", "brightness known → kind of garment", fashion_intensity),
    Recipe("digits-rotated", "open", "angle known → digit", digits_rotated),
    Recipe("digits-tinted", "open", "colour and darkness known → digit", digits_tinted),
    Recipe("digits-random", "open", "a random group known → digit", digits_random),
)
