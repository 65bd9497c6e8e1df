"""The table of the package palmerpenguins → measurements and labels of 333 penguins."""

from __future__ import annotations

import csv
import importlib.util
from pathlib import Path

import numpy as np

from unprior.datasets._records import LabelledData

MEASUREMENTS = ("bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g")
LABELS = ("species", "sex", "island", "year")


def load_penguins() -> LabelledData:
    """Load the Palmer penguins: four body measurements of three species, and each bird's sex.

    Only birds with all measurements and labels are kept, 333 of 344. Needs the package
    palmerpenguins, which brings the table with it (``pip install "unprior[demo]"``); nothing is
    downloaded.

    Returns
    -------
    data : LabelledData
        ``X`` holds bill length, bill depth and flipper length in mm and body mass in g; ``labels``
        holds "species", "sex", "island" and "year".

    Notes
    -----
    Measured by K. Gorman at Palmer Station; published by A. Horst, A. Hill and K. Gorman under CC0.

    Examples
    --------
    >>> from unprior.datasets import load_penguins
    >>> penguins = load_penguins()
    >>> penguins
    <labelled data: 333 samples, 4 features, labels species, sex, island, year>
    >>> sorted(set(penguins.labels["species"].tolist()))
    ['Adelie', 'Chinstrap', 'Gentoo']
    """
    with _table().open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if "NA" not in row.values()]
    return LabelledData(
        X=np.array([[float(row[name]) for name in MEASUREMENTS] for row in rows]),
        feature_names=MEASUREMENTS,
        labels={name: np.array([row[name] for row in rows]) for name in LABELS},
    )


def _table() -> Path:
    """Find the table without importing its package, which would import pandas."""
    package = importlib.util.find_spec("palmerpenguins")
    if package is None or package.origin is None:
        message = (
            "load_penguins needs the package palmerpenguins, which is not installed; "
            'pip install "unprior[demo]".'
        )
        raise ImportError(message)
    return Path(package.origin).parent / "data" / "penguins.csv"
