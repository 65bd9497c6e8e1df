"""Data to try things on: recipes with a known answer, and real data that ships with a package."""

from unprior.datasets._penguins import load_penguins
from unprior.datasets._records import LabelledData, TwoFactorData
from unprior.datasets._synthetic import make_tuning, make_two_factor

__all__ = [
    "LabelledData",
    "TwoFactorData",
    "load_penguins",
    "make_tuning",
    "make_two_factor",
]
