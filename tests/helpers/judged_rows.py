"""Rows whose completions a judge behind HTTP compares and scores, and the recipe that has it do so."""

import json
import shutil

RECIPE = """
version: 1
judges: {main: {use: openai/chat, with: {model: m, base_url: %s}}}
reward:
  components:
    preference: {use: pairwise/win_rate, with: {judge: main, privileged: answer}}
    rubric: {use: rubric/pointwise, with: {judge: main, rubric: {1: wrong, 2: halfway, 3: right}}}
  total: preference + rubric
"""
QUESTIONS = 3 * 2 + 3
"""of a group of three"""


def judged_row(number, **more):
    """A row of three completions, of which the first is right."""
    answers = [f"Ich rechne lange nach und finde dann \\boxed{{{number + at}}}" for at in range(1, 4)]
    asked = {"id": f"p{number}", "prompt": f"Was ist {number} plus 1?", "answer": str(number + 1)}
    return asked | {"completions": answers, **more}


def as_run(out, rows, recipe, folder):
    """Write the folder of a run with these completions and the replies that were kept."""
    from rewardlab_viewer.read.scored_file import ScoredSource

    folder.mkdir()
    shutil.copytree(out.with_name(out.name + ".state") / "judges", folder / "judges", dirs_exist_ok=True)
    (folder / "manifest.json").write_text("{}")
    (folder / "recipe.resolved.yaml").write_text(recipe)
    lines = [json.dumps(line) + "\n" for line in ScoredSource(out, rows).lines()]
    (folder / "ledger.jsonl").write_text("".join(lines))
    return folder
