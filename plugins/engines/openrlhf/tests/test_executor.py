"""The executor against a real Ray: small actors stand for coordinator and scorer, and an object for the engine.

OpenRLHF's own `generate_responses` makes the calls. A completion is a number, and the number is its reward.
"""

import asyncio
import gc
import json
import math
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from types import MethodType, SimpleNamespace

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of the OpenRLHF backend")

import ray
from rewardlab.errors import JobError
from rewardlab_openrlhf.rollout.executor import GroupExecutor
from rewardlab_ray.messages import GroupRewards, RolloutPrompt

pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]
ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the actors' processes cannot import a test
JOB = "made"
TIMES = {"completion_timeout": 60.0, "scoring_timeout": 60.0}
SETTINGS = {
    "scorers": 1,
    "on_partial": "fail",
    "policy_judge": True,
    "sampling": {},
    "evaluation_sampling": {},
    **TIMES,
}


class Coordinator:
    """Gives the prompt that the label spells out."""

    def __init__(self):
        self.labels, self.failures, self.engines, self.before = [], [], [], []

    async def evaluate_before(self, *labels):
        self.before = list(labels)

    async def claim_evaluation(self, claim):
        return await self.rollout_prompt(self.before.pop()) if self.before else None

    async def rollout_prompt(self, label):
        self.labels.append(label)
        if "refused" in label:
            raise JobError("the coordinator has no more prompts")
        told = {"prompt": "1+1=", "opened": "", "ticket": None, **json.loads(label)}
        evaluation = told["ticket"] is None
        row = told["evaluation"] if evaluation else told["ticket"]
        place = {"row": row, "position": None if evaluation else row, "step": None if evaluation else row + 1}
        return RolloutPrompt(text=told["prompt"], opened=told["opened"], evaluation=evaluation, **place)

    async def engine_here(self, handle):
        self.engines.append(handle)

    async def fail(self, message):
        self.failures.append(message)

    async def seen(self):
        return {"labels": self.labels, "failures": self.failures, "engines": self.engines}


class Scorer:
    """A completion's reward is the number that it says, `correct` whether that is even; `behave` adds faults."""

    def __init__(self):
        self.groups, self.places, self.calls, self.more_wanted, self.behaviour = {}, {}, [], [], {}
        self.lost = {}

    async def behave(self, **behaviour):
        self.__init__()
        self.behaviour = behaviour
        self.more_wanted = list(behaviour.get("wanted", ()))

    async def put(self, place, index, completion):
        self.calls.append(("put", place.key, index))
        if "put_error" in self.behaviour:
            raise JobError(self.behaviour["put_error"])
        self.places[place.key] = place
        self.groups.setdefault(place.key, {}).setdefault(index, completion)

    async def member(self, place, index, completion, why):
        assert completion is None, "this engine waits for whole groups"
        self.calls.append(("lost", place.key, why))
        self.places[place.key] = place
        self.lost.setdefault(place.key, set()).add(index)

    async def more(self, key, count):
        if len(self.groups.get(key, ())) < count:
            return None
        await self._complete(key)
        self.calls.append(("more", key, len(self.groups[key])))
        return self.more_wanted.pop(0) if self.more_wanted else 0

    async def finish(self, key, count):
        if len(self.groups.get(key, ())) < count:
            return None
        self.calls.append(("finish", key, None))
        await self._complete(key)
        behaviour, size = self.behaviour, self._size(key)
        if behaviour.get("hang"):
            await asyncio.sleep(3600)
        if "error" in behaviour:
            raise behaviour["error"]
        if "busy" in behaviour:  # holds this actor, not the engine
            behaviour["busy"].with_suffix(".began").touch()
            while not behaviour["busy"].exists():
                time.sleep(0.01)
        says = dict(enumerate(_number(completion.text) for _, completion in sorted(self.groups.pop(key).items())))
        kept = sorted(says, key=lambda index: -says[index])[:size] if behaviour.get("best") else range(size)
        shaped = [says[index] for index in kept]
        if "nan" in behaviour:
            shaped[-1] = float(behaviour["nan"])
        name = behaviour.get("log", "number")
        return GroupRewards(
            kept=tuple(kept),
            values=tuple(shaped),
            lost=sum(shaped) / len(shaped),
            correctness=None if behaviour.get("no_correctness") else tuple(float(n % 2 == 0) for n in shaped),
            logs=tuple({name: n, "unknown": math.nan, "group/scored": 1.0} for n in shaped),
        )

    async def seen(self):
        return {
            "calls": self.calls,
            "places": self.places,
            "groups": self.groups,
            "lost": self.lost,
            "pid": os.getpid(),
        }

    async def _complete(self, key):
        while len(self.groups[key]) < self._size(key):
            await asyncio.sleep(0.01)

    def _size(self, key):
        return self.places[key].size - len(self.lost.get(key, ()))


def _number(text):
    return float("".join(filter(str.isdigit, text)) or 0)


@dataclass
class Params:
    """Sampling parameters as OpenRLHF passes them."""

    max_tokens: int | None = 8
    logprobs: int | None = None
    temperature: float = 1.0
    top_p: float = 1.0
    top_k: int = -1
    min_p: float = 0.0
    repetition_penalty: float = 1.0
    stop: list[str] = field(default_factory=list)
    include_stop_str_in_output: bool = False


@dataclass
class Engine:
    """Completion number k says `says(k)`, after `before(k)`; ends by itself unless `reason` says otherwise."""

    tokenizer: object
    says: object = str
    before: object = None
    reason: str = "stop"
    asked: list = field(default_factory=list)
    params: list = field(default_factory=list)
    cancelled: int = 0

    async def generate(self, ids, params, multi_modal_data=None):
        number = len(self.asked)
        self.asked.append(self.tokenizer.decode(ids))
        self.params.append(params)
        assert isinstance(ids, list)
        try:
            if self.before is not None:
                await self.before(number)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        tokens = [*self.tokenizer(self.says(number))["input_ids"], self.tokenizer.eos_token_id]
        log_probs = [{token: SimpleNamespace(logprob=-token / 100)} for token in tokens]
        output = SimpleNamespace(text="", token_ids=tokens, finish_reason=self.reason, logprobs=log_probs)
        return SimpleNamespace(outputs=[output])


def executor(**settings):
    """A stub as the run directory has it."""
    return type("AgentExecutor", (GroupExecutor,), {"job": JOB, "settings": {**SETTINGS, **settings}})()


@pytest.fixture(scope="module")
def tokenizer():
    """One character, one token; its chat template opens `<think>` unless told not to."""
    return make_tokenizer()


def make_tokenizer():
    import string

    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = string.digits + string.ascii_letters + " .,:;?!+-=*/()<>|\n"
    words = {token: number for number, token in enumerate(["<pad>", "<eos>", "<unk>", *letters])}
    model = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    model.pre_tokenizer = pre_tokenizers.Split("", "isolated")
    model.decoder = decoders.Fuse()
    special = {"pad_token": "<pad>", "eos_token": "<eos>", "unk_token": "<unk>"}
    made = PreTrainedTokenizerFast(tokenizer_object=model, **special)
    made.chat_template = (
        "{% for m in messages %}{{ m.role }}: {{ m.content or raise_exception('says nothing') }}\n{% endfor %}"
        "{% if enable_thinking is not defined or enable_thinking %}<think>\n{% endif %}"
    )
    return made


@pytest.fixture(scope="module")
def vllm(tmp_path_factory):
    """The names of vLLM that are imported, in a folder; the engine itself is not part of these tests."""
    folder = tmp_path_factory.mktemp("site")
    (folder / "vllm").mkdir()
    fields = "temperature: float\n    top_p: float\n    max_tokens: int\n    skip_special_tokens: bool"
    params = f"class SamplingParams:\n    {fields}\n    logprobs: int | None = None\n"
    (folder / "vllm" / "__init__.py").write_text(
        f"from dataclasses import dataclass\n\n@dataclass(kw_only=True)\n{params}"
    )
    (folder / "vllm" / "inputs.py").write_text("TokensPrompt = dict\n")
    (folder / "vllm" / "utils.py").write_text("random_uuid = None\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        yield folder


@pytest.fixture(scope="module")
def responses(vllm):
    """OpenRLHF's own `generate_responses`, for an object with `executor` and `generate`."""
    from openrlhf.trainer.ray.vllm_engine import RolloutRayActor

    return RolloutRayActor.__ray_metadata__.modified_class.generate_responses


@pytest.fixture(scope="module")
def actors():
    """A local Ray with coordinator and scorer as the job names them."""
    folder = tempfile.mkdtemp(prefix="r_")  # a socket's path is short
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        small = {"num_cpus": 2, "object_store_memory": 100_000_000, "include_dashboard": False}
        ray.init(address="local", _temp_dir=folder, log_to_driver=False, logging_level="ERROR", **small)
        coordinator, scorer = _start(Coordinator, f"{JOB}/coordinator"), _start(Scorer, f"{JOB}/scorer/0")
        yield SimpleNamespace(coordinator=coordinator, scorer=scorer)
        ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


def _start(kind, name):
    options = {"num_cpus": 0, "max_restarts": 9, "max_task_retries": 0, "max_concurrency": 1000}
    actor = ray.remote(kind).options(name=name, namespace="rewardlab", **options).remote()
    ray.get(actor.seen.remote())
    return actor


@pytest.fixture
def behave(actors):
    """Say how the scorer of this test behaves."""

    def choose(**behaviour):
        ray.get(actors.scorer.behave.remote(**behaviour))

    choose()
    return choose


@pytest.fixture
def scorer(actors, behave):
    """What the scorer has seen in this test: `scorer().calls`."""
    return lambda: SimpleNamespace(**ray.get(actors.scorer.seen.remote()))


@pytest.fixture
def failures(actors):
    """What the coordinator was told in this test."""
    before = len(ray.get(actors.coordinator.seen.remote())["failures"])
    return lambda: ray.get(actors.coordinator.seen.remote())["failures"][before:]


@pytest.fixture
def group(actors, behave, responses, tokenizer):
    """`group(executor, engine, label, n)` is what OpenRLHF gets for n samples of a prompt."""

    async def call(made, engine, label='{"ticket": 0}', n=4, params=None, max_length=64, **more):
        rollouts = SimpleNamespace(executor=made, generate=engine.generate)
        given = {"sampling_params": params or Params(), "max_length": max_length, "hf_tokenizer": tokenizer}
        return await responses(rollouts, prompt="a ticket", label=label, num_samples=n, **given, **more)

    return call


@pytest.fixture
def members(actors, behave, tokenizer):
    """As `group`, but with the exception of each member in its place."""

    async def call(made, engine, label='{"ticket": 0}', n=4, max_length=64):
        given = ("a ticket", label, Params(), max_length, tokenizer, engine)
        return await asyncio.gather(*[made.execute(*given) for _ in range(n)], return_exceptions=True)

    return call


@pytest.fixture(autouse=True)
def run(caplog):
    """Run a coroutine; nothing may be left behind: no task, no exception that nobody looked at."""

    def finished(work):
        async def main():
            asyncio.get_running_loop().set_exception_handler(lambda loop, context: noise.append(context))
            try:
                return await asyncio.wait_for(work, 50)
            finally:
                await asyncio.sleep(0.05)
                left = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
                gc.collect()
                await asyncio.sleep(0)
                assert not left
                assert not noise

        noise = []
        return asyncio.run(main())

    return finished


def texts(answers, tokenizer):
    """What the members say, from their tokens."""
    spans = [slice(*answer["action_ranges"][0]) for answer in answers]
    return [
        tokenizer.decode(answer["observation_tokens"][span], skip_special_tokens=True)
        for answer, span in zip(answers, spans, strict=True)
    ]


class TestGroup:
    @pytest.mark.parametrize("n", [1, 4])
    def test_of_any_size_is_scored_as_one(self, run, group, scorer, tokenizer, n):
        answers = run(group(executor(), Engine(tokenizer), n=n))
        assert [answer["reward"] for answer in answers] == list(range(n))
        [place] = scorer().places.values()
        assert (place.row, place.step, place.evaluation, place.size) == (0, 1, False, n)

    def test_is_what_openrlhf_returns_for_one_sample(self, run, group, tokenizer):
        from openrlhf.utils.agent import SingleTurnAgentExecutor

        params = Params(logprobs=1)

        async def both():
            ours = await group(executor(), Engine(tokenizer), n=1, params=params)
            given = ("1+1=", '{"ticket": 0}', params, 64, tokenizer, Engine(tokenizer))
            return ours[0], await SingleTurnAgentExecutor().execute(*given)

        ours, theirs = run(both())
        rewards = {"reward": 0.0, "scores": 1.0}
        logs = ours.pop("extra_logs")
        assert theirs.pop("extra_logs") == {}
        assert ours == theirs | rewards | {"prompt": "a ticket"} | {
            "observation_tokens": list(theirs["observation_tokens"])
        }
        assert logs["number"] == 0
        assert math.isnan(logs["unknown"])

    def test_reads_the_prompt_of_its_ticket_which_is_asked_for_once(self, run, group, actors, tokenizer):
        engine, label = Engine(tokenizer), '{"ticket": 77, "prompt": "7*7="}'
        run(group(executor(), engine, label))
        assert engine.asked == ["7*7="] * 4
        assert ray.get(actors.coordinator.seen.remote())["labels"].count(label) == 1

    def test_scorer_gets_what_the_template_opened_the_length_and_whether_it_was_cut(
        self, run, group, scorer, tokenizer, behave
    ):
        behave(error=JobError("keeps the group"))
        with pytest.raises(JobError):
            run(group(executor(), Engine(tokenizer, reason="length"), '{"ticket": 1, "opened": "<think>\\n"}', n=1))
        [[completion]] = [pool.values() for pool in scorer().groups.values()]
        assert (completion.text, completion.token_count, completion.truncated) == ("<think>\n0", 2, True)

    def test_answers_and_rewards_belong_together_whatever_arrives_first(self, run, group, tokenizer):
        async def later(number):
            await asyncio.sleep(0.02 * (5 - number))

        answers = run(group(executor(), Engine(tokenizer, before=later, says=lambda k: str(10 + k)), n=5))
        assert texts(answers, tokenizer) == ["10", "11", "12", "13", "14"]
        assert [answer["reward"] for answer in answers] == [10, 11, 12, 13, 14]
        assert [answer["scores"] for answer in answers] == [1, 0, 1, 0, 1]

    def test_is_sampled_with_what_only_the_recipe_says(self, run, group, tokenizer):
        engine, given = Engine(tokenizer), Params()
        drawn = {"top_p": 1.0, "top_k": 20, "min_p": 0.1, "repetition_penalty": 1.2, "stop": ["###", "User:"]}
        run(group(executor(sampling=drawn), engine, params=given))
        found = {(one.top_k, one.min_p, one.repetition_penalty, tuple(one.stop)) for one in engine.params}
        assert found == {(20, 0.1, 1.2, ("###", "User:"))}
        assert all(one.include_stop_str_in_output for one in engine.params)
        assert given == Params(), "other prompts share it"

    def test_a_greedy_evaluation_stays_greedy(self, run, group, tokenizer):
        engine = Engine(tokenizer)
        drawn = {"top_p": 0.5, "top_k": 20, "min_p": 0.1, "stop": ["###"]}
        greedy = Params(temperature=0.0)
        run(group(executor(evaluation_sampling=drawn), engine, '{"evaluation": 3}', params=greedy))
        assert {(one.top_p, one.top_k, one.min_p, *one.stop) for one in engine.params} == {(1.0, -1, 0.0, "###")}

    def test_an_evaluation_is_drawn_as_it_says_itself(self, run, group, tokenizer):
        engine = Engine(tokenizer)
        made = executor(sampling={"top_p": 0.5, "top_k": 20}, evaluation_sampling={"top_p": 0.9, "top_k": None})
        run(group(made, engine, '{"evaluation": 3}', params=Params(top_p=0.5)))
        assert {(one.top_p, one.top_k) for one in engine.params} == {(0.9, -1)}

    def test_the_first_one_waits_for_the_evaluation_of_the_weights_that_it_begins_with(
        self, run, group, actors, scorer, tokenizer
    ):
        ray.get(actors.coordinator.evaluate_before.remote('{"evaluation": 1}', '{"evaluation": 0}'))
        made = executor(evaluation_before={"samples": 3, "temperature": 0.25})
        engine, given = Engine(tokenizer), Params()
        run(group(made, engine, n=2, params=given))
        assert [one.temperature for one in engine.params] == [0.25] * 6 + [1.0] * 2
        assert given == Params(), "other prompts share it"
        kinds = [(place.evaluation, place.row, place.size) for place in scorer().places.values()]
        assert kinds == [(True, 0, 3), (True, 1, 3), (False, 0, 2)]
        run(group(made, engine, n=2, params=given))
        assert len(engine.params) == 10, "it is made once"

    def test_evaluation_with_another_n_comes_in_between(self, run, group, scorer, tokenizer):
        made, engine = executor(), Engine(tokenizer)

        async def mixed():
            training = [group(made, engine, f'{{"ticket": {row}}}', n=4) for row in range(3)]
            return await asyncio.gather(*training, group(made, engine, '{"evaluation": 3}', n=2))

        assert [len(answers) for answers in run(mixed())] == [4, 4, 4, 2]
        places = sorted((place.evaluation, place.row, place.size, place.step) for place in scorer().places.values())
        assert places == [(False, 0, 4, 1), (False, 1, 4, 2), (False, 2, 4, 3), (True, 3, 2, None)]

    def test_duplicates_of_a_prompt_in_flight_are_groups_of_their_own(self, run, group, scorer, tokenizer):
        made, engine = executor(), Engine(tokenizer)

        async def both():
            return await asyncio.gather(*[group(made, engine, '{"ticket": 5}', n=3) for _ in range(2)])

        first, second = run(both())
        assert sorted(answer["reward"] for answer in first + second) == [0, 1, 2, 3, 4, 5]
        assert [place.size for place in scorer().places.values()] == [3, 3]

    def test_labels_that_share_parameters_are_not_mixed(self, run, group, scorer, tokenizer):
        made, engine, params = executor(), Engine(tokenizer), Params()

        async def both():
            labels = ['{"ticket": 1}', '{"ticket": 2}']
            return await asyncio.gather(*[group(made, engine, label, n=2, params=params) for label in labels])

        run(both())
        assert [place.size for place in scorer().places.values()] == [2, 2]

    def test_parameters_that_come_again_are_a_new_group(self, run, group, scorer, tokenizer):
        made, engine, params = executor(), Engine(tokenizer), Params()

        async def twice():
            return [await group(made, engine, n=2, params=params) for _ in range(2)]

        assert [len(answers) for answers in run(twice())] == [2, 2]
        assert [place.size for place in scorer().places.values()] == [2, 2]

    def test_sends_each_completion_once(self, run, group, scorer, tokenizer):
        run(group(executor(), Engine(tokenizer), n=4))
        calls = scorer().calls
        assert sorted(index for call, _, index in calls if call == "put") == [0, 1, 2, 3]
        assert [call for call, *_ in calls if call != "put"] == ["more", "finish"]

    def test_goes_to_one_of_the_scorers_whole(self, run, group, actors, scorer, tokenizer):
        second = _start(Scorer, f"{JOB}/scorer/1")

        async def many():
            made, engine = executor(scorers=2), Engine(tokenizer)
            await asyncio.gather(*[group(made, engine, f'{{"ticket": {row}}}', n=2) for row in range(20)])

        run(many())
        first, other = set(scorer().places), set(ray.get(second.seen.remote())["places"])
        ray.kill(second)
        assert len(first | other) == 20
        assert not first & other
        assert min(len(first), len(other)) > 0

    def test_a_member_that_is_cancelled_takes_nothing_from_its_siblings(self, run, actors, behave, tokenizer):
        async def cancelled():
            made, params, engine = executor(), Params(), Engine(tokenizer, before=lambda _: asyncio.sleep(0.2))
            calls = [made.execute("", '{"ticket": 0}', params, 64, tokenizer, engine) for _ in range(3)]
            tasks = [asyncio.create_task(call) for call in calls]
            await asyncio.sleep(0.1)
            tasks[1].cancel()
            return await asyncio.gather(*tasks, return_exceptions=True)

        first, second, third = run(cancelled())
        assert (first["reward"], type(second), third["reward"]) == (0, asyncio.CancelledError, 2)

    def test_without_correctness_there_are_no_scores(self, run, group, tokenizer, behave):
        behave(no_correctness=True)
        assert [answer["scores"] for answer in run(group(executor(), Engine(tokenizer)))] == [None] * 4

    def test_completions_may_be_as_long_as_there_is_room_where_no_length_is_set(self, run, group, tokenizer):
        lengths = []

        class Watching(Engine):
            async def generate(self, ids, params, multi_modal_data=None):
                lengths.append(params.max_tokens)
                params.max_tokens = 0  # a copy of its own
                return await super().generate(ids, params)

        for params in (Params(max_tokens=None), Params(max_tokens=16)):
            run(group(executor(), Watching(tokenizer), n=2, params=params, max_length=20))
        assert lengths == [16] * 4

    def test_a_prompt_without_room_is_refused_not_cut(self, run, members, failures, tokenizer):
        errors = run(members(executor(), Engine(tokenizer), n=2, max_length=11))
        assert all("row 0 of the training prompts has 4 tokens" in str(error) for error in errors)
        assert [str(errors[0])] == failures()
        assert len(run(members(executor(), Engine(tokenizer), n=2, max_length=12))) == 2


def refused(errors, failures, *words):
    """Each member has the same JobError, and the coordinator knows its text."""
    assert {type(error) for error in errors} == {JobError}
    assert {str(error) for error in errors} == set(failures())
    assert len(failures()) == 1
    for word in words:
        assert word in failures()[0]


async def hang_on_2(number):
    """The third completion never comes."""
    if number == 2:
        await asyncio.sleep(3600)


async def fail_on_2(number):
    """The third completion raises."""
    if number == 2:
        raise OSError("no memory")


class TestFailure:
    def test_of_the_scorer_reaches_every_member_and_the_coordinator(self, run, members, failures, tokenizer, behave):
        behave(error=JobError("component 'win' failed: no judge"))
        refused(run(members(executor(), Engine(tokenizer))), failures, "component 'win' failed: no judge")

    def test_of_foreign_code_says_where(self, run, members, failures, tokenizer, behave):
        behave(error=KeyError("gone"))
        refused(run(members(executor(), Engine(tokenizer))), failures, f"{JOB}/scorer/0: KeyError: 'gone'")

    def test_of_a_put_is_not_lost(self, run, members, failures, tokenizer, behave):
        behave(put_error="a stream is closed")
        refused(run(members(executor(), Engine(tokenizer, before=hang_on_2))), failures, "a stream is closed")

    def test_of_the_coordinator_reaches_every_member(self, run, members, failures, tokenizer):
        refused(
            run(members(executor(), Engine(tokenizer), '"refused"')), failures, "the coordinator has no more prompts"
        )

    def test_an_actor_that_is_not_there_is_named(self, run, members, failures, tokenizer):
        made = executor()
        made._scorers[0].name = "made/scorer/7"
        refused(run(members(made, Engine(tokenizer))), failures, "no actor 'made/scorer/7'")

    def test_of_one_generation_cancels_its_siblings(self, run, members, failures, tokenizer):
        async def before(number):
            await (asyncio.sleep(3600) if number < 2 else fail_on_2(number))

        engine = Engine(tokenizer, before=before)
        errors = run(members(executor(), engine, n=3))
        refused(errors, failures, "row 0 of the training prompts, completion 2", "OSError: no memory")
        assert engine.cancelled == 2

    def test_a_sibling_that_hangs(self, run, members, failures, tokenizer):
        errors = run(members(executor(completion_timeout=0.3), Engine(tokenizer, before=hang_on_2)))
        refused(errors, failures, "completion 2 took more than 0.3 s (completion_timeout)")

    def test_a_completion_that_the_engine_broke_off(self, run, members, failures, tokenizer):
        refused(run(members(executor(), Engine(tokenizer, reason="abort"))), failures, "broke off with 'abort'")

    def test_scoring_that_hangs(self, run, members, failures, tokenizer, behave):
        behave(hang=True)
        errors = run(members(executor(scoring_timeout=0.7), Engine(tokenizer)))
        refused(errors, failures, "row 0 of the training prompts", "within 0.7 s (scoring_timeout)")

    @pytest.mark.parametrize("number", ["nan", "inf"])
    def test_rewards_that_are_not_finite_are_refused(self, run, members, failures, tokenizer, behave, number):
        behave(nan=number)
        refused(run(members(executor(), Engine(tokenizer))), failures, "not finite", number)

    @pytest.mark.parametrize(
        ("otherwise", "now"),
        [
            ({"log": "more"}, "the logs group/scored, more, unknown now"),
            ({"no_correctness": True}, "no score"),
        ],
    )
    def test_other_logs_than_before_are_refused(self, run, group, members, failures, tokenizer, behave, otherwise, now):
        made = executor()
        run(group(made, Engine(tokenizer)))
        behave(**otherwise)
        refused(
            run(members(made, Engine(tokenizer))),
            failures,
            "the logs group/scored, number, unknown before",
            now,
        )

    def test_a_group_that_is_cancelled_leaves_nothing_behind(self, run, group, tokenizer):
        engine = Engine(tokenizer, before=hang_on_2)

        async def cancelled():
            task = asyncio.create_task(group(executor(), engine))
            while len(engine.asked) < 4:
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        run(cancelled())
        assert engine.cancelled == 1


class TestPartialGroup:
    """on_partial: score"""

    @pytest.mark.parametrize("before", [hang_on_2, fail_on_2])
    def test_the_others_are_scored_and_the_lost_one_gets_their_mean(self, run, group, scorer, tokenizer, before):
        made = executor(on_partial="score", completion_timeout=0.5)
        engine = Engine(tokenizer, before=before, says=lambda k: str(10 + 2 * k))
        answers = run(group(made, engine, params=Params(logprobs=1)))
        assert [answer["reward"] for answer in answers] == [10, 12, pytest.approx((10 + 12 + 16) / 3), 16]
        assert texts(answers, tokenizer) == ["10", "12", "", "16"]
        lost = answers[2]
        assert lost["observation_tokens"] == [*tokenizer("1+1=")["input_ids"], tokenizer.eos_token_id]
        assert (lost["action_ranges"], lost["rollout_log_probs"]) == ([(4, 5)], [0.0] * 5)
        assert lost["extra_logs"]["number"] == lost["reward"]
        assert math.isnan(lost["extra_logs"]["unknown"])
        assert lost["scores"] == 1

    def test_the_scorer_hears_which_is_lost_and_why_and_gets_the_others_once(self, run, group, scorer, tokenizer):
        run(group(executor(on_partial="score"), Engine(tokenizer, before=fail_on_2)))
        (place,) = scorer().places.values()
        assert place.size == 4
        assert scorer().lost == {place.key: {2}}
        (why,) = [why for call, _, why in scorer().calls if call == "lost"]
        assert "no memory" in why
        assert sorted(index for call, _, index in scorer().calls if call == "put") == [0, 1, 3]

    def test_a_group_sampler_gets_more_of_the_others(self, run, group, scorer, tokenizer, behave):
        behave(wanted=[1], best=True)
        answers = run(group(executor(on_partial="score"), Engine(tokenizer, before=fail_on_2)))
        assert [answer["reward"] for answer in answers] == [4, 3, pytest.approx(8 / 3), 1]
        assert texts(answers, tokenizer) == ["4", "3", "", "1"]
        assert sorted(index for call, _, index in scorer().calls if call == "put") == [0, 1, 3, 4]

    def test_a_group_that_is_lost_ends_the_job(self, run, members, failures, tokenizer):
        async def never(number):
            raise OSError("engine is dead")

        errors = run(members(executor(on_partial="score"), Engine(tokenizer, before=never)))
        refused(errors, failures, "completion 0", "engine is dead")


class TestGroupSampler:
    def test_generates_more_until_it_has_enough_and_gives_each_member_what_was_kept(
        self, run, group, scorer, tokenizer, behave
    ):
        behave(wanted=[2, 1], best=True)
        answers = run(group(executor(), Engine(tokenizer), n=2, params=Params(logprobs=1)))
        assert [answer["reward"] for answer in answers] == [4, 3]
        assert texts(answers, tokenizer) == ["4", "3"]
        assert [answer["rollout_log_probs"][4] for answer in answers] == [-0.07, -0.06]
        assert [size for call, _, size in scorer().calls if call == "more"] == [2, 4, 5]

    def test_further_completions_that_are_all_lost_end_the_job(self, run, members, failures, tokenizer, behave):
        behave(wanted=[1])
        errors = run(members(executor(on_partial="score"), Engine(tokenizer, before=fail_on_2), n=2))
        refused(errors, failures, "a further completion", "no memory")


async def until(condition):
    """Wait for the condition, at most as long as the test may take."""
    while not condition():
        await asyncio.sleep(0.05)


class TestDeath:
    def test_of_a_scorer_that_is_scoring_is_survived(self, run, group, actors, scorer, tokenizer, behave):
        behave(hang=True)
        before = scorer().pid

        async def killed():
            task = asyncio.create_task(group(executor(), Engine(tokenizer)))
            while not any(call == "finish" for call, *_ in (await actors.scorer.seen.remote())["calls"]):
                await asyncio.sleep(0.05)
            ray.kill(actors.scorer, no_restart=False)
            return await task

        assert [answer["reward"] for answer in run(killed())] == [0, 1, 2, 3]
        assert scorer().pid != before

    @pytest.mark.parametrize("lost", [False, True])
    def test_that_nobody_saw_is_survived(self, run, group, actors, scorer, tokenizer, lost):
        """It dies while the group is half there, or knows what is lost, and is back before anybody calls it."""
        gate, before = asyncio.Event(), scorer().pid

        async def half(number):
            if number >= 2:
                await gate.wait()
            if lost and number == 0:
                raise OSError("no memory")

        async def killed():
            made = executor(on_partial="score")
            task = asyncio.create_task(group(made, Engine(tokenizer, before=half)))
            while len((await actors.scorer.seen.remote())["calls"]) < 2:
                await asyncio.sleep(0.05)
            ray.kill(actors.scorer, no_restart=False)
            await asyncio.to_thread(_back, actors.scorer, before)
            gate.set()
            return await task

        assert [answer["reward"] for answer in run(killed())] == [2 if lost else 0, 1, 2, 3]

    def test_for_good_ends_the_job(self, run, members, failures, tokenizer):
        mortal = _start(Scorer, f"{JOB}/scorer/mortal")
        made = executor()
        made._scorers[0].name = f"{JOB}/scorer/mortal"

        async def killed():
            await made._scorers[0].call("seen")
            ray.kill(mortal)
            return await members(made, Engine(tokenizer))

        refused(run(killed()), failures, f"{JOB}/scorer/mortal is dead")

    def test_of_the_coordinator_is_survived(self, run, group, actors, tokenizer):
        async def killed():
            ray.kill(actors.coordinator, no_restart=False)
            return await group(executor(), Engine(tokenizer))

        assert [answer["reward"] for answer in run(killed())] == [0, 1, 2, 3]

    def test_of_the_coordinator_does_not_hide_why_the_job_ends(self, run, members, actors, tokenizer):
        async def killed(number):
            ray.kill(actors.coordinator, no_restart=False)
            await asyncio.to_thread(_gone, actors.coordinator)
            raise OSError("no memory")

        run(members(executor(), Engine(tokenizer, before=killed), n=1))
        [told] = ray.get(actors.coordinator.seen.remote())["failures"]
        assert "no memory" in told


def _back(actor, before):
    while True:
        try:
            if ray.get(actor.seen.remote())["pid"] != before:
                return
        except ray.exceptions.RayActorError:
            time.sleep(0.1)


def _gone(actor):
    """Wait until calls to an actor that is killed do not reach it any more."""
    while True:
        try:
            ray.get(actor.seen.remote())
        except ray.exceptions.RayActorError:
            return


async def share_of_the_loop(work, meanwhile):
    """The largest share of this thread's and the text thread's processor time that one turn of the loop took."""
    computed, began = [], time.process_time()
    task = asyncio.gather(work, meanwhile)
    while not task.done():
        spent = time.thread_time()
        await asyncio.sleep(0.001)
        computed.append(time.thread_time() - spent)
    await task
    return max(computed) / (time.process_time() - began)


class TestEventLoop:
    def test_goes_on_while_the_scorer_is_busy_and_long_completions_are_read(
        self, run, group, tokenizer, behave, tmp_path
    ):
        """The scorer is busy until the loop says so; most of the computing is another thread's."""
        ends = tmp_path / "ends"
        behave(busy=ends)

        async def end_it():
            while not ends.with_suffix(".began").exists():
                await asyncio.sleep(0.001)
            ends.touch()

        params, made = Params(max_tokens=10_000, logprobs=1), executor()
        work = group(made, Ready(tokenizer), n=40, params=params, max_length=20_000)
        assert run(share_of_the_loop(work, end_it())) < 0.25


class Ready(Engine):
    """10,000 tokens each, made beforehand, so that making them holds nobody."""

    def __init__(self, tokenizer):
        super().__init__(tokenizer)
        tokens = [*tokenizer("so " * 3333)["input_ids"], tokenizer.eos_token_id]
        log_probs = [{token: SimpleNamespace(logprob=-0.5)} for token in tokens]
        output = SimpleNamespace(text="", token_ids=tokens, finish_reason="stop", logprobs=log_probs)
        self._request = SimpleNamespace(outputs=[output])

    async def generate(self, ids, params, multi_modal_data=None):
        await asyncio.sleep(0)
        return self._request


class Rollouts:
    """A rollout engine's actor: OpenRLHF's `generate_responses`, and completions that tell how they were asked."""

    async def __init__(self):
        from openrlhf.trainer.ray.vllm_engine import RolloutRayActor

        responses = RolloutRayActor.__ray_metadata__.modified_class.generate_responses
        self.generate_responses_here = MethodType(responses, self)
        self.tokenizer = make_tokenizer()
        self.executor = executor()

    async def generate(self, ids, params, multi_modal_data=None):
        said = f"{params.temperature} {params.top_p} {params.max_tokens}" if hasattr(params, "top_p") else "7"
        self.asked = self.tokenizer.decode(ids)
        tokens = [*self.tokenizer(said)["input_ids"], self.tokenizer.eos_token_id]
        return SimpleNamespace(outputs=[SimpleNamespace(token_ids=tokens, finish_reason="stop", logprobs=None)])

    async def generate_responses(self, **call):
        return await self.generate_responses_here(**call)

    async def last_asked(self):
        return self.asked


class TestQuestions:
    """policy/self"""

    @pytest.fixture(scope="class")
    def engine(self, actors, vllm, tokenizer):
        """The handle that the engine has given to the coordinator."""
        environment = {"env_vars": {"PYTHONPATH": os.pathsep.join([str(vllm), os.environ.get("PYTHONPATH", "")])}}
        rollouts = ray.remote(Rollouts).options(num_cpus=0, runtime_env=environment).remote()
        early = rollouts.generate_responses.remote(**self.asking({}))
        with pytest.raises(JobError, match="it has no tokenizer yet"):
            ray.get(early)
        given = {"sampling_params": Params(), "max_length": 64, "hf_tokenizer": tokenizer}
        ray.get(rollouts.generate_responses.remote(prompt="", label='{"ticket": 9}', num_samples=2, **given))
        handle = ray.get(actors.coordinator.seen.remote())["engines"][-1]
        assert handle == rollouts
        yield handle
        ray.kill(rollouts)

    @staticmethod
    def asking(ask):
        messages = [{"role": "user", "content": "Which is better?"}]
        ask = {"messages": messages, "temperature": 0.0, "top_p": 0.5, "max_tokens": 9, "thinking": None, **ask}
        nothing = {"sampling_params": None, "max_length": 0, "hf_tokenizer": None, "num_samples": 1}
        return {"prompt": "", "label": json.dumps({"ask": ask}), **nothing}

    def test_are_answered_with_their_own_sampling_through_the_chat_template(self, engine):
        [answer] = ray.get(engine.generate_responses.remote(**self.asking({})))
        question = "user: Which is better?\n<think>\n"
        assert ray.get(engine.last_asked.remote()) == question
        counts = {"prompt_tokens": len(question), "completion_tokens": 10}
        assert answer == {"text": "<think>\n0.0 0.5 9", "finish_reason": "stop", **counts}

    def test_thinking_is_a_choice(self, engine):
        [answer] = ray.get(engine.generate_responses.remote(**self.asking({"thinking": False})))
        assert ray.get(engine.last_asked.remote()) == "user: Which is better?\n"
        assert answer["text"] == "0.0 0.5 9"

    def test_many_at_once_are_not_a_group(self, engine):
        asked = [engine.generate_responses.remote(**self.asking({"max_tokens": k + 1})) for k in range(5)]
        assert [answer["text"][-1] for [answer] in ray.get(asked)] == ["1", "2", "3", "4", "5"]

    def test_one_that_cannot_be_answered_fails_alone(self, engine, failures):
        with pytest.raises(JobError, match=r"chat template fails on sample 'a question'.*says nothing"):
            ray.get(engine.generate_responses.remote(**self.asking({"messages": [{"role": "user"}]})))
        assert failures() == []
