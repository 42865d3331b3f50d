"""Rewards that ask a judge: pairwise/win_rate and a rubric of our own, each with one thing changed."""

import asyncio
import re
from collections.abc import Callable

from rewardlab import Ask, Config, Context, GroupStream, Reply, RewardSpec, Score, hookimpl
from rewardlab.laws import Laws


class Rubric:
    """The number, 0 to 10, that the judge gives to each completion, over 10."""

    def __init__(self, judge):
        self.judge = judge

    async def score(self, items):
        return list(await asyncio.gather(*(self.one(sample, completion) for sample, completion in items)))

    async def one(self, sample, completion) -> Score:
        reply = await self.judge.ask(self.question(sample.prompt[-1]["content"], completion.text))
        return self.read(reply)

    def question(self, query, text) -> Ask:
        return Ask(parts={"query": query, "text": text})

    def read(self, reply) -> Score:
        found = re.search(r"Score: ([0-9]+)\Z", reply.text)
        return Score(value=int(found[1]) / 10) if found else Score(error="the reply has no score")


class FirstNumber(Rubric):
    def read(self, reply):
        return Score(value=min(1.0, int(re.search("[0-9]", reply.text)[0]) / 10))


class LowWithoutAnswer(Rubric):
    def read(self, reply):
        return super().read(reply) if reply.error is None else Score(value=0.0)


class HalfForNoise(Rubric):
    def read(self, reply):
        score = super().read(reply)
        return score if score.value is not None or reply.error is not None else Score(value=0.5)


class Fenced(Rubric):
    """The same question as a message, with the text between lines that it cannot hold."""

    def question(self, query, text):
        from rewardlab.text import fence, fence_key

        quoted = fence("ANSWER", text, fence_key({"query": query, "text": text}))
        content = f"How good is the answer to {query!r}, 0 to 10?\n{quoted}\nEnd with Score: and the number."
        return Ask(messages=({"role": "user", "content": content},), parts={"query": query, "text": text})


class Tagged(Rubric):
    def question(self, query, text):
        content = f"How good is the answer to {query!r}, 0 to 10?\n<answer>\n{text}\n</answer>\nEnd with Score: ..."
        return Ask(messages=({"role": "user", "content": content},), parts={"query": query, "text": text})


class AtTheEnd(Rubric):
    def question(self, query, text):
        content = f"How good is this, 0 to 10? End with Score: and the number.\n{text}"
        return Ask(messages=({"role": "user", "content": content},), parts={"query": query, "text": text})


class CurrentQuestion(Rubric):
    async def one(self, sample, completion):
        self._text = completion.text
        await asyncio.sleep(0)
        return self.read(await self.judge.ask(self.question(sample.prompt[-1]["content"], self._text)))


class AsTheyCome(Rubric):
    async def score(self, items):
        asked = [asyncio.ensure_future(self.one(*item)) for item in items]
        return [await done for done in asyncio.as_completed(asked)]


class KnownQuestion(Rubric):
    def __init__(self, judge):
        super().__init__(judge)
        self._known = {}

    async def one(self, sample, completion):
        query = sample.prompt[-1]["content"]
        if query not in self._known:
            self._known[query] = await super().one(sample, completion)
        return self._known[query]


class Steps:
    """A judge that counts the steps of a text: lines that begin with a number, 5 at most, each worth two points."""

    async def ask(self, ask: Ask) -> Reply:
        text = ask.parts["text"]
        steps = min(5, len({line[:1] for line in text.splitlines() if line[:1] in tuple("12345")}))
        for _ in range(5 - steps):
            await asyncio.sleep(0)
        return Reply(text=f"Of 5 steps it has {steps}. Score: {2 * steps}")


class Options(Config):
    judge: str


def _first_mention(options, context):
    """pairwise/win_rate, which takes the first letter of the reply for its verdict."""
    from rewardlab_pairwise.win_rate import WinRate

    class FirstMention(WinRate):
        def _winner(self, reply, parts, key):
            found = re.search("[AB]", reply.text)
            return found[0] if found else None

    return FirstMention(_win_rate_options(options), context)


def _one_order(options, context):
    """pairwise/win_rate, which asks in the order of arrival only."""
    from rewardlab_pairwise.schedule import schedule
    from rewardlab_pairwise.win_rate import WinRate

    class OneOrder(WinRate):
        async def _ask_all(self, stream: GroupStream, ask: Callable):
            texts = [""] * stream.size
            async for index, completion in stream:
                texts[index] = completion.text
            planned = schedule(stream.sample.id, texts, "both", "all")
            for place, one in enumerate(texts):
                for other in texts[place + 1 :]:
                    if one != other:
                        ask(one, other)
            return texts, planned

    return OneOrder(_win_rate_options(options), context)


def _scores_sorted(options, context):
    """pairwise/win_rate, which gives its scores in the order of the texts' ranks."""
    from rewardlab_pairwise.win_rate import WinRate

    class ScoresSorted(WinRate):
        def _scores(self, texts, planned, judged):
            ranked = [text for text in planned.meetings for _ in range(planned.copies[text])]
            return super()._scores(ranked, planned, judged)

    return ScoresSorted(_win_rate_options(options), context)


def _tie_without_answer(options, context):
    """pairwise/win_rate, which takes a question without an answer for a tie."""
    from rewardlab_pairwise.win_rate import WinRate

    class Lenient:
        def __init__(self, judge):
            self.judge = judge

        async def ask(self, ask: Ask) -> Reply:
            reply = await self.judge.ask(ask)
            return Reply(text="They are equal.") if reply.error is not None else reply

        def report_parsed(self, reply: Reply, ok: bool) -> None:
            self.judge.report_parsed(reply, ok)

    return WinRate(_win_rate_options(options), Context(judges={options.judge: Lenient(context.judges[options.judge])}))


def _right_win_rate(options, context):
    from rewardlab_pairwise.win_rate import WinRate

    return WinRate(_win_rate_options(options), context)


def _win_rate_options(options):
    from rewardlab_pairwise.options import WinRateOptions

    return WinRateOptions(judge=options.judge)


class Nearer:
    """A judge that prefers the longer one of two answers up to a box, and the first one where they tie."""

    async def ask(self, ask: Ask) -> Reply:
        a, b = (len(ask.parts[side].partition("\\boxed")[0].split()) for side in "ab")
        return Reply(text=f"A has {a} words, B has {b}. \\boxed{{{'A' if a >= b else 'B'}}}")


def _steps():
    from rewardlab.laws import RewardExample

    from law_mutants.cases import SUM

    ladder = ["\n".join(f"{step}. And so on." for step in range(1, count + 1)) for count in range(6)]
    judges = lambda: {"steps": Steps()}  # noqa: E731
    options = {"judge": "steps"}
    return [RewardExample(sample=SUM, good=ladder[4:], bad=ladder[:2], ladder=ladder, options=options, judges=judges)]


def _pairs():
    from rewardlab.laws import RewardExample

    from law_mutants.cases import SUM

    good = ["First there are three pens and then four more: seven. \\boxed{7}"]
    bad = ["Seven \\boxed{7}", "\\boxed{8}"]
    judges = lambda: {"nearer": Nearer()}  # noqa: E731
    return [RewardExample(sample=SUM, good=good, bad=bad, options={"judge": "nearer"}, judges=judges)]


def _rubric(name: str, summary: str, made: Callable) -> RewardSpec:
    return RewardSpec(
        name=name,
        summary=summary,
        config=Options,
        judges=("judge",),
        runs="async",
        build=lambda options, context: made(context.judges[options.judge]),
        laws=Laws(examples=_steps),
    )


def _compared(name: str, summary: str, build: Callable) -> RewardSpec:
    off = dict.fromkeys(("prompt_copy", "repetition"), "the judge prefers the longer answer")
    return RewardSpec(
        name=name,
        summary=summary,
        config=Options,
        scope="group",
        judges=("judge",),
        runs="async",
        build=lambda options, context: build(options, context),
        laws=Laws(examples=_pairs, off=off, pairwise=True),
    )


@hookimpl
def rewardlab_rewards():
    return [
        _rubric("correct_rubric", "the number at the end of the reply", Rubric),
        _rubric("first_number", "the first number of the reply", FirstNumber),
        _rubric("low_without_answer", "0 where the judge has no answer", LowWithoutAnswer),
        _rubric("half_for_noise", "half a point for a reply without a number", HalfForNoise),
        _rubric("correct_fenced", "asks in a message, with the text in a fence", Fenced),
        _rubric("tagged", "asks in a message, with the text in a tag that it may close", Tagged),
        _rubric("at_the_end", "asks in a message that ends with the text", AtTheEnd),
        _rubric("current_question", "keeps the text in itself across an await", CurrentQuestion),
        _rubric("as_they_come", "gives the scores in the order in which the judge answers", AsTheyCome),
        _rubric("known_question", "remembers replies by the prompt alone", KnownQuestion),
        _compared("correct_win_rate", "pairwise/win_rate as it is", _right_win_rate),
        _compared(
            "first_mention", "pairwise/win_rate with the first letter of the reply for a verdict", _first_mention
        ),
        _compared("tie_without_answer", "pairwise/win_rate that takes no answer for a tie", _tie_without_answer),
        _compared("one_order", "pairwise/win_rate that asks in one order, whichever index is lower first", _one_order),
        _compared("scores_sorted", "pairwise/win_rate with its scores in the order of rank", _scores_sorted),
    ]
