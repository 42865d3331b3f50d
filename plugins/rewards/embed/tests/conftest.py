"""Stand-ins for tests that need no model (words for embeddings, a scripted translator), and a tiny real model."""

import asyncio
import importlib.util
import math
from collections import Counter
from pathlib import Path

import pytest
from rewardlab import Completion, Context, Reply, Sample, find

TINY = Path(__file__).parents[4] / "tests" / "tiny_models" / "embedder.py"
REFERENCE = "<think>first we add three and four</think><answer>seven books</answer>"


def overlap(a, b):
    """Return the cosine of two bags of words."""
    a, b = Counter(a.lower().split()), Counter(b.lower().split())
    return sum(a[word] * b[word] for word in a) / math.sqrt(
        sum(n * n for n in a.values()) * sum(n * n for n in b.values())
    )


class WordCosines:
    """A stand-in for the embedding worker: cosines of bags of words, unless `says(a, b)` gives another answer."""

    def __init__(self, says=None):
        self.says = says or (lambda a, b: None)
        self.asked = []

    async def ask(self, questions):
        self.asked += [(q["a"], q["b"]) for q in questions]
        return [self.says(q["a"], q["b"]) or {"cosine": overlap(q["a"], q["b"]), "cut": [0, 0]} for q in questions]


class AsciiDetector:
    """A stand-in for the English worker: a text with an umlaut is in German, one without letters has no words."""

    def __init__(self):
        self.asked = []

    async def ask(self, questions):
        self.asked += [(q["text"], q["language"]) for q in questions]
        return [self._answer(q["text"]) for q in questions]

    def _answer(self, text):
        if not any(c.isalpha() for c in text):
            return {"english": None, "language": None}
        return {"english": text.isascii(), "language": None if text.isascii() else "German"}


class StandInWorkers:
    """A stand-in for `context.workers`; `opened` has the files and settings that were opened."""

    def __init__(self, words=None):
        self.words, self.ascii, self.opened = words or WordCosines(), AsciiDetector(), []

    def open(self, file, settings):
        self.opened.append((Path(file).name, settings))
        return {"embedding_worker.py": self.words, "english_worker.py": self.ascii}[Path(file).name]


class ScriptedTranslator:
    """A translator that answers `says(text)`: a text, a Reply, or an exception to raise. It keeps what it hears."""

    def __init__(self, says=lambda text: "we add three and four"):
        self.says, self.asks, self.verdicts = says, [], []
        self.under_way = self.most = 0

    async def ask(self, ask):
        self.asks.append(ask)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        await asyncio.sleep(0)
        self.under_way -= 1
        answer = self.says(ask.parts["text"])
        if isinstance(answer, Exception):
            raise answer
        whole = {"finish_reason": "stop", "prompt_tokens": 10, "completion_tokens": 2}
        return Reply(text=answer, **whole) if isinstance(answer, str) else answer

    def report_parsed(self, reply, ok):
        self.verdicts.append((reply.text, ok))


@pytest.fixture
def opened():
    return StandInWorkers()


@pytest.fixture
def words():
    """words(says): stand-ins where `says(a, b)` gives another answer for some pairs."""
    return lambda says: StandInWorkers(WordCosines(says))


@pytest.fixture
def translator():
    return ScriptedTranslator


@pytest.fixture
def built(opened):
    """built("cosine", workers=..., judge=..., **options): the reward with score(texts, language=..., **fields)."""

    def build(name, workers=None, judge=None, **options):
        spec = find("reward", f"embed/{name}")
        if judge is not None:
            options["translator"] = "mt"
        reward = spec.build(
            spec.config(model="org/model", **options), Context(workers=workers or opened, judges={"mt": judge})
        )

        def score(*texts, language="de", **fields):
            sample = Sample(id="s", fields={"reference": REFERENCE, "language": language, **fields})
            return asyncio.run(reward.score([(sample, Completion(text=text)) for text in texts]))

        return score

    return build


@pytest.fixture(scope="session")
def tiny_embedder():
    """The module that builds tiny models."""
    place = importlib.util.spec_from_file_location("tiny_embedder", TINY)
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def tiny_model(tiny_embedder, tmp_path_factory):
    """The folder of a tiny random model."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    tiny_embedder.build(folder)
    return folder
