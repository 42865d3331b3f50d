"""Scorers of inspect-ai, and of inspect-evals that need no judge and no sandbox."""

from audit.grader import Grader

SCORERS = [
    ("inspect-ai", "inspect_ai.scorer:exact()", "name bare"),
    ("inspect-ai", "inspect_ai.scorer:f1()", "name bare"),
    ("inspect-ai", "inspect_ai.scorer:includes()", "name is"),
    ("inspect-ai", "adapters/inspect_scorers.py:match_end()", "name is"),
    ("inspect-ai", "adapters/inspect_scorers.py:match_numeric()", "whole upper"),
    ("inspect-ai", "adapters/inspect_scorers.py:answer_line()", "name upper"),
    ("inspect-ai", "adapters/inspect_scorers.py:answer_letter()", "letter upper"),
    ("inspect-ai", "adapters/inspect_scorers.py:pattern_number()", "whole box"),
    ("inspect-evals", "adapters/inspect_scorers.py:aime()", "whole upper"),
    ("inspect-evals", "adapters/inspect_scorers.py:math_exact()", "formula upper"),
    ("inspect-evals", "adapters/inspect_scorers.py:bbeh()", "name bbeh"),
    ("inspect-evals", "adapters/inspect_scorers.py:zerobench()", "name braces"),
]
"""Package, target, rows."""
CONTAINS = "it asks whether the right answer is contained, and says so"
GRADERS = [
    Grader(
        name=f"{package}/{target.rpartition(':')[2].removesuffix('()')}",
        packages=("inspect-ai==0.3.285",),
        alone=("inspect-evals==0.28.0",) if package == "inspect-evals" else (),
        target=target,
        signature="inspect",
        rows=f"short_answers.py {rows}",
        origin=f"https://github.com/UKGovernmentBEIS/{package.replace('-', '_')}",
        licence="MIT",
        known=dict.fromkeys(("enumeration", "hedged_answer"), CONTAINS) if target.endswith(":includes()") else {},
    )
    for package, target, rows in SCORERS
]
