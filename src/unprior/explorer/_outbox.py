"""Messages to one page -> the order in which they go, with no more frames than it can draw."""

from __future__ import annotations

import threading
from collections.abc import Callable

from unprior.explorer._pages import Message


class Outbox:
    """Passes messages on; of frames, the newest, when the page has said that it drew the last.

    Examples
    --------
    >>> sent = []
    >>> outbox = Outbox(sent.append)
    >>> for place in range(3):
    ...     outbox.put(({"op": "frame"}, b"%d" % place))
    >>> outbox.drawn()
    >>> sent
    [b'0', b'2']
    """

    def __init__(self, send: Callable[[bytes], None]) -> None:
        self._send, self._lock = send, threading.Lock()
        self._waiting: bytes | None = None
        self._busy = False

    def put(self, message: Message) -> None:
        """Send a message, or keep it until the page is ready."""
        header, data = message
        with self._lock:
            if header["op"] != "frame":
                self._waiting = None  # what follows is newer than any frame
                if header["op"] == "job":
                    self._busy = False
                self._send(data)
            elif self._busy:
                self._waiting = data
            else:
                self._busy = True
                self._send(data)

    def drawn(self) -> None:
        """Take note that the page has drawn the last frame."""
        with self._lock:
            self._busy = self._waiting is not None
            if self._waiting is not None:
                self._send(self._waiting)
            self._waiting = None
