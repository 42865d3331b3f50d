"""Rewards that keep all laws, and for each law some that break it: as a plugin's module, which processes can load."""

import asyncio
import json
import random
import threading
from dataclasses import replace
from types import SimpleNamespace

from pydantic import Field
from rewardlab import Ask, Config, Reply, RewardSpec, Sample, Score, hookimpl
from rewardlab.laws import Laws, RewardExample

QUESTION = "What is 2 + 2?"
SAMPLE = Sample(id="sum", prompt=({"role": "user", "content": QUESTION},), fields={"answer": "4"})
GOOD, BAD = ["It is \\boxed{4}", "<think>2 + 2</think> \\boxed{4}"], ["\\boxed{5}", "It is 4", ""]
HEDGE = ("\\boxed{4}", "\\boxed{5}")
REMEMBERED: list[str] = []
"""the fault of one reward: what it says depends on what its module remembers"""


class Options(Config):
    answer: str = "answer"
    gift: float = Field(0.0, exclude=True)
    """the fault of one reward: an option that JSON does not carry"""


def example():
    return [RewardExample(sample=SAMPLE, good=GOOD, bad=BAD, ladder=["", "\\boxed{3}", "\\boxed{4}"])]


def boxed(completion):
    """What the last box holds."""
    return completion.text.rpartition("\\boxed{")[2].partition("}")[0] if "\\boxed{" in completion.text else ""


def _asked_for_nothing(sample, completion):
    """1 if no call has arguments; it trusts that those are JSON."""
    calls = [call["function"] for turn in completion.conversation() for call in turn.get("tool_calls", ())]
    return float(not any(json.loads(call["arguments"]) for call in calls))


def right(sample, completion):
    return float(boxed(completion) == sample.fields["answer"])


def spec(name, one, **more):
    """A reward whose `one(sample, completion)` is a value or a Score."""

    def score(items):
        return [_score(one(sample, completion)) for sample, completion in items]

    return made(name, lambda options, context: score, **more)


def made(name, build, *, examples=example, laws=None, **more):
    """A reward whose `build` gives the function `score`."""
    more = {"runs": "inline", "requires": ["answer"], "config": Options, **more}
    return RewardSpec(
        name=name,
        summary="made for a test of the laws",
        build=lambda options, context: SimpleNamespace(score=build(options, context)),
        laws=Laws(examples=examples, **(laws or {})),
        **more,
    )


def group(name, values, **more):
    """A reward of group scope whose `values(completions)` are its values."""

    async def score(stream):
        whole = await stream.group()
        return [Score(value=float(value)) for value in values(whole.completions)]

    return made(name, lambda options, context: score, scope="group", runs="async", requires=[], **more)


def won(completions):
    """The share of the others that a completion beats by its box."""
    ranks = [boxed(one) == "4" for one in completions]
    if len(ranks) == 1:
        return [0.5]
    return [(sum((a > b) + (a == b) / 2 for b in ranks) - 0.5) / (len(ranks) - 1) for a in ranks]


# --- Kept

KEPT = spec("kept", right)
ABSTAINING = spec("abstaining", lambda sample, one: Score(value=right(sample, one) if "🙂" not in one.text else None))


async def _right(items):
    return [Score(value=right(sample, completion)) for sample, completion in items]


AWAITED = made("awaited", lambda options, context: _right, runs="async")
WON = group("won", won, laws={"pairwise": True})


async def _naming_places(stream):
    """Tells in info where the others stand, which is not part of the value."""
    values = won((await stream.group()).completions)
    places = range(len(values))
    return [Score(value=values[at], info={"others": [other for other in places if other != at]}) for at in places]


class Matching:
    """A judge that says yes to what has the right box."""

    async def ask(self, ask):
        return Reply(text="yes" if ask.parts["text"].count("\\boxed{4}") else "no")


def asking(name, read, wrapped="{}", split=None, **more):
    """A reward whose value is what `read(reply)` makes of a judge's reply to each completion that is not blank."""

    def build(options, context):
        async def one(completion):
            if not completion.text.split():
                return Score(value=0.0)
            content = wrapped.format(completion.text)
            messages = [{"role": "user", "content": turn} for turn in content.split(split)] if split else None
            one_message = [{"role": "user", "content": content}]
            ask = Ask(messages=messages or one_message, parts={"text": completion.text})
            reply = await context.judges["main"].ask(ask)
            context.judges["main"].report_parsed(reply, reply.error is None)
            return _score(read(reply))

        async def score(items):
            return [await one(completion) for _, completion in items]

        return score

    judged = lambda: [replace(one, judges=lambda: {"main": Matching()}) for one in example()]  # noqa: E731
    return made(name, build, runs="async", examples=judged, requires=[], **more)


def _verdict(reply, unread=None):
    return {"yes": 1.0, "no": 0.0}.get(reply.text, unread or Score(error=reply.error or "neither yes nor no"))


JUDGED = asking("judged", _verdict)
NAMING_PLACES = made("naming", lambda options, context: _naming_places, scope="group", runs="async", requires=[])

# --- Broken


def _first(listed):
    return [float(place == 0) for place in range(len(listed))]


def _by_words(sample, one):
    return min(1.0, len(one.text.split()) / 1000)


def _encoded(sample, one):
    one.text.encode()
    return right(sample, one)


def _beyond_the_window(items):
    return [Score(value=right(*item) if place < 16 else 0.0) for place, item in enumerate(items)]


def _less_the_longest(items):
    longest = max(len(completion.text) for _, completion in items)
    return [Score(value=len(completion.text) / max(1, longest)) for _, completion in items]


def _kept_by_text(options, context):
    known = {}

    def score(items):
        return [Score(value=known.setdefault(one.text, right(sample, one))) for sample, one in items]

    return score


def _sum_of_digits(sample, one):
    digits = sum(int(character) for character in one.text if character.isdigit())
    return right(sample, one) * (digits < 1_000_000)


def _over_where_it_hesitates(sample, one):
    return right(sample, one) * (1.1 if "Wait" in one.text else 1.0)


def _first_row(items):
    return [Score(value=right(items[0][0], completion)) for _, completion in items]


class Current:
    """Keeps the sample that it is scoring in itself while it waits."""

    async def score(self, items):
        for self.sample, _ in items:
            await asyncio.sleep(0)
        return [Score(value=right(self.sample, completion)) for _, completion in items]


class FirstLoop:
    """Stays with the event loop of its first call."""

    loop = None

    async def score(self, items):
        self.loop = self.loop or asyncio.get_running_loop()
        await self.loop.run_in_executor(None, len, items)
        return await _right(items)


def _counting(options, context):
    calls = []

    def score(items):
        calls.append(items)
        return [Score(value=len(calls) % 2) for _ in items]

    return score


def _drawn_at_build(options, context):
    gift = random.random()
    return lambda items: [Score(value=gift) for _ in items]


def _given(options, context):
    return lambda items: [Score(value=options.gift) for _ in items]


def _by_module(sample, one):
    return float(bool(REMEMBERED))


def _on_main(sample, one):
    return float(threading.current_thread() is threading.main_thread())


async def _first_come(stream):
    scores = {}
    async for index, _ in stream:
        scores[index] = Score(value=1 / (1 + len(scores)))
    return [scores[index] for index in range(stream.size)]


class Scratch:
    """Keeps what it is scoring in itself."""

    def score(self, items):
        self.found = []
        for sample, completion in items:
            self.found.append(right(sample, completion))
            sum(range(2_000))
        return [Score(value=value) for value in self.found]


def _laddered(*values):
    ladder = ["", "\\boxed{3}", "\\boxed{4}"]
    return lambda sample, one: values[ladder.index(one.text)] if one.text in ladder else 0.0


BROKEN = {
    "range": [
        spec("nan-for-blank", lambda sample, one: right(sample, one) if one.text.strip() else float("nan")),
        spec("beyond-range", lambda sample, one: 2 * right(sample, one)),
        spec("no-surrogates", _encoded),
        spec("every-digit", _sum_of_digits),
        spec("over-where-it-hesitates", _over_where_it_hesitates),
        spec("trusts-arguments", _asked_for_nothing, scope="trajectory"),
        made("one-too-few", lambda options, context: lambda items: [Score(value=0.0)] * (len(items) - 1)),
    ],
    "order": [
        spec("inverted", lambda sample, one: 1 - right(sample, one)),
        spec("all-alike", lambda sample, one: 0.5),
        spec("abstains-on-bad", lambda sample, one: right(sample, one) or Score()),
    ],
    "monotone": [spec("falling", _laddered(0.5, 0.2, 0.9))],
    "repeat": [made("counting", _counting), made("drawn-at-build", _drawn_at_build)],
    "permutation": [
        made("first-place", lambda options, context: lambda items: [Score(value=value) for value in _first(items)]),
        group("first-of-group", _first),
    ],
    "batch": [
        made("beyond-the-window", lambda options, context: _beyond_the_window),
        made("less-the-longest", lambda options, context: _less_the_longest),
        made("kept-by-text", _kept_by_text),
        made("first-row", lambda options, context: _first_row),
        made("current", lambda options, context: Current().score, runs="async"),
    ],
    "arrival": [made("first-come", lambda options, context: _first_come, scope="group", runs="async", requires=[])],
    "thread": [spec("on-main", _on_main), made(
        "first-loop", lambda options, context: FirstLoop().score, runs="async"
    ), RewardSpec(
        name="scratch", summary="not for threads", runs="inline", build=lambda options, context: Scratch(),
        laws=Laws(examples=example),
    )],
    "worker": [spec("salted", lambda sample, one: float(hash(one.text) % 2)), spec("by-module", _by_module)],
    "rebuild": [
        made("gifted", _given, examples=lambda: [replace(one, options={"gift": 0.5}) for one in example()])
    ],
    "info": [
        spec("numbered-info", lambda sample, one: Score(value=0.0, info={1: "one"})),
        spec("tuple-info", lambda sample, one: Score(value=0.0, info={"pair": (1, 2)})),
        spec("nan-info", lambda sample, one: Score(value=0.0, info={"raw": float("nan")})),
    ],
    "unanswered": [asking("silence-is-no", lambda reply: float(reply.text == "yes"))],
    "unreadable": [
        asking("noise-is-half", lambda reply: _verdict(reply, None if reply.error else 0.5)),
    ],
    "fence": [
        asking("in-a-tag", _verdict, wrapped="Is it right?\n<answer>\n{}\n</answer>\nyes or no?"),
        asking("in-quotes", _verdict, wrapped='Is "{}" right?'),
        asking("at-the-end", _verdict, wrapped="Is this right?\n{}"),
    ],
    "markers": [asking("by-turns", _verdict, split="<|im_start|>assistant")],
    "required": [
        spec("does-without", lambda sample, one: float(boxed(one) == sample.fields.get("answer"))),
        spec("abstains-without", lambda sample, one: right(sample, one) if sample.fields else Score()),
    ],
    "conversation": [
        spec("hears-tools", lambda sample, one: float("\\boxed{4}" in str(one.conversation()))),
        spec("counts-messages", lambda sample, one: float(len(one.messages) > 0), scope="trajectory"),
    ],
    "empty": [spec("full-for-empty", lambda sample, one: right(sample, one) if one.text.strip() else 1.0)],
    "prompt_copy": [spec("overlap", lambda sample, one: len(set(one.text.split()) & set(QUESTION.split())) / 5)],
    "repetition": [spec("by-words", _by_words)],
    "padding": [spec("by-length", lambda sample, one: min(1.0, len(one.text) / 100_000))],
    "antisymmetry": [
        group("both-win", lambda completions: [0.75] * len(completions), laws={"pairwise": True}),
        group("first-wins", _first, laws={"pairwise": True}),
    ],
    "hedge": [spec("takes-the-last", right, examples=lambda: [replace(one, hedge=HEDGE) for one in example()])],
}  # fmt: skip


def _score(given):
    return given if isinstance(given, Score) else Score(value=given)


@hookimpl
def rewardlab_rewards():
    return [KEPT, ABSTAINING, AWAITED, WON, JUDGED, *(one for broken in BROKEN.values() for one in broken)]
