"""`unprior.explore`: open the explorer in a browser, in a notebook, or as one HTML file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from unprior._params import Number, check_value
from unprior._progress import in_notebook
from unprior._strengths import read_strengths
from unprior.explorer._data import ExplorerData, from_arrays
from unprior.explorer._draw import DrawSettings
from unprior.explorer._files import read_file
from unprior.explorer._html import write_html
from unprior.explorer._maps import Factored, Kept
from unprior.explorer._session import Session
from unprior.files import as_array
from unprior.tl._representation import representation


def explore(
    data: Any = None,
    *,
    prior: Any = None,
    keep: Any = None,
    strength: Any = 1.0,
    columns: Mapping[str, Any] | None = None,
    maps: Mapping[str, Any] | None = None,
    ids: Sequence[Any] | None = None,
    feature_names: Sequence[str] | None = None,
    title: str = "",
    metric: str = "euclidean",
    html: str | Path | None = None,
    strengths: bool = False,
    session: str | Path | None = None,
    port: int = 0,
    open_browser: bool = True,
    wait: bool | None = None,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> Any:
    """Open the explorer: maps side by side, before and after factoring out the prior.

    Select samples with a lasso, then factor out a column, a selection or an earlier map; the next
    map is drawn while you watch. Maps are those of `unprior.IndependentTSNE`. No data leave this
    machine.

    Parameters
    ----------
    data : array-like of shape (n_samples, n_features), DataFrame, AnnData, str or Path, optional
        The data, or a file with them. Optional if ``maps`` are given. For AnnData with many
        variables the data are ``obsm["X_pca"]``, as in `unprior.tl`.
    prior : Prior, array-like, or several of them in a list or dict, optional
        What to factor out of the first map. For AnnData and files, names of columns.
    keep : array-like of shape (n_samples,), or a dict of several by name, optional
        Labels to protect: the prior is removed within their classes. For AnnData and files, names
        of columns.
    strength : float, list or dict, default=1.0
        How much of the prior is removed, from 0 to 1.
    columns : dict of str to array-like, optional
        Further columns, to colour by and to factor out.
    maps : dict of str to array-like of shape (n_samples, 2), optional
        Existing maps to show.
    ids : sequence, optional
        Names of the samples.
    feature_names : sequence of str, optional
        Names of the columns of the data.
    title : str, optional
        Title of the page.
    metric : str, default="euclidean"
        Distance between rows of the data.
    html : str or Path, optional
        Draw the maps now and write them to this file instead of opening a page. The file works
        offline, but no further maps can be drawn in it.
    strengths : bool, default=False
        With ``html``: also draw maps at intermediate strengths, for a slider.
    session : str or Path, optional
        A folder in which maps and selections are saved continuously. Opened again with the same
        data, the explorer restores them.
    port : int, default=0
        Port of the page; 0 means any free one.
    open_browser : bool, default=True
        Whether to open the page; otherwise its address is the attribute ``url`` of the result.
    wait : bool, optional
        Whether to block until Ctrl+C. By default scripts do, the Python shell does not.
    n_jobs : int, optional
        Number of threads: None means one, -1 all cores.
    random_state : int, default=0
        Seed: the same seed gives the same maps.

    Returns
    -------
    explorer : ExplorerWidget, Server or Path
        With ``html`` the path of the file; in a notebook the widget; else the server, with its
        ``url`` and ``close()``.

    See Also
    --------
    embed : The map alone, with a report.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(120, random_state=0)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "maps.html"
    >>> up.explore(data.X, prior={"known": data.known.astype(str)}, html=file).name
    'maps.html'
    """
    check_value("explore", "random_state", random_state, Number(0, 2**32 - 1))
    shown = _read(
        data,
        prior=prior,
        keep=keep,
        columns=columns,
        maps=maps,
        ids=ids,
        feature_names=feature_names,
        title=title,
        metric=metric,
    )
    settings = DrawSettings(shown.metric, int(random_state), n_jobs)
    factored = given_priors(shown, strength)
    if html is not None:
        return export_html(shown, settings, factored, Path(html), strengths=strengths)
    opened = Session(shown, settings, folder=None if session is None else Path(session))
    if in_notebook() and wait is None:
        from unprior.explorer._widget import ExplorerWidget

        return ExplorerWidget(opened, factored, given_labels(shown))
    return serve(opened, factored, port=port, open_browser=open_browser, wait=wait)


def given_priors(data: ExplorerData, strength: Any = 1.0) -> list[Factored]:
    """Return the priors given at the start, with their strengths."""
    read = read_strengths("explore", strength, [*data.priors], Number(0, 1))
    pairs = zip(data.priors, read.tolist(), strict=True)
    return [Factored(name, float(value), "known", name) for name, value in pairs if value > 0]


def given_labels(data: ExplorerData) -> list[Kept]:
    """Return the labels to keep that were given at the start."""
    return [Kept(name, "column", name) for name in data.keep]


def serve(
    session: Session,
    factored: Sequence[Factored],
    *,
    port: int = 0,
    open_browser: bool = True,
    wait: bool | None = None,
) -> Any:
    """Start the server, draw the first maps, and open the page."""
    from unprior.explorer._server import Server

    server = Server(session, port)
    session.studio.begin(factored, given_labels(session.data))
    if open_browser:
        import webbrowser

        webbrowser.open(server.url)
    if wait or (wait is None and not hasattr(sys, "ps1") and not sys.flags.interactive):
        server.wait()
    return server


def export_html(
    data: ExplorerData,
    settings: DrawSettings,
    factored: Sequence[Factored],
    path: Path,
    *,
    strengths: bool = False,
) -> Path:
    """Draw the maps and write them to one HTML file."""
    session = Session(data, settings, in_child=False)
    session.studio.begin(factored, given_labels(data))
    if strengths and factored:
        session.studio.draw_path([*session.studio.tree][-1])
    write_html(path, session.page(can_draw=False), data.title)
    return path


def _read(
    data: Any, *, prior: Any, metric: str, title: str, keep: Any = None, **given: Any
) -> ExplorerData:
    if isinstance(data, str | Path):
        return read_file(data, prior=_names(prior), keep=_names(keep), metric=metric)
    if hasattr(data, "obs") and hasattr(data, "obsm"):
        return _read_anndata(data, _names(prior), _names(keep), metric, title)
    return from_arrays(data, prior=prior, keep=keep, metric=metric, title=title, **given)


def _names(given: Any) -> list[str]:
    return [given] if isinstance(given, str) else [*(given or ())]


def _read_anndata(
    adata: Any, prior: list[str], keep: list[str], metric: str, title: str
) -> ExplorerData:
    """Read X or its components, as `unprior.tl` does, the columns of obs and the maps in obsm."""
    for option, names in (("prior", prior), ("keep", keep)):
        for name in names:
            if name not in adata.obs:
                message = f"explore: {option!r} takes columns of obs; there is no {name!r}."
                raise ValueError(message)
    columns = {str(name): as_array(adata.obs[name]) for name in adata.obs}
    maps = {
        str(key): np.asarray(Y)
        for key, Y in adata.obsm.items()
        if getattr(Y, "shape", (0, 0))[1] == 2
    }
    _, X = representation("explore", adata, None)
    read = from_arrays(
        X,
        columns=columns,
        keep={name: columns[name] for name in keep} or None,
        maps=maps,
        ids=[*adata.obs_names],
        title=title or f"{adata.n_obs} samples",
        metric=metric,
    )
    priors = {name: read.columns[name].to_prior() for name in prior}
    if adata.X is not None:  # selections are compared by genes, even if components are drawn
        genes = tuple(str(name) for name in adata.var_names)
        read = replace(read, table=adata.X, feature_names=genes)
    return replace(read, priors=priors)
