"""Secrets that a process has noted, forgotten between tests."""

from rewardlab.text import redaction


def forget_secrets() -> None:
    """Forget the values that were noted, for a test that has done with them."""
    redaction._noted.clear()
    redaction._variables.clear()
    redaction.redactor.cache_clear()
