"""A real browser, with pages from files and servers."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

import unprior as up
from browser.tools import View
from unprior.explorer._data import from_arrays
from unprior.explorer._draw import DrawSettings
from unprior.explorer._html import write_html
from unprior.explorer._maps import Factored
from unprior.explorer._server import Server
from unprior.explorer._session import Session

#: Software rendering, and no calls to the browser's makers.
FLAGS = [
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP evil.test 127.0.0.1",
]

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items):
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    path = os.environ.get("UNPRIOR_CHROMIUM") or shutil.which("chromium")
    if not path:
        pytest.fail("there is no Chromium; `make test-browser` installs it on Debian, or set "
                    "UNPRIOR_CHROMIUM to one")  # fmt: skip
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, headless=True, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def open_view(chromium):
    views = []

    def make(**options):
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
        views.append(View(context.new_page()))
        return views[-1]

    yield make
    for view in views:
        view.page.context.close()
    assert [text for view in views for text in view.wrong] == []


@pytest.fixture
def view(open_view):
    return open_view()


@pytest.fixture(scope="session")
def shots(tmp_path_factory):
    """Folder for pictures: a temporary one, or the one that UNPRIOR_SHOTS names."""
    named = os.environ.get("UNPRIOR_SHOTS")
    folder = Path(named) if named else tmp_path_factory.mktemp("shots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def penguins():
    table = up.datasets.load_penguins()
    X = (table.X - table.X.mean(0)) / table.X.std(0)
    names = table.feature_names
    data = from_arrays(X, columns=table.labels, feature_names=names, title="penguins")
    return replace(data, table=table.X)  # shown as measured, drawn standardised


SPECIES = Factored("species", 1.0, "column", "species")


@pytest.fixture(scope="session")
def offline(penguins, tmp_path_factory):
    """Penguins as one file, with a path of strengths, and the tree of its maps; drawn once."""
    session = Session(penguins, DrawSettings(n_iter=250), in_child=False)
    studio = session.studio
    studio.begin()
    studio.draw_without([SPECIES], next(iter(studio.tree)))
    studio.draw_path([*studio.tree][-1])
    path = tmp_path_factory.mktemp("offline") / "penguins.html"
    write_html(path, session.page(can_draw=False), "penguins")
    return path, studio.tree


@pytest.fixture
def serve():
    servers = []

    def make(data, known=(), *, n_iter=250, **options):
        session = Session(data, DrawSettings(n_iter=n_iter), **options)
        servers.append(Server(session))
        session.studio.begin(known)
        return servers[-1]

    yield make
    for server in servers:
        server.close()
