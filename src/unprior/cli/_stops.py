"""A stop from the keyboard → one word, and the exit code that shells know it by.

Nothing heavy is imported here, so that it is at hand before anything else is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NoReturn

from unprior._interrupts import is_stop

#: Exit code of a stop from the keyboard, as shells count it.
STOPPED = 130


def leave() -> NoReturn:
    """End the program at once: threads within compiled loops do not survive an orderly end."""
    stdin = sys.modules.get("unprior.files._stdin")
    if stdin is not None:
        stdin.forget()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(STOPPED)


@contextmanager
def quiet_stops() -> Iterator[None]:
    """End the program at a stop from the keyboard, wherever it comes, without a traceback."""
    try:
        yield
    except BaseException as error:
        if not is_stop(error):
            raise
        sys.stderr.write("Stopped.\n")
        raise SystemExit(STOPPED) from None
