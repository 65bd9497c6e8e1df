"""Vowels spoken by made voices → spectra: who speaks is known, what is said is hidden."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quality.case import Recipe, Samples, principal
from unprior import priors

#: Typical resonances of a man's vowels in Hz: first, second and third formant.
VOWELS = {
    "beat": (270, 2290, 3010),
    "bit": (390, 1990, 2550),
    "bet": (530, 1840, 2480),
    "bat": (660, 1720, 2410),
    "father": (730, 1090, 2440),
    "bought": (570, 840, 2410),
    "foot": (440, 1020, 2240),
    "boot": (300, 870, 2240),
}
SPEAKERS, REPEATS = 20, 6
BANDS = 40


def vowels_speaker(folder: Path | None) -> Samples:
    """Twenty voices of different pitch, tract length and tilt say eight vowels, six times each."""
    rng = np.random.default_rng(401)
    pitch, tract = rng.uniform(90, 250, SPEAKERS), rng.uniform(0.95, 1.25, SPEAKERS)
    tilt, tone = rng.uniform(6, 14, SPEAKERS), rng.normal(0, 4, (SPEAKERS, 5))
    said = [
        (spectrum(np.array(formants) * tract[who], pitch[who], tilt[who], tone[who], rng), who, v)
        for who in range(SPEAKERS)
        for v, formants in VOWELS.items()
        for _ in range(REPEATS)
    ]
    spectra, speakers, vowels = zip(*said, strict=True)
    return Samples(principal(spectra, 20), priors.labels(np.array(speakers)), np.array(vowels))


def spectrum(
    formants: np.ndarray, pitch: float, tilt: float, tone: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Level in dB of each of forty bands: harmonics of a pitch, shaped by resonances and a room."""
    edges = np.geomspace(100, 5000, BANDS + 1)
    harmonics = pitch * rng.normal(1, 0.03) * np.arange(1, 60)
    peaks = formants * rng.normal(1, 0.04, len(formants))
    width = 50 + peaks / 20
    gain = np.prod(
        peaks**2 / np.hypot(peaks**2 - harmonics[:, None] ** 2, width * harmonics[:, None]), axis=1
    )
    level = 20 * np.log10(gain) - tilt * np.log2(harmonics / pitch)
    centers = np.sqrt(edges[1:] * edges[:-1])
    smooth = np.interp(np.log(centers), np.log(harmonics), level)
    room = np.interp(np.linspace(0, 1, BANDS), np.linspace(0, 1, len(tone)), tone)
    return smooth + room + rng.normal(0, 1.5, BANDS)


RECIPES = (Recipe("vowels-speaker", "open", "voice known → vowel", vowels_speaker),)
