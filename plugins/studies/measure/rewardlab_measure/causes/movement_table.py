"""The movement of the reward, as a table and as JSON values."""

from collections.abc import Iterator
from typing import Any

from rewardlab_training import columns

from rewardlab_measure.causes.movement import ComponentMovement, Movement, findings_of

HEAD = ("component", "in the total", "share of variance", "constant in")


def movement_rows(movement: Movement) -> Iterator[list[str]]:
    """Yield a head and a row for each component.

    A row holds how the total uses the component, its share of the reward's variance and the groups in which it is
    constant.
    """
    yield list(HEAD)
    for name, moved in movement.components.items():
        share = movement.share(name)
        shown = "–" if share is None else f"{share:.1%}"
        yield [name, _use(moved), shown, f"{moved.constant:,} of {moved.groups:,} groups"]
    for name in movement.logged:
        yield [name, "no, only logged", "–", "–"]


def describe_rest(movement: Movement) -> str | None:
    """Return in words what no component contributed; None if it moves nothing."""
    share = movement.rest_share()
    if not share:
        return None
    return f"beside the components, {share:.1%} of the variance is the rest: what normalizers add of their own"


def movement_lines(movement: Movement) -> Iterator[str]:
    """Yield the lines of the table as text, and one of the rest if there is one."""
    yield from columns(movement_rows(movement))
    if rest := describe_rest(movement):
        yield rest


def movement_as_dict(movement: Movement) -> dict[str, Any]:
    """Return {"groups", "components": {name: {...}}, "logged": [...], "rest_share", "findings": [...]}."""
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
        "findings": [finding.as_dict() for finding in findings_of(movement)],
    }


def _use(moved: ComponentMovement) -> str:
    """Return how the total uses a component: "weight 0.5", "gate" or "counterfactual"."""
    return " and ".join(f"weight {amount:g}" if use == "weight" else use for use, amount in moved.uses.items()) or "–"
