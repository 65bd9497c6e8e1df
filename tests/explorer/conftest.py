"""A small data set, and sessions that are closed after the test."""

import pytest

import unprior as up
from explorer_pages import Page
from unprior.explorer._data import from_arrays
from unprior.explorer._draw import DrawSettings
from unprior.explorer._session import Session


@pytest.fixture(scope="session")
def sample():
    return up.datasets.make_two_factor(150, random_state=0)


@pytest.fixture(scope="session")
def shown(sample):
    known = sample.known.astype(str)
    return from_arrays(sample.X, columns={"known": known, "hidden": sample.hidden.astype(str)})


@pytest.fixture
def open_page():
    sessions = []

    def make(data, *, in_child=False, n_iter=60, **options):
        setting = DrawSettings(n_iter=n_iter)
        sessions.append(Session(data, setting, in_child=in_child, **options))
        return Page(sessions[-1])

    yield make
    for session in sessions:
        session.close()
