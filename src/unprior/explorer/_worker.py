"""The drawing process: jobs arrive by one pipe, frames and maps leave by another.

It is started by `unprior.explorer._jobs`, holds the data, draws one map at a time, and ends when
the pipe closes, so it never outlives the process that started it.
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
from unprior.explorer._jobs import Pipe

#: Minimum seconds between two frames.
PAUSE = 0.1


class Worker:
    """Runs jobs, while a second thread listens for stops."""

    def __init__(self, pipe: Pipe) -> None:
        self._pipe = pipe
        self._jobs: queue.Queue[tuple[Any, ...]] = queue.Queue()
        self._stopped = -1  # the newest job to stop
        self._free = True  # whether the last frame was received
        self._last = 0.0
        self._X: Any = None
        self._settings: Any = None

    def listen(self) -> None:
        """Receive messages until the other end closes; then exit, busy or not."""
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
        """Run jobs one after another."""
        from unprior.explorer._draw import draw_maps

        while True:
            message = self._jobs.get()
            if message[0] == "data":
                self._X, self._settings = message[1], message[2]
                continue
            _, job, request, shares = message
            try:
                step = partial(self._step, job)
                found = draw_maps(self._X, request, shares, self._settings, step)
            except Exception as error:  # noqa: BLE001 (shown on the page, as one sentence)
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
        self._pipe.send(("stopping", job))  # the map is still to be measured, which takes time
        return True


def main() -> None:
    """Work until the pipe closes; output of libraries goes to stderr, not into the pipe."""
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    worker = Worker(Pipe(sys.stdin.buffer, target))
    threading.Thread(target=worker.listen, daemon=True).start()
    worker.work()


if __name__ == "__main__":
    main()
