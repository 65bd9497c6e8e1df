"""``unprior tune``: a file and what is known → how strongly to factor it out, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unprior._methods import TUNABLE
from unprior.cli._messages import plain_errors, say
from unprior.cli._options import (
    CHECKPOINT,
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
    read_numbers,
)

if TYPE_CHECKING:
    from unprior import tuning
    from unprior.cli._prepare import Prepared

TABLES = {".csv": ",", ".tsv": "\t"}


@click.command(short_help="Find how strongly to factor out what is known.")
@click.argument("file", type=click.Path(exists=True, allow_dash=True, path_type=Path))
@PRIOR
@KEEP
@data_options
@click.option(
    "--method",
    type=click.Choice([*TUNABLE]),
    default="jedi",
    show_default=True,
    help="How the prior is factored out. 'independent' and 'residual' take strengths from 0 to 1; "
    "'residual' is scored as data, before any map.",
)
@click.option(
    "--strengths",
    metavar="NUMBER,...",
    callback=read_numbers,
    help="The strengths to try.  [default: a grid, and two more below the best]",
)
@click.option(
    "--samples",
    type=click.IntRange(4),
    default=2000,
    show_default=True,
    help="Of more samples than this, try a random subset.",
)
@SEED
@JOBS
@CHECKPOINT
@click.option("--out", type=click.Path(path_type=Path), help="A file for the table: .csv or .tsv.")
@PLOT
@JSON
@FORCE
def tune(
    *,
    file: Path,
    method: str,
    strengths: list[float] | None,
    samples: int,
    seed: int,
    jobs: int,
    checkpoint: Path | None,
    out: Path | None,
    plot: Path | None,
    as_json: bool,
    force: bool,
    **asked: Any,
) -> None:
    """Try strengths on FILE: what is left of the prior, and what is kept of the data, at each.

    The best is the least strength at which no more of the prior is left than luck leaves, or, where
    some is always left, the least beyond which hardly more goes. It is marked in the table, which
    is printed, and in the picture.

    \b
    unprior tune penguins.csv --prior species --plot strengths.png
    unprior tune penguins.csv --prior species --method confetti --strengths 0,0.5,1
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    check_prior(asked["prior"])
    with plain_errors():
        check_targets(file, out, [*TABLES], plot, force=force)
        from unprior.cli._methods import Setting
        from unprior.cli._prepare import Asked, prepare

        prepared = prepare(file, Asked(**asked))
        setting = Setting(asked["metric"], None, seed, jobs, checkpoint)
        path = _try_strengths(prepared, method, strengths, samples, setting)
        _tell(path, prepared, as_json=as_json, method=method, seed=seed)
        if out:
            _write_table(out, path)
        if plot:
            _write_picture(plot, path, f"{file.name}, {method}: best {path.best_strength:g}")


def _try_strengths(
    prepared: Prepared, method: str, strengths: list[float] | None, samples: int, setting: Any
) -> tuning.Path:
    from unprior import estimators, tuning
    from unprior.cli._report import NEIGHBORS

    kind = getattr(estimators, TUNABLE[method])
    told = {**setting.shared, "kind": "aligned"}  # as ``unprior embed`` has it
    options = {name: value for name, value in told.items() if name in kind._options}
    return tuning.tune(
        kind(**options),
        prepared.X,
        prior=prepared.priors,
        keep=prepared.keep or None,
        strengths=strengths,
        n_samples=samples,
        k=max(1, min(NEIGHBORS, (min(len(prepared.X), samples) - 1) // 2)),
        # One fit at a time, as each has all threads.
        n_jobs=1,
        random_state=setting.seed,
        checkpoint=setting.checkpoint,
    )


def _tell(path: tuning.Path, prepared: Prepared, *, as_json: bool, **more: Any) -> None:
    if not as_json:
        click.echo(str(path))
        return
    import json

    kinds = {name: prior.kind for name, prior in prepared.priors.items()}
    click.echo(json.dumps({**more, "kinds": kinds, **path.to_dict()}, indent=2))


def _write_table(target: Path, path: tuning.Path) -> None:
    """Write a line for each strength; the last column says whether it is the best."""
    import csv

    from unprior.files import write_whole

    def write(part: Path) -> None:
        with part.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter=TABLES[target.suffix.lower()], lineterminator="\n")
            writer.writerow(["strength", *path.steps[0].columns, "best"])
            for step in path.steps:
                best = int(step.strength == path.best_strength)
                writer.writerow([step.strength, *step.columns.values(), best])

    write_whole(target, write)
    say(f"Table: {target}")


def _write_picture(target: Path, path: tuning.Path, title: str) -> None:
    from unprior import plot
    from unprior.files import write_whole

    figure: Any = plot.path(path, title=title).figure
    write_whole(target, lambda part: figure.savefig(part, dpi=150))
    say(f"Picture: {target}")
