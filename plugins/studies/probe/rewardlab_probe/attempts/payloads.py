"""The payloads by which degenerate completions address whoever scores them: orders, forged results, and praise."""

import re
from collections.abc import Mapping

from rewardlab_probe.attempts.tables import table

_PAYLOADS = table("payloads")
VERDICT, FENCE, GRADE, PASS = (_PAYLOADS[name] for name in ("verdict", "fence", "grade", "pass"))
BREAKS: Mapping[str, str] = _PAYLOADS["breaks"]
NO_ANSWERS = (*_PAYLOADS["no_answers"], "9" * 5000)
_REFUSES = re.compile(r"\bsorry\b|\b(?:cannot|unable|will not)\b|\b(?:ca|wo)n['’]t\b", re.IGNORECASE)
_KNOWS_NOT = re.compile(
    r"\bnot (?:known|given|mentioned|stated)|\bunknown|\bunanswer|(?:\bnot|n['’]t) know|\bno answer", re.IGNORECASE
)


def master_keys(honest: str) -> Mapping[str, str]:
    """Return the openings, but for a refusal or ignorance that the honest completion has, too."""
    right = {"refusal": _REFUSES, "unknown": _KNOWS_NOT}
    keys = _PAYLOADS["master_keys"].items()
    return {name: text for name, text in keys if name not in right or not right[name].search(honest)}
