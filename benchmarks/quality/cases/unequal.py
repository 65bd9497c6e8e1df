"""One dominant class: batches, scanners, rooms and treatments of very different sizes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from quality.case import (
    Samples,
    deal,
    principal,
    read_arrays,
    recipe_of,
    rows_with_shares,
    standardize,
)
from quality.cases.pictures import glyphs_by_weight, textures
from quality.cases.sounds import VOWELS, spectrum
from unprior import priors

#: Samples of generated cases: .03 of them are 36, enough to measure a class.
N = 1200
THREE = (0.85, 0.10, 0.05)


def shifted(folder: Path | None, shares: Sequence[float]) -> Samples:
    """Six clusters in batches that differ by a shift."""
    rng = np.random.default_rng(601)
    batch, group = deal(shares, N, rng), rng.integers(6, size=N)
    X = rng.normal(size=(N, 20)) + 0.8 * rng.normal(size=(6, 20))[group]
    X += 2.0 * rng.normal(size=(len(shares), 20))[batch]
    return Samples(X, priors.labels(batch), group)


def uneven_shift(folder: Path | None, shares: Sequence[float]) -> Samples:
    """Clusters of different size and width; a batch moves every cluster a little differently."""
    rng = np.random.default_rng(602)
    batch, group = deal(shares, N, rng), rng.choice(8, size=N, p=np.arange(1, 9) / 36)
    width = rng.uniform(0.6, 1.4, 8)
    X = width[group, None] * rng.normal(size=(N, 25)) + 0.9 * rng.normal(size=(8, 25))[group]
    n_batches = len(shares)
    X += 1.5 * rng.normal(size=(n_batches, 25))[batch]
    X += 0.5 * rng.normal(size=(n_batches, 8, 25))[batch, group]
    return Samples(X, priors.labels(batch), group)


def gain(folder: Path | None, share: float) -> Samples:
    """Counts of five kinds of cells: the rare batch has other gains and is read less deeply."""
    rng = np.random.default_rng(603)
    batch, kind = deal((share, 1 - share), N, rng), rng.integers(5, size=N)
    rates = np.exp(rng.normal(0.5, 0.7, 60) + 0.4 * rng.normal(size=(5, 60)))
    gains = np.exp(np.vstack([np.zeros(60), rng.normal(-0.5, 0.6, 60)]))
    depth = rng.gamma(6, 1 / 6, N)[:, None]
    counts = rng.poisson(depth * rates[kind] * gains[batch])
    logs = np.log1p(counts / counts.sum(axis=1, keepdims=True) * 200)
    return Samples(principal(logs, 20), priors.labels(batch), kind)


def digits_scanner(folder: Path | None, share: float) -> Samples:
    """Digits, a few of them read by a scanner that blurs, darkens and shifts a little."""
    from scipy.ndimage import gaussian_filter, shift
    from sklearn.datasets import load_digits

    digits = load_digits()
    rng = np.random.default_rng(604)
    scanner = deal((share, 1 - share), len(digits.target), rng)
    images = digits.images / 16
    other = np.array([shift(gaussian_filter(image, 0.7), (0.7, 0.4)) for image in images])
    images = np.where(scanner[:, None, None] == 1, 0.25 + 0.8 * other, images)
    X = images.reshape(len(images), -1) + 0.03 * rng.normal(size=(len(images), 64))
    return Samples(principal(X, 40), priors.labels(scanner), digits.target)


def cytof_stim(folder: Path | None, share: float) -> Samples:
    """Blood cells of which a few were stimulated: populations are to be seen."""
    file = read_arrays(folder, "cytof_bcrxl.npz")
    few = round(1500 * (1 - share))
    rows = rows_with_shares(file["stim"], {0: 1500 - few, 1: few})
    X = np.hstack([standardize(file[key][rows]) for key in ("lineage", "signalling")])
    return Samples(X, priors.labels(file["stim"][rows]), file["population_derived"][rows])


def kang_stim(folder: Path | None, share: float) -> Samples:
    """Blood cells of which a few met interferon: types are to be seen."""
    file = read_arrays(folder, "sc_kang_pbmc.npz")
    few = round(1000 * (1 - share) / share)
    rows = rows_with_shares(file["stim"], {0: 1000, 1: few})
    types = file["cell_type_derived"][rows]
    return Samples(file["pca50"][rows].astype(float), priors.labels(file["stim"][rows]), types)


def synovium_disease(folder: Path | None) -> Samples:
    """Cells of the synovium, five in six of rheumatoid arthritis: types are to be seen."""
    file = read_arrays(folder, "sc_ra_synovium.npz")
    rows = rows_with_shares(file["meta_disease"], {"RA": 1245, "OA": 255})
    X = file["pcs"][rows].astype(float)
    return Samples(X, priors.labels(file["meta_disease"][rows]), file["meta_celltype"][rows])


def vowels_room(folder: Path | None, shares: Sequence[float]) -> Samples:
    """Vowels of many voices, most of them recorded in one room."""
    rng = np.random.default_rng(605)
    room = deal(shares, N, rng)
    tones = 8.0 * rng.normal(size=(len(shares), 5))
    names = rng.integers(len(VOWELS), size=N)
    formants = np.array([*VOWELS.values()], dtype=float)
    X = [
        spectrum(formants[v] * rng.uniform(0.97, 1.1), rng.uniform(100, 140), 10, tones[r], rng)
        for v, r in zip(names, room, strict=True)
    ]
    return Samples(principal(X, 20), priors.labels(room), np.array([*VOWELS])[names])


def textures_lamp(folder: Path | None, shares: Sequence[float]) -> Samples:
    """Patches of brick, grass and gravel, most of them under the same lamp."""
    rng = np.random.default_rng(606)
    lamp = deal(shares, N, rng)
    kind = rng.integers(3, size=N)
    X = textures(kind, np.array([1.0, 0.75, 0.55])[lamp], rng)
    return Samples(X, priors.labels(lamp), kind)


def letters_bold(folder: Path | None, share: float) -> Samples:
    """Letters, a few of them printed in bold: the letter is to be seen."""
    X, letter, bold = glyphs_by_weight("ABDEGHKMNR", copies=8)
    plenty = int((bold == 0).sum())
    rows = rows_with_shares(bold, {0: plenty, 1: round(plenty * (1 - share) / share)})
    return Samples(X[rows], priors.labels(bold[rows]), letter[rows])


_recipe = partial(recipe_of, "unequal")

RECIPES = (
    _recipe("shift-80", "open", "batches .8/.2 → cluster", shifted, shares=(0.8, 0.2)),
    _recipe("shift-90", "open", "batches .9/.1 → cluster", shifted, shares=(0.9, 0.1)),
    _recipe("shift-97", "open", "batches .97/.03 → cluster", shifted, shares=(0.97, 0.03)),
    _recipe("shift-three", "open", "batches .85/.1/.05 → cluster", shifted, shares=THREE),
    _recipe(
        "uneven-90", "open", "batches .9/.1 → unlike clusters", uneven_shift, shares=(0.9, 0.1)
    ),
    _recipe("uneven-three", "open", "batches .85/.1/.05 → the same", uneven_shift, shares=THREE),
    _recipe("scanner-80", "open", "scanners .8/.2 → digit", digits_scanner, share=0.8),
    _recipe("scanner-90", "open", "scanners .9/.1 → digit", digits_scanner, share=0.9),
    _recipe("scanner-97", "open", "scanners .97/.03 → digit", digits_scanner, share=0.97),
    _recipe("cytof-stim-90", "open", "stimulation .9/.1 → population", cytof_stim, share=0.9),
    _recipe("cytof-stim-97", "open", "stimulation .97/.03 → population", cytof_stim, share=0.97),
    _recipe("synovium-disease", "open", "disease .83/.17 → cell type", synovium_disease),
    _recipe("vowels-room", "open", "rooms .85/.1/.05 → vowel", vowels_room, shares=THREE),
    _recipe("gain-80", "sealed", "batches .8/.2 → kind of cell", gain, share=0.8),
    _recipe("gain-90", "sealed", "batches .9/.1 → kind of cell", gain, share=0.9),
    _recipe("gain-97", "sealed", "batches .97/.03 → kind of cell", gain, share=0.97),
    _recipe("kang-stim-90", "sealed", "stimulation .9/.1 → cell type", kang_stim, share=0.9),
    _recipe("textures-lamp", "sealed", "lamps .85/.1/.05 → material", textures_lamp, shares=THREE),
    _recipe("letters-bold", "sealed", "weight of font .9/.1 → letter", letters_bold, share=0.9),
)
