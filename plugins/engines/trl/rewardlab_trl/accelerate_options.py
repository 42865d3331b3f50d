"""The option `backend.accelerate`: accelerate's own configuration, by its own names, checked without accelerate.

accelerate_settings.yaml lists the names that it has, made from one version of accelerate.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator
from rewardlab.errors import nearest

Found = Iterator[tuple[tuple[str, ...], str]]
SHARDING = {"FSDP": "fsdp_config", "DEEPSPEED": "deepspeed_config"}
"""distributed_type -> the section that says how the model is shared"""
KINDS = (*SHARDING, "MULTI_GPU", "MULTI_CPU", "NO")
READ = {
    *("compute_environment", "distributed_type", "num_processes", "num_machines", "machine_rank", "main_process_ip"),
    *("main_process_port", "mixed_precision", "use_cpu", *SHARDING.values()),
}
"""the fields that mean something here"""
WITHOUT_EFFECT = {"rdzv_backend", "same_network", "main_training_function", "downcast_bf16"}
"""fields that every file has, of how accelerate would start a script"""
ELSEWHERE = {
    "dynamo_config": "write torch_compile under `arguments` of a stage",
    "gpu_ids": "set CUDA_VISIBLE_DEVICES",
    "megatron_lm_config": "`use: verl` has Megatron",
    "parallelism_config": "`use: verl` has sequences that are shared",
}
MACHINES = "machines are said by num_machines and main_process_ip"
REFUSED = {
    "gradient_accumulation_steps": "the recipe says it elsewhere: micro_batch_size",
    "gradient_clipping": "the recipe says it elsewhere: max_grad_norm",
    "deepspeed_config_file": "it would say what the recipe says; write zero_stage and the offload_... settings here",
    "deepspeed_hostfile": MACHINES,
    "deepspeed_exclusion_filter": MACHINES,
    "deepspeed_inclusion_filter": MACHINES,
}
"""settings of how a model is shared that cannot be given -> why"""
WANTED = {
    "fsdp_version": ("2", "FSDP 1 is not supported; accelerate to-fsdp2 rewrites a file"),
    "fsdp_cpu_ram_efficient_loading": ("false", "each process reads the model itself"),
    "zero3_init_flag": ("false", "each process reads the model itself"),
}
"""a setting -> its only value, and why"""


def _read(value: Any) -> Any:
    """Return the mapping that a file holds, or the value as it is."""
    if not isinstance(value, str):
        return value
    import yaml

    try:
        made = yaml.safe_load(Path(value).expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise ValueError(f"the file {value!r} cannot be read: {' '.join(str(error).split())}") from error
    if not isinstance(made, dict):
        raise ValueError(f"the file {value!r} is not a mapping, as `accelerate config` writes it")
    return made


AccelerateConfig = Annotated[dict[str, Any], BeforeValidator(_read, json_schema_input_type=str | dict[str, Any])]


def count_of(config: Mapping[str, Any] | None, name: str) -> int | None:
    """Return a number of processes or machines that the configuration says; None if it says none."""
    value = None if config is None else config.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def sharding_of(config: Mapping[str, Any] | None) -> str | None:
    """Return by what the processes share the model, "FSDP" or "DEEPSPEED"; None if each holds it whole."""
    kind = None if config is None else config.get("distributed_type")
    return kind if kind in SHARDING else None


def section_of(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return how the model is shared, by the names that accelerate's command has; the prefix may be left out."""
    kind = sharding_of(config)
    given = config.get(SHARDING[kind]) if kind else None
    known = _settings()[SHARDING[kind]] if kind else ()
    section = given if isinstance(given, dict) else {}
    return {f"fsdp_{name}" if f"fsdp_{name}" in known else name: value for name, value in section.items()}


def accelerate_findings(config: Mapping[str, Any]) -> Found:
    """Yield (path below `accelerate`, why) for what accelerate does not know, or what is not done here."""
    known = _settings()["config"]
    for name, value in config.items():
        if name not in known:
            yield (name,), f"accelerate {_settings()['version']} has no such setting{nearest(str(name), known)}"
        elif name not in READ | WITHOUT_EFFECT and value not in (None, False, "no", "all", "NO", [], {}):
            yield (name,), f"is not passed on{'; ' + ELSEWHERE[name] if name in ELSEWHERE else ''}; leave it out"
    for name in ("num_processes", "num_machines", "main_process_port"):
        if name in config and config[name] is not None and count_of(config, name) is None:
            yield (name,), f"must be a positive integer, not {config[name]!r}"
    kind = config.get("distributed_type")
    if kind not in KINDS:
        problem = "missing" if kind is None else f"{kind!r} is not supported"
        yield ("distributed_type",), f"{problem}; there are {', '.join(KINDS)}{nearest(str(kind), KINDS)}"
    if config.get("compute_environment", "LOCAL_MACHINE") != "LOCAL_MACHINE":
        yield ("compute_environment",), "processes are started on machines that you have: LOCAL_MACHINE"
    if (precision := config.get("mixed_precision")) not in (None, "no", "bf16"):
        yield ("mixed_precision",), f"{precision!r} is not supported; there are 'no' (fp32) and 'bf16'"
    yield from _section(config)


def _section(config: Mapping[str, Any]) -> Found:
    kind = sharding_of(config)
    for other, name in SHARDING.items():
        if config.get(name) and other != kind:
            yield (name,), f"is for distributed_type: {other}"
    if kind is None:
        return
    name = SHARDING[kind]
    known, given = _settings()[name], config.get(name) or {}
    if not isinstance(given, dict):
        yield (name,), "must be a mapping"
        return
    for key, value in section_of(config).items():
        only, why = WANTED.get(key, (None, ""))
        if key not in known:
            yield (name, key), f"accelerate {_settings()['version']} has no such setting{nearest(str(key), known)}"
        elif key in REFUSED:
            yield (name, key), REFUSED[key]
        elif known[key] and str(value).upper() not in known[key]:
            yield (name, key), f"{value!r} is not known to accelerate{nearest(str(value).upper(), known[key])}"
        elif only is not None and str(value).lower() != only:
            yield (name, key), f"must be {only}: {why}"
    if kind == "DEEPSPEED" and str(given.get("zero_stage")) == "3" and not given.get("zero3_save_16bit_model"):
        yield (name, "zero3_save_16bit_model"), "must be true with zero_stage: 3, or no model could be written"


@cache
def _settings() -> dict[str, Any]:
    import yaml

    text = files("rewardlab_trl").joinpath("accelerate_settings.yaml").read_text(encoding="utf-8")
    table: dict[str, Any] = yaml.safe_load(text)
    return table
