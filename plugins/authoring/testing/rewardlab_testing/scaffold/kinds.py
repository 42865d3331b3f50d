"""Templates of new plugins: for each kind of component a whole example, and the smallest one."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Template:
    """The component of a template: its name (of a backend: None, it has the plugin's), and what it is.

    Args:
        test: further distributions that the template's own tests need.
    """

    component: str | None
    summary: str
    test: Sequence[str] = ()


FULL = {
    "reward": Template(component="terms", summary="the share of a row's terms that an answer uses"),
    "judge": Template(
        component="numbers",
        summary="a judge that prefers the answer whose numbers are those of the reference",
        test=("rewardlab-pairwise",),
    ),
    "dataset": Template(component="questions", summary="questions and answers of a text file"),
    "curriculum": Template(component="mixed", summary="rows of each value of a field, spread evenly over the pass"),
    "normalizer": Template(component="ranks", summary="each total's rank in its group", test=("rewardlab-format",)),
    "backend": Template(
        component=None,
        summary="a backend that trains a policy over a few fixed answers",
        test=("rewardlab-data", "rewardlab-format"),
    ),
}
MINIMAL = {
    "reward": Template(component="exact", summary="1 for an answer that is exactly the row's"),
    "judge": Template(component="shorter", summary="a judge that prefers the shorter answer"),
    "dataset": Template(component="times", summary="the questions of a times table"),
    "curriculum": Template(component="short_first", summary="short prompts first"),
    "normalizer": Template(component="from_median", summary="a group's totals less their median"),
    "backend": FULL["backend"],
}
KINDS = (*FULL,)
