"""The command group ``unprior``; each command imports what it needs only when it runs."""

from __future__ import annotations

from typing import Any

import click

from unprior._version import __version__
from unprior.cli._bench import bench
from unprior.cli._demo import demo
from unprior.cli._embed import embed
from unprior.cli._explore import explore
from unprior.cli._plot import plot
from unprior.cli._reproduce import reproduce
from unprior.cli._score import score
from unprior.cli._stops import STOPPED, leave, quiet_stops
from unprior.cli._transform import transform
from unprior.cli._tune import tune


class Commands(click.Group):
    """Commands that can be interrupted from the keyboard without a traceback."""

    def __call__(self, *args: Any, **options: Any) -> Any:
        """Run as a program, and exit at once if it was interrupted."""
        try:
            return super().__call__(*args, **options)
        except SystemExit as end:
            if end.code == STOPPED:
                leave()
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the chosen command."""
        with quiet_stops():
            return super().invoke(ctx)


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="unprior")
def main() -> None:
    """Draw maps of what your data hold beyond what you already know.

    \b
    unprior demo
    unprior embed penguins.csv --prior species --out map.csv --plot map.png
    unprior score map.csv --data penguins.csv --prior species --hidden sex
    unprior tune penguins.csv --prior species --plot strengths.png
    unprior plot map.csv --color sex --out sex.png
    unprior explore penguins.csv --prior species
    """  # noqa: D301 (the backspace keeps click from filling the lines)


for command in (demo, embed, transform, score, tune, plot, explore, reproduce, bench):
    main.add_command(command)
