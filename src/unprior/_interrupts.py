"""An error -> whether it is a person who wants to stop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


def is_stop(error: BaseException | None) -> bool:
    """Whether an error is a stop from the keyboard, also one that compiled code has wrapped.

    A signal that arrives while a compiled loop runs comes out of it as a SystemError, with the
    KeyboardInterrupt among its causes, or as what was being handled when it came.

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
    """Raise a stop from the keyboard as such, whatever compiled code has made of it."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or not is_stop(error):
            raise
        raise KeyboardInterrupt from None
