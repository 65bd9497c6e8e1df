"""Handle Ctrl+C: print one word instead of a traceback, and exit with the usual code.

Nothing heavy is imported here, since it must be active before anything else loads.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from unprior._interrupts import is_stop

#: Exit code after Ctrl+C: 128 plus the signal's number, as in shells.
STOPPED = 130


def leave() -> NoReturn:
    """Exit at once: an orderly exit can crash while threads are still in compiled loops."""
    reader = sys.modules.get("unprior.files._read")
    if reader is not None:
        reader.forget()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(STOPPED)


@contextmanager
def quiet_stops() -> Iterator[None]:
    """Exit on Ctrl+C without a traceback, wherever it arrives."""
    try:
        yield
    except BaseException as error:
        if not is_stop(error):
            raise
        sys.stderr.write("Stopped.\n")
        raise SystemExit(STOPPED) from None
