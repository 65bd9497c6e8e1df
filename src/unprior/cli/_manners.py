"""How all commands speak: talk to stderr, and one sentence for what went wrong."""

from __future__ import annotations

import errno
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from unprior._warnings import DataWarning


def say(text: str) -> None:
    """Tell the person at the terminal; stdout is for data."""
    click.echo(text, err=True)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what the library refuses into one sentence, and warnings into one line each."""
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        # `unprior.cli._prepare` says the same in the shell's words.
        warnings.filterwarnings("ignore", category=DataWarning)
        try:
            yield
        except MemoryError as error:
            message = str(error) or "there is not enough memory for these data."
            raise click.ClickException(message) from error
        except (ImportError, ValueError, TypeError, FloatingPointError, OSError) as error:
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                raise  # the reader of our output has gone, which click takes quietly
            raise click.ClickException(" ".join(str(error).split())) from error


def _show_warning(message: Any, *_: Any, **__: Any) -> None:
    say(f"Warning: {' '.join(str(message).split())}")
