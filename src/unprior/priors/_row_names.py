"""Priors that remember the pandas index they were made from, to match rows by it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sized
from typing import Any, ParamSpec, TypeVar

from unprior._forms import is_pandas
from unprior._frames import ROW_NAMES

Given = ParamSpec("Given")
Made = TypeVar("Made", bound=Sized)


def keeps_names(make: Callable[Given, Made]) -> Callable[Given, Made]:
    """Decorate a function that makes a prior, so that the prior remembers its argument's index.

    Examples
    --------
    >>> import pandas as pd
    >>> from unprior import priors
    >>> from unprior._frames import names_of_rows
    >>> [*names_of_rows(priors.labels(pd.Series(["a", "b"], index=["x", "y"])))]
    ['x', 'y']
    """

    @functools.wraps(make)
    def made(*args: Given.args, **options: Given.kwargs) -> Made:
        prior = make(*args, **options)
        first: Any = args[0] if args else next(iter(options.values()), None)
        if is_pandas(first) and len(first) == len(prior):
            name_rows(prior, first.index)
        return prior

    return made


def name_rows(prior: Any, names: Any) -> None:
    """Store the names of a prior's samples, if there are any."""
    if names is not None:
        object.__setattr__(prior, ROW_NAMES, names)  # a frozen record
