"""The sampling of completions: what OpenRLHF asks of vLLM, and what the recipe says beside it."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

NEUTRAL = {"top_p": 1.0, "top_k": None, "min_p": 0.0}
"""parameters by which tokens are drawn, none of which a greedy answer has, as they are if they change nothing"""


def recipe_sampling(params: Any, sampling: Mapping[str, Any]) -> Any:
    """Return OpenRLHF's SamplingParams as the recipe's TokenSampling has them, which OpenRLHF has few arguments for.

    It is the same object if nothing differs. A stop string stays in the completion: its tokens were sampled, so they
    are trained on, and rewards read them.
    """
    changed = {name: sampling[name] for name in NEUTRAL if params.temperature > 0 and name in sampling}
    changed = {name: value for name, value in changed.items() if value != NEUTRAL[name] or name == "top_p"}
    if (penalty := sampling.get("repetition_penalty", 1.0)) != 1:
        changed["repetition_penalty"] = penalty
    if stop := list(sampling.get("stop", ())):
        changed |= {"stop": stop, "include_stop_str_in_output": True}
    if all(getattr(params, name, None) == value for name, value in changed.items()):
        return params
    params = deepcopy(params)
    for name, value in changed.items():
        setattr(params, name, value)
    return params
