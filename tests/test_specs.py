"""The types that `build` is given and returns: a type checker finds a method that the host cannot call."""

import subprocess
import sys

import pytest
from rewardlab import Context

PLUGIN = """
from collections.abc import Sequence

from rewardlab import Ask, Completion, Context, GroupStream, NormalizerSpec, Reply, RewardSpec, Sample, Score


class Kind:
    def __init__(self, context: Context):
        self.judge = context.judges["main"]

    async def score(self, stream: GroupStream) -> list[Score]:
        scores = [Score(error="never arrived")] * stream.size
        async for index, completion in stream:
            reply = await self.judge.ask(Ask(messages=[{"role": "user", "content": completion.text}]))
            self.judge.report_parsed(reply, reply.text == "yes")
            scores[index] = Score(error=reply.error) if reply.error else Score(value=float(reply.text == "yes"))
        return scores


class Short:
    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[Score]:
        return [Score(value=float(len(completion.text) < 9)) for _, completion in items]


kind = RewardSpec(name="kind", summary="", scope="group", build=lambda options, context: Kind(context))
short = RewardSpec(name="short", summary="", build=lambda options, context: Short())
"""
WRONG = """
async def wrong(context: Context, reply: Reply) -> None:
    await context.judges["main"].ask("yes or no?")
    reply.txt
    Completion(text=3)
    context.workers.open(5, {})


class Values:
    def score(self, items: Sequence[tuple[Sample, Completion]]) -> list[float]:
        return [0.5] * len(items)


values = RewardSpec(name="values", summary="", build=lambda options, context: Values())
shape = NormalizerSpec(name="shape", summary="", build=lambda options, context: Short())
"""


def faults(folder, code):
    """The lines of a plugin that `mypy --strict` objects to, with what it says."""
    (folder / "plugin.py").write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(folder.parent / "mypy"), "plugin.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", timeout=300)
    told = [line.split(":", 3) for line in done.stdout.splitlines() if ": error: " in line]
    lines = code.splitlines()
    return {lines[int(number) - 1].strip(): what for _, number, _, what in told}


@pytest.mark.slow
def test_a_type_checker_reads_a_plugin(tmp_path):
    assert faults(tmp_path, PLUGIN) == {}
    found = faults(tmp_path, PLUGIN + WRONG)
    assert [*found] == [
        'await context.judges["main"].ask("yes or no?")',
        "reply.txt",
        "Completion(text=3)",
        "context.workers.open(5, {})",
        'values = RewardSpec(name="values", summary="", build=lambda options, context: Values())',
        'shape = NormalizerSpec(name="shape", summary="", build=lambda options, context: Short())',
    ]
    assert '"ask" of "JudgeClient"' in next(iter(found.values()))


def test_a_context_without_workers_says_so():
    with pytest.raises(RuntimeError, match=r"model_worker\.py: this context opens no workers"):
        Context().workers.open("model_worker.py", {})
    assert [*Context().source] == []
