"""``unprior plot``: draw a picture of a map file, coloured by any column."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unprior.cli._map_files import coordinates_in, matching_rows, recorded_data
from unprior.cli._messages import plain_errors, say
from unprior.cli._options import COLOR, FORCE, PICTURES, check_targets
from unprior.cli._results import write_figure

if TYPE_CHECKING:
    from unprior.files import Samples


@click.command(short_help="Draw a map file, coloured by any column.")
@click.argument("map_file", metavar="MAP", type=click.Path(exists=True, path_type=Path))
@COLOR
@click.option(
    "--data",
    type=click.Path(exists=True, path_type=Path),
    help="A file with the columns, if the map file lacks them; rows are matched by ids, or by "
    "order.  [default: the file that the map was drawn from]",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The picture.")
@click.option("--cmap", help="Matplotlib colour map for amounts, such as magma.")
@click.option("--palette", help="Matplotlib colour map for groups, such as turbo.")
@click.option("--size", type=click.FloatRange(0, min_open=True), help="Area of a point.")
@click.option("--no-legend", is_flag=True, help="Draw no legend and no colour bar.")
@click.option("--title", default="", help="A line above the map.  [default: the file's name]")
@FORCE
def plot(
    *,
    map_file: Path,
    color: tuple[str, ...],
    data: Path | None,
    out: Path,
    cmap: str | None,
    palette: str | None,
    size: float | None,
    no_legend: bool,
    title: str,
    force: bool,
) -> None:
    """Draw MAP, a file that 'unprior embed --out' wrote or any with columns x and y.

    \b
    unprior plot map.csv --color sex --color body_mass_g --out map.png
    unprior plot map.csv --data birds.csv --color hour:cyclic=24 --out map.pdf
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    with plain_errors():
        check_targets(map_file, (out, PICTURES), force=force)
        from unprior import plot as plots
        from unprior.cli._columns import colors_of
        from unprior.files import read_samples

        drawn = read_samples(map_file)
        samples, rows = _samples_with_colors(map_file, drawn, data, color)
        axes = plots.compare(
            {title or map_file.name: coordinates_in(drawn)},
            color=colors_of(samples, color, rows) or None,
            cmap=cmap,
            palette=palette,
            size=size,
            legend=not no_legend,
        )
        if not write_figure(out, axes):
            raise click.exceptions.Exit(1)


def _samples_with_colors(
    map_file: Path, drawn: Samples, data: Path | None, color: tuple[str, ...]
) -> tuple[Samples, Any]:
    """Return the samples that have the columns, and their rows in the order of the map."""
    from unprior.files import read_samples

    in_map = all(name.partition(":")[0].split(",")[0] in drawn for name in color)
    if data is None and not in_map:
        data = recorded_data(map_file)
        if data is not None:
            say(f"Columns from {data.name}, from which the map was drawn.")
    if data is None:
        return drawn, slice(None)
    samples = read_samples(data)
    return samples, matching_rows(drawn, samples)
