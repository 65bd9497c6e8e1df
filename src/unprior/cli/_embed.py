"""``unprior embed``: draw a map of a file with the prior factored out, and score it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unprior._methods import METHODS
from unprior.cli._messages import plain_errors, say
from unprior.cli._options import (
    CHECKPOINT,
    COLOR,
    FORCE,
    JOBS,
    JSON,
    KEEP,
    PICTURES,
    PLOT,
    PRIOR,
    SEED,
    check_prior,
    check_targets,
    data_options,
)
from unprior.cli._results import (
    check_model_target,
    check_space,
    print_scores,
    write_copy,
    write_fitted,
    write_map_file,
    write_picture,
)
from unprior.cli._stops import STOPPED

if TYPE_CHECKING:
    from unprior.cli._draw import DrawnMap
    from unprior.cli._prepare import PreparedData

TO_SAVE = "--out FILE writes it"

#: Methods that take kept labels.
KEEPING = ("auto", "independent", "residual", "confetti", "tsne")


@click.command(short_help="Map a file with the prior factored out.")
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
    "no more alike in the prior than random samples. 'residual' removes the means and spreads that "
    "the prior predicts, and maps the residual by plain t-SNE; 'tsne' leaves the prior in. The "
    "others are the library's estimators with their defaults; 'ctsne', 'revised-ctsne' and 'slle' "
    "take labels only.",
)
@click.option(
    "--strength",
    type=click.FloatRange(0),
    multiple=True,
    help="How strongly the prior is removed; 0 leaves it in. Give it once for all priors, or once "
    "for each. For 'auto' it is the fraction, from 0 to 1, to remove of what a plain map shows of "
    "the prior; for 'residual' the fraction to remove from the data, from 0 to 1, one for all "
    "priors.  [default: the method's own]",
)
@SEED
@JOBS
@CHECKPOINT
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="File for the map: .csv, .tsv, .parquet, .npy, .npz or .h5ad.  [default: CSV on stdout]",
)
@PLOT
@COLOR
@click.option(
    "--with",
    "along",
    multiple=True,
    metavar="COLUMN,...",
    help="Further columns of FILE to copy into the map file.",
)
@click.option(
    "--add-to",
    "copy",
    type=click.Path(path_type=Path),
    metavar="COPY.h5ad",
    help="Write a copy of FILE (.h5ad or .zarr) with the map added; with 'residual' also the "
    "residual, with 'confetti' also the graph.",
)
@click.option(
    "--model",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="File for the fitted model, which 'unprior transform' needs to place new samples on this "
    "map. It contains the data.",
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
    **data_args: Any,
) -> None:
    """Draw a map of FILE with the prior factored out.

    FILE is .csv, .tsv, .parquet, .feather, .arrow, .xlsx, .npy, .npz, .h5ad or .zarr, with one row
    per sample; text can be gzipped, as .csv.gz; "-" is stdin. The map is written as ids and
    coordinates, and scored: how much of the prior is left, how much of the data is kept.

    \b
    unprior embed penguins.csv --prior species --out map.csv --plot map.png
    unprior embed birds.csv --prior lat,lon:geo --prior hour:cyclic=24 --json
    unprior embed cells.h5ad --prior batch --keep cell_type --pca 50 --out map.h5ad
    unprior embed D.npy --metric precomputed --prior tree.nwk:tree
    unprior embed cells.csv --prior batch --out map.csv --model cells.unprior

    Exit codes: 0 success; 1 a file cannot be read or written, with the reason in one sentence; 2
    invalid command; 130 interrupted from the keyboard (if a map was being drawn, its current state
    is written).
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    check_prior(data_args["prior"])
    _check_method(method, strength, len(data_args["prior"]), data_args["metric"])
    if checkpoint and method == "slle":
        message = "--checkpoint: the method 'slle' has no iterations to save; leave it out."
        raise click.UsageError(message)
    _check_keep(method, data_args["keep"])
    targets = Targets(out, plot, copy, model)
    with plain_errors():
        _check_files(file, targets, method, data_args, force=force)
        from unprior.cli._draw import MapOptions, draw
        from unprior.cli._prepare import DataOptions, prepare

        metric = data_args["metric"]
        prepared = prepare(file, DataOptions(**data_args))
        check_space([target for target in (out, plot) if target], len(prepared.X), None)
        check_space([copy] if copy else [], len(prepared.X), file)
        strengths = [*strength] if len(strength) > 1 else strength[0] if strength else None
        options = MapOptions(metric, strengths, seed, jobs, checkpoint, prepared.keep or None)
        drawn = draw(method, prepared.X, prepared.priors, options)
        facts = {"method": method, "strength": strengths, "seed": seed}
        on_stdout = not (out or copy or as_json)  # where the map goes
        written = _write_all(file, targets, prepared, drawn, data_args, facts, on_stdout=on_stdout)
        is_saved = out or copy or on_stdout
        if drawn.stopped:
            fate = "saved but not scored" if is_saved else f"neither scored nor saved; {TO_SAVE}"
            say(f"{drawn.stopped}; the map so far is {fate}.")
            raise click.exceptions.Exit(STOPPED)
        if not is_saved:
            say(f"The map itself is not saved; {TO_SAVE}.")
        facts |= drawn.facts
        print_scores(drawn.Y, prepared, metric, as_json=as_json, on_stdout=not on_stdout, **facts)
        if not written:
            raise click.exceptions.Exit(1)


@dataclass(frozen=True)
class Targets:
    """Files to write: the map, a picture, a copy of an AnnData, a model."""

    out: Path | None
    plot: Path | None
    copy: Path | None
    model: Path | None


def _check_files(
    file: Path, targets: Targets, method: str, data_args: dict[str, Any], *, force: bool
) -> None:
    """Refuse early what could not be written later."""
    from unprior.files import WRITERS, check_writer

    out, copy = targets.out, targets.copy
    check_targets(file, (out, WRITERS), (targets.plot, PICTURES), (copy, (".h5ad",)), force=force)
    if targets.model:
        check_model_target(targets.model, method, force=force)
    if out:
        check_writer(out, with_columns=bool(data_args["along"]))
    if copy and file.suffix.lower() not in (".h5ad", ".zarr"):
        message = f"--add-to takes an AnnData as FILE, .h5ad or .zarr; got {file.name}."
        raise ValueError(message)


def _write_all(
    file: Path,
    targets: Targets,
    prepared: PreparedData,
    drawn: DrawnMap,
    data_args: dict[str, Any],
    facts: dict[str, Any],
    *,
    on_stdout: bool,
) -> bool:
    """Write everything that was requested; return whether all files are where they should be."""
    from unprior.cli._map_files import write_record

    method, written = facts["method"], []
    key = METHODS[method].key
    if targets.out or on_stdout:

        def record(place: Path) -> None:
            write_record(place, file, data_args, **facts)

        written.append(write_map_file(prepared, drawn, key, targets.out, record))
    if targets.copy:
        residual = None
        if method == "residual":
            residual = _residual(facts["strength"], data_args["metric"])
        written.append(write_copy(targets.copy, file, prepared, drawn, key, residual))
    if targets.plot:
        written.append(write_picture(targets.plot, prepared, drawn, f"{file.name}, {method}"))
    if targets.model:
        written.append(write_fitted(targets.model, prepared, drawn, data_args))
    return all(written)


def _check_method(method: str, strength: tuple[float, ...], n_priors: int, metric: str) -> None:
    if strength and METHODS[method].strength is None:
        message = f"--strength: the method {method!r} has no strength."
        raise click.UsageError(message)
    if len(strength) > 1 and len(strength) != n_priors:
        message = f"--strength: give it once, or once for each of the {n_priors} priors."
        raise click.UsageError(message)
    got = ", ".join(f"{each:g}" for each in strength)
    if method == "residual" and len(strength) > 1:
        message = f"--strength: 'residual' takes one fraction for all priors, 0 to 1; got {got}."
        raise click.UsageError(message)
    if METHODS[method].strength == "share" and max(strength, default=0) > 1:
        message = f"--strength: {method!r} takes fractions, 0 to 1; got {got}."
        raise click.UsageError(message)
    if method == "residual" and metric not in ("euclidean", "l2", "cosine", "precomputed"):
        message = (
            f"--metric: 'residual' takes 'euclidean', 'cosine' or 'precomputed'; got {metric!r}."
        )
        raise click.UsageError(message)


def _check_keep(method: str, keep: tuple[str, ...]) -> None:
    if keep and method not in KEEPING:
        takers = ", ".join(map(repr, KEEPING[:-1]))
        message = f"--keep: the method {method!r} cannot keep labels; those that can are {takers}."
        raise click.UsageError(message)


def _residual(strength: Any, metric: str) -> Any:
    """Return the residual that ``--method residual`` maps."""
    from unprior.estimators import Residual

    return Residual("aligned", strength=1.0 if strength is None else strength, metric=metric)
