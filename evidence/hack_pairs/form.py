"""The sound component beside each verifier: whether a completion has the form that was asked for."""

import re
from typing import Literal

from rewardlab import Completion, Config, Sample, reward

_FORMS = {
    "box": r"\\boxed\{[^{}]*\}",
    "line": r"^Answer: ",
    "tags": r"</think>\s*<answer>",
    "code": r"^```python$",
    "text": r"\w",
    "any": r"\w",
}


class FormOptions(Config):
    """Options of `form`."""

    kind: Literal["box", "line", "tags", "code", "text", "any"]
    """what is asked for"""


@reward(config=FormOptions)
def form(sample: Sample, completion: Completion, options: FormOptions) -> float:
    """1 for a completion in the form that was asked for."""
    return float(re.search(_FORMS[options.kind], completion.text[:50_000], re.MULTILINE) is not None)
