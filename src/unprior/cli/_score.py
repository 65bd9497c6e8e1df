"""``unprior score``: a map on file and what it was drawn from → how much is gone and kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unprior.cli._messages import plain_errors
from unprior.cli._options import JSON, KEEP, PRIOR, data_options

if TYPE_CHECKING:
    from unprior._typing import Indices
    from unprior.files import Samples


@click.command(short_help="Score a map: what of the prior is left, what is kept.")
@click.argument(
    "map_file", metavar="MAP", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--data",
    type=click.Path(exists=True, allow_dash=True, path_type=Path),
    help="The file that the map was drawn from.  [default: what is written beside the map]",
)
@PRIOR
@KEEP
@click.option(
    "--hidden",
    multiple=True,
    metavar="COLUMN[:KIND]",
    help="Structure that the map should show; said like a prior.",
)
@data_options
@JSON
def score(*, map_file: Path, data: Path | None, as_json: bool, **asked: Any) -> None:
    """Score MAP: how much of what was known is left, how much of the rest is kept.

    MAP is a file that 'unprior embed --out' wrote, or any of its formats with a row of coordinates
    for each sample. Rows of MAP and of the data are matched by their ids, or by their order if
    one of the files has none.

    How the map was made is taken from the file beside it, such as map.csv.json, that 'unprior
    embed' wrote: priors, columns, scaling and all; what is said here goes before it.

    \b
    unprior score map.csv --hidden sex
    unprior score map.csv --data penguins.csv --prior species --hidden sex
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    with plain_errors():
        from unprior.cli._prepare import Asked, prepare
        from unprior.cli._provenance import recall
        from unprior.cli._report import tell_scores
        from unprior.files import read_samples

        drawn = read_samples(map_file)
        Y = _coordinates(drawn)
        data, asked = recall(map_file, data, asked)
        prepared = prepare(data, Asked(**asked), lambda samples: _places(drawn, samples))
        tell_scores(Y[prepared.kept], prepared, asked["metric"], as_json=as_json, on_stdout=True)


def _coordinates(drawn: Samples) -> Any:
    """Return the columns x, y, z if they are there, else all numbers."""
    from unprior.files import AXES, choose_data

    return choose_data(drawn, features=[axis for axis in AXES if axis in drawn.columns]).X


def _places(drawn: Samples, samples: Samples) -> Indices:
    """Return the row of the data for each row of the map."""
    import numpy as np

    in_order = np.arange(samples.n_samples)
    if drawn.ids_from and samples.ids.tolist() == drawn.ids.tolist():
        return in_order  # even where an id stands for several samples
    places = samples.places_of(drawn.ids.tolist()) if drawn.ids_from else None
    if places is not None:
        return places
    if drawn.ids_from and samples.ids_from:
        message = (
            f"{samples.name} does not name all samples of {drawn.name}, or names some twice, so "
            "that their rows cannot be matched; take the ids out of one if the order is the same."
        )
        raise ValueError(message)
    if drawn.n_samples != samples.n_samples:
        message = (
            f"{drawn.name} has {drawn.n_samples} samples and {samples.name} {samples.n_samples}, "
            "and their ids do not say which belong together."
        )
        raise ValueError(message)
    return in_order
