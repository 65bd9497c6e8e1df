"""A stop from the keyboard → one word, and the exit code that shells know it by.

Nothing heavy is imported here, so that it is at hand before anything else is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from unprior._interrupts import is_stop

#: Exit code of a stop from the keyboard, as shells count it.
STOPPED = 130


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
