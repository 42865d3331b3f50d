"""Write what a version of verl or OpenRLHF can be told, into the plugin that checks recipes without the engine.

  python release/engine_settings.py verl-0.9.1-py3-none-any.whl          (needs hydra-core, and nothing of verl's)
  python release/engine_settings.py openrlhf-0.11.2-cp311-...whl

A setting is [type] or [type, what it does] or [type, what it does, its values]; of verl they stand in the tree of its
configuration, one tree for each program and strategy. A name that begins with + is a field of verl's class there which
its configuration files leave out.
"""

import argparse
import ast
import gzip
import json
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
MAX_WORDS = 110
"""characters of a description"""
VERL = {
    "rl": ("ppo_trainer", ["model_engine=dp"]),
    "rl-megatron": ("ppo_trainer", ["model_engine=megatron"]),
    "sft": ("sft_trainer_engine", []),
    "sft-megatron": ("sft_trainer_engine", ["engine=megatron", "optim=megatron"]),
}
"""program, and with megatron -> verl's configuration and what it is composed with"""
OPENRLHF = {"rl": "train_ppo_ray", "sft": "train_sft", "dpo": "train_dpo"}
REGISTRIES = {
    "policy_loss.loss_mode": "register_policy_loss",
    "checkpoint_engine.backend": "CheckpointEngineRegistry.register",
}
"""end of a setting's name -> verl's function that registers its values"""
VALUES = {
    "algorithm.kl_ctrl.type": ("fixed", "adaptive"),  # trainer/ppo/core_algos.py
    "algorithm.rollout_correction.loss_type": ("ppo_clip", "reinforce"),  # there, too
    "algorithm.rollout_correction.rollout_is": ("token", "sequence"),  # trainer/ppo/rollout_corr_helper.py
    "trainer.v1.sampler.max_off_policy_strategy": ("drop", "wait"),  # trainer/ppo/v1/replay_buffer.py
    "actor_rollout_ref.rollout.quantization": ("fp8", "torchao"),  # workers/rollout/vllm_rollout/vllm_async_server.py
    "data.truncation": ("error", "left", "right", "middle"),  # utils/torch_functional.py
    "model.fused_kernel_options.impl_backend": ("torch", "triton"),  # models/transformers/monkey_patch.py
}
"""end of a setting's name -> the values that verl compares it with, elsewhere than in the class of the setting"""
TYPES = {"bool": "bool", "int": "int", "float": "float", "str": "text", "list": "list", "tuple": "list", "dict": "open"}
UNDESCRIBED = ("profiler", "global_tool_config")
NO_WORDS = re.compile(r"\s*(oc\.select:|TODO|@package|Note that|Prioritized).*")


def main() -> None:
    """Read the wheel and write its settings."""
    wheel = Path(sys.argv[1])
    engine, version = wheel.name.split("-")[:2]
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        package = next(Path(folder).glob(f"**/{engine}/__init__.py")).parent
        settings = verl(package) if engine == "verl" else openrlhf(package)
    to = ROOT / "plugins" / "engines" / engine / f"rewardlab_{engine}" / "engine_settings" / f"{version}.json.gz"
    to.parent.mkdir(exist_ok=True)
    to.write_bytes(gzip.compress(json.dumps(settings, separators=(",", ":")).encode(), mtime=0))
    print(f"{to.relative_to(ROOT)}: {to.stat().st_size:,} bytes")


def openrlhf(package: Path) -> dict[str, Any]:
    """Return the arguments of each program, from its own parser."""
    return {
        kind: {action.option_strings[-1].lstrip("-"): _argument(action) for action in _parser(package, program)}
        for kind, program in OPENRLHF.items()
    }


def _parser(package: Path, program: str) -> list[argparse.Action]:
    """Return the actions of a program's parser; only the statements that make it are executed."""
    tree = ast.parse((package / "cli" / f"{program}.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test))
    ends = next(at for at, statement in enumerate(block.body) if "parse_args" in ast.unparse(statement))
    names: dict[str, Any] = {"argparse": argparse, "datetime": datetime}
    exec(compile(ast.Module(block.body[:ends], []), program, "exec"), names)
    actions: list[argparse.Action] = names["parser"]._actions
    return [action for action in actions if "--help" not in action.option_strings]


def _argument(action: argparse.Action) -> list[Any]:
    kind = "flag" if action.nargs == 0 else TYPES[getattr(action.type, "__name__", "str")]
    if action.nargs in ("+", "*") or (isinstance(action.nargs, int) and action.nargs):
        kind = f"{kind}s"
    return _setting(kind, action.help or "", action.choices or ())


def verl(package: Path) -> dict[str, Any]:
    """Return verl's composed configuration as a tree, with the types of the classes that read it."""
    from hydra import compose, initialize_config_dir
    from omegaconf import OmegaConf

    reader = _VerlReader(package)
    with initialize_config_dir(str(package / "trainer" / "config"), version_base=None):
        return {
            program: reader.tree(OmegaConf.to_container(compose(name, given)), ())
            for program, (name, given) in VERL.items()
        }


class _VerlReader:
    """What verl's source says of its settings, without importing it: types, values and comments."""

    def __init__(self, package: Path) -> None:
        sources = {path: path.read_text(encoding="utf-8") for path in package.glob("**/*.py")}
        self.classes = {
            node.name: node
            for text in sources.values()
            if "@dataclass" in text
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.ClassDef)
        }
        self.registered = {
            name: sorted(set(re.findall(rf'@{re.escape(function)}\("(\w+)"\)', "\n".join(sources.values()))))
            for name, function in REGISTRIES.items()
        }
        self.comments = {
            path.relative_to(package / "trainer" / "config"): dict(_comments(path))
            for path in (package / "trainer" / "config").glob("**/*.yaml")
            if not path.name.startswith("_")
        }

    def tree(self, node: dict[str, Any], path: tuple[str, ...], owner: ast.expr | None = None) -> dict[str, Any]:
        """Return the settings below a node of the configuration; owner: the annotation of the field that it fills."""
        words = re.findall(r"\w+", str(node.get("_target_", "" if owner is None else ast.unparse(owner))))
        target = next((word for word in words if word in self.classes), "")
        fields = dict(self._fields(target))
        made: dict[str, Any] = {}
        for name, value in node.items():
            if isinstance(value, dict) and value:
                made[name] = self.tree(value, (*path, name), fields.get(name))
            elif name != "_target_":
                made[name] = self._leaf((*path, name), value, fields.get(name), self._values(target, name))
        more = {name: hint for name, hint in fields.items() if name not in node and not name.startswith("_")}
        return made | {
            f"+{name}": self._leaf((*path, name), "${}", hint, self._values(target, name))
            for name, hint in more.items()
        }

    def _leaf(self, path: tuple[str, ...], value: Any, hint: ast.expr | None, values: tuple[str, ...]) -> list[Any]:
        kinds = set() if hint is None else set(_kinds(hint))
        if not (isinstance(value, str) and ("${" in value or value == "???")):
            kinds |= {"null" if value is None else TYPES[type(value).__name__]}
            kinds |= {"any"} if hint is None and value is None else set()
        kind = next((kind for kind in ("open", "any") if kind in kinds), "|".join(sorted(kinds)) or "any")
        known = VALUES | self.registered
        registered = next((made for end, made in known.items() if ".".join(path).endswith(end)), ())
        about = "" if any(part in UNDESCRIBED for part in path) else self._comment(path)
        return _setting(kind, about, values or registered)

    def _fields(self, name: str) -> Iterator[tuple[str, ast.expr]]:
        """Yield the fields of a class and of those above it, with their annotations."""
        if (node := self.classes.get(name)) is None:
            return
        for base in node.bases:
            yield from self._fields(ast.unparse(base).rpartition(".")[2])
        for line in node.body:
            if not isinstance(line, ast.AnnAssign) or "ClassVar" in ast.unparse(line.annotation):
                continue
            yield ast.unparse(line.target), line.annotation

    def _values(self, name: str, field: str) -> tuple[str, ...]:
        """Return the values that a class asserts, or lists in a Literal; empty if it takes any."""
        if (node := self.classes.get(name)) is None:
            return ()
        text = ast.unparse(node)
        hint = dict(self._fields(name)).get(field)
        if hint is not None and (literal := re.fullmatch(r"Literal\[(.*)\]", ast.unparse(hint))):
            return tuple(re.findall(r"'([^']*)'", literal[1]))
        listed = re.search(rf"self\.{field} (?:not )?in (\[[^\]]*\]|\w+)", text)
        if listed is None:
            for base in node.bases:
                if values := self._values(ast.unparse(base).rpartition(".")[2], field):
                    return values
            return ()
        words = listed[1]
        if not words.startswith("["):
            words = values[1] if (values := re.search(rf"\b{words} = (\[[^\]]*\])", text)) else ""
        return tuple(re.findall(r"'([^']*)'", words))

    def _comment(self, path: tuple[str, ...]) -> str:
        """Return the comment of a setting: of the file that knows its longest part, and whose name stands in it."""
        best = (0, 0, "")
        for file, comments in self.comments.items():
            for size in range(len(path), 0, -1):
                if (comment := comments.get(path[-size:])) is not None:
                    known = sum(part in "/".join(path) for part in re.split(r"[/._]", str(file.with_suffix(""))))
                    best = max(best, (size, known, comment))
                    break
        return best[2]


def _kinds(hint: ast.expr) -> Iterator[str]:
    for part in re.split(r"[\[\]|,\s]+", ast.unparse(hint)):
        word = part.rpartition(".")[2].lower()
        if word in ("list", "tuple", "dict"):
            yield TYPES[word]
            return
        if word in ("none", "optional"):
            yield "null"
        elif word and word not in ("union",):
            yield TYPES.get(word, "text" if word.startswith(("'", '"')) or word == "literal" else "any")


def _comments(path: Path) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield (keys, the comment above the last of them, or behind it) of a YAML file."""
    above: list[str] = []
    keys: list[tuple[int, str]] = []
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if text.startswith("#"):
            above.append(text.lstrip("# "))
        elif key := re.match(r"( *)([\w.]+):([^#]*)(?:#(.*))?", line):
            keys = [*((at, name) for at, name in keys if at < len(key[1])), (len(key[1]), key[2])]
            yield tuple(name for _, name in keys), " ".join([*above, (key[4] or "").strip()]).strip()
            above = []
        else:
            above = []


def _setting(kind: str, about: str, values: Any) -> list[Any]:
    """Return the terse form of a setting."""
    words = re.split(r"(?<=[a-z0-9)])[.;] |\.$", NO_WORDS.sub("", " ".join(about.split())), maxsplit=1)[0]
    if len(words) > MAX_WORDS:
        words = words[:MAX_WORDS].rpartition(" ")[0] + " ..."
    made: list[Any] = [kind, words, list(values)]
    while len(made) > 1 and not made[-1]:
        made.pop()
    return made


if __name__ == "__main__":
    main()
