"""The process that draws: jobs come in by a pipe, frames and maps go out by another.

It is started by `unprior.explorer._jobs`, holds the data, draws one map at a time, and ends when
the pipe does, whatever became of the process that started it.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from functools import partial
from typing import Any

from unprior._typing import Floats
from unprior.explorer._pipe import Pipe

#: Seconds between two frames, at least.
PAUSE = 0.1


class Worker:
    """Draws what it is told to; a thread of its own listens for stops."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._jobs: queue.Queue[tuple[Any, ...]] = queue.Queue()
        self._stopped = -1  # the newest job that is to stop
        self._free = True  # whether the last frame has been taken
        self._last = 0.0
        self._X: Any = None
        self._setting: Any = None

    def listen(self) -> None:
        """Take messages until the other end goes, and then end the process, busy or not."""
        try:
            while True:
                message = self._pipe.receive()
                if message[0] == "stop":
                    self._stopped = message[1]
                elif message[0] == "taken":
                    self._free = True
                else:
                    self._jobs.put(message)
        except (EOFError, OSError):
            os._exit(0)

    def work(self) -> None:
        """Do jobs one after another."""
        from unprior.explorer import _draw  # heavy: compiled code is loaded while people look

        while True:
            message = self._jobs.get()
            if message[0] == "data":
                self._X, self._setting = message[1], message[2]
                continue
            kind, job, *told = message
            work: Any = _draw.draw if kind == "draw" else _draw.draw_path
            step = partial(self._step, job, 0) if kind == "draw" else partial(self._step, job)
            try:
                found = work(self._X, *told, self._setting, step)
            except Exception as error:  # noqa: BLE001 (told to the page, in a sentence)
                self._pipe.send(("failed", job, " ".join(str(error).split())))
            else:
                self._pipe.send(("done", job, found))

    def _step(self, job: int, place: int, iteration: int, value: float, Y: Floats) -> bool:
        """Send a frame if one is due; return whether to stop."""
        if self._free and time.monotonic() - self._last >= PAUSE:
            self._free, self._last = False, time.monotonic()
            self._pipe.send(("frame", job, place, iteration, float(value), Y))
        if self._stopped < job:
            return False
        self._pipe.send(("stopping", job))  # the map is measured yet, which may take a while
        return True


def main() -> None:
    """Work until the pipe ends; what libraries print goes to stderr, not into the pipe."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    worker = Worker(Pipe(sys.stdin.buffer, target))
    threading.Thread(target=worker.listen, daemon=True).start()
    worker.work()


if __name__ == "__main__":
    main()
