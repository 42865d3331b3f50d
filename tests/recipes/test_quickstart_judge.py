"""recipes/quickstart_judge.yaml, shortened: a real run with a judge behind HTTP, and the same run from its cassette."""

import gzip
import json
import re
from base64 import b64decode

import pytest
from helpers.paths import ROOT
from rewardlab.judging import circuit_breaker

SMALL = "model={use: tiny, hidden_size: 32, layers: 1, heads: 2, intermediate_size: 64}"
SHORT = (SMALL, "stages.0.steps=20", "stages.1.steps=3", "stages.1.batch_size=4", "stages.1.eval.prompts=6")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runs(judge_server, command, tmp_path_factory):
    """(the server, the first run with its output, the second): both record into, and replay from, one cassette."""
    folder = tmp_path_factory.mktemp("judged")
    server = judge_server.JudgeServer(keys=["sk-right-key"])
    with judge_server.Serving(server), pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUDGE_URL", server.url)
        patch.setenv("JUDGE_API_KEY", "sk-right-key")
        key = "judges.main.with.api_key_env=JUDGE_API_KEY"
        recipe = str(ROOT / "recipes" / "quickstart_judge.yaml")
        cassette = "judges.main.cassette={path: main.jsonl}"
        first = command(folder, "run", recipe, "name=first", key, cassette, *SHORT)
        asked = server.answered
        strict = "judges.main.cassette={path: main.jsonl, mode: strict}"
        second = command(folder, "run", recipe, "name=second", key, strict, *SHORT)
        assert server.answered == asked, "a strict cassette asks nobody"
    return server, folder, first, second


def ledger(folder, name):
    [run] = (folder / "runs").glob(f"{name}-*")
    return run, [json.loads(line) for line in (run / "ledger.jsonl").read_text().splitlines()]


def test_it_runs_and_every_comparison_is_accounted_for(runs):
    server, folder, (code, out, err), _ = runs
    assert code == 0, err
    assert "judges that answer: main" in out
    run, rows = ledger(folder, "first")
    groups = [r["components"]["preference"]["info"]["group"] for r in rows if r["index"] == 0]
    assert len(groups) == 6 + 3 * 4 + 6
    assert all(g["failed"] == g["unparsable"] == g["missing"] == 0 for g in groups)
    usage = [json.loads(line) for line in (run / "usage.jsonl").read_text().splitlines()]
    calls, reused = (sum(row[name] for row in usage) for name in ("calls", "reused"))
    assert calls + 1 == server.answered, "and one call to probe"
    assert calls + reused == sum(group["calls"] for group in groups)
    assert sum(row["prompt_tokens"] + row["completion_tokens"] for row in usage) > 100 * calls
    assert f"judge main: {calls:,} calls" in out


def test_from_its_cassette_it_gives_the_same_rewards_byte_for_byte(runs):
    _, folder, _, (code, out, err) = runs
    assert code == 0, err
    (first, _), (second, _) = ledger(folder, "first"), ledger(folder, "second")
    assert (first / "ledger.jsonl").read_bytes() == (second / "ledger.jsonl").read_bytes()
    assert "judge main: 0 calls" in out


def test_a_judge_that_dies_stops_the_run_and_a_resume_pays_nothing_twice(runs, judge_server, command, tmp_path):
    """In the middle of training; the resumed run ends where the undisturbed one did."""
    _, folder, *_ = runs
    dead = []
    server = judge_server.JudgeServer(fault=lambda number, request: "500" if dead and number > dead[0] else None)
    recipe = str(ROOT / "recipes" / "quickstart_judge.yaml")
    impatient = ("judges.main.retries=1", "judges.main.timeout=2", "stages.1.save_every=1", "name=third", *SHORT)
    with judge_server.Serving(server), pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUDGE_URL", server.url)
        patch.setattr(circuit_breaker, "MAX_PAUSE_S", 0.5)  # else it is tried again for a minute
        dead.append(ledger_calls(folder) // 2)
        code, _, err = command(tmp_path, "run", recipe, *impatient)
        assert code == 1
        assert "component 'preference' (pairwise/win_rate)" in err
        assert "the server has too much to do" in err
        dead.clear()
        [run] = (tmp_path / "runs").iterdir()
        code, _, err = command(tmp_path, "run", recipe, *impatient, "--resume", run)
        assert code == 0, err
    first, _ = ledger(folder, "first")
    after = "evaluation/1-rl-after.json"
    assert (run / after).read_bytes() == (first / after).read_bytes()
    [kept] = (run / "judges").glob("main@*.answers.jsonl")
    questions = len(kept.read_text().splitlines())
    assert server.answered == questions + 2, "and two calls to probe"


def ledger_calls(folder):
    """How many questions the undisturbed run asked."""
    run, _ = ledger(folder, "first")
    return sum(json.loads(line)["calls"] for line in (run / "usage.jsonl").read_text().splitlines())


def test_the_key_is_nowhere(runs):
    _, folder, (_, *said), (_, *said_again) = runs
    assert "sk-right-key" not in "".join([*said, *said_again])
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert len(files) > 20
    assert not [path for path in files if b"sk-right-key" in path.read_bytes()]


def test_its_report_has_every_question_and_reply(runs):
    server, folder, *_ = runs
    run, rows = ledger(folder, "first")
    page = (run / "report.html").read_text(encoding="utf-8")
    packed = re.findall(r'id="questions-\d+-\d+">([^<]*)<', page)
    found = [group for part in packed for group in json.loads(gzip.decompress(b64decode(part)))]
    asked = [one for group in found for one in group["asked"]]
    assert len(asked) == sum(row["components"]["preference"]["info"]["group"]["calls"] for row in rows[::8])
    texts = {json.dumps(request["messages"][-1]["content"]) for request in server.requests}
    shown = {
        json.dumps("".join(group["texts"][one] if isinstance(one, int) else one for one in question["question"][-1][1]))
        for group in found
        for question in group["asked"]
    }
    assert shown <= texts
    assert len(shown) == len(texts) - 1, "and one that probed"
