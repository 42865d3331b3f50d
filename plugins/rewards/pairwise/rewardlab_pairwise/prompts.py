"""The prompt of one comparison: the texts that it quotes, their labels, and the required parts of a template."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rewardlab import Message, Sample
from rewardlab.text import fence, fence_key
from rewardlab_answers import QuotingTemplate, read_template

__all__ = ["LABELS", "PairTemplate", "fence_key", "load", "query_of"]

LABELS = {"query": "QUERY", "reference": "CORRECT SOLUTION", "a": "RESPONSE A", "b": "RESPONSE B"}
"""The texts that a template may quote, each with the label of its fence. Every text in a prompt stands in a fence."""


@dataclass(frozen=True, kw_only=True)
class PairTemplate:
    """A checked template of the question about a pair of answers."""

    template: QuotingTemplate

    def messages(self, parts: Mapping[str, str], key: str | None = None) -> list[Message]:
        """Return the messages that show `parts` (query, a, b and, if privileged, reference), each verbatim.

        Args:
            key: `fence_key(parts)`, if it is known already.
        """
        key = key or fence_key(parts)
        return self.template.messages(
            {name: fence(LABELS[name], text, key) for name, text in parts.items()} | {"key": key}
        )


def query_of(sample: Sample) -> str:
    """Return what the user asked, without system messages; with roles if the conversation has several turns."""
    turns = [message for message in sample.prompt if message["role"] != "system"]
    if len(turns) == 1:
        return turns[0]["content"]
    return "\n\n".join(f"{turn['role']}: {turn['content']}" for turn in turns)


def load(path: str | None, *, privileged: bool) -> PairTemplate:
    """Return the template in the file `path`, or the packaged one.

    Raises ValueError that says what is wrong with the file.

    $query, $a, $b and (exactly if privileged) $reference stand for the fenced texts, $key for the key of the
    fences. A comes before B and each text is shown once, so that nothing after the fences quotes it again.
    """
    name = "privileged.txt" if privileged else "plain.txt"
    source = Path(path) if path is not None else files("rewardlab_pairwise") / "templates" / name
    template = read_template(source, (*LABELS, "key"))
    _check([*template.system_names, *template.user_names], str(source), privileged)
    return PairTemplate(template=template)


def _check(names: list[str], source: str, privileged: bool) -> None:
    shown = [name for name in names if name in LABELS]
    wanted = {"query", "a", "b", *(["reference"] if privileged else [])}
    for name in LABELS:
        if shown.count(name) > 1:
            raise ValueError(f"{source}: ${name} appears {shown.count(name)} times; show each text once")
        if name in wanted and name not in shown:
            raise ValueError(f"{source}: ${name} is missing")
        if name in shown and name not in wanted:
            raise ValueError(f"{source}: ${name} needs the option 'privileged'")
    if shown.index("a") > shown.index("b"):
        raise ValueError(f"{source}: $b comes before $a; A must come first")
