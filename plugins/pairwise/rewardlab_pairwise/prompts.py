"""The prompt of one comparison: a template, and fences that what stands inside them cannot forge."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from string import Template

from rewardlab.types import Message, Sample

LABELS = {"query": "QUERY", "reference": "CORRECT SOLUTION", "a": "RESPONSE A", "b": "RESPONSE B"}
"""What a template may quote, and how its fence calls it. Every text in a prompt stands in a fence."""
SEPARATOR = "---"
"""The line between the system message and the user message of a template."""


@dataclass(frozen=True, kw_only=True)
class PairTemplate:
    """A checked template. `system` is None where the file has no separator."""

    system: Template | None
    user: Template

    def messages(self, parts: Mapping[str, str]) -> list[Message]:
        """The messages that show `parts` (query, a, b and, where privileged, reference), each verbatim."""
        key = fence_key(parts)
        filled = {name: fence(LABELS[name], text, key) for name, text in parts.items()} | {"key": key}
        roles = [("system", self.system), ("user", self.user)]
        return [{"role": role, "content": t.substitute(filled)} for role, t in roles if t is not None]


def fence_key(parts: Mapping[str, str]) -> str:
    """16 hexadecimal digits of sha256 over all parts: no part can hold the key that it helps to make."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]


def fence(label: str, text: str, key: str) -> str:
    """`text` as it is, between two lines that carry the key."""
    return f"=== BEGIN {label} {key} ===\n{text}\n=== END {label} {key} ==="


def query_of(sample: Sample) -> str:
    """What the user asked: without system messages; with roles where the conversation has several turns."""
    turns = [message for message in sample.prompt if message["role"] != "system"]
    if len(turns) == 1:
        return turns[0]["content"]
    return "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns)


def load(path: str | None, *, privileged: bool) -> PairTemplate:
    """The template in the file `path`, or the packaged one. A ValueError says what is wrong with the file.

    A file is the user message, or the system message, a line `---` and the user message. $query, $a, $b and
    (exactly where privileged) $reference stand for the fenced texts, $key for the key of the fences, $$ for
    a dollar sign. A comes before B and each text is shown once, so that nothing after the fences quotes it
    again.
    """
    name = "privileged.txt" if privileged else "plain.txt"
    source = Path(path) if path is not None else files("rewardlab_pairwise") / "templates" / name
    try:
        text = source.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"cannot read the template {path}: {error}") from error
    _check(text, str(source), privileged)
    lines = text.strip().splitlines()
    if SEPARATOR not in lines:
        return PairTemplate(system=None, user=Template(text.strip()))
    cut = lines.index(SEPARATOR)
    system, user = ("\n".join(part).strip() for part in (lines[:cut], lines[cut + 1 :]))
    return PairTemplate(system=Template(system), user=Template(user))


def _check(text: str, source: str, privileged: bool) -> None:
    names = _placeholders(text, source)
    shown = [name for name in names if name in LABELS]
    wanted = {"query", "a", "b", *(["reference"] if privileged else [])}
    for name in names:
        if name not in (*LABELS, "key"):
            raise ValueError(f"{source}: no placeholder ${name}; there are ${', $'.join([*LABELS, 'key'])}")
    for name in LABELS:
        if shown.count(name) > 1:
            raise ValueError(f"{source}: ${name} stands there {shown.count(name)} times; show each text once")
        if name in wanted and name not in shown:
            raise ValueError(f"{source}: ${name} is missing")
        if name in shown and name not in wanted:
            raise ValueError(f"{source}: ${name} needs the option 'privileged'")
    if shown.index("a") > shown.index("b"):
        raise ValueError(f"{source}: $b comes before $a; A must come first")


def _placeholders(text: str, source: str) -> Sequence[str]:
    names = []
    for match in Template.pattern.finditer(text):
        if match["invalid"] is not None:
            line = text.count("\n", 0, match.start()) + 1
            raise ValueError(f"{source}:{line}: a lone $; write $$ for a dollar sign")
        if match["escaped"] is None:
            names.append(match["named"] or match["braced"])
    return names
