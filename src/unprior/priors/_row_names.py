"""Priors that remember the pandas index they were made from, to match rows by it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from unprior._forms import is_pandas

Make = TypeVar("Make", bound=Callable[..., Any])

#: Attribute of a prior that holds the names of its samples.
NAMES = "_row_names"


def keeps_names(make: Make) -> Make:
    """Decorate a function that makes a prior, so that the prior remembers its argument's index.

    Examples
    --------
    >>> import pandas as pd
    >>> from unprior import priors
    >>> [*names_of_rows(priors.labels(pd.Series(["a", "b"], index=["x", "y"])))]
    ['x', 'y']
    """

    @functools.wraps(make)
    def made(*args: Any, **options: Any) -> Any:
        prior = make(*args, **options)
        first: Any = args[0] if args else next(iter(options.values()), None)
        if is_pandas(first) and len(first) == prior.n_samples:
            name_rows(prior, first.index)
        return prior

    return made  # type: ignore[return-value]


def name_rows(prior: Any, names: Any) -> None:
    """Store the names of a prior's samples, if there are any."""
    if names is not None:
        object.__setattr__(prior, NAMES, names)  # a frozen record


def names_of_rows(prior: Any) -> Any:
    """Return the names of a prior's samples; None if it has none."""
    return getattr(prior, NAMES, None)
