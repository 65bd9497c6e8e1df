"""What a tool does → lines of the logger "unprior", as talkative as scanpy is set to be."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

LOGGER = logging.getLogger("unprior")
LOGGER.addHandler(logging.NullHandler())

#: scanpy's verbosity -> the least level that is told; it calls them error, warning, info, hint.
LEVELS = {0: logging.ERROR, 1: logging.WARNING, 2: logging.INFO, 3: logging.INFO, 4: logging.DEBUG}


class ScanpyHandler(logging.Handler):
    """Writes where scanpy writes, as long as scanpy is there and asks for this much."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line to scanpy's log, if its verbosity calls for it."""
        settings = _settings()
        if settings is None or record.levelno < LEVELS.get(_verbosity(settings), logging.INFO):
            return
        file = settings.logfile
        file.write(self.format(record) + "\n")
        file.flush()


HANDLER = ScanpyHandler()
LOGGER.addHandler(HANDLER)


@contextmanager
def told(who: str, what: str) -> Iterator[list[str]]:
    """Say that a tool begins, and when it ends how long it took and what it has added."""
    _follow()
    LOGGER.info("%s: %s", who, what)
    added: list[str] = []
    start = time.monotonic()
    yield added
    seconds = round(time.monotonic() - start)
    took = f"{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    LOGGER.info("%s: finished (%s)%s", who, took, "".join(f"; added {each}" for each in added))


def _follow() -> None:
    """Let the logger through what scanpy's verbosity asks for, unless the user has set a level."""
    settings = _settings()
    if settings is not None and LOGGER.level in (logging.NOTSET, *LEVELS.values()):
        LOGGER.setLevel(LEVELS.get(_verbosity(settings), logging.INFO))


def _settings() -> Any:
    scanpy = sys.modules.get("scanpy")
    return getattr(scanpy, "settings", None)


def _verbosity(settings: Any) -> int:
    verbosity = getattr(settings, "verbosity", 1)
    return int(getattr(verbosity, "value", verbosity))
