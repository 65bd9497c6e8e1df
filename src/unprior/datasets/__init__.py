"""Example data: synthetic data with known hidden structure, and loaders of real data."""

from unprior.datasets._flowers import Flowers102, fetch_flowers102
from unprior.datasets._measured import LabelledData, load_pbmc68k, load_penguins
from unprior.datasets._synthetic import TwoFactorData, make_tuning, make_two_factor

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
