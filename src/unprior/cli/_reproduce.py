"""``unprior reproduce``: the paper's experiments, with its numbers beside ours."""

from __future__ import annotations

from pathlib import Path

import click

from unprior.cli._options import CHECKPOINT

#: Listed here so that ``--help`` loads nothing heavy.
NAMES = (
    "synthetic",
    "variants",
    "labels",
    "tuning",
    "grid-ctsne",
    "grid-slle",
    "grid-confetti",
    "grid-jedi",
    "flowers",
    "markers",
    "cells",
    "times",
)


@click.command()
@click.argument("experiment", type=click.Choice([*NAMES, "all"]))
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder with flowers102_dist.npz, sc_kang_pbmc.npz and sc_ra_synovium.npz. Without them "
    "the flowers are downloaded and the cells skipped.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("reproduction"),
    show_default=True,
    help="Folder for figures, maps and results.md; created if missing.",
)
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Draws of the synthetic data.",
)
@click.option(
    "--jobs",
    type=int,
    default=-1,
    show_default=True,
    help="Threads, and processes of the grids; -1 for all cores.",
)
@CHECKPOINT
@click.option(
    "--quick", is_flag=True, help="Few samples, draws and steps: only shows that everything runs."
)
def reproduce(
    *,
    experiment: str,
    data: Path | None,
    out: Path,
    draws: int,
    jobs: int,
    checkpoint: Path | None,
    quick: bool,
) -> None:
    """Reproduce the paper's experiments, with its numbers beside ours.

    Writes figures and one page, results.md. Runs into the same folder add up to one page.
    """
    from unprior.reproduce import BrokenFileError, Setting
    from unprior.reproduce import reproduce as run

    names = NAMES if experiment == "all" else [experiment]
    try:
        run(names, Setting(out, data, draws, quick, jobs, checkpoint))
    except BrokenFileError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Results: {out / 'results.md'}")
