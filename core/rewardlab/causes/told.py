"""What moved the reward, as a table and as JSON values."""

from collections.abc import Iterator
from typing import Any

from rewardlab.causes.findings import findings
from rewardlab.causes.movement import Moved, Movement

HEAD = ("component", "in the total", "share of movement", "constant in")


def table(movement: Movement) -> Iterator[list[str]]:
    """A head and a line a component: how the total uses it, its share of the movement, groups where it stands still."""
    yield list(HEAD)
    for name, moved in movement.components.items():
        share = movement.share(name)
        shown = "–" if share is None else f"{share:.1%}"
        yield [name, _use(moved), shown, f"{moved.constant:,} of {moved.groups:,} groups"]
    for name in movement.logged:
        yield [name, "no, only logged", "–", "–"]


def of_rest(movement: Movement) -> str | None:
    """What no component contributed, in words; None where it moves nothing."""
    share = movement.rest_share()
    if not share:
        return None
    return f"beside the components, {share:.1%} of all movement is the rest: what normalizers add of their own"


def lines(movement: Movement) -> Iterator[str]:
    """The table as text, and the rest where there is one."""
    rows = list(table(movement))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(map(str.ljust, row, widths)).rstrip()
    if rest := of_rest(movement):
        yield rest


def as_dict(movement: Movement) -> dict[str, Any]:
    """{"groups", "components": {name: {...}}, "logged": [...], "rest_share", "findings": [...]}."""
    return {
        "groups": movement.groups,
        "components": {
            name: {
                "uses": list(moved.uses),
                "weight": moved.uses.get("weight"),
                "share": movement.share(name),
                "groups": moved.groups,
                "constant": moved.constant,
            }
            for name, moved in movement.components.items()
        },
        "logged": list(movement.logged),
        "rest_share": movement.rest_share(),
        "findings": [finding.as_dict() for finding in findings(movement)],
    }


def _use(moved: Moved) -> str:
    """As "weight 0.5", "gate" or "counterfactual"."""
    return " and ".join(f"weight {amount:g}" if use == "weight" else use for use, amount in moved.uses.items()) or "–"
