"""A stage `eval` of a served policy: what is asked, what a server's faults become, and how it goes on."""

import asyncio
import json
import time

import pytest
import rewardlab
from helpers.each_case import each_case
from rewardlab import Completion, Reply, Sample
from rewardlab.errors import JobError, UserError
from rewardlab.recipe.evaluation import EvalStage
from rewardlab.registry import pip_install
from rewardlab.registry.loading import SERVED
from rewardlab.registry.registry import installed
from rewardlab_openai.served_policy import completion_of, messages_of, sampling_params
from rewardlab_training import RunJob, load_evaluation

ROWS = [{"id": f"{n}", "prompt": f"{n} + {n}?", "language": "de" if n % 2 else "en"} for n in range(6)]
RECIPE = """
version: 1
judges:
  served: {{use: openai/chat, with: {{model: m, base_url: "{url}"}}, retries: 0, {judge}}}
reward:
  components: {{brevity: {{use: toy/brevity, with: {{words: 1}}}}}}
  total: brevity
stages:
  - use: eval
    dataset: {{use: data/jsonl, with: {{path: {rows}}}}}
    samples: 3
    temperature: 0.7
    policy: {{judge: served, {policy}}}
backend: {{use: {backend}}}
"""


def answered(request):
    """The text of the last message, as an answer of one word."""
    return request["messages"][-1]["content"].replace(" ", "")


@pytest.fixture
def serving(judge_server):
    """A server in a thread: `with serving(answer, fault=...) as server`."""

    def started(answer=answered, **settings):
        return judge_server.Serving(judge_server.JudgeServer(answer=answer, **settings))

    return started


@pytest.fixture
def evaluation(toy, write, tmp_path, monkeypatch):
    """The job of the recipe against a server: `evaluation(server, "stages.0.samples=2", judge=..., policy=...)`."""
    monkeypatch.chdir(tmp_path)
    rows = write("rows.jsonl", ROWS)

    def made(server, *overrides, judge="price: null", policy="max_missing: 0.5", backend="toy", **settings):
        filled = RECIPE.format(url=server.url, rows=rows, judge=judge, policy=policy, backend=backend)
        return load_evaluation(write("r.yaml", filled), overrides, **settings)

    return made


def found(directory, name="0-eval-results"):
    """The results, the rows and what is missing, of an evaluation."""
    folder = directory / "evaluation"
    missing = folder / f"{name}.missing.jsonl"
    return (
        json.loads((folder / f"{name}.json").read_text()),
        [json.loads(line) for line in (folder / f"{name}.rows.jsonl").read_text().splitlines()],
        [json.loads(line) for line in missing.read_text().splitlines()] if missing.exists() else [],
    )


def asked(server):
    """The requests for completions, without the one that tries the server."""
    return [request for request in server.requests if "ready" not in request["messages"][-1]["content"]]


class TestWhatIsAsked:
    def test_a_request_for_each_completion_with_the_stages_settings(self, serving, evaluation):
        chat = "stages.0.chat={system: Be brief., thinking: false, arguments: {reasoning_effort: low}}"
        further = ("stages.0.min_p=0.1", "stages.0.repetition_penalty=1.2")
        with serving() as server:
            evaluation(
                server, chat, "stages.0.top_p=0.8", "stages.0.top_k=20", "stages.0.max_new_tokens=64", *further
            ).run()
        requests = asked(server)
        assert len(requests) == len(ROWS) * 3
        assert {request["messages"][1]["content"] for request in requests} == {row["prompt"] for row in ROWS}
        settings = {name: value for name, value in requests[0].items() if name not in ("messages", "model")}
        assert settings == {
            "temperature": 0.7,
            "top_p": 0.8,
            "top_k": 20,
            "max_tokens": 64,
            "min_p": 0.1,
            "repetition_penalty": 1.2,
            "chat_template_kwargs": {"enable_thinking": False, "reasoning_effort": "low"},
        }
        assert requests[0]["messages"][0] == {"role": "system", "content": "Be brief."}

    def test_what_the_recipe_leaves_out_is_the_judges_own(self):
        stage = EvalStage(use="eval")
        assert sampling_params(stage, bounded=True) == {}
        assert sampling_params(stage, bounded=False) == {"max_tokens": 1024}

    def test_greedy_answers_and_texts_to_stop_at_are_asked_for(self):
        stage = EvalStage(use="eval", temperature=0, stop=["###"])
        assert sampling_params(stage, bounded=True) == {"temperature": 0, "stop": ["###"]}

    def test_some_prompts_are_spread_over_the_languages(self, serving, evaluation):
        with serving() as server:
            directory = (
                evaluation(server, "stages.0.prompts=4", "stages.0.samples=1", "stages.0.by=[language]").run().directory
            )
        assert [row["language"] for row in found(directory)[1]] == ["en", "de", "en", "de"]
        assert len(asked(server)) == 4

    def test_the_servers_name_for_the_limit_is_used_once(self, serving, evaluation):
        judge = "with: {model: m, base_url: URL, max_tokens: 9, max_tokens_name: max_completion_tokens}"
        with serving() as server:
            overrides = [f"judges.served.{judge.replace('URL', json.dumps(server.url)).replace(': ', '=', 1)}"]
            evaluation(server, *overrides, "stages.0.max_new_tokens=64").run()
        limits = {name: value for name, value in asked(server)[0].items() if name.startswith("max_")}
        assert limits == {"max_completion_tokens": 64}

    def test_earlier_turns_of_a_row_are_its_few_shot_examples(self):
        turns = ({"role": "user", "content": "1?"}, {"role": "assistant", "content": "1"})
        sample = Sample(id="a", prompt=(*turns, {"role": "user", "content": "2?"}))
        messages = messages_of(sample, "Answer.")
        assert messages == ({"role": "system", "content": "Answer."}, *sample.prompt)
        own = Sample(id="a", prompt=({"role": "system", "content": "Own."}, *sample.prompt))
        assert messages_of(own, "Answer.") == own.prompt


class TestCompletions:
    def test_one_that_the_server_cut_is_truncated(self):
        assert completion_of(Reply(text="x", finish_reason="length", completion_tokens=7)) == Completion(
            text="x", token_count=7, truncated=True
        )

    @each_case(
        "reply, text",
        [
            (Reply(text="4", reasoning="2 + 2"), "<think>\n2 + 2\n</think>\n\n4"),
            (Reply(text="", reasoning="2 +", finish_reason="length"), "<think>\n2 +"),
            (Reply(text="2 + 2\n</think>\n\n4"), "<think>\n2 + 2\n</think>\n\n4"),
            (Reply(text="<think>2 + 2</think>4"), "<think>2 + 2</think>4"),
            (Reply(text="4"), "4"),
        ],
    )
    def test_reasoning_reads_as_where_the_server_sends_it_in_the_text(self, reply, text):
        assert completion_of(reply).text == text


class TestResults:
    def test_are_scored_and_written_as_of_any_engine(self, serving, evaluation, judge_server):
        async def late(http):
            from aiohttp import web

            await asyncio.sleep(0.2)
            body = judge_server.completion("0+0?", {"messages": []})
            return web.Response(text=body if isinstance(body, str) else body.decode(), content_type="application/json")

        def fault(_, request):
            return late if request["messages"][-1]["content"] == "0 + 0?" else None

        lines = []
        with serving(fault=fault) as server:
            directory = evaluation(server, say=lines.append).run().directory
        results, rows, missing = found(directory)
        assert [(s["name"], s["completions"], s["means"]["total"]) for s in results["slices"]] == [
            ("all", 18, 1.0),
            ("language de", 9, 1.0),
            ("language en", 9, 1.0),
        ]
        assert [row["id"] for row in rows] == [row["id"] for row in ROWS], (
            "also where the first one's answer comes last"
        )
        assert all(len(row["completions"]) == 3 and "eval_missing" not in row for row in rows)
        assert missing == []
        ledger = [json.loads(line) for line in (directory / "ledger.jsonl").read_text().splitlines()]
        assert {(line["phase"], line["trained"]) for line in ledger} == {("eval", "no")}
        assert any("judge served: 18 calls" in line for line in lines)

    def test_a_servers_error_is_missing_and_no_low_score(self, serving, evaluation):
        async def refused(http):
            from aiohttp import web

            return web.json_response({"error": {"message": "too long a prompt"}}, status=400)

        def fault(_, request):
            return refused if request["messages"][-1]["content"] == "1 + 1?" else None

        lines = []
        with serving(fault=fault) as server:
            directory = evaluation(server, say=lines.append).run().directory
        results, rows, missing = found(directory)
        everything, german, english = results["slices"]
        assert (everything["missing"], everything["completions"], everything["means"]["total"]) == (3, 15, 1.0)
        assert (german["prompts"], german["missing"], english["missing"]) == (3, 3, 0)
        assert "1" not in {row["id"] for row in rows}
        assert [(one["id"], one["draw"]) for one in missing] == [("1", 0), ("1", 1), ("1", 2)]
        assert all("too long a prompt" in one["error"] for one in missing)
        assert "3 of 18 completions are missing: the server gave none" in str(rewardlab.tables([str(directory)]))
        (table,) = [line for line in lines if line.startswith("held-out")]
        assert "3 of 18 completions are missing: the server gave none, and no mean counts them" in table
        assert table.splitlines()[1].split() == ["prompts", "missing", "total", "brevity"]

    def test_a_row_tells_how_many_of_its_completions_are_missing(self, serving, evaluation):
        with serving(fault=lambda number, _: "500" if number == 5 else None) as server:
            directory = evaluation(server).run().directory
        results, rows, missing = found(directory)
        (partial,) = [row for row in rows if "eval_missing" in row]
        assert (partial["eval_missing"], len(partial["completions"])) == (1, 2)
        assert [one["id"] for one in missing] == [partial["id"]]
        everything = results["slices"][0]
        assert (everything["prompts"], everything["completions"], everything["missing"]) == (6, 17, 1)

    def test_an_empty_answer_is_scored_and_counted(self, serving, evaluation):
        def answer(request):
            return "" if "3" in request["messages"][-1]["content"] else answered(request)

        lines = []
        with serving(answer=answer) as server:
            directory = evaluation(server, say=lines.append).run().directory
        everything = found(directory)[0]["slices"][0]
        assert (everything["empty"], everything["missing"], everything["completions"]) == (3, 0, 18)
        assert any("3 of 18 completions are empty; they are scored as they are" in line for line in lines)

    def test_an_answer_that_a_content_filter_withholds_is_missing(self, serving, evaluation):
        withheld = {"role": "assistant", "content": "", "finish_reason": "content_filter"}

        def answer(request):
            return withheld if "3" in request["messages"][-1]["content"] else answered(request)

        with serving(answer=answer) as server:
            directory = evaluation(server).run().directory
        results, _, missing = found(directory)
        everything = results["slices"][0]
        assert (everything["empty"], everything["missing"], everything["completions"]) == (0, 3, 15)
        assert all("content filter" in one["error"] for one in missing)

    def test_a_cut_answer_is_counted(self, serving, evaluation):
        lines = []
        cut = {"role": "assistant", "content": "and", "finish_reason": "length"}
        with serving(answer=lambda _: cut) as server:
            directory = evaluation(server, say=lines.append).run().directory
        everything = found(directory)[0]["slices"][0]
        assert (everything["truncated"], everything["means"]["total"]) == (18, 1.0), "it is scored as it is"
        assert any("18 of 18 completions were cut at the length limit" in line for line in lines)


class TestItGoesOn:
    def test_where_it_was_stopped(self, serving, evaluation):
        with serving(latency=0.05) as server:
            job = evaluation(server, "stages.0.samples=4", judge="concurrency: 2")
            job.start()
            until = time.monotonic() + 30
            while server.answered < 4:
                assert time.monotonic() < until
                time.sleep(0.01)
            job.stop()
            assert job.wait(60).stopped
            server.latency = 0.0
            results, rows, _ = found(load_evaluation(None, resume=job.directory).run().directory)
        assert (results["slices"][0]["completions"], len(rows)) == (24, 6)
        assert server.answered == 24 + 2

    def test_the_latest_goes_on_with_its_overrides_and_its_policy(self, serving, evaluation):
        with serving() as server:
            asked = {"model": "m", "base_url": server.url}
            second = f"judges.second={json.dumps({'use': 'openai/chat', 'with': asked, 'price': None})}"
            evaluation(server)  # which writes the recipe
            overrides = (second, "stages.0.samples=2")
            directory = load_evaluation("r.yaml", overrides, policy="second").run().directory
            load_evaluation("r.yaml", overrides).run()
            (directory / "state.json").write_text(json.dumps({"attempt": 0, "done": []}))  # killed before it said so
            job = load_evaluation("r.yaml", resume="latest")
            assert job.run().directory == directory
        assert json.loads((directory / "state.json").read_text())["done"] == [0]
        assert job.plan.recipe.stages[0].policy.judge == "second"
        assert job.plan.recipe.stages[0].samples == 2

    def test_another_run_takes_its_answers_from_a_cassette(self, serving, evaluation):
        with serving() as server:
            evaluation(server, judge="cassette: {path: kept.jsonl}").run()
            before = server.answered
            evaluation(server, judge="cassette: {path: kept.jsonl}").run()
            assert server.answered == before
            with pytest.raises(JobError, match="has no answer to this question"):
                evaluation(server, "stages.0.samples=4", judge="cassette: {path: kept.jsonl, mode: strict}").run()


class TestTooMuchIsMissing:
    def test_what_is_missing_first_is_no_more_than_its_share_of_all(self, serving, evaluation):
        """Half of 18 may be missing: the first 3 of 3 are no reason to end."""

        def fault(_, request):
            return "500" if request["messages"][-1]["content"] == "0 + 0?" else None

        with serving(fault=fault) as server:
            directory = evaluation(server, judge="concurrency: 1").run().directory
        assert found(directory)[0]["slices"][0]["missing"] == 3

    @pytest.mark.parametrize(("samples", "told"), [(20, "of the last"), (2, "for any of 12")])
    def test_a_reward_that_fails_ends_it(self, serving, evaluation, samples, told):
        faulty = 'use: toy/faulty, with: {when: "", how: fail}, on_missing: 0, max_missing: 0.1'
        with serving() as server, pytest.raises(JobError, match=rf"component 'brevity'.*({told})"):
            evaluation(server, f"reward.components={{brevity: {{{faulty}}}}}", f"stages.0.samples={samples}").run()

    def test_it_ends_and_a_resume_asks_only_for_what_is_missing(self, serving, evaluation):
        broken = [True]

        async def refused(http):
            from aiohttp import web

            return web.json_response({"error": {"message": "no such thing"}}, status=400)

        def fault(_, request):
            return refused if broken[0] and request["messages"][-1]["content"] == "4 + 4?" else None

        with serving(fault=fault) as server:
            job = evaluation(server, judge="concurrency: 1", policy="max_missing: 0.1")
            with pytest.raises(JobError, match=r"served gave no answer to \d of \d+ questions.*max_missing is 10\.0%"):
                job.run()
            assert job.continuation()[0].startswith("what was done is in ")
            assert "rewardlab eval " in job.continuation()[0]
            broken[0] = False
            answers = server.answered
            again = load_evaluation(None, resume=job.directory)
            results, rows, missing = found(again.run().directory)
            assert len(rows) == 6
            assert missing == []
            assert results["slices"][0]["completions"] == 18
            # the two last prompts, the call that tries the server, and a question that the end cut off
            assert server.answered - answers <= 6 + 1 + 1, "kept answers are not asked for again"

    def test_a_server_that_answers_nothing_ends_it_whatever_may_be_missing(self, serving, evaluation):
        async def refused(http):
            from aiohttp import web

            return web.json_response({"error": {"message": "no such thing"}}, status=400)

        def fault(_, request):  # the call that tries the server is answered
            return None if "ready" in request["messages"][-1]["content"] else refused

        with serving(fault=fault) as server:
            with pytest.raises(JobError, match="no such thing"):
                evaluation(server, policy="max_missing: 0.9").run()
            with pytest.raises(JobError, match="gave no answer at all"):
                evaluation(server, policy="max_missing: 1").run()

    def test_a_budget_that_is_used_up_ends_it(self, serving, evaluation):
        with serving() as server:
            overrides = ["judges.served.with.max_tokens=64", "judges.served.budget={tokens: 150}"]
            job = evaluation(server, *overrides, policy="max_missing: 1")
            with pytest.raises(JobError, match="its budget of 150 tokens is used up"):
                job.run()


class TestTheRecipe:
    @pytest.mark.parametrize(
        ("overrides", "what"),
        [
            (["stages.0.policy={judge: sreved}"], "stages.0.policy.judge: no judge 'sreved'; did you mean 'served'?"),
            (["stages.0.policy={judge: served, model: x}"], "name either a judge (a served model) or a model"),
            (["stages.0.policy={}"], "name either a judge (a served model) or a model"),
            (["stages.0.policy={model: x, max_missing: 0}"], "max_missing is for a served model"),
            (["stages.0.chat={template: x}"], "a server applies the template that it was started with"),
            (["stages.0.benchmark=../x"], "stages.0.benchmark: '../x' cannot be part of a file's name"),
            (["judges.served={use: toy/parts}"], "no judge 'parts'"),
        ],
    )
    def test_what_is_wrong_is_said_with_its_place(self, serving, evaluation, overrides, what):
        with serving() as server, pytest.raises(UserError) as error:
            evaluation(server, *overrides)
        assert what in str(error.value)

    @pytest.mark.parametrize("backend", ["toy", "trl", "openrlhf", "not_installed"])
    def test_needs_no_model_and_no_engine(self, serving, evaluation, backend):
        with serving() as server:
            job = evaluation(server, backend=backend)
            assert job.plan.recipe.model is None
            assert "asks served (openai/chat) up to 18 questions" in job.describe()
            assert not job.run().stopped
        assert found(job.directory)[0]["slices"][0]["completions"] == 18

    def test_with_an_engine_that_is_not_installed_nothing_trains(self, serving, evaluation):
        with serving() as server, pytest.raises(UserError, match=r"backend\.use"):
            evaluation(server, "stages.0.policy=null", "model=x/y", backend="not_installed")

    def test_openrlhf_says_how_to_evaluate_without_a_server(self, serving, evaluation):
        with serving() as server, pytest.raises(UserError, match=r"serve the model \(vllm serve FOLDER\), declare it"):
            evaluation(server, "stages.0.policy=null", "model=x/y", backend="openrlhf")

    def test_the_stages_that_train_are_left_out(self, serving, evaluation):
        train = "{use: rl, algorithm: grpo, group_size: 4, batch_size: 2, steps: 2}"
        served = "{use: eval, policy: {judge: served}, samples: 2}"
        overrides = [f"stages=[{train}, {served}]", "dataset={use: toy/counting, with: {rows: 8}, holdout: 0.5}"]
        with serving() as server:
            alone = evaluation(server, *overrides, "model={use: tiny}").run().directory
            assert not list(alone.glob("models/*"))
            results = found(alone, "1-eval-results")[0]
            assert results["slices"][0]["completions"] == 2 * results["slices"][0]["prompts"]
            whole = RunJob.load(alone).run().directory
        assert [path.name for path in whole.glob("models/*")] == ["0-rl"]
        assert found(whole, "1-eval-results")[0]["slices"] == results["slices"]


def test_without_a_plugin_that_evaluates_it_the_installation_is_told(evaluation, serving, monkeypatch):
    for name in installed().names():
        monkeypatch.setitem(installed().plugin(name).actions, SERVED, [])
    with serving() as server, pytest.raises(UserError) as told:
        evaluation(server)
    assert str(told.value).endswith(
        f"stages.0.policy.judge: nothing here samples from a judge; {pip_install('openai')} brings it"
    )
