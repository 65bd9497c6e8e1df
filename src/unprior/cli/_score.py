"""``unprior score``: score a map file against its data, priors and hidden labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unprior.cli._map_files import coordinates_in, fill_from_record, matching_rows
from unprior.cli._messages import plain_errors
from unprior.cli._options import JSON, KEEP, PRIOR, data_options
from unprior.cli._results import print_scores


@click.command(short_help="Score a map: how much of the prior is left, how much else is kept.")
@click.argument(
    "map_file", metavar="MAP", type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option(
    "--data",
    type=click.Path(exists=True, allow_dash=True, path_type=Path),
    help="The file that the map was drawn from.  [default: as recorded beside the map]",
)
@PRIOR
@KEEP
@click.option(
    "--hidden",
    multiple=True,
    metavar="COLUMN[:KIND]",
    help="Labels or amounts that no method was given but the map should show, written like a "
    "prior.",
)
@data_options
@JSON
def score(*, map_file: Path, data: Path | None, as_json: bool, **data_args: Any) -> None:
    """Score MAP: how much of the prior is left, how much of everything else is kept.

    MAP is a file that 'unprior embed --out' wrote, or one in the same formats with a row of
    coordinates per sample. Rows of MAP and of the data are matched by ids, or by order if one of
    the files has none.

    'unprior embed' records how it made a map in a file beside it, such as map.csv.json. Options
    that are not given here, such as priors, columns and scaling, are taken from that file.

    \b
    unprior score map.csv --hidden sex
    unprior score map.csv --data penguins.csv --prior species --hidden sex
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    with plain_errors():
        from unprior.cli._prepare import DataOptions, prepare
        from unprior.files import read_samples

        drawn = read_samples(map_file)
        Y = coordinates_in(drawn)
        data, data_args = fill_from_record(map_file, data, data_args)
        options = DataOptions(**data_args)
        prepared = prepare(data, options, lambda samples: matching_rows(drawn, samples))
        print_scores(Y[prepared.kept], prepared, options.metric, as_json=as_json, on_stdout=True)
