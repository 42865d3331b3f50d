"""Coordinator and scorers as real Ray actors: one set of judges for all, restarts, errors that say what they are."""

import asyncio
import json
import os
import shutil
import signal
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("ray", reason="needs the environment of the OpenRLHF backend")

import ray
from rewardlab import Completion, Sample
from rewardlab.errors import JobError, UserError
from rewardlab_ray.job_options import Scorers
from rewardlab_ray.messages import GroupPlace
from rewardlab_ray.ray_actors import JobActor, scorer_name
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.scoring import outage_watch
from rewardlab_ray.scoring.service import ServiceSettings, start_service
from rewardlab_testing.backend_laws.ledger import read_rows

pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the actors' processes cannot import a test
ROWS = 8
RECIPE = """
version: 1
judges:
  main:
    use: openai/chat
    with: {model: m, base_url: "URL", max_tokens: 16}
    retries: 0
JUDGE
reward:
  components:
    inline: {use: toy/brevity, with: {words: 2}}
    judged: {use: pairwise/win_rate, with: {judge: main}}
MORE
  total: TOTAL
  correctness: judged
stages:
- {use: rl, algorithm: grpo, batch_size: 2, group_size: 4}
backend: {use: openrlhf, engine: {barrier: {scoring_timeout: 20}}}
"""
PLAIN = """
version: 1
reward:
  components:
    inline: {use: toy/brevity, with: {words: 2}}
  total: inline
stages:
- {use: rl, algorithm: grpo, batch_size: 2, group_size: 4}
backend: {use: openrlhf, engine: {barrier: {scoring_timeout: 20}}}
"""


@pytest.fixture(scope="module")
def cluster(toy_path):
    """A Ray of this module's own, with the toy plugin on every path."""
    folder = Path(tempfile.mkdtemp(prefix="rl_", dir="/tmp"))  # Ray's sockets lie in it: their paths may not be long
    variables = {"PYTHONPATH": os.pathsep.join([str(toy_path), *filter(None, [os.environ.get("PYTHONPATH")])])}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        ray.init(
            address="local",
            num_cpus=4,
            include_dashboard=False,
            _temp_dir=str(folder),
            _system_config={"prestart_worker_first_driver": False, "enable_metrics_collection": False},
            runtime_env={"env_vars": variables},
            log_to_driver=False,
        )
        yield
        ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server(judge_server):
    """A judge server on the loopback that votes after a moment."""
    with judge_server.Serving(judge_server.JudgeServer(latency=0.02)) as there:
        yield there


@pytest.fixture
def start(cluster, tmp_path, server, with_options):
    """Start the actors of a stage: `start(more="...", replicas=2)`; they are ended after the test."""
    running = []

    def begin(more="", total="inline + judged", judge="", replicas=1, recipe=RECIPE):
        folder = tmp_path / "run" / "engine" / "0-rl"
        folder.mkdir(parents=True)
        for word, text in {"URL": server.url, "JUDGE": judge, "MORE": more, "TOTAL": total}.items():
            recipe = recipe.replace(word, text)
        path = tmp_path / "run" / "recipe.resolved.yaml"
        path.write_text("\n".join(line for line in recipe.splitlines() if line.strip()))
        prompts = (({"role": "user", "content": f"How much is {n} + 1?"},) for n in range(ROWS))
        samples = (Sample(id=f"s{n}", prompt=prompt) for n, prompt in enumerate(prompts))
        write_rows(folder / "samples.jsonl", (Row(sample=sample, prompt="?") for sample in samples))
        write_rows(folder / "evaluation_samples.jsonl", ())
        (folder / "order.json").write_text(json.dumps(list(range(ROWS))))
        name = f"{tmp_path.name}/0-rl/0"
        settings = {"job": name, "run": tmp_path / "run", "recipe": path, "stage": 0, "attempt": 0}
        settings = with_options(ServiceSettings(**settings, folder=folder, home=tmp_path))
        running.append(start_service(settings, Scorers(replicas=replicas, num_cpus=0.1)))
        return running[-1]

    yield begin
    for service in running:
        service.close()


def group(row, key=None, step=1):
    place = GroupPlace(key=key or f"g{row}", row=row, evaluation=False, step=step, size=4, position=row)
    return place, [Completion(text=text, token_count=3) for text in (f"{row} and 1", "two three four five", "6", "7 8")]


def put(scorer, place, completions):
    ray.get([scorer.put.remote(place, index, completion) for index, completion in enumerate(completions)])


def score(scorer, row, **more):
    """The rewards of a whole group."""
    place, completions = group(row, **more)
    put(scorer, place, completions)
    assert ray.get(scorer.more.remote(place.key, 4)) == 0
    return ray.get(scorer.finish.remote(place.key), timeout=60)


def score_as_executors_do(service, row, **more):
    """The rewards of a whole group, across restarts of the scorer."""
    place, completions = group(row, **more)
    scorer = JobActor(scorer_name(service.settings.job, row % len(service.scorers)))

    async def answer(method):
        while (found := await scorer.call(method, place.key, len(completions))) is None:
            for index, completion in enumerate(completions):
                await scorer.call("put", place, index, completion)
        return found

    async def scored():
        assert await answer("more") == 0
        return await answer("finish")

    return asyncio.run(scored())


def refused(call):
    """The error of an actor, as it was raised there."""
    with pytest.raises(ray.exceptions.RayTaskError) as raised:
        ray.get(call, timeout=60)
    return raised.value.cause


def normed(totals):
    """The advantages of grpo."""
    mean = statistics.fmean(totals)
    return [(total - mean) / (statistics.stdev(totals) + 1e-4) for total in totals]


def until(true, limit=30):
    end = time.monotonic() + limit
    while not true():
        assert time.monotonic() < end
        time.sleep(0.05)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class TestAGroup:
    def test_is_scored_by_rewards_of_every_kind_and_recorded(self, start):
        worker = "    worker: {use: toy/worker, with: {words: 2}, workers: 1}"
        service = start(worker, "inline + worker + judged")
        given = score(service.scorers[0], 0)
        assert given.kept == (0, 1, 2, 3)
        assert given.values == tuple(
            pytest.approx(value) for value in normed([log["reward/total"] for log in given.logs])
        )
        assert given.correctness == tuple(log["reward/judged"] for log in given.logs)
        assert sum(given.correctness) == pytest.approx(2.0), "win rates of four"
        assert [log["reward/worker"] for log in given.logs] == [pytest.approx(v) for v in (2 / 3, 0.5, 1, 1)]
        assert {frozenset(log) for log in given.logs} == {
            frozenset(
                ["group/sampled", "group/scored", "group/size", "group/std", "reward/total"]
                + [f"{kind}/{name}" for kind in ("reward", "missing") for name in ("inline", "worker", "judged")]
            )
        }
        rows = list(read_rows(service.settings.run))
        assert [(row["index"], row["trained"], row["shaped"]) for row in rows] == [
            (index, "yes", log["reward/total"]) for index, log in enumerate(given.logs)
        ]
        assert service.failure() is None
        assert service.close()[0].startswith("judge main: ")

    def test_has_one_process_for_the_model_of_two_components(self, start):
        two = "".join(f"    {name}: {{use: toy/model, with: {{words: {n}}}}}\n" for name, n in (("one", 1), ("two", 2)))
        service = start(two.rstrip(), "one + two")
        given = score(service.scorers[0], 0)
        assert given.values == pytest.approx(normed([1 / 3 + 2 / 3, 1 / 4 + 2 / 4, 2.0, 1 / 2 + 1.0]))
        rows = list(read_rows(service.settings.run))
        pids = {row["components"][name]["info"]["pid"] for row in rows for name in ("one", "two")}
        assert len(pids) == 1
        service.close()
        assert not Path(f"/proc/{pids.pop()}").exists()


class TestManyScorers:
    def test_share_one_pace(self, start, server):
        service = start(replicas=2, judge="    requests_per_minute: 1200")
        started = time.monotonic()
        calls = []
        for row in range(3):
            for scorer in service.scorers:
                place, completions = group(row, key=f"{row}-{len(calls)}")
                put(scorer, place, completions)
                calls.append(scorer.finish.remote(place.key))
        first, *others = ray.get(calls, timeout=60)
        seconds = time.monotonic() - started
        assert others[0].values == first.values
        assert max(server.paid.values()) <= 2, "each of the two asks a question once"
        asked = server.seen["requests"]
        assert asked == sum(server.paid.values())
        assert seconds > (asked - 20 - 1) / 20, "a burst of a second, then 20 a second for both together"

    def test_with_a_budget_that_is_used_up_end_the_job_and_say_so(self, start, server):
        service = start(judge="    budget: {tokens: 1500}")
        told = refused(service.scorers[0].finish.remote(self.asked(service, 0)))
        assert 0 < server.answered < 12, "some of a group's twelve questions"
        assert isinstance(told, JobError)
        assert str(told).startswith("judge 'main': its budget of 1500 tokens is used up")

    def asked(self, service, row):
        place, completions = group(row)
        put(service.scorers[0], place, completions)
        return place.key


@ray.remote
class Busy:
    """An actor whose third answer takes a while."""

    def __init__(self, seconds):
        self._pauses = iter([0.0, 0.0, seconds])

    def waiting(self):
        time.sleep(next(self._pauses, 0.0))
        return 3, 0


class TestRestarts:
    @pytest.fixture
    def outage(self, monkeypatch, capsys):
        """`outage(name)`: wait for the end of its outage, of which the user has read all that the driver knows."""
        monkeypatch.setenv("REWARDLAB_PROGRESS_S", "0.1")
        monkeypatch.setattr(outage_watch, "LOOK_S", 0.1)

        def told(name):
            out, end = "", time.monotonic() + 60
            while f"rewardlab| {name} is back after " not in (out := out + capsys.readouterr().out):
                assert time.monotonic() < end, out
                time.sleep(0.2)
            assert out.count(f"rewardlab| warning: {name} is out of reach; its calls wait while Ray restarts it (") == 1

        return told

    def test_an_actor_that_does_not_answer_is_told_while_that_lasts(self, monkeypatch, cluster):
        monkeypatch.setenv("REWARDLAB_PROGRESS_S", "0.5")
        monkeypatch.setattr(outage_watch, "LOOK_S", 0.1)
        monkeypatch.setattr(outage_watch, "SILENT_S", 1.0)
        told: list[str] = []
        quick, busy = Busy.remote(0.0), Busy.remote(5.0)
        ray.get([quick.waiting.remote(), busy.waiting.remote()])  # their processes are there
        watch = outage_watch.OutageWatch(quick, {"scorer 0": busy}, told.append)
        end = time.monotonic() + 30
        while not any("is back" in line for line in told) and time.monotonic() < end:
            time.sleep(0.1)
        watch.close()
        lost, *lasting, back = (line for line in told if "scorer 0" in line)
        silent = "its calls wait while Ray restarts it (it has not answered for 1 s)"
        assert lost == f"warning: scorer 0 is out of reach; {silent}"
        assert len(lasting) >= 2
        assert all("has been out of reach for " in line for line in lasting)
        assert all(line.endswith("; 3 groups were under way there") for line in lasting)
        assert back.startswith("scorer 0 is back after ")

    def test_a_scorer_that_dies_scores_again_and_nothing_is_paid_twice(self, start, server, outage):
        service = start()
        [scorer] = service.scorers
        before = score(scorer, 2)
        paid = server.answered
        ray.kill(scorer, no_restart=False)
        outage("scorer 0")
        assert score_as_executors_do(service, 2).values == before.values
        assert server.answered == paid
        assert len(list(read_rows(service.settings.run))) == 4, "the same group is one group"

    def test_a_coordinator_that_dies_is_waited_for(self, start, server, outage):
        service = start()
        [scorer] = service.scorers
        score(scorer, 0)
        place, completions = group(1)
        server.latency = 0.5
        put(scorer, place, completions)
        finishing = scorer.finish.remote(place.key)
        time.sleep(0.3)
        ray.kill(service.coordinator, no_restart=False)
        outage("the coordinator")
        assert len(ray.get(finishing, timeout=60).values) == 4
        rows = list(read_rows(service.settings.run))
        assert [(row["group"], row["index"]) for row in rows] == [(g, i) for g in range(2) for i in range(4)]
        [logged] = lines(service.settings.run / "logs" / "0-rl.jsonl")
        assert logged["step"] == 1
        assert "agreement/total" in logged

    def test_a_scorer_and_the_coordinator_that_are_killed_leave_each_group_in_the_ledger_once(self, start):
        """Scorer 0 dies when its groups are scored and its calls to the coordinator have not returned."""
        service = start(replicas=2, recipe=PLAIN)
        given = {row: score(service.scorers[row % 2], row, step=1) for row in range(2)}
        coordinator = ray.get(service.coordinator.__ray_call__.remote(lambda _: os.getpid()))
        os.kill(coordinator, signal.SIGSTOP)
        finishing = {}
        for row in range(2, 6):
            place, completions = group(row, step=row // 2 + 1)
            put(service.scorers[row % 2], place, completions)
            finishing[row] = service.scorers[row % 2].finish.remote(place.key)
        until(lambda: all(one == (2, 2) for one in ray.get([one.waiting.remote() for one in service.scorers])))
        ray.kill(service.scorers[0], no_restart=False)
        os.kill(coordinator, signal.SIGKILL)

        given |= {row: ray.get(finishing[row], timeout=60) for row in (3, 5)}
        for row in (2, 4, 6, 7):
            given[row] = score_as_executors_do(service, row, step=row // 2 + 1)
        rows = list(read_rows(service.settings.run))
        assert sorted((row["id"], row["index"]) for row in rows) == [
            (f"s{n}", i) for n in range(ROWS) for i in range(4)
        ]
        assert sorted({row["group"] for row in rows}) == list(range(ROWS))
        assert sorted(row["step"] for row in rows) == [step for step in range(1, 5) for _ in range(8)]
        assert {(row["id"], row["index"], row["total"]) for row in rows} == {
            (f"s{row}", index, log["reward/total"]) for row, one in given.items() for index, log in enumerate(one.logs)
        }
        assert [row["step"] for row in lines(service.settings.run / "logs" / "0-rl.jsonl")].count(1) == 1
        assert sorted(row["step"] for row in lines(service.settings.run / "logs" / "0-rl.jsonl")) == [1, 2, 3, 4]

    def test_why_the_job_has_to_end_outlives_the_coordinator(self, start):
        service = start()
        ray.get(service.coordinator.fail.remote("the first reason"))
        ray.kill(service.coordinator)
        assert service.failure() == "the first reason"
        assert service.close() == []


class TestKills:
    """Scorers and the coordinator are killed while groups are scored at three scorers."""

    def all_scored(self, service, kill):
        with ThreadPoolExecutor(ROWS) as threads:
            work = [threads.submit(score_as_executors_do, service, row) for row in range(ROWS)]
            for actor in kill:
                time.sleep(0.7)
                ray.kill(actor, no_restart=False)
            return [one.exception(timeout=120) or one.result() for one in work]

    def test_pay_for_no_question_twice_and_keep_every_limit(self, start, server):
        server.latency = 0.4
        service = start(replicas=3, judge="    concurrency: 6\n    requests_per_minute: 6000")
        kill = [service.scorers[0], service.coordinator, service.scorers[1]]
        found = self.all_scored(service, kill)
        assert all(len(given.values) == 4 for given in found)
        twice = sum(server.paid.values()) - len(server.paid)
        assert len(server.paid) == 12 * ROWS, "six pairs in a group of four, in both orders"
        assert twice <= 2 * 6, "what was under way at the two scorers that were killed"
        assert server.most_under_way <= 6
        rows = list(read_rows(service.settings.run))
        assert sorted({row["id"] for row in rows}) == [f"s{n}" for n in range(ROWS)]
        assert len(rows) == 4 * ROWS

    def test_do_not_let_a_budget_be_passed(self, start, server):
        server.latency = 0.2
        service = start(replicas=3, judge="    concurrency: 6\n    budget: {tokens: 8000}")
        found = self.all_scored(service, [service.scorers[0], service.coordinator])
        assert any("its budget of 2666.67 tokens is used up" in str(one) for one in found)
        assert 0 < server.tokens <= 8000


FAULTY = "    faulty: {use: toy/faulty, with: {how: HOW, when: two}}"


class TestAPluginThat:
    @pytest.mark.parametrize(
        ("how", "told"),
        [
            ("raise", "ValueError: the toy was told"),
            ("nan", "value nan is not finite"),
        ],
    )
    def test_goes_wrong_is_named(self, start, how, told):
        service = start(FAULTY.replace("HOW", how), total="inline + faulty")
        place, completions = group(0)
        put(service.scorers[0], place, completions)
        error = refused(service.scorers[0].finish.remote(place.key))
        assert isinstance(error, JobError)
        assert str(error).startswith(f"component 'faulty' (toy/faulty) failed on sample 's0', completion 1: {told}")

    def test_hangs_is_named_when_the_time_for_scoring_is_over(self, start):
        recipe = RECIPE.replace("scoring_timeout: 20", "scoring_timeout: 1")
        faulty = (
            FAULTY.replace("toy/faulty", "toy/faulty_worker").replace("HOW", "hang").replace("}}", "}, timeout: 60}")
        )
        service = start(faulty, "inline + faulty", recipe=recipe)
        place, completions = group(0)
        put(service.scorers[0], place, completions)
        told = str(refused(service.scorers[0].finish.remote(place.key)))
        assert told == "scoring sample 's0' took longer than 1 s; no answer yet from: faulty (toy/faulty_worker)"

    def test_is_not_there_is_the_users_error(self, start):
        with pytest.raises(UserError, match="plugin 'toy' has no reward 'nothing'"):
            start("    faulty: {use: toy/nothing}", total="inline + faulty")


class Engine:
    """Stands for a rollout engine: answers what policy/self asks, or dies of it."""

    def __init__(self):
        self.asked = []

    async def generate_responses(self, prompt, label, sampling_params, max_length, hf_tokenizer, num_samples):
        assert (prompt, sampling_params, num_samples) == ("", None, 1)
        self.asked.append(json.loads(label)["ask"])
        await asyncio.sleep(0.1)
        return [{"text": "\\boxed{A}", "prompt_tokens": 5, "completion_tokens": 2, "finish_reason": "stop"}]

    async def seen(self):
        return self.asked


class TestThePolicyAsJudge:
    @pytest.fixture
    def service(self, start):
        recipe = RECIPE.replace("openai/chat", "policy/self")
        recipe = recipe.replace('{model: m, base_url: "URL", max_tokens: 16}', "{thinking: false}")
        return start(recipe=recipe.replace("retries: 0", "retries: 2"))

    @pytest.fixture
    def engines(self, service):
        engines = [ray.remote(Engine).options(num_cpus=0, max_concurrency=100).remote() for _ in range(2)]
        for engine in (*engines, engines[0]):  # one may make itself known twice
            ray.get(service.coordinator.engine_here.remote(engine))
        yield engines
        for engine in engines:
            ray.kill(engine)

    def test_is_asked_on_all_engines_alike_and_nothing_of_it_is_kept(self, service, engines):
        given = score(service.scorers[0], 0)
        again = score(service.scorers[0], 0, key="again")
        assert given.correctness == again.correctness
        first, second = ray.get([engine.seen.remote() for engine in engines])
        assert abs(len(first) - len(second)) <= 2
        sampling = {"temperature": 0.0, "top_p": 1.0, "max_tokens": 1024, "thinking": False}
        for ask in (*first, *second):
            assert {name: ask[name] for name in ask if name != "messages"} == sampling
        questions = [json.dumps(ask["messages"]) for ask in (*first, *second)]
        assert len(questions) == 2 * len(set(questions)), "weights change, so the same question is asked anew"
        assert not list((service.settings.run / "judges").glob("*.answers.jsonl")), "nothing to replay"

    def test_loses_an_engine_and_asks_another(self, service, engines):
        ray.kill(engines[0])
        assert sum(score(service.scorers[0], 0).correctness) == pytest.approx(2.0)

    def test_waits_for_the_first_engine(self, service):
        place, completions = group(0)
        put(service.scorers[0], place, completions)
        finishing = service.scorers[0].finish.remote(place.key)
        assert not ray.wait([finishing], timeout=0.5)[0]
        engine = ray.remote(Engine).options(num_cpus=0).remote()
        ray.get(service.coordinator.engine_here.remote(engine))
        assert len(ray.get(finishing, timeout=60).values) == 4
        ray.kill(engine)
