"""Join the columns of a second file about the same samples (``--meta``)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unprior._params import suggest
from unprior._typing import Indices
from unprior.files._samples import Samples, list_names
from unprior.files._tables import as_text


def join_meta(samples: Samples, other: Samples, on: str | None = None) -> Samples:
    """Add the columns of another file, with rows matched by ids, or by order if there are none.

    ``on`` names the column of ids in the other file, and in the first if it has that column.

    Examples
    --------
    >>> import numpy as np
    >>> birds = Samples("E.npy", np.array(["0", "1"]), data=np.eye(2), data_names=("0", "1"))
    >>> meta = Samples("birds.csv", np.array(["0", "1"]), columns={"kind": np.array(["a", "b"])})
    >>> join_meta(birds, meta)["kind"].tolist()
    ['a', 'b']
    """
    if on is not None:
        if on not in other.columns:
            message = (
                f"--on {on}: {other.name} has no column {on!r}.{suggest(on, other)} It has "
                f"{list_names(other)}."
            )
            raise ValueError(message)
        other = _named_by(other, on)
        samples = _named_by(samples, on) if on in samples.columns else samples
    rows = _matching_rows(samples, other)
    shared = [name for name in other.columns if name in samples and name != other.ids_column]
    if shared:
        message = (
            f"--meta {other.name}: {samples.name} has columns of the same names, "
            f"{list_names(shared)}; rename them in one of the files."
        )
        raise ValueError(message)
    added = {name: column[rows] for name, column in other.columns.items() if name not in samples}
    matched = "ids" if other.ids_from and samples.ids_from else "order"
    return replace(
        samples,
        meta_columns=frozenset(added),
        columns={**samples.columns, **added},
        categories=samples.categories | other.categories,
        remarks=(*samples.remarks, f"Rows of {other.name} are matched by {matched}."),
        ids=samples.ids if samples.ids_from or not other.ids_from else other.ids[rows],
        ids_from=samples.ids_from or (other.ids_from and f"{other.ids_from} of {other.name}"),
    )


def _named_by(samples: Samples, column: str) -> Samples:
    ids = as_text(samples.columns[column])
    return replace(samples, ids=ids, ids_from=f"column {column!r}", ids_column=column)


def _matching_rows(samples: Samples, other: Samples) -> Indices:
    """Return the row of the other file for each sample."""
    if samples.ids_from and other.ids_from:
        rows = other.rows_of(samples.ids.tolist())
        if rows is not None:
            return rows
        message = (
            f"--meta {other.name} lacks ids of {samples.name}, or has duplicates (compared "
            f"{other.ids_from} with {samples.ids_from}); name the column of ids with --on."
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
