"""The reading order of an rl stage: which prompt each ticket of the engine stands for.

The engine shuffles its rows, so they are tickets: each takes the next position when it is first seen. A position is a
place in the recipe's own reading order, counted over all steps of the stage.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rewardlab.errors import JobError, one_line

from rewardlab_ray.messages import RolloutPrompt
from rewardlab_ray.rendered_rows import Row, read_rows
from rewardlab_ray.scoring.journal import Journal


@dataclass(frozen=True, kw_only=True)
class Prompts:
    """The rows of a stage; `order` holds the training row of each position."""

    training: Sequence[Row]
    order: Sequence[int]
    evaluation: Sequence[Row] = ()

    @classmethod
    def read(cls, folder: Path) -> "Prompts":
        """Read the rows from the stage's folder; without the evaluation's file there is no evaluation."""
        evaluation = folder / "evaluation_samples.jsonl"
        return cls(
            training=read_rows(folder / "samples.jsonl"),
            order=json.loads((folder / "order.json").read_text(encoding="utf-8")),
            evaluation=read_rows(evaluation) if evaluation.exists() else (),
        )


class ReadingOrder:
    """The positions of a stage, as its tickets take them.

    consumed: positions that earlier attempts have used up. by_position: whether a position says which step it is of.
    `journal` keeps what was given out: a restarted coordinator gives out the same.
    """

    def __init__(
        self, prompts: Prompts, batch_size: int, journal: Path, consumed: int = 0, by_position: bool = True
    ) -> None:
        self._prompts = prompts
        self._batch_size = batch_size
        self._by_position = by_position
        self._journal = Journal(journal)
        self._positions: dict[int, int] = {fact["ticket"]: fact["position"] for fact in self._journal.earlier}
        self._next = max(self._positions.values(), default=consumed - 1) + 1

    def rollout_prompt(self, label: str) -> RolloutPrompt:
        """Return the prompt of the row with this label.

        JobError if the row is not of this stage, or no prompt is left.
        """
        kind, number = _parse_label(label)
        if kind == "evaluation":
            row = _row_at(self._prompts.evaluation, number, label)
            return RolloutPrompt(
                row=number, text=row.prompt, opened=row.opened, position=None, step=None, evaluation=True
            )
        position = self._position(number)
        index = self._prompts.order[position]
        row = _row_at(self._prompts.training, index, label)
        step = position // self._batch_size + 1 if self._by_position else None
        return RolloutPrompt(
            row=index, text=row.prompt, opened=row.opened, position=position, step=step, evaluation=False
        )

    def prompt_before_training(self, row: int) -> RolloutPrompt:
        """Return the prompt of a row to evaluate on before the first step."""
        return replace(self.rollout_prompt(json.dumps({"evaluation": row})), step=0)

    def close(self) -> None:
        """Close the journal; calling it again does nothing."""
        self._journal.close()

    def _position(self, ticket: int) -> int:
        position = self._positions.get(ticket)
        if position is None:
            if self._next >= len(self._prompts.order):
                raise JobError(
                    f"the engine asked for more than the {len(self._prompts.order)} prompts of this stage "
                    f"(ticket {ticket}); was its checkpoint made with other steps or another batch_size?"
                )
            position = self._next
            self._journal.add({"ticket": ticket, "position": position})
            self._next += 1
            self._positions[ticket] = position
        return position


def _parse_label(label: Any) -> tuple[str, int]:
    try:
        [(kind, number)] = json.loads(label).items()
        if kind in ("ticket", "evaluation") and type(number) is int and number >= 0:
            return kind, number
        problem = "it should name a ticket or an evaluation"
    except (ValueError, TypeError, AttributeError) as error:
        problem = one_line(error)
    raise JobError(f"the engine brought a row that is not of this stage: {label!r} ({problem})")


def _row_at(rows: Sequence[Row], index: int, label: str) -> Row:
    if not 0 <= index < len(rows):
        raise JobError(f"the engine brought {label}, and there are {len(rows)} rows of that kind")
    return rows[index]
