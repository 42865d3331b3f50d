"""The content security policy of a page: its own scripts and styles by their hash, and nothing else from anywhere."""

import hashlib
from base64 import b64encode
from collections.abc import Iterable


def policy(scripts: Iterable[str], styles: Iterable[str], bundle: bool) -> str:
    """Return the policy. bundle: its script may load others, which are the chunks beside the page."""
    more = " 'strict-dynamic'" if bundle else ""
    rules = [
        "default-src 'none'",
        f"script-src {' '.join(map(_hash, scripts))}{more}",
        f"style-src {' '.join(map(_hash, styles))}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        f"trusted-types {'rewardlab-parts' if bundle else chr(39) + 'none' + chr(39)}",
    ]
    return "; ".join(rules)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
