"""Judges that mix up answers, forget what they are, or tell what they must keep."""

import asyncio
import os
import random
import uuid
from collections.abc import Callable

from rewardlab import Ask, Config, JudgeSpec, Reply, hookimpl
from rewardlab.laws import JudgeExample, Laws

KEY = "the right key"


class Options(Config):
    """Of all judges here."""

    model: str = "small"
    temperature: float = 0.0
    key_env: str = "LAW_MUTANTS_KEY"
    """the variable with the key"""


class Longer:
    """Answers the longer one of two texts, after as many turns of the loop as the first one has words.

    As a server would, it refuses another key than KEY, where the variable is set.
    """

    def __init__(self, options: Options):
        self.options = options

    async def ask(self, ask: Ask) -> Reply:
        if not isinstance(ask.parts.get("a"), str) or not isinstance(ask.parts.get("b"), str):
            return Reply(error="it needs the parts a and b")
        if (key := os.environ.get(self.options.key_env, KEY)) != KEY:
            return self.refused(key)
        for _ in ask.parts["a"].split():
            await asyncio.sleep(0)
        return self.reply(ask)

    def refused(self, key: str) -> Reply:
        return Reply(error="401: the server refuses the key")

    def reply(self, ask: Ask) -> Reply:
        a, b = ask.parts["a"], ask.parts["b"]
        said = f"A {len(a)}, B {len(b)}, {self.options.model}. \\boxed{{{'A' if len(a) >= len(b) else 'B'}}}\n"
        return Reply(text=said, finish_reason="stop", prompt_tokens=len(a) + len(b), completion_tokens=8)

    async def aclose(self) -> None:
        pass


class Strips(Longer):
    """Forgets the line break that the server sends."""

    def reply(self, ask):
        whole = super().reply(ask)
        return Reply(text=whole.text.strip(), finish_reason="stop")


class MixesUp(Longer):
    async def ask(self, ask):
        self._ask = ask
        for _ in str(ask.parts.get("a")).split():
            await asyncio.sleep(0)
        return self.reply(self._ask)


class InTurn(Longer):
    """Gives the replies in the order of the questions, whichever is done first."""

    def __init__(self, options):
        super().__init__(options)
        self._asked: list[Ask] = []

    async def ask(self, ask):
        self._asked.append(ask)
        for _ in str(ask.parts.get("a")).split():
            await asyncio.sleep(0)
        return self.reply(self._asked.pop(0))


class KnowsByStart(Longer):
    def __init__(self, options):
        super().__init__(options)
        self._known: dict[str, Reply] = {}

    def reply(self, ask):
        return self._known.setdefault(ask.parts["a"], super().reply(ask))


class KeyInError(Longer):
    def refused(self, key):
        return Reply(error=f"401: the server refuses the key {key!r}")


class KeyInException(Longer):
    def refused(self, key):
        raise PermissionError(f"401: Authorization: Bearer {key}")


class KeyInText(Longer):
    def __init__(self, options):
        super().__init__(options)
        self._key = os.environ.get(options.key_env, "")

    def __repr__(self):
        return f"{type(self).__name__}({self.options!r}, key={self._key!r})"


class BareText(Longer):
    def reply(self, ask):
        return super().reply(ask).text


class TextTokens(Longer):
    def reply(self, ask):
        whole = super().reply(ask)
        return Reply(text=whole.text, finish_reason="stop", prompt_tokens=str(whole.prompt_tokens))


class NoneForText(Longer):
    def reply(self, ask):
        return super().reply(ask) if ask.parts["a"] != ask.parts["b"] else Reply(text=None)


class Counts(Longer):
    def __init__(self, options):
        super().__init__(options)
        self._count = 0

    def reply(self, ask):
        self._count += 1
        return Reply(text=f"{self._count}. {super().reply(ask).text}")


class TossesUp(Longer):
    def reply(self, ask):
        return Reply(text=random.choice(["\\boxed{A}", "\\boxed{B}"]))


class Salted(Longer):
    def reply(self, ask):
        return Reply(text=f"\\boxed{{{'AB'[hash((ask.parts['a'], ask.parts['b'])) % 2]}}}")


class ClosesOnce(Longer):
    def __init__(self, options):
        super().__init__(options)
        self._session = [options]

    async def aclose(self):
        self._session.pop()


class ClosesWhatItOpened(Longer):
    async def ask(self, ask):
        self._session = asyncio.Event()
        return await super().ask(ask)

    async def aclose(self):
        self._session.set()


def _whole(options: Options) -> dict:
    return {"model": options.model, "temperature": options.temperature}


def _without_temperature(options: Options) -> dict:
    return {"model": options.model}


def _unique(options: Options) -> dict:
    return {**_whole(options), "client": uuid.uuid4().hex}


def _with_key(options: Options) -> dict:
    return {**_whole(options), "key": os.environ.get(options.key_env, "")}


def _no_json(options: Options) -> dict:
    return {**_whole(options), "stop": {"\n\n"}}


def _questions() -> list[JudgeExample]:
    pairs = [("a b c", "d"), ("e", "f g h i"), ("", "j"), ("k l", "k l"), ("m n o p q", "r s"), ("a b c", "t u v w")]
    asks = [Ask(parts={"a": a, "b": b}) for a, b in pairs]
    says = ["A 5, B 1, small. \\boxed{A}\n"]
    return [JudgeExample(asks=asks, says=says, other_options=[{"model": "large"}, {"temperature": 1.0}])]


def _judge(name: str, summary: str, made: Callable[[Options], object], identity=_whole, local=True) -> JudgeSpec:
    return JudgeSpec(
        name=name,
        summary=summary,
        config=Options,
        reads="parts",
        local=local,
        identity=identity,
        build=lambda options, context: made(options),
        laws=Laws(examples=_questions),
    )


@hookimpl
def rewardlab_judges():
    return [
        _judge("correct_longer", "the longer one wins", Longer),
        _judge("strips_replies", "strips what the server says", Strips),
        _judge("mixes_up", "keeps the question in itself across an await", MixesUp),
        _judge("in_turn", "gives replies in the order of the questions", InTurn),
        _judge("knows_by_start", "remembers replies by the first text alone", KnowsByStart),
        _judge("key_in_error", "its error quotes the key", KeyInError),
        _judge("key_in_exception", "its exception quotes the header with the key", KeyInException),
        _judge("key_in_text", "its text form shows the key", KeyInText),
        _judge("key_in_identity", "its identity holds the key", Longer, _with_key),
        _judge("bare_text", "a text in place of a Reply", BareText),
        _judge("text_tokens", "its count of tokens is a text", TextTokens),
        _judge("none_for_text", "None for the text of a tie", NoneForText),
        _judge("counts", "numbers its answers", Counts),
        _judge("tosses_up", "answers by chance and calls itself local", TossesUp),
        _judge("salted", "answers by hash()", Salted),
        _judge("identity_without_temperature", "an identity without the temperature", Longer, _without_temperature),
        _judge("identity_of_the_client", "an identity that every build makes anew", Longer, _unique),
        _judge("identity_no_json", "an identity that holds a set", Longer, _no_json),
        _judge("closes_once", "cannot be closed twice", ClosesOnce),
        _judge("closes_what_it_opened", "cannot be closed before it was asked", ClosesWhatItOpened),
    ]
