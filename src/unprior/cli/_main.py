"""Words on the command line → calls of the library; a command loads what it needs when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unprior._version import __version__
from unprior.cli._bench import bench
from unprior.cli._embed import embed
from unprior.cli._explore import explore
from unprior.cli._plot import plot
from unprior.cli._reproduce import reproduce
from unprior.cli._score import score
from unprior.cli._stops import STOPPED, leave, quiet_stops
from unprior.cli._transform import transform
from unprior.cli._tune import tune


class Commands(click.Group):
    """Commands of which each can be stopped from the keyboard."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Run as a program, of which this is the end."""
        try:
            return super().__call__(*args, **options)
        except SystemExit as end:
            if end.code == STOPPED:
                leave()
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is asked for."""
        with quiet_stops():
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="unprior")
def main() -> None:
    """Draw maps of what your data holds beyond what you already know.

    \b
    unprior demo
    unprior embed penguins.csv --prior species --out map.csv --plot map.png
    unprior score map.csv --data penguins.csv --prior species --hidden sex
    unprior tune penguins.csv --prior species --plot strengths.png
    unprior plot map.csv --color sex --out sex.png
    unprior explore penguins.csv --prior species
    """  # noqa: D301 (the backspace keeps click from filling the lines)


@main.command(short_help="Show it on penguins.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo"),
    show_default=True,
    help="Folder for the picture and the scores; made if it is not there.",
)
def demo(out: Path) -> None:
    """Factor the species out of a map of penguins, and find the sexes.

    Draws the map before and after, by plain t-SNE and as 'unprior embed' does, and scores both.
    """
    from unprior.cli._demo import run_demo

    try:
        run_demo(out, say=click.echo)
    except ImportError as error:
        raise click.ClickException(str(error)) from error


main.add_command(embed)
main.add_command(transform)
main.add_command(score)
main.add_command(tune)
main.add_command(plot)
main.add_command(explore)
main.add_command(reproduce)
main.add_command(bench)
