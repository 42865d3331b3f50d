"""A call that lasts long is told by another process: which component, on what, and for how long."""

import asyncio
import re
import subprocess
import sys
import textwrap

import pytest
from rewardlab import Completion, GroupStream, RewardSpec, Sample
from rewardlab.scoring import watched_calls
from rewardlab.scoring.watched_calls import watched

pytestmark = pytest.mark.slow

HANGS = """
import re
from rewardlab import RewardSpec, Score, hookimpl

class Careless:
    def score(self, items):  # it holds the interpreter's lock
        return [Score(value=float(bool(re.fullmatch("(a|b|ab)*c", c.text)))) for _, c in items]

@hookimpl
def rewardlab_rewards():
    more = dict(summary="s", build=lambda options, context: Careless())
    return [RewardSpec(name=runs, runs=runs, **more) for runs in ("inline", "thread")]
"""


@pytest.mark.parametrize("runs", ["inline", "thread"])
def test_score_says_what_hangs_though_no_thread_of_its_process_could(runs, offer, write, tmp_path):
    site = offer("careless", HANGS)
    recipe = write("r.yaml", f"version: 1\nreward: {{components: {{match: {{use: careless/{runs}}}}}, total: match}}\n")
    rows = write("rows.jsonl", '{"id": "h\\u001b1", "prompt": "?", "completions": ["%s"]}\n' % ("ab" * 60))
    code = f"""
        import sys
        sys.path.insert(0, {str(site)!r})
        from rewardlab.scoring import watched_calls
        watched_calls.NOTICE_S = 0.2
        from rewardlab.cli import main
        main(["score", {str(recipe)!r}, {str(rows)!r}, "-o", {str(tmp_path / "out.jsonl")!r}])
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)], stderr=subprocess.PIPE, encoding="utf-8"
    ) as host:
        try:
            told = next(line for line in host.stderr if "has been working" in line)
            again = next(line for line in host.stderr if "has been working" in line)
        finally:
            host.kill()
        rest = host.stderr.read()  # ends, since the watcher ends with its host
    said = rf"warning: component 'match' \(careless/{runs}\) has been working on sample 'h\\x1b1' \(.*rows.jsonl:1\)"
    assert re.match(said + r" for \d+ s; a reward that can hang declares runs='worker'", told)
    assert again.startswith(told[:40])
    assert "Traceback" not in rest


def test_what_ends_by_itself_leaves_no_note():
    spec = RewardSpec(name="r", summary="s", build=lambda o, c: None, runs="inline")
    notes = watched_calls._opened()
    free = len(notes._free)
    seen = []

    def score(items):
        seen.append(len(notes._free))
        return len(items)

    items = [(Sample(id="s"), Completion(text="x"))] * 2
    assert watched(score, spec, "t")(items) == 2
    with pytest.raises(ZeroDivisionError):
        watched(lambda items: 1 / 0, spec, "t")(items)
    assert (seen, len(notes._free)) == ([free - 1], free)


def test_a_group_is_noted_once_it_is_complete():
    spec = RewardSpec(name="r", summary="s", build=lambda o, c: None, runs="thread", scope="group")
    notes = watched_calls._opened()
    free, seen = len(notes._free), []

    async def score(stream):
        seen.append(free - len(notes._free))

    async def both():
        stream = GroupStream(Sample(id="s"), 1)
        reward = watched(score, spec, "t")
        await reward(stream)
        stream.put(0, Completion(text="x"))
        await reward(stream)

    asyncio.run(both())
    assert seen == [0, 1]


def test_more_calls_than_there_is_room_for_are_not_noted():
    notes = watched_calls._opened()
    taken = [notes.add("x" * 1000) for _ in range(len(notes._free))]
    assert notes.add("one more") is None
    for place in taken:
        notes.remove(place)
