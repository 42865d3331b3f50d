"""The rewards with everything real: processes that they share, a translator behind HTTP, faults of both."""

import asyncio
import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from rewardlab import Completion, Context, Sample, installed
from rewardlab.concurrency import LoopThread
from rewardlab.judging import HostedJudge
from rewardlab.recipe import JudgeUse
from rewardlab.workers import Workers

pytestmark = pytest.mark.slow  # starts processes that load torch

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
REFERENCE = "<think>We begin with 18 books. So 18 + 4 = 22 books.</think><answer>22</answer>"
ENGLISH = "<think>We start with eighteen books, and so there are 22 of them.</think><answer>22</answer>"
GERMAN = "<think>Wir beginnen mit 18 Büchern. Es sind {} Bücher mehr geworden.</think><answer>22</answer>"
MEANT = "We begin with 18 books. So 18 + 4 = 22 books."


@pytest.fixture(scope="module")
def servers():
    place = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(place)
    place.loader.exec_module(module)
    return module


@pytest.fixture
def home():
    thread = LoopThread("home")
    yield thread
    thread.close()


@pytest.fixture(scope="module")
def workers(tmp_path_factory):
    with Workers(cache=tmp_path_factory.mktemp("cache")) as workers:
        yield workers


@pytest.fixture
def rewards(workers, tiny_model, home):
    """rewards(server): embed/cosine and embed/translated_cosine of one job, with a judge as the host has it."""

    def build(server, **options):
        registry = installed()
        chat = registry.find("judge", "openai/chat")
        asking = chat.config(model="mt", base_url=server.url)
        judge = chat.build(asking, Context())
        use = JudgeUse.model_validate({"use": "openai/chat", "retries": 0, "timeout": 5})
        judges = {"mt": HostedJudge("mt", judge, chat, use, home, asking)}

        def one(name, **more):
            spec = registry.find("reward", f"embed/{name}")
            context = Context(judges=judges, workers=workers.of(use=f"embed/{name}", timeout=60.0))
            return spec.build(spec.config(model=str(tiny_model), **more), context)

        return one("cosine"), one("translated_cosine", translator="mt", **options)

    return build


def score(reward, *texts):
    sample = Sample(id="s", fields={"reference": REFERENCE, "language": "de"})
    return asyncio.run(reward.score([(sample, Completion(text=text)) for text in texts]))


def processes(library):
    """Return the pids of this process's worker processes that have loaded the library of that name."""
    found = [child.pid for child in psutil.Process().children()]
    running = [pid for pid in found if b"workers/worker_main.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return [pid for pid in running if library in Path(f"/proc/{pid}/maps").read_text()]


@pytest.fixture(scope="module", autouse=True)
def new_processes():
    """A function for the pids of this module's worker processes, without those that other modules' fixtures keep."""
    before = set(processes("libtorch_cpu"))
    return lambda: [pid for pid in processes("libtorch_cpu") if pid not in before]


def test_two_rewards_hold_one_model_and_agree_on_english(servers, rewards, new_processes):
    with servers.Serving(servers.JudgeServer(answer=lambda request: MEANT)) as server:
        cosine, translated = rewards(server)
        (plain,), (english, german) = score(cosine, ENGLISH), score(translated, ENGLISH, GERMAN.format("vier"))
    assert len(new_processes()) == 1
    assert english.value == plain.value
    assert english.info == {**plain.info, "skipped": "english"}
    assert german.value == pytest.approx(1.0, abs=1e-5)
    assert german.info["tokens"] > 20
    (request,) = server.requests
    assert request["temperature"] == 0.0
    assert "German" in request["messages"][0]["content"]


def test_a_server_with_faults(servers, rewards):
    """Each fault, rare among translations, leaves its own text untranslated and says why."""
    kinds = {"eins": "500", "zwei": "empty", "drei": "half", "vier": "nothing", "fünf": "cut", "sechs": "fine"}

    def kind(request):
        text = request["messages"][-1]["content"]
        return next((kind for word, kind in kinds.items() if f"sind {word} " in text), "fine")

    def fault(number, request):
        return kind(request) if kind(request) in ("500", "empty", "half") else cut if kind(request) == "cut" else None

    async def cut(http):
        choice = {"index": 0, "message": {"role": "assistant", "content": "We be"}, "finish_reason": "length"}
        return servers.web.json_response({"id": "x", "object": "chat.completion", "choices": [choice]})

    answering = servers.JudgeServer(answer=lambda r: "" if kind(r) == "nothing" else MEANT, fault=fault)
    with servers.Serving(answering) as server:
        cosine, translated = rewards(server)
        texts = [GERMAN.format(word) for word in kinds]
        score(translated, *(GERMAN.format(f"{number}0") for number in range(60)))
        plain, scores = score(cosine, *texts), score(translated, *texts)
    reasons = [found.info.get("untranslated") for found in scores]
    assert [found.error for found in scores] == [None] * 6
    assert [found.value for found in scores[:5]] == [found.value for found in plain[:5]]
    assert all(reason.startswith("no translation: ") for reason in reasons[:3])
    assert "500" in reasons[0]
    assert reasons[3:] == ["the translation is empty", "the translation was cut off", None]
    assert scores[5].value == pytest.approx(1.0, abs=1e-5) != plain[5].value


def test_a_server_that_is_down_is_not_hidden(servers, rewards):
    with servers.Serving(servers.JudgeServer()) as server:
        _, translated = rewards(server)
    scores = score(translated, *(GERMAN.format(f"{n}0") for n in range(12)), ENGLISH)
    assert [found.value is None for found in scores] == [True] * 12 + [False]
    assert all(found.error.startswith("no translation: ") for found in scores[:12])


def test_a_process_killed_in_the_middle_is_started_again(servers, rewards, new_processes):
    with servers.Serving(servers.JudgeServer()) as server:
        cosine, _ = rewards(server)
    texts = [f"<think>{'we count the books again ' * 20000} {number}</think>" for number in range(3)]
    expected = score(cosine, ENGLISH)
    (pid,) = new_processes()

    async def kill_and_score():
        sample = Sample(id="s", fields={"reference": REFERENCE})
        scoring = asyncio.create_task(cosine.score([(sample, Completion(text=text)) for text in [*texts, ENGLISH]]))
        await asyncio.sleep(0.3)
        assert not scoring.done()
        os.kill(pid, signal.SIGKILL)
        return await scoring

    scores = asyncio.run(kill_and_score())
    assert new_processes() != [pid]
    assert scores[-1].value == pytest.approx(expected[0].value, abs=1e-6)
    assert all(0 < found.value <= 1 and found.info["cut"]["prediction"] > 50_000 for found in scores[:-1])


RECIPE = """
version: 1
judges:
  mt: {{use: openai/chat, with: {{model: mt, base_url: "{url}"}}, retries: 0}}
reward:
  components:
    embed: {{use: embed/cosine, with: {{model: "{model}"}}}}
    translated: {{use: embed/translated_cosine, with: {{model: "{model}", translator: mt}}}}
  total: "embed + translated"
"""


def test_a_job_with_both_rewards(servers, tiny_model, tmp_path):
    row = {"id": "1", "prompt": "Wie viele?", "reference": REFERENCE, "language": "de"}
    long, lost = f"<think>{'we count the books again ' * 99}</think>", GERMAN.format("null")
    row["completions"] = [GERMAN.format("vier"), ENGLISH, "no tags", REFERENCE, long, lost]
    (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")

    def answer(request):
        return "" if "sind null " in request["messages"][-1]["content"] else MEANT

    with servers.Serving(servers.JudgeServer(answer=answer)) as server:
        recipe = RECIPE.format(url=server.url, model=tiny_model)
        (tmp_path / "r.yaml").write_text(recipe, encoding="utf-8")
        command = [sys.executable, "-m", "rewardlab.cli", "score", "r.yaml", "rows.jsonl", "-o", "out.jsonl"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    out = json.loads((tmp_path / "out.jsonl").read_text(encoding="utf-8"))
    embed, translated = (out["components"][name]["value"] for name in ("embed", "translated"))
    assert translated[0] == pytest.approx(1.0, abs=1e-5)
    assert embed[0] < 0.99
    assert embed[1:] == translated[1:]
    shown = {line.split()[0]: line for line in done.stderr.splitlines() if line.strip()}
    assert "cut 1, empty 1" in shown["embed"]
    assert "cut 1, empty 1, skipped 3, untranslated 1" in shown["translated"]
    assert (embed[2], embed[3]) == (0.0, pytest.approx(1.0, abs=1e-5))
    assert out["total"] == pytest.approx([a + b for a, b in zip(embed, translated, strict=True)])


DATA = """
version: 1
name: data
model: none
stages:
  - use: data
    dataset:
      use: embed/distinct
      with: {{model: "{model}", against: [eval.jsonl], threshold: 0.9999, within: true}}
      from: {{use: data/jsonl, with: {{path: train.jsonl}}}}
    to: distinct.jsonl
"""


@pytest.mark.nightly
def test_a_data_stage_leaves_out_what_an_evaluation_set_has(tiny_model, tmp_path):
    def write(name, texts):
        lines = [json.dumps({"id": f"r{n}", "prompt": text}, ensure_ascii=False) for n, text in enumerate(texts)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

    write("eval.jsonl", ["How many books are left?", "一共有多少本书？"])
    write(
        "train.jsonl", ["How many birds?", "一共有多少本书？", "Wie viele Äpfel?", "How many birds?", "What is 3 + 4?"]
    )
    (tmp_path / "r.yaml").write_text(DATA.format(model=tiny_model), encoding="utf-8")
    command = [sys.executable, "-m", "rewardlab.cli", "run", "r.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "distinct.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == ["r0", "r2", "r4"]
    warning = "2 of 5 rows dropped: 1 near to an evaluation row, 1 near to a row before them"
    assert warning in done.stdout + done.stderr
    assert "train.jsonl:2 to eval.jsonl:2 (1.000)" in done.stdout + done.stderr
