"""``unprior embed``: a file and what is known → a map of the rest, a picture and scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unprior._methods import METHODS
from unprior.cli._messages import plain_errors, say
from unprior.cli._model import check_model_target, write_fitted
from unprior.cli._options import (
    CHECKPOINT,
    COLOR,
    FORCE,
    JOBS,
    JSON,
    KEEP,
    PLOT,
    PRIOR,
    SEED,
    check_prior,
    check_targets,
    data_options,
)
from unprior.cli._stops import STOPPED

TO_KEEP = "--out FILE writes it"

#: Methods that take kept labels.
KEEPING = ("auto", "independent", "residual", "confetti", "tsne")


@click.command(short_help="Map a file without what is known about it.")
@click.argument("file", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@PRIOR
@KEEP
@data_options
@click.option(
    "--method",
    type=click.Choice([*METHODS]),
    default="auto",
    show_default=True,
    help="How the prior is factored out. 'auto' is 'independent': t-SNE whose map neighbours are "
    "no more alike in the prior than random samples. 'residual' takes the prior's means and "
    "spreads out of the data, and plain t-SNE maps the residual; 'tsne' leaves the prior in. The "
    "others are the library's estimators with their defaults; 'ctsne', 'revised-ctsne' and 'slle' "
    "take labels only.",
)
@click.option(
    "--strength",
    type=click.FloatRange(0),
    multiple=True,
    help="How strongly: 0 not at all. Once for all priors, or once for each. Of 'auto' it is the "
    "share of what a plain map shows that is removed, from 0 to 1; of 'residual' the share that is "
    "taken out of the data, from 0 to 1, once for all.  [default: the method's own]",
)
@SEED
@JOBS
@CHECKPOINT
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where the map goes: .csv, .tsv, .parquet, .npy, .npz or .h5ad.  [default: CSV on stdout]",
)
@PLOT
@COLOR
@click.option(
    "--with",
    "along",
    multiple=True,
    metavar="COLUMN,...",
    help="Other columns that go along into the file of the map.",
)
@click.option(
    "--add-to",
    "copy",
    type=click.Path(path_type=Path),
    metavar="COPY.h5ad",
    help="Write a copy of FILE, which is .h5ad or .zarr, with obs, uns and all and the map in it; "
    "of 'residual' also the residual, of 'confetti' the graph.",
)
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write what 'unprior transform' needs to place new samples on this map. The file holds "
    "the data.",
)
@JSON
@FORCE
def embed(
    *,
    file: Path,
    method: str,
    strength: tuple[float, ...],
    seed: int,
    jobs: int,
    checkpoint: Path | None,
    out: Path | None,
    plot: Path | None,
    copy: Path | None,
    model: Path | None,
    as_json: bool,
    force: bool,
    **asked: Any,
) -> None:
    """Draw a map of FILE with what is known factored out.

    FILE is .csv, .tsv, .parquet, .feather, .arrow, .xlsx, .npy, .npz, .h5ad or .zarr, with a row
    for each sample; text also gzipped, as .csv.gz; "-" is stdin. The map is written as ids and
    coordinates, and scored: how much of the prior is left, how much of the data is kept.

    \b
    unprior embed penguins.csv --prior species --out map.csv --plot map.png
    unprior embed birds.csv --prior lat,lon:geo --prior hour:cyclic=24 --json
    unprior embed cells.h5ad --prior batch --keep cell_type --pca 50 --out map.h5ad
    unprior embed D.npy --metric precomputed --prior tree.nwk:tree
    unprior embed cells.csv --prior batch --out map.csv --model cells.unprior

    Exit codes: 0 all went well; 1 the files cannot be used, with the reason in one sentence; 2 the
    command is not understood; 130 stopped from the keyboard. A map that was being drawn by then
    goes where it was to go, as it is.
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    check_prior(asked["prior"])
    _check_method(method, strength, len(asked["prior"]), asked["metric"])
    if checkpoint and method == "slle":
        message = "--checkpoint: 'slle' takes no steps that could be kept; leave it out."
        raise click.UsageError(message)
    _check_keep(method, asked["keep"])
    with plain_errors():
        from unprior.files import WRITERS, check_writer

        check_targets(file, out, [*WRITERS], plot, copy, force=force)
        if model:
            check_model_target(model, method, asked, force=force)
        if out:
            check_writer(out, with_columns=bool(asked["along"]))
        if copy and file.suffix.lower() not in (".h5ad", ".zarr"):
            message = f"--add-to takes an AnnData as FILE, .h5ad or .zarr; got {file.name}."
            raise ValueError(message)
        from unprior.cli._methods import Setting, draw
        from unprior.cli._prepare import Asked, prepare
        from unprior.cli._provenance import note
        from unprior.cli._results import check_all_room, write_copy, write_drawn, write_picture

        prepared = prepare(file, Asked(**asked))
        targets = [target for target in (out, plot) if target]
        check_all_room(targets, len(prepared.X), None)
        if copy:
            check_all_room([copy], len(prepared.X), file)
        many = [*strength] if len(strength) > 1 else strength[0] if strength else None
        setting = Setting(asked["metric"], many, seed, jobs, checkpoint, prepared.keep or None)
        drawn = draw(method, prepared.X, prepared.priors, setting)
        is_kept = out is not None or copy is not None or not as_json
        key, there = METHODS[method].key, []
        if out or (is_kept and not copy):
            made = {"method": method, "strength": many, "seed": seed}
            there.append(
                write_drawn(
                    prepared, drawn, key, out, lambda place: note(place, file, asked, **made)
                )
            )
        if copy:
            residual = _residual(many, asked["metric"]) if method == "residual" else None
            there.append(write_copy(copy, file, prepared, drawn, key, residual))
        if plot:
            there.append(write_picture(plot, prepared, drawn, f"{file.name}, {method}"))
        if model:
            there.append(write_fitted(model, prepared, drawn, asked))
        if drawn.stopped:
            fate = "written, not scored" if is_kept else f"neither scored nor kept; {TO_KEEP}"
            say(f"{drawn.stopped}; the map so far is {fate}.")
            raise click.exceptions.Exit(STOPPED)
        from unprior.cli._report import tell_scores

        if not is_kept:
            say(f"The map itself is not kept; {TO_KEEP}.")
        facts = {"method": method, "strength": many, "seed": seed, **drawn.facts}
        is_free = out is not None or copy is not None  # of the map, which would go to stdout
        tell_scores(drawn.Y, prepared, asked["metric"], as_json=as_json, on_stdout=is_free, **facts)
        if not all(there):
            raise click.exceptions.Exit(1)


def _check_method(method: str, strength: tuple[float, ...], n_priors: int, metric: str) -> None:
    if strength and METHODS[method].strength is None:
        message = f"--strength: the method {method!r} takes none."
        raise click.UsageError(message)
    if len(strength) > 1 and len(strength) != n_priors:
        message = f"--strength: give one, or one for each of the {n_priors} priors."
        raise click.UsageError(message)
    got = ", ".join(f"{each:g}" for each in strength)
    if method == "residual" and len(strength) > 1:
        message = f"--strength: 'residual' takes one share for all priors, 0 to 1; got {got}."
        raise click.UsageError(message)
    if METHODS[method].strength == "share" and max(strength, default=0) > 1:
        message = f"--strength: {method!r} takes shares, 0 to 1; got {got}."
        raise click.UsageError(message)
    if method == "residual" and metric not in ("euclidean", "l2", "cosine", "precomputed"):
        message = (
            f"--metric: 'residual' takes 'euclidean', 'cosine' or 'precomputed'; got {metric!r}."
        )
        raise click.UsageError(message)


def _check_keep(method: str, keep: tuple[str, ...]) -> None:
    if keep and method not in KEEPING:
        takers = ", ".join(map(repr, KEEPING[:-1]))
        message = f"--keep: the method {method!r} takes none; those that do are {takers}."
        raise click.UsageError(message)


def _residual(strength: Any, metric: str) -> Any:
    """Return the residual that the method of this name maps."""
    from unprior.estimators import Residual

    return Residual("aligned", strength=1.0 if strength is None else strength, metric=metric)
