"""What a case of the quality benchmark is: samples, what is known of them, what is hidden."""

from __future__ import annotations

import importlib.util
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from unprior.priors import Labels, Prior

#: Samples of a case, where there are more to draw from.
SIZE = 1000


@dataclass(frozen=True, eq=False)
class Samples:
    """Data, the prior to factor out, and labels that no method is shown.

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
    """Samples with a name and a side.

    Cases of the "open" split may be looked at while methods are made, "closed" ones are only run
    when all is fixed. A "harmless" prior is one that the data do not show.
    """

    name: str = ""
    split: str = "open"
    harmless: bool = False

    @property
    def class_prior(self) -> Labels | None:
        """The prior as classes, if it has any."""
        return self.prior if isinstance(self.prior, Labels) else self.labels


@dataclass(frozen=True)
class Recipe:
    """How to make a case, and all that can be said of it before it is made."""

    name: str
    split: str
    about: str
    make: Callable[[Path | None], Samples]
    harmless: bool = False

    def load(self, folder: Path | None) -> Case:
        """Make the case; raises ImportError or FileNotFoundError if its data are not there."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # noqa: TID251 (of packages we only take data from)
            samples = vars(self.make(folder))
        return Case(**samples, name=self.name, split=self.split, harmless=self.harmless)


def read_arrays(folder: Path | None, name: str) -> Any:
    """Open a file of arrays in the data folder."""
    if folder is None:
        raise FileNotFoundError(f"{name}: no --data folder was given")
    return np.load(folder / name, allow_pickle=False)


def package_folder(name: str) -> Path:
    """Find where an installed package lies, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ImportError(f"the package {name} is not installed")
    return Path(spec.origin).parent


def some_rows(n: int, size: int = SIZE) -> np.ndarray:
    """Draw up to so many of n rows, the same ones every time."""
    return np.sort(np.random.default_rng(0).permutation(n)[:size])


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
