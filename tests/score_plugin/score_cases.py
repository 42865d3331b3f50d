"""A plugin `cases` for the tests of `rewardlab score`."""

import asyncio
import os
import time
from pathlib import Path

from rewardlab import Config, Context, JudgeSpec, NormalizerSpec, Reply, RewardSpec, Sample, Score, hookimpl


class LengthOptions(Config):
    longest: int = 100
    log: Path | None = None
    """a file that gets a line for each completion scored"""
    pause: float = 0.0
    """seconds for each completion"""
    ends: str = ""
    """a text that ends the process"""
    shut: Path | None = None
    """a file in whose presence it cannot be opened"""
    fatal: bool = False
    """opening it ends the process"""


class Length:
    """The text's length as a share of `longest`."""

    def __init__(self, options: LengthOptions):
        if options.shut and options.shut.exists():
            raise ValueError(f"{options.shut} is there")
        if options.fatal:
            os._exit(1)
        self._options = options

    def score(self, items):
        return [self._one(sample, completion) for sample, completion in items]

    def _one(self, sample, completion):
        if self._options.log:
            with open(self._options.log, "a") as log:
                log.write(f"{sample.id}\n")
        if completion.text == self._options.ends != "":
            os._exit(1)
        time.sleep(self._options.pause)
        length = len(completion.text)
        return Score(value=min(1.0, length / self._options.longest), info={"length": length})


class GatedOptions(LengthOptions):
    gate: Path
    """a file; rows with `late` wait for it"""


class Gated(Length):
    """As Length, where a row with the field `late` waits for a file to be there."""

    def __init__(self, options: GatedOptions):
        super().__init__(options)
        self._gate = options.gate

    async def score(self, items):
        while any(sample.fields.get("late") for sample, _ in items) and not self._gate.exists():
            await asyncio.sleep(0.005)
        return super().score(items)


class ObeyOptions(Config):
    unless: Path | None = None
    """a file whose presence makes everything well"""


class Obey:
    """Goes wrong as the text says; 0.5 for any other text."""

    def __init__(self, options: ObeyOptions):
        self._unless = options.unless

    def score(self, items):
        return [self._one(completion.text) for _, completion in items]

    def _one(self, text):
        if self._unless and self._unless.exists():
            return Score(value=0.5)
        match text:
            case "raise":
                raise RuntimeError("no such luck")
            case "nan":
                return Score(value=float("nan"))
            case "two":
                return Score(value=2.0)
            case "nothing":
                return Score(info={"reason": "nothing to say"})
            case "infinite info":
                return Score(value=1.0, info={"raw": float("inf")})
            case "odd info":
                return Score(value=1.0, info={"raw": {1, 2}})
            case "deep info":
                deep = []
                for _ in range(100_000):
                    deep = [deep]
                return Score(value=1.0, info={"raw": deep})
            case "odd error":
                return Score(error=ValueError("no text"))
            case "half a letter":
                return Score(value=1.0, info={"half \udc00": "\ud83d"})
        return Score(value=0.5)


class Asks:
    """1 where the judge answers, else its error."""

    def __init__(self, judge):
        self._judge = judge

    async def score(self, items):
        from rewardlab import Ask

        replies = [await self._judge.ask(Ask()) for _ in items]
        return [Score(error=reply.error) if reply.error else Score(value=1.0) for reply in replies]


class AsksOptions(Config):
    judge: str


class LeakyOptions(Config):
    key_env: str


class Leaky:
    """A judge that tells its key."""

    def __init__(self, options: LeakyOptions):
        self._key = os.environ[options.key_env]

    async def ask(self, ask):
        return Reply(error=f"401: the key {self._key} is not known")


class Shorter:
    """Each total for each of its tokens."""

    def shape(self, totals, tokens, kept, seed):
        return [totals[index] / tokens[index] for index in kept]


def _abstains(options: Config, sample: Sample) -> str | None:
    language = sample.fields["language"]
    if language == "??":
        raise KeyError(language)
    return None if language in ("de", "en") else f"language {language!r} is not known"


class Spoken:
    def score(self, items):
        known = [_abstains(None, sample) is None for sample, _ in items]
        return [Score(value=1.0) if one else Score(info={"reason": "not known"}) for one in known]


def _length(options: LengthOptions, context: Context) -> Length:
    return Length(options)


@hookimpl
def rewardlab_rewards():
    return [
        RewardSpec(name="length", summary="long answers", runs="inline", config=LengthOptions, build=_length),
        RewardSpec(name="thread", summary="in a thread", runs="thread", config=LengthOptions, build=_length),
        RewardSpec(name="worker", summary="in a worker", runs="worker", config=LengthOptions, build=_length),
        RewardSpec(
            name="gated", summary="as told", runs="async", config=GatedOptions,
            build=lambda options, context: Gated(options),
        ),
        RewardSpec(
            name="obey", summary="goes wrong on demand", runs="inline", config=ObeyOptions,
            build=lambda options, context: Obey(options),
        ),
        RewardSpec(
            name="answered", summary="needs `answer`", requires=("answer",), runs="inline",
            build=lambda options, context: Length(LengthOptions()),
        ),
        RewardSpec(
            name="spoken", summary="two languages", requires=("language",), abstains=_abstains, runs="inline",
            counted_info=("reason",),
            build=lambda options, context: Spoken(),
        ),
        RewardSpec(
            name="asks", summary="what a judge says", runs="async", judges=("judge",), config=AsksOptions,
            build=lambda options, context: Asks(context.judges[options.judge]),
        ),
    ]  # fmt: skip


@hookimpl
def rewardlab_judges():
    return [
        JudgeSpec(
            name="leaky", summary="tells its key", config=LeakyOptions, local=True,
            build=lambda options, context: Leaky(options),
        )
    ]  # fmt: skip


@hookimpl
def rewardlab_normalizers():
    return [
        NormalizerSpec(name="shorter", summary="by token", needs_tokens=True, build=lambda options, context: Shorter())
    ]
