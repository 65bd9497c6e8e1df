"""25 to 1000 classes: people, voices, countries, populations and letters are known."""

from __future__ import annotations

import string
from functools import partial
from pathlib import Path

import numpy as np

from quality.case import Samples, principal, read_arrays, recipe_of, some_rows, standardize
from quality.cases.pictures import glyphs_by_weight
from quality.cases.sounds import VOWELS, spectrum
from quality.cases.tables import gapminder
from unprior import priors


def subjects(folder: Path | None, n_classes: int, n: int) -> Samples:
    """Measurements of many people, each shifted; five states are to be seen in all of them."""
    rng = np.random.default_rng(801)
    subject, state = rng.permutation(np.arange(n) % n_classes), rng.integers(5, size=n)
    X = rng.normal(size=(n, 20)) + 1.0 * rng.normal(size=(5, 20))[state]
    X += 2.0 * rng.normal(size=(n_classes, 20))[subject]
    return Samples(X, priors.labels(subject), state)


def nested(folder: Path | None) -> Samples:
    """Patients nested in hospitals, of very different number; types of cells are to be seen."""
    rng = np.random.default_rng(802)
    n, n_patients = 3000, 300
    sizes = rng.pareto(1.5, n_patients) + 0.3
    patient, kind = rng.choice(n_patients, size=n, p=sizes / sizes.sum()), rng.integers(7, size=n)
    hospital = rng.integers(12, size=n_patients)
    X = rng.normal(size=(n, 30)) + 1.3 * rng.normal(size=(7, 30))[kind]
    X += 1.0 * rng.normal(size=(12, 30))[hospital[patient]]
    X += 1.0 * rng.normal(size=(n_patients, 30))[patient]
    return Samples(X, priors.labels(patient), kind)


def voices(folder: Path | None) -> Samples:
    """A hundred voices of different pitch and tract say eight vowels, twice each."""
    rng = np.random.default_rng(803)
    said = []
    for who in range(100):
        pitch, tract = rng.uniform(90, 250), rng.uniform(0.95, 1.2)
        tilt, tone = rng.uniform(5, 15), rng.normal(0, 12, 5)
        said += [
            (spectrum(np.array(formants) * tract, pitch, tilt, tone, rng), who, vowel)
            for vowel, formants in VOWELS.items()
            for _ in range(2)
        ]
    spectra, speakers, vowels = zip(*said, strict=True)
    return Samples(principal(spectra, 20), priors.labels(np.array(speakers)), np.array(vowels))


def gapminder_country(folder: Path | None) -> Samples:
    """Countries over 55 years: the country is known, the time is hidden."""
    table, X = gapminder(size=2000)
    known = priors.labels(table["country"].to_numpy(str))
    return Samples(X, known, np.digitize(table["year"], [1970, 1990]))


def flowers_kind(folder: Path | None) -> Samples:
    """Flowers of 25 kinds: the kind is known, groups of colour are hidden."""
    from scipy.spatial.distance import squareform
    from sklearn.cluster import AgglomerativeClustering

    file = read_arrays(folder, "flowers102_dist.npz")
    parts = {key: squareform(file[key].astype(float)) for key in file if key.startswith("d_")}
    groups = AgglomerativeClustering(6, metric="precomputed", linkage="average")
    colour = groups.fit_predict(parts["d_hsv"])
    # Colour counts as much as all the rest, or there would be little of it to see.
    D = parts["d_hog"] + parts["d_siftint"] + parts["d_siftbdy"] + 3 * parts["d_hsv"]
    return Samples(D, priors.labels(file["label"]), colour, metric="precomputed")


def letters(folder: Path | None) -> Samples:
    """52 letters in 16 fonts: the letter is known, whether it is bold is to be seen."""
    X, letter, bold = glyphs_by_weight(string.ascii_letters, copies=2)
    return Samples(X, priors.labels(letter), bold)


def hgdp_population(folder: Path | None) -> Samples:
    """Genomes of 79 populations, in which one of four haplotypes was planted at random."""
    file = read_arrays(folder, "hgdp_microsat.npz")
    rng = np.random.default_rng(804)
    haplotype = rng.integers(4, size=len(file["pop"]))
    genomes = standardize(file["pca50"])[:, :30]
    X = np.hstack([genomes, rng.normal(size=(len(haplotype), 15))])
    X[:, 30:] += 1.2 * rng.normal(size=(4, 15))[haplotype]
    return Samples(X, priors.labels(file["pop"]), haplotype)


def synovium_sample(folder: Path | None) -> Samples:
    """Cells of the synovium: donor and batch together are known, types are to be seen."""
    file = read_arrays(folder, "sc_ra_synovium.npz")
    rows = some_rows(len(file["pcs"]), 3000)
    known = np.char.add(file["meta_sample"][rows], file["meta_batch"][rows])
    return Samples(
        file["pcs"][rows].astype(float), priors.labels(known), file["meta_celltype"][rows]
    )


_recipe = partial(recipe_of, "many")

RECIPES = (
    _recipe("subjects-50", "open", "50 people → state", subjects, n_classes=50, n=1500),
    _recipe("subjects-200", "open", "200 people → state", subjects, n_classes=200, n=2400),
    _recipe("subjects-1000", "open", "1000 people → state", subjects, n_classes=1000, n=4000),
    _recipe("voices-100", "open", "100 voices → vowel", voices),
    _recipe("gapminder-country", "open", "142 countries → period", gapminder_country),
    _recipe("flowers-kind", "open", "25 kinds of flower → group of colour", flowers_kind),
    _recipe("synovium-donors", "open", "donors and batches → cell type", synovium_sample),
    _recipe("patients-300", "sealed", "300 patients in hospitals → kind of cell", nested),
    _recipe("letters-52", "sealed", "52 letters → weight of font", letters),
    _recipe("hgdp-populations", "sealed", "79 populations → planted haplotype", hgdp_population),
)
