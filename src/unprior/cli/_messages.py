"""Messages on stderr; errors as one sentence, warnings as one line each."""

from __future__ import annotations

import errno
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from unprior._interrupts import is_stop
from unprior._warnings import DataWarning


def say(text: str) -> None:
    """Print a message to stderr; stdout is for data."""
    click.echo(text, err=True)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Print errors of the library as one sentence without a traceback, warnings as one line."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        # `unprior.cli._remarks` says the same in terms of command-line options.
        warnings.filterwarnings("ignore", category=DataWarning)
        try:
            yield
        except Exception as error:
            if is_stop(error):
                raise KeyboardInterrupt from None
            sentence = _sentence(error)
            if sentence is None:
                raise
            raise click.ClickException(sentence) from error


def _sentence(error: Exception) -> str | None:
    """Return the message of an expected error in one line; None for bugs and broken pipes."""
    if isinstance(error, MemoryError):
        return str(error) or "not enough memory for these data."
    if isinstance(error, OSError) and error.errno == errno.EPIPE:
        return None  # the reader of our output has closed; click handles that silently
    if isinstance(error, ImportError | ValueError | TypeError | FloatingPointError | OSError):
        return " ".join(str(error).split())
    return None


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    say(f"Warning: {' '.join(str(message).split())}")
