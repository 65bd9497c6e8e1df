"""``unprior explore``: open a file in the explorer, or write it as one HTML page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unprior.cli._messages import plain_errors, say
from unprior.cli._options import FORCE, JOBS, KEEP, PRIOR, SEED, check_targets, data_options


@click.command(short_help="Explore maps, select samples, factor out more.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@PRIOR
@KEEP
@data_options
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    help="Draw the maps now and write them to one HTML file that works offline.",
)
@click.option("--strengths", is_flag=True, help="With --html: add a slider over strengths.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where 'Save' on the page writes maps and selections: .h5ad or .csv.",
)
@click.option(
    "--session",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder in which maps and selections are saved; reopen it with the same data.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    help="Port of the page.  [default: any free one]",
)
@click.option("--no-browser", is_flag=True, help="Only print the address of the page.")
@SEED
@JOBS
@FORCE
def explore(
    *,
    file: Path,
    html: Path | None,
    strengths: bool,
    out: Path | None,
    session: Path | None,
    port: int,
    no_browser: bool,
    seed: int,
    jobs: int,
    force: bool,
    **data_args: Any,
) -> None:
    """Open FILE in the browser, with two maps side by side: before and after.

    Select samples with a lasso, see what they have in common, and factor it out: the next map is
    drawn while you watch. The page is served on this machine only, at a secret address; Ctrl+C
    ends it. Maps that an H5AD file already holds are shown unchanged.

    \b
    unprior explore penguins.csv --prior species --standardize
    unprior explore cells.h5ad --prior batch --keep cell_type --pca 50 --out selected.h5ad
    unprior explore penguins.csv --prior species --html penguins.html --strengths
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    with plain_errors():
        if html and session:
            message = (
                "--session needs the live page and cannot be combined with --html; give only one."
            )
            raise ValueError(message)
        from unprior.explorer._save import ENDINGS

        check_targets(file, (html, (".html",)), (out, ENDINGS), force=force)
        from unprior.explorer import read_file
        from unprior.explorer._api import export_html, given_priors, serve
        from unprior.explorer._draw import DrawSettings
        from unprior.explorer._session import Session

        data = read_file(file, **data_args)
        say(f"{data.title}: {data.n_samples} samples, {data.X.shape[1]} columns.")
        settings, factored = DrawSettings(data.metric, seed, jobs), given_priors(data)
        if html:
            export_html(data, settings, factored, html, strengths=strengths)
            say(f"Page: {html}")
            return
        opened = Session(data, settings, out=out, folder=session)
        server = serve(opened, factored, port=port, open_browser=not no_browser, wait=False)
        click.echo(server.url)
        say("Ctrl+C ends it.")
        server.wait()
