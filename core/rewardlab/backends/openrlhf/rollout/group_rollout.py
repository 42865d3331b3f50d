"""One group, from its turn to its answers: completions are generated, scored, and given to the members."""

import logging
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal, Self
from uuid import uuid4
from zlib import crc32

from rewardlab.backends.openrlhf.rollout.actors import JobActor
from rewardlab.backends.openrlhf.rollout.answers import Call, answer, for_the_lost
from rewardlab.backends.openrlhf.rollout.completions import CompletionLost, Generated, TextThread, generate
from rewardlab.backends.openrlhf.rollout.group_scoring import GroupScoring, prompt_name
from rewardlab.backends.openrlhf.scoring.messages import Place, Turn
from rewardlab.errors import JobError
from rewardlab.types import Completion
from rewardlab.waiting import together

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """`backend.engine.barrier` of the recipe; seconds."""

    completion_timeout: float
    scoring_timeout: float
    on_partial: Literal["fail", "mean"]

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """From a mapping that may hold more."""
        return cls(**{name: settings[name] for name in cls.__dataclass_fields__})


class GroupRollout:
    """The group that has `turn`; one of `scorers` scores all of it."""

    def __init__(self, call: Call, turn: Turn, scorers: list[JobActor], texts: TextThread, limits: Limits):
        self._call = call
        self._turn = turn
        self._scorers = scorers
        self._texts = texts
        self._limits = limits
        self._prompt_ids: list[int] = []
        self._pool: dict[int, Generated] = {}
        self._scoring: GroupScoring
        self._name = prompt_name(turn)

    async def answers(self, size: int) -> list[dict[str, Any]]:
        """What each of the group's `size` members returns to OpenRLHF, in order."""
        self._prompt_ids = await self._texts.tokens(self._call.tokenizer, self._turn.prompt)
        self._require_room()
        self._scoring = self._open_scoring(size)
        members = await self._members(size)
        await self._further()
        rewards = await self._scoring.finish()
        given = {
            member: answer(self._call, self._prompt_ids, self._pool[kept], rewards, order)
            for order, (member, kept) in enumerate(zip(members, rewards.kept, strict=True))
        }
        return [given.get(member) or for_the_lost(self._call, self._prompt_ids, rewards) for member in range(size)]

    def _require_room(self) -> None:
        """OpenRLHF's own executors cut a prompt's start off where it is too long."""
        new = self._call.params.max_tokens or 1
        if len(self._prompt_ids) + new > self._call.max_length:
            raise JobError(
                f"{self._name} has {len(self._prompt_ids)} tokens; with {new} new ones that is more than the "
                f"{self._call.max_length} of data.max_len; set max_prompt_tokens, or leave the row out"
            )

    def _open_scoring(self, size: int) -> GroupScoring:
        turn, key = self._turn, uuid4().hex
        place = Place(key=key, row=turn.row, evaluation=turn.evaluation, step=turn.step, size=size)
        scorer = self._scorers[crc32(key.encode()) % len(self._scorers)]
        return GroupScoring(scorer, place, self._limits.scoring_timeout)

    async def _members(self, size: int) -> list[int]:
        """Generate the first completions; which of the members have one."""
        losses = [lost for lost in await together(map(self._generate, range(size))) if lost]
        if not losses:
            return list(range(size))
        if len(losses) == size:
            raise losses[0]
        members = sorted(self._pool)
        await self._shrink(members)
        return members

    async def _shrink(self, members: list[int]) -> None:
        """The others are scored as a group of their own, whose size is theirs."""
        await self._scoring.drop()
        self._pool = {order: self._pool[member] for order, member in enumerate(members)}
        self._scoring = self._open_scoring(len(members))
        for index, made in self._pool.items():
            await self._scoring.put(index, self._completion(made))

    async def _further(self) -> None:
        """Generate what the group sampler wants."""
        while wanted := await self._scoring.more():
            losses = await together(self._generate(None) for _ in range(wanted))
            if all(losses):
                raise losses[0]

    async def _generate(self, index: int | None) -> CompletionLost | None:
        """One completion into the pool and to the scorer; what was lost where that may happen."""
        number = "a further completion" if index is None else f"completion {index}"
        call, timeout = self._call, self._limits.completion_timeout
        try:
            output = await generate(call.engine, self._prompt_ids, self._params, timeout, f"{self._name}, {number}")
        except CompletionLost as lost:
            if self._limits.on_partial == "fail":
                raise
            _log.warning("%s; the group goes on without it", lost)
            return lost
        made = await self._texts.generated(call.tokenizer, call.params, output)
        index = len(self._pool) if index is None else index
        self._pool[index] = made
        await self._scoring.put(index, self._completion(made))
        return None

    @property
    def _params(self) -> Any:
        """Sampling parameters with a length; where OpenRLHF names none, the rest of `max_length`."""
        if self._call.params.max_tokens is not None:
            return self._call.params
        params = deepcopy(self._call.params)
        params.max_tokens = self._call.max_length - len(self._prompt_ids)
        return params

    def _completion(self, made: Generated) -> Completion:
        text = self._turn.opened + made.text
        return Completion(text=text, token_count=len(made.ids), truncated=made.truncated)
