"""An error -> whether it is a person who wants to stop."""

from __future__ import annotations


def is_stop(error: BaseException | None) -> bool:
    """Whether an error is a stop from the keyboard, also one that compiled code has wrapped.

    A signal that arrives while a compiled loop runs comes out of it as a SystemError, with the
    KeyboardInterrupt among its causes.

    Examples
    --------
    >>> is_stop(KeyboardInterrupt()), is_stop(SystemError())
    (True, False)
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error is not None
