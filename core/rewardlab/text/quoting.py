"""Fences that no quoted text can close, for prompts that quote untrusted texts.

Every quoted text stands verbatim between two lines with a key that is a hash of all quoted texts, so that no text can
contain the key that it helps to make.
"""

import hashlib
import json
from collections.abc import Mapping


def fence_key(parts: Mapping[str, str]) -> str:
    """Return the key of the fences: 16 hexadecimal digits of the SHA-256 of all parts."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def fence_lines(label: str, key: str) -> tuple[str, str]:
    """Return the lines before and after a quoted text."""
    return f"=== BEGIN {label} {key} ===", f"=== END {label} {key} ==="


def fence(label: str, text: str, key: str) -> str:
    """Return `text`, unchanged, between its two lines."""
    begin, end = fence_lines(label, key)
    return f"{begin}\n{text}\n{end}"
