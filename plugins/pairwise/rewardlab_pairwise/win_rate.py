"""pairwise/win_rate: win rates of a group's answers, from a judge that is asked while the answers come in."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rewardlab import Ask, GroupStream, Reply, Sample, Score
from rewardlab.errors import RewardlabError, one_line

from rewardlab_pairwise.consistency import consistency
from rewardlab_pairwise.options import WinRateOptions
from rewardlab_pairwise.prompts import fence_key, load, query_of
from rewardlab_pairwise.schedule import Schedule, schedule
from rewardlab_pairwise.tally import Pair, PairVerdict, tally, verdicts_by_index
from rewardlab_pairwise.verdicts import Verdict, is_tie, official_verdict, verdict


class WinRate:
    """The reward P(answer i beats answer j), averaged over the group's other answers j; in [0, 1], 0.5 for G = 1.

    `orders: both` averages each comparison over both orders; values then sum to G/2, as under `balanced`, if
    nothing is missing and unparsable replies count half. Identical texts are judged once, share the result,
    and tie among themselves without a call. `tally` says what is in `info` and when a score fails,
    `verdicts_by_index` and `consistency` what its `verdicts` and `group` are.
    Source: SP3F (Sutawika et al.), equations 3 and 4.
    """

    def __init__(self, options: WinRateOptions, judge: Any):
        self._options = options
        self._judge = judge
        self._understood = getattr(judge, "understood", None)  # only a host's judge has it
        self._template = load(options.template, privileged=options.privileged is not None)

    async def score(self, stream: GroupStream) -> list[Score]:
        """Return one score for each of the group's answers (G,).

        A comparison starts as soon as both answers are there, if its order does not depend on other answers; under
        `balanced`, or with fewer opponents than others, the ranks in the whole group decide who meets whom and who
        stands first, so all comparisons start with the last answer. The order of arrival never matters.

        Whatever ends the stream is raised, and so is a JobError or UserError of the judge, at once.
        """
        shared, problem = self._shared_parts(stream.sample)
        if problem:
            return [Score(error=problem)] * stream.size
        questions: dict[Pair, asyncio.Task[PairVerdict]] = {}
        stop = None
        try:
            async with asyncio.TaskGroup() as tasks:

                def ask(first: str, second: str) -> None:
                    if (first, second) not in questions:
                        question = self._compare({**shared, "a": first, "b": second})
                        questions[first, second] = tasks.create_task(question)

                texts, planned = await self._ask_all(stream, ask)
        except ExceptionGroup as failed:  # no question is open any more
            stop = failed.exceptions[0]
        if stop is not None:  # outside the handler, so that it keeps its own context
            raise stop
        return self._scores(texts, planned, {pair: task.result() for pair, task in questions.items()})

    async def _ask_all(self, stream: GroupStream, ask: Callable[[str, str], None]) -> tuple[list[str], Schedule]:
        """Ask about every pair of the group, each as soon as possible, and return its texts (G,) and its schedule."""
        texts = [""] * stream.size
        arrived: dict[str, None] = {}
        async for index, completion in stream:
            text = texts[index] = completion.text
            if text not in arrived and self._all_meet(stream.size):
                for other in arrived:
                    ask(text, other)
                    ask(other, text)
            arrived[text] = None
        planned = schedule(stream.sample.id, texts, self._options.orders, self._options.opponents)
        for first, second in planned.asks:
            ask(first, second)
        return texts, planned

    def _scores(self, texts: Sequence[str], planned: Schedule, verdicts: Mapping[Pair, PairVerdict]) -> list[Score]:
        scores = tally(planned, verdicts, only_first=self._options.orders == "a_only")
        group = consistency(verdicts)
        return [
            replace(scores[text], info={**scores[text].info, "verdicts": own, "group": group})
            for text, own in zip(texts, verdicts_by_index(texts, verdicts), strict=True)
        ]

    def _all_meet(self, size: int) -> bool:
        """Return whether every ordered pair will be asked, so that a pair can start before the group is complete."""
        enough = self._options.opponents == "all" or self._options.opponents >= size - 1
        return enough and self._options.orders != "balanced"

    def _shared_parts(self, sample: Sample) -> tuple[dict[str, str], str | None]:
        """Return the parts that all comparisons of the group share, and what is wrong with the row, if anything is."""
        shared = {"query": query_of(sample)}
        field = self._options.privileged
        if field is None:
            return shared, None
        reference = sample.fields.get(field)
        if isinstance(reference, (int, float)) and not isinstance(reference, bool):
            reference = str(reference)
        if not isinstance(reference, str) or not reference.strip():
            return shared, f"field {field!r} holds no text to show to the judge, but {reference!r}"
        return {**shared, "reference": reference}, None

    async def _compare(self, parts: dict[str, str]) -> PairVerdict:
        try:
            key = fence_key(parts)
            reply = await self._judge.ask(Ask(messages=self._template.messages(parts, key), parts=parts))
            if reply.error is not None:
                return PairVerdict(verdict="failed", error=reply.error or "the judge gave an error without a text")
            winner = self._winner(reply, parts, key)
            if self._understood is not None:
                tied = reply.finish_reason != "length" and is_tie(reply.text)
                self._understood(reply, winner is not None or tied)
        except RewardlabError:  # the job is to stop, with this message
            raise
        except Exception as error:  # whatever else a judge raises fails this one order; `tally` reports it
            return PairVerdict(verdict="failed", error=one_line(error))
        return self._verdict(winner, (reply.prompt_tokens or 0) + (reply.completion_tokens or 0))

    def _winner(self, reply: Reply, parts: Mapping[str, str], key: str) -> Verdict | None:
        if self._options.profile == "sp3f_official":
            return official_verdict(reply.text)
        if reply.finish_reason == "length":
            return None  # the last box of a reply that was cut may be a mention in the middle of its analysis
        return verdict(reply.text, parts.values(), key)

    def _verdict(self, winner: Verdict | None, tokens: int) -> PairVerdict:
        if winner is not None:
            return PairVerdict(verdict=winner, first_wins=float(winner == "A"), tokens=tokens)
        first_wins = {"half": 0.5, "loss": 0.0, "drop": None}[self._options.on_unparsable]
        return PairVerdict(verdict="unparsable", first_wins=first_wins, tokens=tokens)
