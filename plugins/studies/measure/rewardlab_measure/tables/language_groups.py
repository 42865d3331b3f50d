"""Groups of languages from a file, such as resource tiers, as merges of a table."""

import os
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml
from rewardlab.errors import UserError

from rewardlab_measure.tables.layout import Merge, parse_merge

MARK = "@"
PACKAGED = ("sgcm_tiers",)
FORM = "{high: [en, de], low: [sw]}"


def parse_merges(texts: Sequence[str]) -> list[Merge]:
    """Return the merges of the command line; `@NAME` or `@FILE.yaml` stands for one of each group of a file.

    Languages of a group are shown as one, and each of them counts in the average of its task. Raises a UserError for a
    file that is none.
    """
    merges: list[Merge] = []
    for text in texts:
        merges += _groups(text.removeprefix(MARK)) if text.startswith(MARK) else [parse_merge(text)]
    return merges


def _groups(name: str) -> list[Merge]:
    tree = _tree(name)
    groups = list(tree.items()) if isinstance(tree, dict) else []
    if not groups or not all(isinstance(own, list) and own and all(map(_is_name, own)) for _, own in groups):
        raise UserError(f"is not a file of language groups, such as {FORM}", where=name)
    seen: dict[str, str] = {}
    for group, languages in groups:
        for language in languages:
            if language in seen:
                raise UserError(f"{language} is in {seen[language]} and in {group}", where=name)
            seen[language] = str(group)
    return [Merge(language=str(group), parts=tuple(own), each=True, group_of=name) for group, own in groups]


def _tree(name: str) -> Any:
    if name in PACKAGED:
        text = files("rewardlab_measure.tables").joinpath(f"{name}.yaml").read_text(encoding="utf-8")
    else:
        try:
            text = Path(os.path.expanduser(name)).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            known = ", ".join(f"{MARK}{group}" for group in PACKAGED)
            raise UserError(
                f"cannot be read ({error}); packaged groups: {known}", where=f"--merge {MARK}{name}"
            ) from None
    try:
        return yaml.load(text, Loader=yaml.BaseLoader)  # texts alone: `no` is Norwegian
    except (yaml.YAMLError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else error
        raise UserError(f"is not YAML: {reason}", where=name) from None


def _is_name(given: Any) -> bool:
    return isinstance(given, str) and bool(given.strip())
