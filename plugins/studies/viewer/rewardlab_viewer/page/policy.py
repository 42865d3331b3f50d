"""The content security policy of a page: its own scripts and styles by their hash, and nothing else from anywhere."""

import hashlib
from base64 import b64encode
from collections.abc import Iterable
from typing import Literal

Form = Literal["page", "bundle", "followed"]
"""a file that holds all, one with parts beside it, or what a server of ours answers and brings up to date"""


def policy(scripts: Iterable[str], styles: Iterable[str], form: Form) -> str:
    """Return the policy. A bundle's script may load others, its chunks; that of a followed page may ask its server."""
    more = " 'strict-dynamic'" if form == "bundle" else ""
    rules = [
        "default-src 'none'",
        f"script-src {' '.join(map(_hash, scripts))}{more}",
        f"style-src {' '.join(map(_hash, styles))}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        f"trusted-types {'rewardlab-parts' if form == 'bundle' else chr(39) + 'none' + chr(39)}",
        *(["connect-src 'self'"] if form == "followed" else ()),
    ]
    return "; ".join(rules)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
