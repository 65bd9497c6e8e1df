"""``unprior transform``: place new samples on an existing map."""

from __future__ import annotations

from pathlib import Path

import click

from unprior.cli._messages import plain_errors, say
from unprior.cli._options import FORCE, PRIOR, check_targets
from unprior.cli._results import write_result


@click.command(short_help="Place new samples on an existing map.")
@click.argument("file", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@click.option(
    "--model",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A model that 'unprior embed --model FILE' wrote.",
)
@PRIOR
@click.option(
    "--unseen",
    type=click.Choice(["error", "mean", "fit"]),
    default="error",
    show_default=True,
    help="For classes that the model has not seen: stop with an error; use the mean over all "
    "classes; or learn them from the new samples.",
)
@click.option(
    "--without-prior", is_flag=True, help="Place samples by their data alone, without a prior."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="File for the coordinates: .csv, .tsv, .parquet, .npy, .npz or .h5ad.  [default: CSV on "
    "stdout]",
)
@click.option("--drop-missing", is_flag=True, help="Leave out rows with missing values.")
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
    """Place the samples of FILE on the map of a model; the map does not change.

    FILE needs the columns that the model was fitted to and those of its priors, under the same
    names and in any order. What --standardize and --pca did is applied to them. Where a sample is
    placed does not depend on the other samples in FILE.

    \b
    unprior embed cells.csv --prior batch --out map.csv --model cells.unprior
    unprior transform more.csv --model cells.unprior --out more_map.csv
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    with plain_errors():
        from unprior.cli._prepare import DataOptions, prepare
        from unprior.files import WRITERS, as_csv, check_writer, write_map
        from unprior.models._files import read_model

        check_targets(file, (out, WRITERS), force=force)
        if out:
            check_writer(out, with_columns=False)
        estimator, about = read_model(model)
        options = DataOptions(
            prior=() if without_prior else prior or tuple(about.get("prior", ())),
            columns=about.get("columns", ()),
            drop_missing=drop_missing,
        )
        prepared = prepare(file, options)
        Y, far = estimator.transform(
            prepared.X,
            prior=prepared.priors or None,
            unseen=unseen,
            without_prior=without_prior,
            return_far=True,
        )
        if far.any():
            say(f"{int(far.sum())} of {len(far)} samples are far from all samples of the model.")
        if out is None:
            click.echo(as_csv(Y, prepared.ids), nl=False)
        elif not write_result(
            "Coordinates", out, lambda place: write_map(place, Y, prepared.ids, method="embed")
        ):
            raise click.exceptions.Exit(1)
