"""The stand-in for vLLM keeps vLLM's promises, so that a job which runs with it shows something."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

pytest.importorskip("openrlhf", reason="needs the environment of requirements-openrlhf-cpu.txt")
pytestmark = [pytest.mark.slow, pytest.mark.openrlhf]

PROMPTS = ([5, 6, 7, 8, 9, 10], [3, 4], [11] * 9)


async def look(folder):
    """Runs in a process that has the stand-in: what the engine did, as JSON can hold it."""
    import torch
    from vllm import AsyncEngineArgs, AsyncLLMEngine, SamplingParams
    from vllm.batch import Batch

    extension = "openrlhf.trainer.ray.vllm_worker_wrap.WorkerWrap"
    settings = {"tensor_parallel_size": 1, "dtype": "float32", "max_model_len": 64, "worker_extension_cls": extension}
    settings |= {"logprobs_mode": "processed_logprobs", "max_logprobs": 1}
    engine = AsyncLLMEngine.from_engine_args(AsyncEngineArgs(folder, seed=1, **settings))

    async def ask(prompt, of=engine, **params):
        outputs = of.generate({"prompt_token_ids": list(prompt)}, SamplingParams(**params), "request")
        return [output async for output in outputs][-1].outputs[0]

    async def refused(**params):
        try:
            await ask(**{"prompt": PROMPTS[0], **params})
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    greedy = {"temperature": 0.0, "max_tokens": 12, "min_tokens": 12}
    found = {"alone": [(await ask(prompt, **greedy)).token_ids for prompt in PROMPTS]}
    together = [ask(PROMPTS[0], max_tokens=3, min_tokens=3), *(ask(prompt, **greedy) for prompt in PROMPTS)]
    sampled, *batch = await asyncio.gather(*together)
    found |= {"batch": [one.token_ids for one in batch], "sampled": len(sampled.token_ids)}
    found["generate"] = []
    for prompt in PROMPTS:
        ids = torch.tensor([prompt])
        lengths = {"max_new_tokens": 12, "min_new_tokens": 12, "pad_token_id": 0}
        out = engine._model.generate(ids, attention_mask=torch.ones_like(ids), do_sample=False, **lengths)
        found["generate"].append(out[0, len(prompt) :].tolist())

    nucleus = await ask(PROMPTS[0], temperature=0.7, top_p=1e-6, max_tokens=4, min_tokens=4, logprobs=1)
    found["certain"] = [place[token].logprob for token, place in zip(nucleus.token_ids, nucleus.logprobs, strict=True)]

    likeliest = await ask(PROMPTS[0], top_k=1, **{**greedy, "temperature": 1.0})
    found["likeliest"] = likeliest.token_ids == found["alone"][0]
    wanted = engine._tokenizer.decode(found["alone"][0][:5])[-2:]
    ended = await ask(PROMPTS[0], stop=["no such", wanted], include_stop_str_in_output=True, **greedy)
    found["stopped"] = [ended.finish_reason, ended.token_ids, wanted in ended.text]

    step, reached, released = Batch.step, threading.Event(), threading.Event()

    def stop_in_the_middle(batch):
        if len(batch.open[0].tokens) == 20:
            reached.set()
            released.wait()
        return step(batch)

    async def middle_of_50_tokens():
        reached.clear()
        released.clear()
        asked = asyncio.create_task(ask(PROMPTS[0], max_tokens=50, min_tokens=50))
        await asyncio.to_thread(reached.wait)
        return asked

    Batch.step = stop_in_the_middle
    slow = await middle_of_50_tokens()
    pause = asyncio.create_task(engine.pause_generation(mode="keep"))
    await asyncio.sleep(0)  # it has begun, and waits for the step
    released.set()
    await pause
    await asyncio.sleep(0.3)
    found["done while paused"] = slow.done()
    await engine.resume_generation()
    found["after the pause"] = len((await slow).token_ids)

    aborted = await middle_of_50_tokens()
    aborted.cancel()
    await asyncio.gather(aborted, return_exceptions=True)
    released.set()
    found["unfinished"] = engine.output_processor.get_num_unfinished_requests()

    other = AsyncLLMEngine.from_engine_args(AsyncEngineArgs(folder, seed=2, **settings))
    free = {"max_tokens": 20, "min_tokens": 20}
    found["other seed"] = (await ask(PROMPTS[0], other, **free)).token_ids != (await ask(PROMPTS[0], **free)).token_ids

    await engine.sleep()
    found["asleep"] = await refused()
    try:
        await engine.collective_rpc("update_weight", ("name", torch.float32, (1,)))
    except RuntimeError as error:
        found["weights asleep"] = str(error)
    await engine.wake_up(["weights"])
    await engine.wake_up(["kv_cache"])
    found["awake"] = await refused()
    found["refused"] = [
        await refused(guided_json="{}"),
        await refused(top_k=-5),
        await refused(logprobs=2),
        await refused(temperature=-0.1),
        await refused(prompt=[1] * 64),
    ]
    return found


@pytest.fixture(scope="module")
def found(jobs, model_folder):
    folder = str(model_folder("llama"))
    environment = os.environ | jobs.ENVIRONMENT | {"PYTHONPATH": str(jobs.ENGINE)}
    command = [sys.executable, str(Path(__file__)), folder]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_a_batch_generates_what_each_prompt_alone_would_and_what_transformers_does(found):
    assert found["alone"] == found["batch"] == found["generate"]
    assert found["sampled"] == 3, "in the same batch, by its own settings"


def test_log_probabilities_are_of_the_distribution_that_was_sampled(found):
    assert found["certain"] == pytest.approx([0.0] * 4)


def test_of_the_likeliest_token_only(found):
    assert found["likeliest"]


def test_a_stop_string_ends_a_completion_and_stays_in_it(found):
    reason, tokens, held = found["stopped"]
    assert (reason, held) == ("stop", True)
    assert tokens == found["alone"][0][: len(tokens)]
    assert 0 < len(tokens) <= 5


def test_a_paused_engine_keeps_its_requests_and_goes_on(found):
    assert not found["done while paused"]
    assert found["after the pause"] == 50


def test_who_stops_waiting_aborts_the_request(found):
    assert found["unfinished"] == 0


def test_two_engines_sample_differently(found):
    assert found["other seed"]


def test_a_sleeping_engine_generates_nothing_and_takes_no_weights(found):
    assert "the engine sleeps" in found["asleep"]
    assert "the weights of the engine sleep" in found["weights asleep"]
    assert found["awake"] is None


def test_settings_are_refused_as_vllm_does(found):
    expected = ("TypeError", "ValueError: top_k", "ValueError: Requested logprobs", "ValueError: temp", "ValueError")
    for said, kind in zip(found["refused"], expected, strict=True):
        assert said.startswith(kind)


if __name__ == "__main__":
    print(json.dumps(asyncio.run(look(sys.argv[1]))))
