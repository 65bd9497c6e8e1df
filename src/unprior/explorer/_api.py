"""Whatever the caller has -> the explorer, as a page, in the notebook, or as one HTML file."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from unprior._params import Number, check_value
from unprior._strengths import read_strengths
from unprior.explorer._data import ExplorerData, from_arrays
from unprior.explorer._draw import DrawSettings
from unprior.explorer._files import read_file
from unprior.explorer._html import write_html
from unprior.explorer._maps import Factored, Kept
from unprior.explorer._session import Session
from unprior.files._tables import as_array
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
    """Open the explorer: maps before and after, side by side, and the next question.

    Samples are selected with a lasso, and a column, a selection or an earlier map is factored out;
    the next map is drawn while you look. Maps are those of `unprior.IndependentTSNE`. Nothing
    leaves this machine.

    Parameters
    ----------
    data : array-like of shape (n_samples, n_features), DataFrame, AnnData, str or Path, optional
        The data, or a file with them. Optional if there are ``maps`` to look at.
    prior : Prior, array-like, or several of them in a list or dict, optional
        What is known, to be factored out at once. Of AnnData and files: names of columns. Of
        AnnData with many variables, ``obsm["X_pca"]`` is drawn, as in `unprior.tl`.
    keep : array-like of shape (n_samples,), or a dict of several by name, optional
        Labels to protect: the prior is removed within their classes. Of AnnData and files: names of
        columns.
    strength : float, list or dict, default=1.0
        How much of the prior is removed, from 0 to 1.
    columns : dict of str to array-like, optional
        What else is known of the samples, to colour by and to factor out.
    maps : dict of str to array-like of shape (n_samples, 2), optional
        Maps that are there already.
    ids : sequence, optional
        What the samples are called.
    feature_names : sequence of str, optional
        What the columns of the data are called.
    title : str, optional
        What stands above the maps.
    metric : str, default="euclidean"
        Distance between rows of the data.
    html : str or Path, optional
        Draw the maps now, and write them into this file instead of opening a page: one that needs
        neither server nor network, and in which no further maps can be drawn.
    strengths : bool, default=False
        With ``html``: also draw maps at strengths in between, for a slider.
    session : str or Path, optional
        A folder in which maps and selections are kept while they come. Opened again with the same
        data, the explorer shows them as they were left.
    port : int, default=0
        Of the page; 0 is any that is free.
    open_browser : bool, default=True
        Open the page; if not, its address is in ``url`` of what is returned.
    wait : bool, optional
        Wait until Ctrl+C is pressed. By default scripts wait; the Python shell goes on.
    n_jobs : int, optional
        Threads of a descent: None is one, -1 all.
    random_state : int, default=0
        Seed: the same seed gives the same maps.

    Returns
    -------
    explorer : ExplorerWidget, Server or Path
        In a notebook the widget, else the server, with its ``url`` and ``close()``; with ``html``
        the file.

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
    setting = DrawSettings(shown.metric, int(random_state), n_jobs)
    known = known_of(shown, strength)
    if html is not None:
        return export_html(shown, setting, known, Path(html), strengths=strengths)
    opened = Session(shown, setting, folder=None if session is None else Path(session))
    if in_notebook() and wait is None:
        from unprior.explorer._widget import ExplorerWidget

        return ExplorerWidget(opened, known, kept_of(shown))
    return serve(opened, known, port=port, open_browser=open_browser, wait=wait)


def known_of(data: ExplorerData, strength: Any = 1.0) -> list[Factored]:
    """Return what was given as prior knowledge, with its strengths."""
    read = read_strengths("explore", strength, [*data.priors], Number(0, 1))
    pairs = zip(data.priors, read.tolist(), strict=True)
    return [Factored(name, float(value), "known", name) for name, value in pairs if value > 0]


def kept_of(data: ExplorerData) -> list[Kept]:
    """Return which labels were given to be kept."""
    return [Kept(name, "column", name) for name in data.keep]


def serve(
    session: Session,
    known: Sequence[Factored],
    *,
    port: int = 0,
    open_browser: bool = True,
    wait: bool | None = None,
) -> Any:
    """Start the server and the first maps, and open the page."""
    from unprior.explorer._server import Server

    server = Server(session, port)
    session.studio.begin(known, kept_of(session.data))
    if open_browser:
        import webbrowser

        webbrowser.open(server.url)
    if wait or (wait is None and not hasattr(sys, "ps1") and not sys.flags.interactive):
        server.wait()
    return server


def export_html(
    data: ExplorerData,
    setting: DrawSettings,
    known: Sequence[Factored],
    path: Path,
    *,
    strengths: bool = False,
) -> Path:
    """Draw the maps and write them into one file."""
    session = Session(data, setting, in_child=False)
    session.studio.begin(known, kept_of(data))
    if strengths and known:
        session.studio.draw_path([*session.studio.tree][-1])
    write_html(path, session.page(can_draw=False), data.title)
    return path


def in_notebook() -> bool:
    """Whether this process is the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    running = shell.get_ipython() if shell is not None else None
    return type(running).__name__ == "ZMQInteractiveShell"


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
    """Take X or its components, as `unprior.tl` does, the columns of obs and the maps of obsm."""
    for option, names in (("prior", prior), ("keep", keep)):
        for name in names:
            if name not in adata.obs:
                message = f"explore: {option!r} takes columns of obs; there is no {name!r}."
                raise ValueError(message)
    known = {str(name): as_array(adata.obs[name]) for name in adata.obs}
    shown = {
        str(key): np.asarray(Y)
        for key, Y in adata.obsm.items()
        if getattr(Y, "shape", (0, 0))[1] == 2
    }
    _, X = representation("explore", adata, None)
    read = from_arrays(
        X,
        columns=known,
        keep={name: known[name] for name in keep} or None,
        maps=shown,
        ids=[*adata.obs_names],
        title=title or f"{adata.n_obs} samples",
        metric=metric,
    )
    priors = {name: read.columns[name].to_prior() for name in prior}
    if adata.X is not None:  # genes tell selections apart, whatever is drawn
        names_of_genes = tuple(str(name) for name in adata.var_names)
        read = replace(read, table=adata.X, feature_names=names_of_genes)
    return replace(read, priors=priors)
