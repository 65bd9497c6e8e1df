"""A small data set, and sessions that are closed again."""

import time

import pytest

import unprior as up
from unprior.explorer._container import unpack
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


class Page:
    """A session as a page sees it: asks, and remembers what it was told."""

    def __init__(self, session):
        self.session, self.heard, self.count = session, [], 0
        session.studio.listen(self.heard.append)

    def ask(self, op, **body):
        self.count += 1
        head, _ = unpack(self.session.answer({"v": 1, "id": self.count, "op": op, **body}))
        assert head["op"] == "answer"
        assert head["id"] == self.count
        return head

    def told(self, op):
        return [header for header, _ in self.heard if header["op"] == op]

    def wait(self, until, seconds=120):
        end = time.monotonic() + seconds
        while not until():
            assert time.monotonic() < end, self.heard[-1:]
            time.sleep(0.02)


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
