"""A check that a model's folder is complete. It reads only JSON and headers of weights, and imports no engine."""

from pathlib import Path
from typing import Any

from rewardlab.files import expanded, parse_json, read_json

TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "spiece.model", "tekken.json")
WHOLE = ("model.safetensors", "pytorch_model.bin")
INDICES = ("model.safetensors.index.json", "pytorch_model.bin.index.json")


def looks_local(model: str) -> bool:
    """Return True if `model` means a folder, False if it is a name on the hub such as `Qwen/Qwen2.5-7B`."""
    return expanded(model).exists() or model.startswith((".", "/", "~")) or model.count("/") > 1


def problem(folder: Path) -> str | None:
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
