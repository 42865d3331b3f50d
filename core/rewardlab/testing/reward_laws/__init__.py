"""The laws of a reward, one function each: the words are in rewardlab.laws.REWARD."""

from collections.abc import Callable

from rewardlab.testing.reward_laws import again, apart, degenerate, values
from rewardlab.testing.trial import Trial

LAWS: dict[str, Callable[[Trial], int]] = {
    "range": values.in_range,
    "order": values.order,
    "monotone": values.monotone,
    "repeat": again.repeat,
    "permutation": apart.permutation,
    "batch": apart.batch,
    "arrival": apart.arrival,
    "thread": again.thread,
    "worker": again.worker,
    "ray": again.ray,
    "rebuild": again.rebuild,
    "info": values.info,
    "required": values.required,
    "empty": values.empty,
    "prompt_copy": degenerate.prompt_copy,
    "repetition": degenerate.repetition,
    "padding": degenerate.padding,
    "antisymmetry": degenerate.antisymmetry,
}
