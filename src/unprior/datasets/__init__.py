"""Data to try things on: recipes with a known answer, and real data that ships with a package."""

from unprior.datasets._flowers import Flowers102, fetch_flowers102
from unprior.datasets._pbmc import load_pbmc68k
from unprior.datasets._penguins import load_penguins
from unprior.datasets._records import LabelledData, TwoFactorData
from unprior.datasets._synthetic import make_tuning, make_two_factor

__all__ = [
    "Flowers102",
    "LabelledData",
    "TwoFactorData",
    "fetch_flowers102",
    "load_pbmc68k",
    "load_penguins",
    "make_tuning",
    "make_two_factor",
]
