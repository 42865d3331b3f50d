"""The reward: win rates of a group's answers, asked of a judge while the answers come in."""

import asyncio
from typing import Any

from rewardlab.errors import one_line
from rewardlab.grouping import GroupStream
from rewardlab.types import Ask, Reply, Sample, Score

from rewardlab_pairwise import WinRateOptions
from rewardlab_pairwise.prompts import fence_key, load, query_of
from rewardlab_pairwise.schedule import schedule
from rewardlab_pairwise.tally import Judged, tally
from rewardlab_pairwise.verdicts import official_verdict, verdict


class WinRate:
    """P(answer i beats answer j), averaged over the other answers j of the group; in [0, 1], 0.5 for G = 1.

    `orders: both` averages each comparison over both orders; values then sum to G/2, as under `balanced`, if
    nothing is missing and unparsable replies count half. Identical texts are judged once, share the result,
    and tie among themselves without a call. See `tally` for what is in `info` and for when a score fails.
    Source: SP3F (Sutawika et al.), equations 3 and 4.
    """

    def __init__(self, options: WinRateOptions, judge: Any):
        self._options = options
        self._judge = judge
        self._template = load(options.template, privileged=options.privileged is not None)

    async def score(self, stream: GroupStream) -> list[Score]:
        """One score for each of the group's answers (G,).

        A comparison starts as soon as both answers are there, where its order does not depend on the others;
        under `balanced`, or with fewer opponents than others, who meets whom and who stands first follow from
        the ranks in the whole group, so comparisons start with the last answer. Arrival never matters.
        """
        shown, problem = self._shown(stream.sample)
        if problem:
            return [Score(error=problem)] * stream.size
        texts = [""] * stream.size
        asked: dict[tuple[str, str], asyncio.Task[Judged]] = {}

        def start(first: str, second: str) -> None:
            if (first, second) not in asked:
                question = self._compare({**shown, "a": first, "b": second})
                asked[first, second] = asyncio.create_task(question)

        try:
            arrived: dict[str, None] = {}
            async for index, completion in stream:
                text = texts[index] = completion.text
                if text not in arrived and self._all_meet(stream.size):
                    for other in arrived:
                        start(text, other)
                        start(other, text)
                arrived[text] = None
            planned = schedule(stream.sample.id, texts, self._options.orders, self._options.opponents)
            for first, second in planned.asks:
                start(first, second)
            judged = dict(zip(asked, await asyncio.gather(*asked.values()), strict=True))
        finally:
            for task in asked.values():
                task.cancel()
        scores = tally(planned, judged, only_first=self._options.orders == "a_only")
        return [scores[text] for text in texts]

    def _all_meet(self, size: int) -> bool:
        """Whether every ordered pair will be asked, so that a pair can start before the group is complete."""
        enough = self._options.opponents == "all" or self._options.opponents >= size - 1
        return enough and self._options.orders != "balanced"

    def _shown(self, sample: Sample) -> tuple[dict[str, str], str | None]:
        """The parts that all comparisons of the group share, or why there are none."""
        shown = {"query": query_of(sample)}
        field = self._options.privileged
        if field is None:
            return shown, None
        reference = sample.fields.get(field)
        if isinstance(reference, (int, float)) and not isinstance(reference, bool):
            reference = str(reference)
        if not isinstance(reference, str) or not reference.strip():
            return shown, f"field {field!r} holds no text to show to the judge, but {reference!r}"
        return {**shown, "reference": reference}, None

    async def _compare(self, parts: dict[str, str]) -> Judged:
        try:
            reply = await self._judge.ask(Ask(messages=self._template.messages(parts), parts=parts))
            if reply.error is not None:
                return Judged(error=reply.error or "the judge gave an error without a text")
            return self._read(reply, parts)
        except Exception as error:  # whatever a judge raises fails this one order, and is reported by `tally`
            return Judged(error=one_line(error))

    def _read(self, reply: Reply, parts: dict[str, str]) -> Judged:
        if self._options.profile == "sp3f_official":
            winner = official_verdict(reply.text)
        else:
            winner = verdict(reply.text, parts.values(), fence_key(parts))
        tokens = (reply.prompt_tokens or 0) + (reply.completion_tokens or 0)
        if winner is not None:
            return Judged(first_wins=float(winner == "A"), tokens=tokens)
        first_wins = {"half": 0.5, "loss": 0.0, "drop": None}[self._options.on_unparsable]
        return Judged(first_wins=first_wins, tokens=tokens, unparsable=True)
