"""``unprior reproduce``: repeat the paper's experiments and compare the figures."""

from __future__ import annotations

from pathlib import Path

import click

from unprior.cli._options import CHECKPOINT

#: Names of the experiments, here so that ``--help`` loads nothing heavy.
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
    help="Folder with flowers102_dist.npz, sc_kang_pbmc.npz and sc_ra_synovium.npz. Without it, "
    "the flowers are downloaded and the single cells are skipped.",
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("reproduction"),
    show_default=True,
    help="Folder for figures, maps and results.md; created if necessary.",
)
@click.option(
    "--draws",
    type=click.IntRange(1),
    default=10,
    show_default=True,
    help="Number of synthetic data sets.",
)
@click.option(
    "--jobs",
    type=int,
    default=-1,
    show_default=True,
    help="Number of threads, and of processes for the grids; -1 means all cores.",
)
@CHECKPOINT
@click.option("--quick", is_flag=True, help="A short trial run, with few samples and steps.")
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
    """Repeat the paper's experiments and compare its figures with ours.

    Writes figures and one page, results.md. Experiments run one by one into the same folder are
    collected on that page.
    """
    from unprior.reproduce import BrokenFileError, Setting
    from unprior.reproduce import reproduce as run

    names = NAMES if experiment == "all" else [experiment]
    try:
        run(names, Setting(out, data, draws, quick, jobs, checkpoint))
    except BrokenFileError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"Results: {out / 'results.md'}")
