"""How completions are sampled: what OpenRLHF asks of vLLM, and what the recipe says beside it."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any


def recipe_sampling(params: Any, settings: Mapping[str, Any]) -> Any:
    """Return OpenRLHF's SamplingParams with the recipe's `top_k` and `stop`, for which OpenRLHF has no arguments.

    It is the same object if the recipe has neither. A stop string stays in the completion: its tokens were sampled,
    so they are trained on, and rewards read them.
    """
    top_k, stop = settings.get("top_k"), settings.get("stop")
    if not top_k and not stop:
        return params
    params = deepcopy(params)
    if top_k and params.temperature > 0:  # an evaluation at 0 is greedy
        params.top_k = top_k
    if stop:
        params.stop, params.include_stop_str_in_output = list(stop), True
    return params
