"""Requests for maps -> a child process that draws them one at a time, and what it reports."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from unprior.explorer._draw import DrawSettings, Request
from unprior.explorer._pipe import Pipe

#: Seconds that a stopped job has to hand over its map, before its process is ended.
PATIENCE = 3.0

COMMAND = [sys.executable, "-m", "unprior.explorer._worker"]

ENDED = "The process that draws maps has ended; it may have run out of memory."
STUCK = "Stopped before there was a map."


class Jobs:
    """Draws maps in a child process, which holds the data and dies with this one.

    ``report`` is called from a thread of its own with ("frame", job, place, iteration, value, map),
    ("done", job, result) or ("failed", job, sentence).
    """

    def __init__(self, X: Any, setting: DrawSettings, report: Callable[..., None]) -> None:
        self._X, self._setting, self._report = X, setting, report
        self._lock = threading.RLock()
        self._child: subprocess.Popen[bytes] | None = None
        self._pipe: Pipe | None = None
        self._count = 0
        self._stopping: int | None = None
        self.running: int | None = None

    def start_process(self) -> None:
        """Start the child, if there is none: it loads what it needs while nobody waits."""
        with self._lock:
            if self._child is not None:
                return
            # In a session of its own, so that Ctrl+C in a terminal is ours alone to take.
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
            self._pipe.send(("data", self._X, self._setting))

    def draw(self, request: Request) -> int:
        """Begin to draw a map; return the number of the job."""
        return self._begin("draw", request)

    def draw_path(self, request: Request, shares: list[float]) -> int:
        """Begin to draw maps along shares of the strength; return the number of the job."""
        return self._begin("path", request, shares)

    def _begin(self, kind: str, *told: Any) -> int:
        with self._lock:
            if self.running is not None:
                message = "A map is being drawn; stop it, or wait until it is done."
                raise ValueError(message)
            self.start_process()
            assert self._pipe is not None
            self._count += 1
            self.running = self._count
            self._pipe.send((kind, self._count, *told))
            return self._count

    def taken(self) -> None:
        """Say that the last frame has been taken, so that the next may come."""
        with self._lock:
            if self._pipe is not None and self.running is not None:
                self._pipe.send(("taken",))

    def stop(self) -> None:
        """Stop the job; its map so far is reported, or its process is ended if that takes long."""
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
        """End the child."""
        with self._lock:
            child, self._child, self._pipe, self.running = self._child, None, None, None
            if child is not None:
                child.kill()
                child.wait()
                for stream in (child.stdin, child.stdout):
                    if stream is not None:
                        with suppress(OSError):  # what was still to be sent has no reader
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
        except (EOFError, OSError, ValueError):  # it has gone, or we closed the pipe
            with self._lock:
                ours = self._child is child
                job = self.running
                if ours:
                    self.close()
            if ours and job is not None:
                self._report("failed", job, ENDED)


class DrawnHere(Jobs):
    """Draws maps in this process, before `draw` returns; nothing can stop them but the keyboard."""

    def start_process(self) -> None:
        """Do nothing: there is no child."""

    def _begin(self, kind: str, *told: Any) -> int:
        from unprior.explorer import _draw

        work: Any = _draw.draw if kind == "draw" else _draw.draw_path
        found = work(self._X, *told, self._setting, lambda *_: False)
        self._count += 1
        self._report("done", self._count, found)
        return self._count
