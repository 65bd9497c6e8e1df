"""``unprior tune``: score a range of strengths and recommend one."""

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
    PICTURES,
    PLOT,
    PRIOR,
    SEED,
    check_prior,
    check_targets,
    data_options,
    read_numbers,
)
from unprior.cli._results import NEIGHBORS

if TYPE_CHECKING:
    from unprior import tuning
    from unprior.cli._draw import MapOptions
    from unprior.cli._prepare import PreparedData

#: Ending of a table's file -> its separator.
TABLES = {".csv": ",", ".tsv": "\t"}


@click.command(short_help="Find how strongly to factor out the prior.")
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
    "'residual' is scored on the residual itself, without a map.",
)
@click.option(
    "--strengths",
    metavar="NUMBER,...",
    callback=read_numbers,
    help="The strengths to try.  [default: a grid, refined below the best]",
)
@click.option(
    "--samples",
    type=click.IntRange(4),
    default=2000,
    show_default=True,
    help="If there are more samples than this, use a random subset.",
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
    **data_args: Any,
) -> None:
    """Try a range of strengths on FILE, and score what is left and what is kept at each.

    The best is the smallest strength at which no more of the prior is left than by chance; if some
    is always left, the smallest beyond which hardly any more is removed. It is marked in the
    printed table and in the picture.

    \b
    unprior tune penguins.csv --prior species --plot strengths.png
    unprior tune penguins.csv --prior species --method confetti --strengths 0,0.5,1
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    check_prior(data_args["prior"])
    with plain_errors():
        check_targets(file, (out, TABLES), (plot, PICTURES), force=force)
        from unprior.cli._draw import MapOptions
        from unprior.cli._prepare import DataOptions, prepare

        prepared = prepare(file, DataOptions(**data_args))
        options = MapOptions(data_args["metric"], None, seed, jobs, checkpoint)
        path = _try_strengths(prepared, method, strengths, samples, options)
        _print_path(path, prepared, as_json=as_json, method=method, seed=seed)
        if out:
            _write_table(out, path)
        if plot:
            _write_picture(plot, path, f"{file.name}, {method}: best {path.best_strength:g}")


def _try_strengths(
    prepared: PreparedData,
    method: str,
    strengths: list[float] | None,
    samples: int,
    options: MapOptions,
) -> tuning.Path:
    from unprior import estimators, tuning

    estimator = getattr(estimators, TUNABLE[method])
    arguments = {**options.common, "kind": "aligned"}  # the same kind as in ``unprior embed``
    taken = {name: value for name, value in arguments.items() if name in estimator._options}
    return tuning.tune(
        estimator(**taken),
        prepared.X,
        prior=prepared.priors,
        keep=prepared.keep or None,
        strengths=strengths,
        n_samples=samples,
        k=max(1, min(NEIGHBORS, (min(len(prepared.X), samples) - 1) // 2)),
        # One fit at a time, since each uses all threads.
        n_jobs=1,
        random_state=options.seed,
        checkpoint=options.checkpoint,
    )


def _print_path(path: tuning.Path, prepared: PreparedData, *, as_json: bool, **more: Any) -> None:
    if not as_json:
        click.echo(str(path))
        return
    import json

    kinds = {name: prior.kind for name, prior in prepared.priors.items()}
    click.echo(json.dumps({**more, "kinds": kinds, **path.to_dict()}, indent=2))


def _write_table(target: Path, path: tuning.Path) -> None:
    """Write one line per strength; the last column marks the best."""
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
