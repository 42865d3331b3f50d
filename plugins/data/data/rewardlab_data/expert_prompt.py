"""The prompt for an expert: the row's question, quoted, and the form that the reply must have."""

import os
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from rewardlab import Message
from rewardlab.text import fence, fence_key
from rewardlab_answers import QuotingTemplate, read_template

LABEL = "QUESTION"
PLACEHOLDERS = ("question", "key")


@dataclass(frozen=True, kw_only=True)
class ExpertTemplate:
    """A checked template of the question to the expert."""

    template: QuotingTemplate

    def messages(self, question: str) -> list[Message]:
        """Return the messages that ask `question`, shown verbatim in a fence that it cannot close."""
        key = fence_key({"question": question})
        return self.template.messages({"question": fence(LABEL, question, key), "key": key})


def load(path: str | None) -> ExpertTemplate:
    """Return the template in the file `path`, or the packaged one.

    Raises ValueError that says what is wrong with the file.

    $question stands for the fenced question (once, in the user message), $key for the key of its fence.
    """
    source = Path(os.path.expanduser(path)) if path is not None else files(__package__) / "templates" / "expert.txt"
    template = read_template(source, PLACEHOLDERS)
    if template.system_names.count("question") or template.user_names.count("question") != 1:
        raise ValueError(f"{source}: $question must appear once, in the user message")
    return ExpertTemplate(template=template)
