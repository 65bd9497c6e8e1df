"""Classes of 2 to 10 samples: twins, writers, plates, voices and faces are known."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from quality.case import Samples, principal, recipe_of
from quality.cases.pictures import faces
from quality.cases.sounds import VOWELS, spectrum
from unprior import priors


def litters(folder: Path | None, size: int) -> Samples:
    """Classes of equal size, each of which shifts its members; six groups are to be seen."""
    rng = np.random.default_rng(901)
    n = 1200
    litter, group = rng.permutation(np.arange(n) // size), rng.integers(6, size=n)
    X = rng.normal(size=(n, 15)) + 2.0 * rng.normal(size=(6, 15))[group]
    X += 3.0 * rng.normal(size=(n, 15))[litter]
    return Samples(X, priors.labels(litter), group)


def plates(folder: Path | None) -> Samples:
    """A reference plate with half of the samples, and plates of 2 to 10 for the rest."""
    rng = np.random.default_rng(902)
    n, group = 1200, rng.integers(5, size=1200)
    plate = np.concatenate([np.zeros(n // 2, dtype=int), 1 + _small_classes(n - n // 2, rng)])
    plate = rng.permutation(plate)
    X = rng.normal(size=(n, 20)) + 1.5 * rng.normal(size=(5, 20))[group]
    X += 1.5 * rng.normal(size=(n + 1, 20))[plate]
    return Samples(X, priors.labels(plate), group)


def writers(folder: Path | None) -> Samples:
    """Digits by 200 writers of six each, who slant and press them in their own way."""
    from scipy.ndimage import affine_transform
    from sklearn.datasets import load_digits

    digits = load_digits()
    rng = np.random.default_rng(903)
    rows = rng.permutation(len(digits.target))[:1200]
    writer = np.arange(1200) // 6
    slant, paper = rng.normal(0, 0.5, 200), 0.3 * rng.normal(size=(200, 8, 8))
    drawn = []
    for row, who in zip(rows, writer, strict=True):
        shear = np.array([[1, 0], [slant[who], 1]])
        middle = np.array([3.5, 3.5])
        image = affine_transform(digits.images[row] / 16, shear, middle - shear @ middle, order=1)
        drawn.append(image + paper[who])
    X = principal(np.reshape(drawn, (1200, -1)), 40)
    return Samples(X, priors.labels(writer), digits.target[rows])


def voices(folder: Path | None) -> Samples:
    """A hundred and fifty voices of different pitch and tract say eight vowels, once each."""
    rng = np.random.default_rng(904)
    said = []
    for who in range(150):
        pitch, tract = rng.uniform(90, 250), rng.uniform(0.95, 1.2)
        tilt, tone = rng.uniform(5, 15), rng.normal(0, 12, 5)
        said += [
            (spectrum(np.array(formants) * tract, pitch, tilt, tone, rng), who, vowel)
            for vowel, formants in VOWELS.items()
        ]
    spectra, speakers, vowels = zip(*said, strict=True)
    return Samples(principal(spectra, 20), priors.labels(np.array(speakers)), np.array(vowels))


def faces_few(folder: Path | None) -> Samples:
    """A hundred faces, eight pictures of each: which side the light is on is to be seen."""
    rng = np.random.default_rng(905)
    face, side = np.repeat(np.arange(100), 8), np.tile(np.arange(4), 200)
    angle = np.pi / 2 * side + rng.uniform(-0.5, 0.5, len(face))
    return Samples(faces(face, angle, rng), priors.labels(face), side)


def families(folder: Path | None) -> Samples:
    """Counts of animals in families of 2 to 10, which differ in gains; four diets are hidden."""
    rng = np.random.default_rng(906)
    n, diet = 1000, rng.integers(4, size=1000)
    family = rng.permutation(_small_classes(n, rng))
    rates = np.exp(rng.normal(1.5, 0.8, (4, 40)))
    gains = np.exp(1.0 * rng.normal(size=(n, 40)))
    counts = rng.poisson(rng.gamma(8, 1 / 8, n)[:, None] * rates[diet] * gains[family])
    return Samples(principal(np.log1p(counts), 15), priors.labels(family), diet)


def _small_classes(n: int, rng: np.random.Generator) -> np.ndarray:
    """Deal n samples into classes of 2 to 10; the last is joined to its neighbour if it is 1."""
    classes = np.repeat(np.arange(n), rng.integers(2, 11, size=n))[:n]
    return np.where(classes == classes[-1], classes[-2], classes)


_recipe = partial(recipe_of, "small")

RECIPES = (
    _recipe("litters-2", "open", "600 pairs → group", litters, size=2),
    _recipe("litters-5", "open", "240 classes of 5 → group", litters, size=5),
    _recipe("litters-10", "open", "120 classes of 10 → group", litters, size=10),
    _recipe("plates", "open", "a class of half, others of 2 to 10 → group", plates),
    _recipe("writers-6", "open", "200 writers of 6 digits → digit", writers),
    _recipe("voices-8", "open", "150 voices of 8 vowels → vowel", voices),
    _recipe("faces-8", "sealed", "100 faces of 8 pictures → side of the light", faces_few),
    _recipe("families", "sealed", "families of 2 to 10 → diet", families),
)
