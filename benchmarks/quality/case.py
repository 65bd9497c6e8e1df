"""A recipe → a case: data, the prior to factor out, and hidden labels."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from unprior.priors import Labels, Prior

#: Samples of a case, where there are more to draw from.
SIZE = 1000


@dataclass(frozen=True, eq=False)
class Samples:
    """Data, the prior to factor out, and labels that no method is given.

    ``labels`` is the same knowledge as classes, for methods that take nothing else; None where the
    prior has no natural classes.
    """

    X: np.ndarray
    prior: Prior
    hidden: np.ndarray
    metric: str = "euclidean"
    labels: Labels | None = None


@dataclass(frozen=True, eq=False)
class Case(Samples):
    """Samples with a name, a family and a split.

    "open" cases may be looked at while methods change. "closed" ones were kept apart until the
    methods of an earlier version were fixed, and have been looked at since. "sealed" ones are run
    only when all settings are fixed.
    """

    name: str = ""
    family: str = "balanced"
    split: str = "open"

    @property
    def differs_in_composition(self) -> bool:
        """Whether the prior should be gone only within hidden classes, with which it goes."""
        return self.family == "composition"

    @property
    def class_prior(self) -> Labels | None:
        """The prior as classes, if it has any."""
        return self.prior if isinstance(self.prior, Labels) else self.labels


@dataclass(frozen=True)
class Recipe:
    """How to make a case, and what is known about it before it is made."""

    name: str
    split: str
    about: str
    make: Callable[[Path | None], Samples]
    family: str = "balanced"

    def load(self, folder: Path | None) -> Case:
        """Make the case; raises ImportError or FileNotFoundError if its data are not there."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # noqa: TID251 (of packages we only take data from)
            samples = vars(self.make(folder))
        return Case(**samples, name=self.name, family=self.family, split=self.split)


def recipe_of(family: str, name: str, split: str, about: str, make: Any, **options: Any) -> Recipe:
    """Return a recipe of a family, whose function takes further options."""
    return Recipe(name, split, about, partial(make, **options), family)


def read_arrays(folder: Path | None, name: str) -> Any:
    """Open a file of arrays in the data folder."""
    if folder is None:
        raise FileNotFoundError(f"{name}: no --data folder was given")
    return np.load(folder / name, allow_pickle=False)


def package_folder(name: str) -> Path:
    """Return the folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ImportError(f"the package {name} is not installed")
    return Path(spec.origin).parent


def some_rows(n: int, size: int = SIZE) -> np.ndarray:
    """Draw up to ``size`` of n rows, the same ones every time."""
    return np.sort(np.random.default_rng(0).permutation(n)[:size])


def rows_with_shares(labels: Any, sizes: Mapping[Any, int]) -> np.ndarray:
    """Draw the given number of rows of each class, the same ones every time."""
    rng, labels = np.random.default_rng(0), np.asarray(labels)
    drawn = [rng.permutation(np.flatnonzero(labels == c))[:size] for c, size in sizes.items()]
    return np.sort(np.concatenate(drawn))


def deal(shares: Sequence[float], n: int, rng: np.random.Generator) -> np.ndarray:
    """Give samples classes of exact shares, in random order."""
    ends = np.round(np.cumsum(shares) / np.sum(shares) * n)
    return rng.permutation(np.searchsorted(ends, np.arange(n), side="right"))


def standardize(X: Any) -> np.ndarray:
    """Give every column mean 0 and variance 1."""
    X = np.asarray(X, dtype=np.float64)
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)


def principal(X: Any, n_components: int = 50) -> np.ndarray:
    """Return the leading principal components, as one does before a map."""
    from sklearn.decomposition import PCA

    X = np.asarray(X, dtype=np.float64)
    return PCA(min(n_components, *X.shape), random_state=0).fit_transform(X)
