"""Objects <-> bytes on a pipe between the page's process and its worker."""

from __future__ import annotations

import pickle
import struct
from threading import Lock
from typing import Any, BinaryIO


class Pipe:
    """Sends and receives objects, each as its length and its pickle; both ends are our own."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source, self._target, self._lock = source, target, Lock()

    def send(self, message: Any) -> None:
        """Send an object; several threads may."""
        data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        with self._lock:
            self._target.write(struct.pack("<Q", len(data)))
            self._target.write(data)
            self._target.flush()

    def receive(self) -> Any:
        """Return the next object; `EOFError` if the other end has gone."""
        (length,) = struct.unpack("<Q", self._read(8))
        return pickle.loads(self._read(length))

    def _read(self, length: int) -> bytes:
        parts = []
        while length:
            part = self._source.read(length)
            if not part:
                raise EOFError
            parts.append(part)
            length -= len(part)
        return b"".join(parts)
