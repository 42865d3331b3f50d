"""Scorers of inspect-ai and inspect-evals with the arguments of their tasks, without their benchmarks' packages."""

import importlib
from typing import Any

import lone_files


def match_end() -> Any:
    """match at the end of the answer, its default."""
    from inspect_ai.scorer import match

    return match()


def match_numeric() -> Any:
    """match of numbers, as gsm8k's task has it."""
    from inspect_ai.scorer import match

    return match(numeric=True)


def answer_line() -> Any:
    """answer of a line."""
    from inspect_ai.scorer import answer

    return answer("line")


def answer_letter() -> Any:
    """answer of a letter."""
    from inspect_ai.scorer import answer

    return answer("letter")


def pattern_number() -> Any:
    """pattern with the last box."""
    from inspect_ai.scorer import pattern

    return pattern(r"\\boxed\{(.*?)\}")


def _of_evals(module: str, name: str) -> Any:
    lone_files.NOT_NEEDED |= {
        "inspect_evals_utils",
        "PIL",
        "filelock",
        "tiktoken",
        "dotenv",
        "openai",
        "huggingface_hub",
    }
    lone_files.stand_in(lone_files.root("inspect_evals"))
    return getattr(importlib.import_module(f"inspect_evals.{module}"), name)()


def aime() -> Any:
    """aime_scorer of AIME 2024 and 2025."""
    return _of_evals("utils.aime_common", "aime_scorer")


def math_exact() -> Any:
    """expression_exact_match of MATH."""
    return _of_evals("math.math", "expression_exact_match")


def bbeh() -> Any:
    """bbeh_scorer."""
    return _of_evals("bbeh.bbeh", "bbeh_scorer")


def zerobench() -> Any:
    """zerobench_scorer."""
    return _of_evals("zerobench.scorer", "zerobench_scorer")
