"""Instructions on how to answer, by language: the texts of this package, and those of a user's file."""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

import yaml
from rewardlab.errors import UserError, nearest

MAX_BYTES = 1_000_000
"""A larger file is not a list of sentences."""


@cache
def native_instructions() -> Mapping[str, str]:
    """Return how to answer in a box, by language: the system messages of the rows that language/translated writes."""
    text = files("rewardlab_data").joinpath("native_instructions.yaml").read_text(encoding="utf-8")
    return yaml.load(text, Loader=yaml.BaseLoader)


def instructions_of_file(path: str) -> Mapping[str, str]:
    """Return the texts of a YAML or JSON file, a mapping of language code -> text. A UserError for another one."""
    file = Path(path).expanduser()
    try:
        if file.stat().st_size > MAX_BYTES:
            raise UserError(f"larger than {MAX_BYTES:,} bytes; it should have a sentence for each language", where=path)
        text = file.read_text(encoding="utf-8-sig")
        instructions = json.loads(text) if file.suffix == ".json" else yaml.load(text, Loader=yaml.BaseLoader)
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=path) from None
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        reason = " ".join(str(error).split()) or "nested too deeply"
        raise UserError(f"is neither YAML nor JSON: {reason[:200]}", where=path) from None
    if not isinstance(instructions, dict) or not instructions:
        raise UserError('must be a mapping of language code -> text, such as {"de": "...", "sw": "..."}', where=path)
    for code, instruction in instructions.items():
        if not isinstance(instruction, str) or not instruction.strip():
            raise UserError(f"{code}: must be a text that says how to answer", where=path)
    return instructions


def instruction_of(known: Mapping[str, str], language: str, option: str, where: str) -> str:
    """Return the instruction of a language, or of the one of which it is a variant (zh of zh-cn).

    Raises UserError without one.

    Args:
        option: the recipe's key, and what to write there.
    """
    instruction = known.get(language) or known.get(language.partition("-")[0])
    if instruction is None:
        raise UserError(f"{option}: none in {language!r}{nearest(language, known)}", where=where)
    return instruction
