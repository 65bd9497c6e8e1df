"""Command-line options that several commands share, each described once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click


class PriorOption(click.Option):
    """The option ``--prior``; its help lists the registered kinds, loaded only when printed."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Return the help, including the kinds of priors."""
        from unprior.priors._registry import examples

        self.help = f"{PRIOR_HELP} {', '.join(examples())}."
        return super().get_help_record(ctx)


PRIOR_HELP = (
    "What you already know: a column, or a file. Repeat it for several priors. Text is read as "
    "labels, decimal numbers and dates as amounts; add a kind for anything else (dates can be "
    "day:cyclic=year, tips of a tree tree.nwk:tree=COLUMN):"
)

PRIOR = click.option(
    "--prior", "prior", cls=PriorOption, multiple=True, metavar="COLUMN[:KIND]", help=PRIOR_HELP
)

KEEP = click.option(
    "--keep",
    "keep",
    multiple=True,
    metavar="COLUMN",
    help="Labels to protect, such as cell types that some batches lack: the prior is removed "
    "within their classes. Repeat it to keep combinations of several. Missing labels are allowed.",
)

DATA = (
    click.option(
        "--features",
        multiple=True,
        metavar="COLUMN,...",
        help="The columns of the data.  [default: all numeric ones except ids and priors]",
    ),
    click.option("--drop", multiple=True, metavar="COLUMN,...", help="Columns to leave out."),
    click.option(
        "--meta",
        type=click.Path(exists=True, path_type=Path),
        help="A second file about the same samples, with columns for priors and colours. Rows are "
        "matched by ids, or by order if one of the files has none.",
    ),
    click.option("--on", metavar="COLUMN", help="The column of ids to match --meta by."),
    click.option(
        "--missing",
        multiple=True,
        type=float,
        metavar="NUMBER",
        help="A number that means a missing value, such as -999. Repeat it for several.",
    ),
    click.option("--drop-missing", is_flag=True, help="Leave out rows with missing values."),
    click.option(
        "--metric",
        default="euclidean",
        show_default=True,
        help="Distance between rows, by SciPy's name; 'precomputed' if the file is a distance "
        "matrix.",
    ),
    click.option("--standardize", is_flag=True, help="Give every column mean 0 and variance 1."),
    click.option(
        "--pca",
        type=click.IntRange(1),
        metavar="N",
        help="Reduce the data to N principal components first, such as 50.",
    ),
)

JSON = click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON on stdout.")

SEED = click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    show_default=True,
    help="The same seed gives the same result.",
)

JOBS = click.option(
    "--jobs",
    type=int,
    callback=lambda context, option, jobs: free_cores() if jobs is None else jobs,
    help="Threads; -1 means all cores.  [default: as many as there are idle cores]",
)

CHECKPOINT = click.option(
    "--checkpoint",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Save the state of the run in this folder; the same command resumes from it after an "
    "interruption.",
)

PICTURES = (".png", ".pdf", ".svg")

PLOT = click.option(
    "--plot", type=click.Path(path_type=Path), help="A picture: .png, .pdf or .svg."
)

COLOR = click.option(
    "--color",
    multiple=True,
    metavar="COLUMN[:KIND]",
    help="Colour the picture by this column, written like a prior. Repeat it for several rows of "
    "panels.  [default: every single-column prior]",
)

FORCE = click.option("--force", is_flag=True, help="Overwrite existing files.")


def data_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options about the data to a command."""
    for option in reversed(DATA):
        command = option(command)
    return command


def free_cores() -> int:
    """Return the number of idle cores, at least one; results do not depend on it."""
    import os

    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    busy = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    return max(1, round((n_cores or 1) - busy))


def check_prior(prior: Sequence[str]) -> None:
    """Refuse a command without a prior."""
    if not prior:
        message = "Give at least one --prior: what to factor out."
        raise click.UsageError(message)


def check_targets(file: Path, *targets: tuple[Path | None, Iterable[str]], force: bool) -> None:
    """Refuse early what could not be written later; targets come with the allowed endings."""
    from unprior.files import check_target

    for target, endings in targets:
        if target is None:
            continue
        check_target(target, tuple(endings), force=force)
        if target.exists() and file.exists() and target.samefile(file):
            message = f"{target} is the data file itself; give the result another name."
            raise ValueError(message)


def read_numbers(
    context: click.Context, option: click.Parameter, text: str | None
) -> list[float] | None:
    """Read comma-separated numbers."""
    if text is None:
        return None
    try:
        return [float(word) for word in text.split(",")]
    except ValueError:
        message = f"takes comma-separated numbers, such as 0,0.5,1; got {text!r}."
        raise click.BadParameter(message) from None
