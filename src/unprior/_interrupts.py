"""Recognise Ctrl-C, also in errors of compiled code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


def is_stop(error: BaseException | None) -> bool:
    """Whether an error is a KeyboardInterrupt, possibly wrapped by compiled code.

    A signal that arrives during a compiled loop is raised as a SystemError, with the
    KeyboardInterrupt as its cause or context.

    Examples
    --------
    >>> is_stop(KeyboardInterrupt()), is_stop(SystemError())
    (True, False)
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        hidden = None if error.__suppress_context__ else error.__context__
        error = error.__cause__ or hidden
    return error is not None


@contextmanager
def clean_stops() -> Iterator[None]:
    """Raise a KeyboardInterrupt wrapped by compiled code as such."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or not is_stop(error):
            raise
        raise KeyboardInterrupt from None
