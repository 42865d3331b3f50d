"""Argument types for argparse: numbers within bounds, with an error that says what is expected."""

from argparse import ArgumentTypeError


def count(text: str) -> int:
    """Return a whole number from 1 up."""
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def amount(text: str) -> float:
    """Return a number from 0 to a billion."""
    return _between(text, 0.0, 1e9)


def share(text: str) -> float:
    """Return a number from 0 to 1."""
    return _between(text, 0.0, 1.0)


def _between(text: str, low: float, high: float) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not low <= number <= high:
        raise ArgumentTypeError(f"{text!r} is no number from {low:g} to {high:g}")
    return number
