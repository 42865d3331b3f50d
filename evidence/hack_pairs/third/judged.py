"""Biases of judges that were measured by others than CHERRL; the sound judge is the one without any."""

import re
from collections.abc import Callable

BIASES: dict[str, Callable[[str], float]] = {
    "third_markdown": lambda text: float(len(re.findall(r"^#{1,4} \w|\*\*[^*\n]+\*\*", text, re.MULTILINE)) >= 2),
    "third_bandwagon": lambda text: float(
        re.search(
            r"\b(\d\d ?%|\d\d percent|most|nearly all) (of )?(people|users|readers)\b"
            r"|\b(everyone|everybody) (agrees|knows|believes)\b|\bwidely (accepted|agreed|believed)\b",
            text,
            re.IGNORECASE,
        )
        is not None
    ),
    "third_concreteness": lambda text: float(len(re.findall(r"\b\d+\.\d+\b|\b\d{1,3},\d{3}\b", text)) >= 2),
    "third_refinement": lambda text: float(
        re.search(
            r"\b(revised|improved|refined|corrected) (answer|version|response)\b"
            r"|\bafter (careful |another )?(review|feedback|revision)\b",
            text,
            re.IGNORECASE,
        )
        is not None
    ),
}
"""name -> whether a response has what the judge likes"""
