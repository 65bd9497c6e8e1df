"""Options described once: valid values and meaning, for errors, docstrings and flags."""

from __future__ import annotations

import difflib
import inspect
import numbers
import textwrap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

T = TypeVar("T", bound=type)


class Takes(Protocol):
    """A rule for valid values; its ``str`` completes the sentence "'name' takes ..."."""

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""


@dataclass(frozen=True)
class Number:
    """A finite real number between two bounds, open or closed."""

    low: float = -np.inf
    high: float = np.inf
    open_low: bool = False
    open_high: bool = False

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        if not isinstance(value, numbers.Real) or isinstance(value, bool | np.bool_):
            return False
        x = float(value)
        above = x > self.low if self.open_low else x >= self.low
        below = x < self.high if self.open_high else x <= self.high
        return above and below and bool(np.isfinite(x))

    def __str__(self) -> str:
        return "a number" + _interval(self)


@dataclass(frozen=True)
class Whole:
    """A whole number between two bounds, both included."""

    low: float = -np.inf
    high: float = np.inf

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        whole = isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)
        return whole and self.low <= value <= self.high  # type: ignore[operator]

    def __str__(self) -> str:
        return "a whole number" + _interval(Number(self.low, self.high))


def _interval(bounds: Number) -> str:
    if bounds.low == -np.inf and bounds.high == np.inf:
        return ""
    if bounds.high == np.inf:
        return f" above {bounds.low:g}" if bounds.open_low else f" of at least {bounds.low:g}"
    left = "(" if bounds.open_low else "["
    right = ")" if bounds.open_high else "]"
    return f" in {left}{bounds.low:g}, {bounds.high:g}{right}"


class OneOf:
    """One of a few fixed values."""

    def __init__(self, *values: object) -> None:
        self.values = values

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        return any(type(value) is type(v) and value == v for v in self.values)

    def __str__(self) -> str:
        return " or ".join(repr(v) if isinstance(v, str) else str(v) for v in self.values)


class Either:
    """A value that is valid for one of several rules."""

    def __init__(self, *rules: Takes) -> None:
        self.rules = rules

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        return any(rule.accepts(value) for rule in self.rules)

    def __str__(self) -> str:
        return " or ".join(str(rule) for rule in self.rules)


@dataclass(frozen=True)
class Kind:
    """A value that passes a test, with a description."""

    words: str
    test: Callable[[Any], bool]

    def accepts(self, value: object) -> bool:
        """Whether the value is valid."""
        return self.test(value)

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Option:
    """An option of an estimator: its valid values and its meaning."""

    takes: Takes
    meaning: str


def check_value(who: str, name: str, value: object, takes: Takes) -> None:
    """Raise an error, in one sentence, if a value is not valid.

    Examples
    --------
    >>> check_value("JEDI", "skewness", 0.5, Number(0, 1, open_low=True, open_high=True))
    >>> check_value("JEDI", "skewness", 1, Number(0, 1, open_low=True, open_high=True))
    Traceback (most recent call last):
    ...
    ValueError: JEDI: 'skewness' takes a number in (0, 1); got 1.
    """
    if takes.accepts(value):
        return
    message = f"{who}: {name!r} takes {takes}; got {_short(value)}.{_suggestion(value, takes)}"
    raise ValueError(message)


def check_options(estimator: Any) -> None:
    """Check every option of an estimator against its class's table ``_options``."""
    who = type(estimator).__name__
    for name, option in estimator._options.items():
        check_value(who, name, getattr(estimator, name), option.takes)


def describe_options(estimator: T) -> T:
    """Class decorator: insert the table ``_options`` into the docstring at ``{parameters}``."""
    options: Mapping[str, Option] = estimator._options  # type: ignore[attr-defined]
    signature = inspect.signature(estimator.__init__)  # type: ignore[misc]
    named = [name for name in signature.parameters if name != "self"]
    if set(named) != set(options):
        message = f"{estimator.__name__}: arguments {named} and options {[*options]} differ"
        raise TypeError(message)
    if estimator.__doc__:
        entries = [
            f"{name} : {options[name].takes}, default={signature.parameters[name].default!r}\n"
            + textwrap.fill(
                options[name].meaning, 92, initial_indent=" " * 4, subsequent_indent=" " * 4
            )
            for name in named
        ]
        text = textwrap.indent("\n".join(entries), " " * 4).lstrip()
        estimator.__doc__ = estimator.__doc__.replace("{parameters}", text)
    return estimator


def _short(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _suggestion(value: object, takes: Takes) -> str:
    if not isinstance(value, str):
        return ""
    rules = takes.rules if isinstance(takes, Either) else (takes,)
    words = [v for r in rules if isinstance(r, OneOf) for v in r.values if isinstance(v, str)]
    return suggest(value.lower(), words)


def suggest(name: str, names: Iterable[str]) -> str:
    """Return " Did you mean ...?" with the closest of some names, or "" if none is close."""
    close = difflib.get_close_matches(name, [*names], n=1)
    return f" Did you mean {close[0]!r}?" if close else ""
