"""Log what tools do to the logger "unprior", following scanpy's verbosity setting."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LOGGER = logging.getLogger("unprior")
LOGGER.addHandler(logging.NullHandler())

#: scanpy's verbosity (error, warning, info, hint, debug) -> the lowest level that is logged.
LEVELS = {0: logging.ERROR, 1: logging.WARNING, 2: logging.INFO, 3: logging.INFO, 4: logging.DEBUG}


class ScanpyHandler(logging.Handler):
    """Writes to scanpy's log if scanpy is loaded and its verbosity is high enough."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one record to scanpy's log."""
        settings = _settings()
        if settings is None or record.levelno < LEVELS.get(_verbosity(settings), logging.INFO):
            return
        file = settings.logfile
        file.write(self.format(record) + "\n")
        file.flush()


HANDLER = ScanpyHandler()
LOGGER.addHandler(HANDLER)


@contextmanager
def logged(who: str, what: str) -> Iterator[list[str]]:
    """Log that a tool starts, and at its end how long it took and what it added."""
    _follow_scanpy()
    LOGGER.info("%s: %s", who, what)
    added: list[str] = []
    start = time.monotonic()
    yield added
    seconds = round(time.monotonic() - start)
    took = f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    LOGGER.info("%s: finished (%s)%s", who, took, "".join(f"; added {each}" for each in added))


def _follow_scanpy() -> None:
    """Set the logger's level by scanpy's verbosity, unless the user has set another level."""
    settings = _settings()
    if settings is not None and LOGGER.level in (logging.NOTSET, *LEVELS.values()):
        LOGGER.setLevel(LEVELS.get(_verbosity(settings), logging.INFO))


def _settings() -> Any:
    scanpy = sys.modules.get("scanpy")
    return getattr(scanpy, "settings", None)


def _verbosity(settings: Any) -> int:
    verbosity = getattr(settings, "verbosity", 1)
    return int(getattr(verbosity, "value", verbosity))
