"""One group from its prompt to its samples: completions are generated, scored, and given to the members."""

import logging
import math
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Self
from uuid import uuid4
from zlib import crc32

from rewardlab import Completion
from rewardlab.concurrency import gather_or_cancel
from rewardlab.errors import JobError
from rewardlab.scoring import OnPartial
from rewardlab_ray.messages import GroupPlace, GroupRewards, RolloutPrompt
from rewardlab_ray.ray_actors import Deadline, JobActor, scoring_deadline

from rewardlab_openrlhf.rollout.completions import GeneratedCompletion, LostCompletion, TextThread, generate
from rewardlab_openrlhf.rollout.engine_samples import RolloutRequest, engine_sample, sample_for_lost_member

_log = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class RolloutLimits:
    """The recipe's `backend.engine.barrier`; timeouts in seconds."""

    completion_timeout: float
    scoring_timeout: float
    on_partial: OnPartial

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Self:
        """Return the limits that a mapping, which may hold more, names."""
        return cls(**{name: settings[name] for name in cls.__dataclass_fields__})


def describe_prompt(prompt: RolloutPrompt) -> str:
    """Return how messages name a prompt: "row 3 of the training prompts"."""
    return f"row {prompt.row} of the {'evaluation' if prompt.evaluation else 'training'} prompts"


class GroupRollout:
    """The rollout of one group, all of which is scored by one of `scorers`.

    The scorer gets each completion as it comes, hears of each that is lost, and has some seconds for each answer. One
    that Ray has restarted knows nothing of the group: it is told everything again.
    """

    def __init__(
        self,
        request: RolloutRequest,
        prompt: RolloutPrompt,
        scorers: list[JobActor],
        text_thread: TextThread,
        limits: RolloutLimits,
    ) -> None:
        self._request = request
        self._prompt = prompt
        self._scorers = scorers
        self._text_thread = text_thread
        self._limits = limits
        self._prompt_ids: list[int] = []
        self._pool: dict[int, GeneratedCompletion] = {}
        self._lost: dict[int, LostCompletion] = {}
        self._place: GroupPlace
        self._scorer: JobActor
        self._name = describe_prompt(prompt)

    @property
    def key(self) -> str:
        """The key of the group that was recorded; known once there are samples."""
        return self._place.key

    async def samples(self, size: int) -> list[dict[str, Any]]:
        """Return what each of the group's `size` members returns to OpenRLHF, in order."""
        self._prompt_ids = await self._text_thread.tokens(self._request.tokenizer, self._prompt.text)
        self._require_room()
        self._open(size)
        await gather_or_cancel(map(self._generate, range(size)))
        if len(self._lost) == size:
            raise self._lost[0]
        await self._generate_further()
        rewards = await self._answer("finish")
        self._check(rewards)
        pool = [self._pool[slot] for slot in sorted(self._pool)]
        members = [slot for slot in range(size) if slot in self._pool]
        samples = {
            member: engine_sample(self._request, self._prompt_ids, pool[kept], rewards, order)
            for order, (member, kept) in enumerate(zip(members, rewards.kept, strict=True))
        }
        return [
            samples.get(member) or sample_for_lost_member(self._request, self._prompt_ids, rewards)
            for member in range(size)
        ]

    def _require_room(self) -> None:
        """Raise JobError if the prompt is too long: OpenRLHF's own executors would cut its start off."""
        new = self._request.params.max_tokens or 1
        if len(self._prompt_ids) + new > self._request.max_length:
            raise JobError(
                f"{self._name} has {len(self._prompt_ids)} tokens; with {new} new ones that is more than the "
                f"{self._request.max_length} of data.max_len; set max_prompt_tokens, or leave the row out"
            )

    def _open(self, size: int) -> None:
        """Choose a new group of this size and its scorer, which does not know of it before something is put."""
        prompt, key = self._prompt, uuid4().hex
        self._place = GroupPlace(
            key=key,
            row=prompt.row,
            evaluation=prompt.evaluation,
            step=prompt.step,
            size=size,
            position=prompt.position,
        )
        self._scorer = self._scorers[crc32(key.encode()) % len(self._scorers)]

    async def _generate_further(self) -> None:
        """Generate the further completions that the group sampler wants."""
        while wanted := await self._answer("more"):
            losses = await gather_or_cancel(self._generate(None) for _ in range(wanted))
            if all(losses):
                raise losses[0]

    async def _generate(self, slot: int | None) -> LostCompletion | None:
        """Generate a completion into the pool and hand it to the scorer; return its loss if losses are allowed."""
        number = "a further completion" if slot is None else f"completion {slot}"
        request, timeout = self._request, self._limits.completion_timeout
        try:
            output = await generate(request.engine, self._prompt_ids, self._params, timeout, f"{self._name}, {number}")
        except LostCompletion as lost:
            if self._limits.on_partial == "fail":
                raise
            _log.warning("%s; the group goes on without it", lost)
            if slot is not None:
                self._lost[slot] = lost
                await self._tell(slot)
            return lost
        generated = await self._text_thread.read_output(request.tokenizer, request.params, output)
        slot = len(self._pool) + len(self._lost) if slot is None else slot
        self._pool[slot] = generated
        await self._tell(slot)
        return None

    async def _tell(self, slot: int) -> None:
        """Hand the completion of a slot over, or that it is lost; from the group's size on they are further ones."""
        async with self._deadline():
            if slot in self._lost:
                await self._scorer.call("member", self._place, slot, None, str(self._lost[slot]))
            else:
                await self._scorer.call("put", self._place, slot, self._completion(self._pool[slot]))

    async def _answer(self, method: str) -> Any:
        """Return what a method says of the group once the scorer, which may have been restarted, knows all of it."""
        async with self._deadline():
            while (answer := await self._scorer.call(method, self.key, len(self._pool))) is None:
                for slot in (*self._pool, *self._lost):  # one by one: many long texts hold the loop
                    await self._tell(slot)
        return answer

    def _deadline(self) -> Deadline:
        return scoring_deadline(self._limits.scoring_timeout, self._name, self._scorer.name)

    @property
    def _params(self) -> Any:
        """The sampling parameters with a length; if OpenRLHF names none, the rest of `max_length`."""
        if self._request.params.max_tokens is not None:
            return self._request.params
        params = deepcopy(self._request.params)
        params.max_tokens = self._request.max_length - len(self._prompt_ids)
        return params

    def _completion(self, generated: GeneratedCompletion) -> Completion:
        text = self._prompt.opened + generated.text
        return Completion(text=text, token_count=len(generated.ids), truncated=generated.truncated)

    def _check(self, rewards: GroupRewards) -> None:
        """Raise JobError unless there is a finite reward for each member: OpenRLHF silently skips a step with NaN."""
        source, size = f"{self._name}: {self._scorer.name}", self._place.size - len(self._lost)
        for numbers in (rewards.kept, rewards.values, rewards.logs, rewards.correctness):
            if numbers is not None and len(numbers) != size:
                raise JobError(f"{source} gave {len(numbers)} rewards to a group of {size}")
        if strange := {*rewards.kept} - {*range(len(self._pool))}:
            raise JobError(f"{source} kept completions {sorted(strange)} of {len(self._pool)}")
        for name, numbers in (("rewards", rewards.values), ("correctness", rewards.correctness or ())):
            if not all(map(math.isfinite, numbers)):
                raise JobError(f"{source} gave {name} that are not finite: {[float(number) for number in numbers]}")
