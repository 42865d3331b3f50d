"""api.md: every public name of the packages, with the first sentence of its docstring."""

import inspect
import re
from importlib import import_module
from itertools import zip_longest

PACKAGES = {
    "rewardlab": "What a plugin needs first: the hooks, the specs and their types. docs/plugins.md has every field.",
    "rewardlab.laws": "What a spec declares of the laws of its kind.",
    "rewardlab.testing": "Laws of components and engines, as tests; they need `pip install hypothesis pytest`.",
    "rewardlab.errors": "What to raise, and how to word it.",
    "rewardlab.text": "Texts: print them, quote them, align them.",
    "rewardlab.data": "Rows of data, for authors of datasets and data steps.",
    "rewardlab.recipe": "Recipes: read, validated, and the parts that they have.",
    "rewardlab.registry": "The installed plugins.",
    "rewardlab.plan": "A recipe and the components that it names.",
    "rewardlab.judging": "Judges as rewards ask them: limits, retries, budgets and kept answers.",
    "rewardlab.judging.http": "A judge over another API (docs/http_judges.md), and who may ask a server of ours.",
    "rewardlab.workers": "Processes for what is slow, can hang, or needs packages of its own.",
    "rewardlab.scoring": "From groups of completions to component scores, totals and shaped rewards.",
    "rewardlab.scorefile": "What `rewardlab score` reads and writes.",
    "rewardlab.commands": "Types of arguments, for commands of plugins.",
    "rewardlab.concurrency": "Event loops and threads for code that may take long, and signals.",
    "rewardlab.files": "Whole lines, whole files and locks.",
    "rewardlab.lazy": "Packages whose names are imported when they are used.",
    "rewardlab_probe": "A probe of a grader that is a function (docs/probe.md).",
    "rewardlab_answers": "What models write: the parts of a response, its box, its thoughts, its language.",
    "rewardlab_records.rollouts": "Formats of other tools' rollouts (docs/rollouts.md).",
    "rewardlab_training": "The kit for engines, and runs from Python. Provisional: each minor version may change it.",
}
HEAD = """# The public interface

If you import rewardlab, take names from these packages alone; every other module is private and may move. Each name's
docstring has its shapes, units, range and errors: `help(rewardlab.Score)`, or a tooltip in an editor.
"""


def first_sentence(value):
    """The first sentence of a docstring, on one line; "" for a constant or a type alias."""
    if not (inspect.isclass(value) or inspect.isroutine(value) or inspect.ismodule(value)):
        return ""
    text = " ".join((inspect.getdoc(value) or "").split("\n\n")[0].split())
    sentence = re.split(r"(?<=[.:])\s(?=[A-Z`({])", text, maxsplit=1)[0].rstrip(":")
    return sentence.replace("|", "\\|")


def page():
    """The whole page."""
    lines = [HEAD]
    for package, about in PACKAGES.items():
        module = import_module(package)
        sentences = {name: first_sentence(getattr(module, name)) for name in module.__all__}
        cells = [f"`{name}` | {sentence}" for name, sentence in sentences.items() if sentence]
        rows = [f"| {' | '.join(pair)} |" for pair in zip_longest(cells[::2], cells[1::2], fillvalue=" | ")]
        others = ", ".join(f"`{name}`" for name, sentence in sentences.items() if not sentence)
        lines += [f"## {package}", "", about + f" Constants and types: {others}." * bool(others), ""]
        lines += ["| name | | name | |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)
