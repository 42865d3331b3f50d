"""The prompt for a critique: a template with the question, the work, the checklists and the form of the reply."""

import os
from collections import Counter
from functools import cache
from importlib.resources import files
from pathlib import Path

from rewardlab_answers import QuotingTemplate, read_template

PLACEHOLDERS = ("query", "work", "checklists", "format", "key")
ONCE = ("query", "work")
"""what a critic cannot do without; checklists and form a trained one may know by heart"""


@cache
def load(path: str | None) -> QuotingTemplate:
    """Return the template in the file `path`, or the packaged one.

    Raises ValueError that says what is wrong with the file.

    $query and $work stand for the fenced question and completion (once each, in the user message), $checklists for the
    dimensions, $format for the reply's JSON, $key for the key of the fences.
    """
    source = Path(os.path.expanduser(path)) if path is not None else files(__package__) / "templates" / "critique.txt"
    template = read_template(source, PLACEHOLDERS)
    counts, quoted = Counter(template.user_names), {*ONCE} & {*template.system_names}
    if wrong := [name for name in ONCE if counts[name] != 1 or name in quoted]:
        raise ValueError(f"{source}: ${wrong[0]} must appear once, in the user message")
    return template
