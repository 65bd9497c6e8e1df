"""Send messages to all open pages, with no more frames than each can draw."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from unprior.explorer._container import pack

#: A message to pages: its header, and all of it as bytes.
Message: TypeAlias = tuple[dict[str, Any], bytes]


class Pages:
    """The listeners of messages; ``lock`` protects the state that messages describe."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._listeners: list[Callable[[Message], None]] = []

    def listen(self, hear: Callable[[Message], None]) -> None:
        """Subscribe to messages; ``hear`` is called from several threads."""
        with self.lock:
            self._listeners.append(hear)

    def forget(self, hear: Callable[[Message], None]) -> None:
        """Unsubscribe from messages."""
        with self.lock:
            if hear in self._listeners:
                self._listeners.remove(hear)

    def tell(self, header: dict[str, Any], data: bytes | None = None) -> None:
        """Send a message to all pages."""
        with self.lock:
            listeners = [*self._listeners]
        data = pack(header) if data is None else data
        for hear in listeners:
            hear((header, data))


class Outbox:
    """Passes messages on, but frames only after the page has drawn the previous one.

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
        """Send a message; of frames that must wait, only the newest is kept."""
        header, data = message
        with self._lock:
            if header["op"] != "frame":
                self._waiting = None  # outdated by this message
                if header["op"] == "job":
                    self._busy = False
                self._send(data)
            elif self._busy:
                self._waiting = data
            else:
                self._busy = True
                self._send(data)

    def drawn(self) -> None:
        """Record that the page has drawn the last frame, and send the next one."""
        with self._lock:
            self._busy = self._waiting is not None
            if self._waiting is not None:
                self._send(self._waiting)
            self._waiting = None
