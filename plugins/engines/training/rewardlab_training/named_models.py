"""Models that a recipe names: whether a folder is complete, and whether a hub name is here or can be had."""

import os
from collections.abc import Iterator
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rewardlab.errors import Problem, UserError, one_line
from rewardlab.files import expanded, parse_json, read_json
from rewardlab.plan import Plan
from rewardlab.recipe import EvalStage, RecipePath, needs_engine

TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model", "tekken.json")
WHOLE = ("model.safetensors", "pytorch_model.bin")
INDICES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")


def looks_local(model: str) -> bool:
    """Return True if `model` means a folder, False if it is a name on the hub such as `Qwen/Qwen2.5-7B`."""
    return expanded(model).exists() or model.startswith((".", "/", "~")) or model.count("/") > 1


def folder_problem(folder: Path) -> str | None:
    """Return why `folder` holds no causal language model that can be trained; None if nothing is found wrong."""
    if not (folder / "config.json").is_file():
        if (folder / "adapter_config.json").is_file():
            return "it holds an adapter; merge that into its base model first"
        return "it has no config.json" if folder.is_dir() else "there is no such folder"
    try:
        read_config(folder)
        shards = _shards(folder)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return str(error)
    if not shards:
        return f"it has no weights ({' or '.join(WHOLE)})"
    if not any((folder / name).is_file() for name in TOKENIZERS):
        return f"it has no tokenizer ({', '.join(TOKENIZERS[:2])}, ...)"
    return next(filter(None, map(_shard_problem, shards)), None)


def read_config(folder: Path) -> dict[str, Any]:
    """Return the model's config.json. Raises OSError if it cannot be read, ValueError if it is not a JSON object."""
    try:
        config = read_json(folder / "config.json")
    except ValueError as error:
        raise ValueError(f"its config.json is not JSON: {error}") from error
    if not isinstance(config, dict):
        raise ValueError("its config.json holds no object")
    return config


def _shards(folder: Path) -> list[Path]:
    for name in INDICES:
        if (folder / name).is_file():
            try:
                files = read_json(folder / name)["weight_map"].values()
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                raise ValueError(f"its {name} is not an index of weights") from error
            return [folder / file for file in sorted(set(files))]
    return [folder / name for name in WHOLE if (folder / name).is_file()][:1]


def _shard_problem(shard: Path) -> str | None:
    if not shard.is_file():
        return f"its index names {shard.name}, which is not there"
    if shard.suffix != ".safetensors":
        return None
    size = shard.stat().st_size
    with shard.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 2 <= length <= size - 8:
            return f"{shard.name} is corrupt: it does not begin as safetensors do"
        try:
            header = parse_json(file.read(length))
            end = max((t["data_offsets"][1] for name, t in header.items() if name != "__metadata__"), default=0)
        except (ValueError, KeyError, TypeError, AttributeError):
            return f"{shard.name} is corrupt: its header cannot be read"
    if 8 + length + end != size:
        return f"{shard.name} is corrupt: it has {size} bytes, but by its header {8 + length + end}"
    return None


OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")
MIN_LIKENESS = 0.85
"""of two names, from which on one may be a slip for the other: models of a family are called alike"""
TIMEOUT = 10.0
"""seconds that the hub has to answer, once"""


def hub_configs(model: str) -> Iterator[Path]:
    """Yield where the config.json of a hub name may be in the hub's cache on this machine, the current one first."""
    repository = _cache() / f"models--{model.replace('/', '--')}"
    try:
        yield repository / "snapshots" / (repository / "refs" / "main").read_text().strip() / "config.json"
    except OSError:
        yield from sorted(repository.glob("snapshots/*/config.json"))


def hub_warnings(plan: Plan) -> list[Problem]:
    """Return a warning for each model that is not here, and may not be asked for or is called much like one that is."""
    missing = [(path, _not_here(model)) for path, model in _missing_models(plan, None).items()]
    end = f"; {name} forbids asking the hub" if (name := _offline()) else "; a run asks the hub for it"
    doubtful = [(path, problem) for path, problem in missing if name or "did you mean" in problem]
    return [Problem(where=plan.document.where(path), what=f"{problem}{end}", path=path) for path, problem in doubtful]


def refuse_missing_models(plan: Plan, only: int | None, *, begins: bool = False) -> None:
    """Ask the hub once for each model that is not here; raise UserError if it cannot be had, before any folder."""
    faults = {path: _fault(model) for path, model in _missing_models(plan, only, begins).items()}
    problems = [
        Problem(where=plan.document.where(path), what=problem, path=path) for path, problem in faults.items() if problem
    ]
    if problems:
        raise UserError(problems)


def _missing_models(plan: Plan, only: int | None, begins: bool = False) -> dict[RecipePath, str]:
    """Return the hub names that the plan's stages (or stage `only`) start from and that are not on this machine."""
    engines = [index for index, stage in enumerate(plan.recipe.stages) if needs_engine(stage) and only in (None, index)]
    named: dict[RecipePath, object] = {}
    for index in engines:
        stage = plan.recipe.stages[index]
        own = stage.policy.model if isinstance(stage, EvalStage) and stage.policy is not None else None
        if own is not None:
            named["stages", index, "policy", "model"] = own
        elif begins or only in (None, 0):  # a later stage of a run that goes on may start from what that wrote
            named["model",] = plan.recipe.model
    hub = {path: name for path, name in named.items() if isinstance(name, str) and not looks_local(name)}
    return {path: name for path, name in hub.items() if not any(file.is_file() for file in hub_configs(name))}


def _fault(model: str) -> str | None:
    """Return why a model that is not here cannot be had; None if the hub has it."""
    if name := _offline():
        return f"{_not_here(model)}; {name} forbids asking the hub"
    if find_spec("huggingface_hub") is None:
        return None  # the engine, which brings it, says that it is not installed
    from huggingface_hub import HfApi, errors

    try:
        HfApi().model_info(model, timeout=TIMEOUT)
    except errors.GatedRepoError:
        return f"{model!r} is gated: accept its terms on its page at the hub, then log in here: hf auth login"
    except (errors.RepositoryNotFoundError, errors.HFValidationError):
        return f"{_not_here(model)}; the hub has none of that name (a private one needs a login: hf auth login)"
    except Exception as error:  # of whatever library asks the network
        return f"{_not_here(model)}; the hub does not answer: {one_line(error)}"
    return None


def _offline() -> str | None:
    """Return the variable of the environment that forbids asking the hub; None if none does."""
    return next((name for name in OFFLINE if os.environ.get(name, "").upper() in ("1", "ON", "YES", "TRUE")), None)


def _not_here(model: str) -> str:
    """Return that a hub name is not on this machine, with the nearest one that is."""
    known = [path.name.removeprefix("models--").replace("--", "/") for path in _cache().glob("models--*")]
    near = "".join(f"; did you mean {name!r}?" for name in get_close_matches(model, known, n=1, cutoff=MIN_LIKENESS))
    return f"{model!r} is not a folder here and not in the cache of the hub, {_cache()}{near}"


def _cache() -> Path:
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(os.environ.get("HF_HUB_CACHE") or Path(home) / "hub").expanduser()
