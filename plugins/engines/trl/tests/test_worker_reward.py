"""A recipe's reward in the worker of TRL's AsyncGRPOTrainer: its own loops, which ask a server for completions."""

import asyncio
import itertools
import json
import multiprocessing
import pickle
import queue
import statistics
import threading
from collections import defaultdict

import pytest
from aiohttp import web
from helpers.tool_policy import tokenizer_of
from rewardlab import load_reward
from rewardlab.errors import JobError, UserError
from rewardlab_trl import reward_function

GROUP = 4
TEXTS = ["one", "one two three four", "BAD", "one two three"]
"""what the policy answers, in turn; it is asked so often that each of them is in every group"""
RECIPE = {
    "version": 1,
    "reward": {
        "components": {
            "brief": {"use": "toy/brevity", "with": {"words": 2}},
            "shortest": {"use": "toy/longest"},
            "faulty": {"use": "toy/faulty", "with": {"how": "fail"}, "on_missing": "zero_advantage", "max_missing": 1},
        },
        "total": "2 * brief - shortest + faulty",
    },
}


pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def worker():
    """TRL's module, which imports torch and peft: not while tests are collected."""
    return pytest.importorskip("trl.experimental.async_grpo.async_rollout_worker")


@pytest.fixture
def tokenizer():
    return tokenizer_of(["What is it? No. 1234", *TEXTS])


@pytest.fixture
def vllm(tokenizer):
    """The address of a server that answers as vLLM does, with token ids."""
    texts, loop, ready = itertools.cycle(TEXTS), asyncio.new_event_loop(), queue.Queue()

    async def complete(_: web.Request) -> web.Response:
        ids = tokenizer(next(texts) + "<|im_end|>", add_special_tokens=False)["input_ids"]
        return web.json_response({"choices": [{"token_ids": ids, "logprobs": {"token_logprobs": [-1.0] * len(ids)}}]})

    async def serve() -> None:
        app = web.Application()
        app.router.add_post("/v1/completions", complete)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        ready.put(f"http://127.0.0.1:{runner.addresses[0][1]}")
        await stopped.wait()
        await runner.cleanup()

    stopped = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    yield ready.get()
    loop.call_soon_threadsafe(stopped.set)
    thread.join()


def loop_of(reward, tokenizer, vllm, **more):
    """The arguments of the worker's loops, as they come to its process."""
    from datasets import Dataset

    rows = Dataset.from_list([{"prompt": [{"role": "user", "content": f"No. {n}"}], "answer": n} for n in range(3)])
    given = {
        "model_name": "policy",
        "dataset": rows,
        "reward_funcs": [reward],
        "processing_class": tokenizer,
        "eos_token_ids": [tokenizer.eos_token_id],
        "num_generations": GROUP,
        "max_inflight_tasks": GROUP,
        "vllm_server_url": vllm,
        **more,
    }
    return pickle.loads(pickle.dumps(given))


def trained_on(samples, count):
    """The first groups that the worker hands to the trainer: of each, (text, metrics, advantage) by completion."""
    groups = defaultdict(list)
    for _ in range(count * GROUP):
        sample = samples.get(timeout=300)
        text = sample.completion[-1]["content"]
        groups[sample.group_id].append((text, sample.metrics, sample.advantage))
    return list(groups.values())


def check(group):
    """Compare a group with what `score` says, and with advantages in which the failed one has no vote."""
    texts = [text for text, _, _ in group]
    with load_reward(RECIPE) as reward:
        (scored,) = reward.score([{"prompt": "?", "completions": texts}])
    assert [None if m["reward"] != m["reward"] else m["reward"] for _, m, _ in group] == scored.totals
    there = [total for total in scored.totals if total is not None]
    mean, std = statistics.fmean(there), statistics.pstdev(there)
    assert [advantage for _, _, advantage in group] == pytest.approx(
        [0.0 if total is None else (total - mean) / (std + 1e-8) for total in scored.totals]
    )
    assert ("BAD" in texts, None in scored.totals) == (True, True)


def run_here(worker, kwargs, count):
    """Run the worker's loops in a thread of this process until it has handed over so many groups."""
    from accelerate import PartialState

    PartialState()  # as `_child_main` does, for the worker's own log
    context = multiprocessing.get_context("spawn")
    loops = worker._AsyncRolloutLoop(
        **kwargs,
        rollout_buffer=(samples := context.Queue()),
        model_version_value=context.Value("i", 0),
        heartbeat_value=context.Value("d", 0.0),
        failed_event=(failed := context.Event()),
        exception_info_queue=(why := context.Queue(maxsize=1)),
        metrics_queue=context.Queue(maxsize=4096),
    )
    thread = threading.Thread(target=loops.run)
    thread.start()
    try:
        return trained_on(samples, count)
    finally:
        loops._loop.call_soon_threadsafe(loops._stop_event.set)
        thread.join()
        assert not failed.is_set(), why.get()


def test_its_loops_train_on_the_totals_of_the_recipe_and_leave_failures_out(toy, worker, tokenizer, vllm):
    with reward_function(RECIPE, ends=tokenizer.eos_token_id) as reward:
        groups = run_here(worker, loop_of(reward, tokenizer, vllm), 3)
    assert len(groups) == 3
    for group in groups:
        check(group)


def test_a_group_that_does_not_teach_has_no_advantage(toy, worker, tokenizer, vllm):
    recipe = RECIPE | {"reward": RECIPE["reward"] | {"teach": {"flat": "drop", "by": "faulty"}}}
    with reward_function(recipe) as reward:
        (group,) = run_here(worker, loop_of(reward, tokenizer, vllm), 1)
    assert [advantage for _, _, advantage in group] == [0.0] * GROUP


def of_their_own(completions, **_):
    return [float(len(completion[-1]["content"])) for completion in completions]


def test_functions_beside_it_go_with_it_and_members_may_have_been_asked_different_things(toy):
    """An environment of TRL's adds what it says to each member's prompt: they are a group all the same."""
    with reward_function(RECIPE, beside={of_their_own: 0.5}, name="mine") as reward:
        in_worker = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(reward))))
        prompts = [[{"role": "user", "content": f"room {n}"}] for n in range(3)]
        said = [[{"role": "assistant", "content": text}] for text in ("a", "a b c d", "BAD")]
        found = in_worker(prompts=prompts, completions=said, completion_ids=[[1]] * 3)
    with load_reward(RECIPE) as alone:
        (scored,) = alone.score([{"prompt": "?", "completions": ["a", "a b c d", "BAD"]}])
    assert in_worker.__name__ == "mine"
    assert found == [scored.totals[0] + 0.5, scored.totals[1] + 3.5, None]


def test_a_few_failures_in_a_group_do_not_end_the_job_and_many_in_a_row_do(toy):
    recipe = json.loads(json.dumps(RECIPE))
    recipe["reward"]["components"]["faulty"]["max_missing"] = 0.3
    with reward_function(recipe) as reward:
        in_worker = pickle.loads(pickle.dumps(reward))
        for texts in (["a", "BAD"], ["a", "b"]) * 10:
            group = {"prompts": ["?"] * 2, "completions": texts, "completion_ids": [[1]] * 2}
            assert in_worker(**group)[0] is not None, "half of a group is no share of a job"
        with pytest.raises(JobError, match="max_missing is 30"):
            for _ in range(20):
                in_worker(prompts=["?"] * 2, completions=["BAD", "BAD"], completion_ids=[[1]] * 2)


def test_a_recipe_that_is_wrong_is_told_before_there_is_a_worker(toy):
    with pytest.raises(UserError, match="brieff"):
        reward_function(RECIPE, "reward.total=brieff")


def test_in_its_own_process(toy, worker, tokenizer, vllm):
    context = multiprocessing.get_context("spawn")
    samples, stop, ready = context.Queue(), context.Event(), context.Event()
    with reward_function(RECIPE) as reward:
        given = loop_of(reward, tokenizer, vllm)
        shared = [context.Value("d", 0.0), context.Event(), context.Queue(maxsize=1), context.Queue(maxsize=4096)]
        arguments = (worker._AsyncRolloutLoop, given, samples, context.Value("i", 0), stop, ready, *shared)
        process = context.Process(target=worker._child_main, args=arguments, daemon=True)
        process.start()
        try:
            for group in trained_on(samples, 2):
                check(group)
        finally:
            stop.set()
            process.join(30)
            process.kill()
