"""``unprior plot``: a map on file and columns to colour it by → a picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unprior.cli._messages import plain_errors, say
from unprior.cli._options import COLOR, FORCE, PICTURES, check_targets

if TYPE_CHECKING:
    from unprior.files import Samples


@click.command(short_help="Draw a map on file, in the colours of any column.")
@click.argument("map_file", metavar="MAP", type=click.Path(exists=True, path_type=Path))
@COLOR
@click.option(
    "--data",
    type=click.Path(exists=True, path_type=Path),
    help="A file with the columns, if the map has none of them; rows are matched by ids, or by "
    "their order.  [default: the file that the map was drawn from]",
)
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The picture.")
@click.option("--cmap", help="Colours of amounts, by matplotlib's name, such as magma.")
@click.option("--palette", help="Colours of groups, by matplotlib's name, such as turbo.")
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
    r"""Draw MAP, a file that 'unprior embed --out' wrote or any with columns x and y.

    \b
    unprior plot map.csv --color sex --color body_mass_g --out map.png
    unprior plot map.csv --data birds.csv --color hour:cyclic=24 --out map.pdf
    """
    with plain_errors():
        check_targets(map_file, None, PICTURES, out, force=force)
        from unprior import plot as plots
        from unprior.cli._colors import colors_of
        from unprior.cli._results import write_result
        from unprior.cli._score import _coordinates, _places
        from unprior.files import read_samples, write_whole

        drawn = read_samples(map_file)
        Y = _coordinates(drawn)
        told, rows = _about(map_file, drawn, data, color, _places)
        axes = plots.compare(
            {title or map_file.name: Y},
            color=colors_of(told, color, rows) or None,
            cmap=cmap,
            palette=palette,
            size=size,
            legend=not no_legend,
        )
        figure: Any = axes[0, 0].figure
        is_there = write_result(
            "Picture", out, lambda place: write_whole(place, lambda p: figure.savefig(p, dpi=150))
        )
        if not is_there:
            raise click.exceptions.Exit(1)


def _about(
    map_file: Path, drawn: Samples, data: Path | None, color: tuple[str, ...], places: Any
) -> tuple[Samples, Any]:
    """Return the samples that have the columns, and the row of each sample of the map there."""
    from unprior.cli._provenance import source_of
    from unprior.files import read_samples

    here = all(name.partition(":")[0].split(",")[0] in drawn for name in color)
    if data is None and not here:
        data = source_of(map_file)
        if data is not None:
            say(f"Columns from {data.name}, from which the map was drawn.")
    if data is None:
        return drawn, slice(None)
    samples = read_samples(data)
    return samples, places(drawn, samples)
