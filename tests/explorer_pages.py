"""A session driven by tests."""

import time

from unprior.explorer._container import unpack


class Page:
    """A session seen from a page: sends requests, and stores the messages it gets."""

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
