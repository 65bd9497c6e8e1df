"""``unprior transform``: a file of new samples and a model -> their places on its map."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unprior.cli._messages import plain_errors, say
from unprior.cli._options import FORCE, PRIOR, check_targets

#: How many columns a message names.
MOST_NAMED = 5


@click.command(short_help="Place new samples on a map that was drawn before.")
@click.argument("file", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@click.option(
    "--model",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="What 'unprior embed --model FILE' has written.",
)
@PRIOR
@click.option(
    "--unseen",
    type=click.Choice(["error", "mean", "fit"]),
    default="error",
    show_default=True,
    help="Classes that the model has not seen: refuse them; take them for nothing in particular; "
    "or learn them from the new samples.",
)
@click.option("--without-prior", is_flag=True, help="Place samples by their data alone.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where the places go: .csv, .tsv, .parquet, .npy, .npz or .h5ad.  [default: CSV on "
    "stdout]",
)
@click.option("--drop-missing", is_flag=True, help="Leave out rows with a value missing.")
@FORCE
def transform(
    *,
    file: Path,
    model: Path,
    prior: tuple[str, ...],
    unseen: str,
    without_prior: bool,
    out: Path | None,
    drop_missing: bool,
    force: bool,
) -> None:
    """Place the samples of FILE on the map of a model, which stays as it is.

    FILE has the columns that the model was fitted to, and those of its priors: they go by the
    names they had then. A sample gets the same place in any file.

    \b
    unprior embed cells.csv --prior batch --out map.csv --model cells.unprior
    unprior transform more.csv --model cells.unprior --out more_map.csv
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    with plain_errors():
        from unprior.cli._prepare import Asked, prepare
        from unprior.cli._results import write_result
        from unprior.files import WRITERS, as_csv, check_writer, write_map
        from unprior.models._files import read_model

        check_targets(file, out, [*WRITERS], None, force=force)
        if out:
            check_writer(out, with_columns=False)
        estimator, about = read_model(model)
        known = () if without_prior else prior or tuple(about.get("prior", ()))
        columns = about.get("columns", [])
        asked = Asked(
            prior=known,
            features=columns,
            drop_missing=drop_missing,
            metric=estimator.metric,
        )
        prepared = prepare(file, asked)
        options: dict[str, Any] = {"unseen": unseen, "without_prior": without_prior}
        places, far = estimator.transform(
            prepared.X, prior=prepared.priors or None, return_far=True, **options
        )
        if far.any():
            say(f"{int(far.sum())} of {len(far)} samples are far from all that the model has seen.")
        if out is None:
            click.echo(as_csv(places, prepared.ids), nl=False)
        elif not write_result(
            "Places", out, lambda place: write_map(place, places, prepared.ids, method="embed")
        ):
            raise click.exceptions.Exit(1)
