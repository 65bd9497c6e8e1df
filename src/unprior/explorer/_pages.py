"""A message -> all pages that listen."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from unprior.explorer._container import pack

#: A message to pages: its header, and all of it as bytes.
Message: TypeAlias = tuple[dict[str, Any], bytes]


class Pages:
    """Those who listen; ``lock`` guards what they are told of."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._listeners: list[Callable[[Message], None]] = []

    def listen(self, hear: Callable[[Message], None]) -> None:
        """Have every message to pages; ``hear`` is called from several threads."""
        with self.lock:
            self._listeners.append(hear)

    def forget(self, hear: Callable[[Message], None]) -> None:
        """Have no more messages."""
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
