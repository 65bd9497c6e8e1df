"""Samples and a second file about them → samples with the columns of both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unprior._typing import Indices
from unprior.files._samples import Samples, list_names
from unprior.files._specs import suggest
from unprior.files._tables import as_text


def join_meta(samples: Samples, other: Samples, on: str | None = None) -> Samples:
    """Add the columns of another file, rows matched by ids, or by their order if there are none.

    ``on`` names the column that holds the ids: of the other file, and of the first if it is there.

    Examples
    --------
    >>> import numpy as np
    >>> birds = Samples("E.npy", np.array(["0", "1"]), data=np.eye(2), data_names=("0", "1"))
    >>> told = Samples("birds.csv", np.array(["0", "1"]), columns={"kind": np.array(["a", "b"])})
    >>> join_meta(birds, told)["kind"].tolist()
    ['a', 'b']
    """
    if on is not None:
        if on not in other.columns:
            message = (
                f"--on {on}: {other.name} has no column {on!r}.{suggest(on, [*other])} It has "
                f"{list_names(other)}."
            )
            raise ValueError(message)
        other = _named_by(other, on)
        samples = _named_by(samples, on) if on in samples.columns else samples
    places = _places(samples, other, on)
    twice = [name for name in other.columns if name in samples and name != other.ids_column]
    if twice:
        message = (
            f"--meta {other.name}: {samples.name} has columns of the same names, "
            f"{list_names(twice)}; rename them in one of the files."
        )
        raise ValueError(message)
    more = {name: column[places] for name, column in other.columns.items() if name not in samples}
    columns = {**samples.columns, **more}
    matched = "ids" if other.ids_from and samples.ids_from else "their order"
    return replace(
        samples,
        # Numbers of a file that holds only what is known are no data.
        about=frozenset(more),
        columns=columns,
        categories=samples.categories | other.categories,
        remarks=(*samples.remarks, f"Rows of {other.name} are matched by {matched}."),
        ids=samples.ids if samples.ids_from or not other.ids_from else other.ids[places],
        ids_from=samples.ids_from or (other.ids_from and f"{other.ids_from} of {other.name}"),
    )


def _named_by(samples: Samples, column: str) -> Samples:
    ids = as_text(samples.columns[column])
    return replace(samples, ids=ids, ids_from=f"column {column!r}", ids_column=column)


def _places(samples: Samples, other: Samples, on: str | None) -> Indices:
    """Return the row of the other file for each sample."""
    if samples.ids_from and other.ids_from:
        places = other.places_of(samples.ids.tolist())
        if places is not None:
            return places
        message = (
            f"--meta {other.name} does not name all samples of {samples.name}, or names some "
            f"twice ({other.ids_from} against {samples.ids_from}); name the column with the ids "
            "with --on."
        )
        raise ValueError(message)
    if samples.n_samples != other.n_samples:
        message = (
            f"--meta {other.name} has {other.n_samples} rows and {samples.name} "
            f"{samples.n_samples}, and {samples.name if other.ids_from else other.name} has no ids "
            "to match them by."
        )
        raise ValueError(message)
    return np.arange(samples.n_samples)
