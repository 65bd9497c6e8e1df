"""``unprior explore``: a file -> a page with maps before and after, and the next question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unprior.cli._messages import plain_errors, say
from unprior.cli._options import FORCE, JOBS, KEEP, PRIOR, SEED, data_options


@click.command(short_help="Look at maps, select, factor out, look again.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@PRIOR
@KEEP
@data_options
@click.option(
    "--html",
    type=click.Path(path_type=Path),
    help="Draw the maps now and write one HTML file, which needs no server and no network.",
)
@click.option("--strengths", is_flag=True, help="With --html: also a slider of strengths.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Where 'Save' on the page writes maps and selections: .h5ad or .csv.",
)
@click.option(
    "--session",
    type=click.Path(file_okay=False, path_type=Path),
    help="A folder that keeps maps and selections; open it again with the same data.",
)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, help="Of the page.  [default: any]"
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
    **asked: Any,
) -> None:
    """Open FILE as a page with two maps side by side, before and after.

    Draw around samples to select them, see what they have in common, and factor it out: the next
    map is drawn while you look. The page is served on this machine only, at an address with a
    secret; Ctrl+C ends it. Maps in an H5AD file are shown as they are.

    \b
    unprior explore penguins.csv --prior species --standardize
    unprior explore cells.h5ad --prior batch --keep cell_type --pca 50 --out selected.h5ad
    unprior explore penguins.csv --prior species --html penguins.html --strengths
    """  # noqa: D301 (the backspace keeps click from filling the lines)
    with plain_errors():
        _check(file, html, out, session, force=force)
        from unprior.explorer._api import export_html, known_of, serve
        from unprior.explorer._draw import DrawSettings
        from unprior.explorer._files import read_file
        from unprior.explorer._session import Session

        data = read_file(file, **asked)
        say(f"{data.title}: {data.n_samples} samples, {data.X.shape[1]} columns.")
        setting, known = DrawSettings(data.metric, seed, jobs), known_of(data)
        if html:
            export_html(data, setting, known, html, strengths=strengths)
            say(f"Page: {html}")
            return
        opened = Session(data, setting, out=out, folder=session)
        server = serve(opened, known, port=port, open_browser=not no_browser, wait=False)
        click.echo(server.url)
        say("Ctrl+C ends it.")
        server.wait()


def _check(
    file: Path, html: Path | None, out: Path | None, session: Path | None, *, force: bool
) -> None:
    """Refuse before any work what could not be written after it."""
    from unprior.explorer._save import ENDINGS
    from unprior.files import check_target

    if html and session:
        message = "--session goes with a page that is open, not with --html; leave one of them out."
        raise ValueError(message)
    for target, endings in ((html, (".html",)), (out, ENDINGS)):
        if target is None:
            continue
        check_target(target, endings, force=force)
        if target.exists() and target.samefile(file):
            message = f"{target} is the file of the data; give the result another name."
            raise ValueError(message)
