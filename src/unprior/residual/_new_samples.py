"""The prior of new samples -> its values in the terms of the fitted one, or why there are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol

from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.priors import Features, Prior
from unprior.priors._coerce import name_parts, read_parts
from unprior.priors._features import METRIC_OF_FIT
from unprior.priors._reader import Reader
from unprior.priors._table import is_table
from unprior.storage._rows import fingerprint

#: What the names of parts begin with, if a single prior was combined of them.
LONE = "prior: "


class Model(Protocol):
    """What was learnt of features and priors, for samples that were not in ``fit``."""

    @property
    def readers(self) -> Mapping[str, Reader]:
        """What reads each prior, by name."""

    def explained(
        self, X: Floats, told: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return what the priors, as they were read, explain of new samples.

        ``learn`` says whether classes that are new are learnt from them.
        """


def read_new(who: str, prior: Any, n_samples: int) -> dict[str, Prior]:
    """Make priors of what is known of new samples, by the names that parts had in ``fit``.

    Each part of a table or list is read alone: combined, it would be refused if it were the same
    for all samples, which is natural for a few new ones.
    """
    several = name_parts(who, "prior", prior)
    if several is None:
        several = {"prior": prior}
    pairs = (pair for name, part in several.items() for pair in _single_parts(who, name, part))
    single = dict(pairs)
    read = read_parts(who, single, n_samples)
    return {name: _as_said(single[name], prior) for name, prior in read.items()}


def own_names(parts: Mapping[str, Prior]) -> dict[str, Prior]:
    """Return parts by the names they would have alone.

    So the parts of one prior that was combined of them are called the same as a list or dict of
    them, which may hold what `combine` refuses: parts that are the same for all of a few samples.
    """
    if all(name.startswith(LONE) for name in parts):
        return {name.removeprefix(LONE): part for name, part in parts.items()}
    return dict(parts)


def recognize(prior: Prior) -> str:
    """Return a fingerprint of a prior, to see it again; "" if new samples cannot be read at all."""
    reader = prior.reader()
    return fingerprint(reader.read("Residual", "prior", prior)) if reader.can_read else ""


def _single_parts(who: str, name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Walk through what is in a table or list, and in those within it."""
    parts = _columns(value) if is_table(value) else name_parts(who, name, value)
    if parts is None:
        yield name, value
        return
    for part, inner in parts.items():
        yield from _single_parts(who, f"{name}: {part}", inner)


def _as_said(said: Any, prior: Prior) -> Prior:
    """Return a prior without the metric that was chosen for an array."""
    if isinstance(prior, Features) and not isinstance(said, Prior):
        return replace(prior, metric=METRIC_OF_FIT)
    return prior


def _columns(df: Any) -> dict[str, Any] | None:
    """Return columns by name; None where they are not several, or two have the same name."""
    columns = {str(name): df[name] for name in df.columns}
    return columns if 1 < len(columns) == len(df.columns) else None
