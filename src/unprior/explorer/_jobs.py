"""Draw maps one at a time in a child process, and pass on its progress and results."""

from __future__ import annotations

import pickle
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from unprior.explorer._draw import DrawSettings, Request, draw_maps

#: Seconds that a stopped job has to deliver its map before its process is killed.
PATIENCE = 3.0

COMMAND = [sys.executable, "-m", "unprior.explorer._worker"]

ENDED = "The process that draws maps has ended; it may have run out of memory."
STUCK = "Stopped before there was a map."


class Jobs:
    """Draws maps in a child process, which holds the data and ends when this process does.

    ``report`` is called from another thread with ("frame", job, place, iteration, value, map),
    ("done", job, result) or ("failed", job, sentence).
    """

    def __init__(self, X: Any, settings: DrawSettings, report: Callable[..., None]) -> None:
        self._X, self._settings, self._report = X, settings, report
        self._lock = threading.RLock()
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: Pipe | None = None
        self._count = 0
        self._stopping: int | None = None
        self.running: int | None = None

    def start_process(self) -> None:
        """Start the child if there is none, so that it loads its modules in advance."""
        with self._lock:
            if self._child is not None:
                return
            # In a session of its own, so that Ctrl+C in a terminal reaches only this process.
            child = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
            )
            assert child.stdin is not None
            assert child.stdout is not None
            self._child, self._pipe = child, Pipe(child.stdout, child.stdin)  # type: ignore[arg-type]
            threading.Thread(target=self._listen, args=(child, self._pipe), daemon=True).start()
            self._pipe.send(("data", self._X, self._settings))

    def draw(self, request: Request, shares: Sequence[float] | None = None) -> None:
        """Start drawing a map, or maps at these fractions of the strength."""
        with self._lock:
            self.start_process()
            assert self._pipe is not None
            self._count += 1
            self.running = self._count
            self._pipe.send(("draw", self._count, request, shares))

    def taken(self) -> None:
        """Tell the child that the last frame was received, so that it may send the next."""
        with self._lock:
            if self._pipe is not None and self.running is not None:
                self._pipe.send(("taken",))

    def stop(self) -> None:
        """Stop the job; its map so far is reported, or its process is killed if it takes long."""
        with self._lock:
            job = self.running
            if job is None or self._pipe is None:
                return
            self._pipe.send(("stop", job))
        timer = threading.Timer(PATIENCE, self._give_up, (job,))
        timer.daemon = True
        timer.start()

    def _give_up(self, job: int) -> None:
        with self._lock:
            if self.running != job or self._stopping == job:
                return
            self.close()
        self._report("failed", job, STUCK)

    def close(self) -> None:
        """Kill the child."""
        with self._lock:
            child, self._child, self._pipe, self.running = self._child, None, None, None
            if child is not None:
                child.kill()
                child.wait()
                for stream in (child.stdin, child.stdout):
                    if stream is not None:
                        with suppress(OSError):  # unsent data have no reader
                            stream.close()

    def _listen(self, child: subprocess.Popen[bytes], pipe: Pipe) -> None:
        try:
            while True:
                message = pipe.receive()
                if message[0] == "stopping":
                    self._stopping = message[1]
                    continue
                if message[0] != "frame":
                    with self._lock:
                        if self.running != message[1]:
                            continue
                        self.running = None
                self._report(*message)
        except (EOFError, OSError, ValueError):  # the child ended, or we closed the pipe
            with self._lock:
                ours = self._child is child
                job = self.running
                if ours:
                    self.close()
            if ours and job is not None:
                self._report("failed", job, ENDED)


class LocalJobs(Jobs):
    """Draws maps in this process, before `draw` returns; only Ctrl+C stops them."""

    def start_process(self) -> None:
        """Do nothing, since there is no child."""

    def draw(self, request: Request, shares: Sequence[float] | None = None) -> None:
        """Draw a map, or maps at these fractions of the strength."""
        found = draw_maps(self._X, request, shares, self._settings, lambda *_: False)
        self._count += 1
        self._report("done", self._count, found)


class Pipe:
    """Sends objects between this process and its child, each as length and pickle."""

    def __init__(self, source: BinaryIO, target: BinaryIO) -> None:
        self._source, self._target, self._lock = source, target, threading.Lock()

    def send(self, message: Any) -> None:
        """Send an object; thread-safe."""
        data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
        with self._lock:
            self._target.write(struct.pack("<Q", len(data)))
            self._target.write(data)
            self._target.flush()

    def receive(self) -> Any:
        """Return the next object; raise `EOFError` if the other end has closed."""
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
