"""The settings of stages that not every engine has: each engine's capabilities name those that it has."""

from collections.abc import Callable, Iterator, Sequence

from rewardlab import Config
from rewardlab.recipe import Finding

OPTIONAL = (
    "agent",
    "arguments",
    "dual_clip",
    "entropy_coef",
    "importance_sampling_level",
    "kl.sync_every",
    "loss=cispo",
    "min_p",
    "repetition_penalty",
    "eval.top_p",
    "eval.top_k",
    "eval.min_p",
    "eval.repetition_penalty",
)
"""a key of a stage, or a key and one of its values"""


def settings_given(stage: Config) -> Iterator[str]:
    """Yield those of `OPTIONAL` that a stage of a recipe sets to something else than what it is without them."""
    for setting in OPTIONAL:
        key, _, wanted = setting.partition("=")
        *outer, name = key.split(".")
        holder = _inner(stage, outer)
        if holder is None or name not in type(holder).model_fields:
            continue
        value = getattr(holder, name)
        default = type(holder).model_fields[name].get_default(call_default_factory=True)
        # an inner key may be given to say that a thing is not bounded there
        is_set = name in holder.model_fields_set if outer == ["eval"] else value != default
        if value == wanted or (not wanted and is_set):
            yield setting


def unsupported_settings(
    stage: Config, has: frozenset[str], engine: str, who_has: Callable[[str], Sequence[str]]
) -> Iterator[Finding]:
    """Yield (key of the stage, why) for each setting that an engine lacks which has those that `has` names.

    Args:
        who_has: returns the engines that have a setting.
    """
    for setting in settings_given(stage):
        if setting not in has:
            key, _, value = setting.partition("=")
            where = "; its own settings stand under `backend`" if key == "arguments" else _elsewhere(who_has(setting))
            yield tuple(key.split(".")), f"the backend {engine} has no {value or key}{where}"


def _elsewhere(engines: Sequence[str]) -> str:
    return f"; {' and '.join(engines)} {'has' if len(engines) == 1 else 'have'} it" if engines else ""


def _inner(stage: Config, names: list[str]) -> Config | None:
    holder: Config | None = stage
    for name in names:
        of_alias = {info.alias or field: field for field, info in type(holder).model_fields.items()} if holder else {}
        holder = getattr(holder, of_alias[name]) if name in of_alias else None
    return holder
