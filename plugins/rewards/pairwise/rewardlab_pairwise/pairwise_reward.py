"""The machinery of rewards that compare the answers of a group in pairs; public, for plugins that ask in another way.

A reward of this kind says what it asks about two texts and how it reads the reply. Who meets whom and in which order,
when a question can start, what an unparsable reply or a failed call is worth, and what `info` holds, is the same for
all of them. `pairwise/win_rate` is one, `rubric/pairwise` another.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rewardlab import Ask, GroupStream, Reply, Sample, Score
from rewardlab.errors import RewardlabError, one_line

from rewardlab_pairwise.consistency import consistency
from rewardlab_pairwise.designs import misfit, most_questions, rounds_of
from rewardlab_pairwise.options import PairwiseOptions
from rewardlab_pairwise.prompts import query_of
from rewardlab_pairwise.schedule import Schedule, as_asked, by_rank, schedule
from rewardlab_pairwise.tally import Pair, PairVerdict, by_place, tally, verdicts_by_place

__all__ = [
    "Pair",
    "PairQuestion",
    "PairVerdict",
    "PairwiseOptions",
    "PairwiseReward",
    "misfit",
    "most_calls",
    "query_of",
]

Question = Callable[[str, str], asyncio.Task[PairVerdict]]
"""The question which of two texts is better, in this order; once asked, it is not asked again."""
UNPARSABLE = {"half": 0.5, "loss": 0.0, "drop": None}
"""on_unparsable -> the share of a win that the answer listed first gets"""


@dataclass(frozen=True, kw_only=True, slots=True)
class PairQuestion:
    """A question about two texts.

    Args:
        key: of the fences around what it quotes.
        form: whatever `read` needs besides.
    """

    ask: Ask
    key: str
    form: Any = None


def most_calls(options: PairwiseOptions, size: int) -> int:
    """Return the most questions that a group of `size` answers takes: as many as one of different answers."""
    if options.design != "round_robin":
        return most_questions(options, size)
    return len(schedule("", [str(index) for index in range(size)], options.orders, options.opponents).asks)


class NoQuestion(ValueError):
    """A row that a reward does not ask about: it has no value, which is no failure."""


class PairwiseReward(ABC):
    """A reward of group scope that asks a judge about pairs of a group's answers; in [0, 1], 0.5 for G = 1.

    `orders: both` averages each comparison over both orders; values then sum to G/2, as under `balanced`, if
    nothing is missing, no pair loses on both sides, and unparsable replies count half. Identical texts are judged
    once, share the result, and tie among themselves without a call. `tally` says what is in `info` and when a score
    fails, `verdicts_by_place` and `consistency` what its `verdicts` and `group` are; what a verdict has in `info` of
    its own stands beside `verdicts`, in the same form.
    Source: SP3F (Sutawika et al.), equations 3 and 4.
    """

    def __init__(self, judge: Any, tournament: PairwiseOptions) -> None:
        self._judge = judge
        self._tournament = tournament
        self._unparsable = UNPARSABLE[tournament.on_unparsable]

    @abstractmethod
    def shared(self, sample: Sample) -> Any:
        """Return the parts common to all questions about a sample's answers.

        Raises ValueError that says what is wrong with the row, NoQuestion if the reward is to have no value for it.
        """

    @abstractmethod
    def question(self, shared: Any, first: str, second: str) -> PairQuestion:
        """Return the question about two texts in this order."""

    @abstractmethod
    def read(self, reply: Reply, question: PairQuestion) -> tuple[PairVerdict, bool]:
        """Return the verdict in a reply, and whether the judge was understood.

        The share of a win that an "unparsable" one gives, and the tokens, are filled in afterwards.
        """

    async def score(self, stream: GroupStream) -> list[Score]:
        """Return one score for each of the group's answers (G,).

        A comparison starts as soon as both answers are there, if its order does not depend on other answers; under
        `balanced`, with fewer opponents than others, or in another design than round_robin, the ranks in the whole
        group decide who meets whom and who stands first, so comparisons start with the last answer, and those of a
        later round with the last verdict of the one before. The order of arrival never matters.

        Whatever ends the stream is raised, and so is a JobError or UserError of the judge, at once.
        """
        try:
            shared = self.shared(stream.sample)
        except NoQuestion as problem:
            return [Score(info={"reason": str(problem)})] * stream.size
        except ValueError as problem:
            return [Score(error=str(problem))] * stream.size
        questions: dict[Pair, asyncio.Task[PairVerdict]] = {}
        stop = None
        try:
            async with asyncio.TaskGroup() as tasks:

                def ask(first: str, second: str) -> asyncio.Task[PairVerdict]:
                    if (first, second) not in questions:
                        questions[first, second] = tasks.create_task(self._compare(shared, first, second))
                    return questions[first, second]

                texts, planned = await self._ask_all(stream, ask)
        except ExceptionGroup as failed:  # no question is still open
            stop = failed.exceptions[0]
        if stop is not None:  # outside the handler, so that it keeps its own context
            raise stop
        verdicts = {pair: task.result() for pair, task in questions.items()}
        return self._scores(texts, stream.places, planned, verdicts)

    async def _ask_all(self, stream: GroupStream, ask: Question) -> tuple[list[str], Schedule]:
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
        if self._tournament.design != "round_robin":
            return texts, await self._play(by_rank(stream.sample.id, arrived), Counter(texts), ask)
        planned = schedule(stream.sample.id, texts, self._tournament.orders, self._tournament.opponents)
        for first, second in planned.asks:
            ask(first, second)
        return texts, planned

    async def _play(self, ranked: Sequence[str], copies: Counter[str], ask: Question) -> Schedule:
        """Ask round by round, each when all verdicts of the one before are there, and return who met whom."""
        verdicts: dict[Pair, PairVerdict] = {}
        rounds = rounds_of(self._tournament, ranked)
        pairs = next(rounds, None)
        while pairs is not None:
            replies = [ask(*pair) for pair in pairs]
            verdicts |= dict(zip(pairs, await asyncio.gather(*replies), strict=True))
            try:
                pairs = rounds.send(verdicts)
            except StopIteration:
                pairs = None
        return as_asked(ranked, copies, list(verdicts))

    def _scores(
        self, texts: Sequence[str], places: Sequence[int], planned: Schedule, verdicts: Mapping[Pair, PairVerdict]
    ) -> list[Score]:
        design = self._tournament.design
        scores = tally(
            planned, verdicts, only_first=self._tournament.orders == "a_only", needs_all=design == "knockout"
        )
        group = consistency(verdicts) | ({} if design == "round_robin" else {"design": design})
        if self._tournament.fits_strengths or design == "adaptive":  # whose orders hide the bias from a plain count
            from rewardlab_pairwise.strengths import fitted_scores

            rated, of_judge = fitted_scores(scores, planned.copies, verdicts)
            group |= of_judge
            scores = rated if self._tournament.fits_strengths else scores
        verdict_infos = by_place(texts, places, verdicts)
        return [
            replace(scores[text], info={**scores[text].info, "verdicts": own, **more, "group": group})
            for text, own, more in zip(texts, verdicts_by_place(texts, places, verdicts), verdict_infos, strict=True)
        ]

    def _all_meet(self, size: int) -> bool:
        """Return whether every ordered pair will be asked, so that a pair can start before the group is complete."""
        opponents, orders = self._tournament.opponents, self._tournament.orders
        enough = opponents == "all" or opponents >= size - 1
        return enough and orders != "balanced" and self._tournament.design == "round_robin"

    async def _compare(self, shared: Any, first: str, second: str) -> PairVerdict:
        try:
            question = self.question(shared, first, second)
            reply = await self._judge.ask(question.ask)
            if reply.error is not None:
                return PairVerdict(verdict="failed", error=reply.error or "the judge gave an error without a text")
            verdict, understood = self.read(reply, question)
            self._judge.report_parsed(reply, understood)
            if verdict.verdict == "unparsable" and reply.fault is not None:
                verdict = replace(verdict, info={**verdict.info, "fault": reply.fault})
        except RewardlabError:  # the job is to stop, with this message
            raise
        except Exception as error:  # whatever else a judge raises fails this one order; `tally` reports it
            return PairVerdict(verdict="failed", error=one_line(error))
        return self._counted(verdict, (reply.prompt_tokens or 0) + (reply.completion_tokens or 0))

    def _counted(self, verdict: PairVerdict, tokens: int) -> PairVerdict:
        if verdict.verdict == "unparsable":
            return replace(verdict, first_wins=self._unparsable, tokens=tokens)
        return replace(verdict, tokens=tokens)
