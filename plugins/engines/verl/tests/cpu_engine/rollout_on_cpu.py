"""A rollout engine for tests: transformers behind verl's replica interface, which gets the weights after every step.

Faults to order: REWARDLAB_CPU_ENGINE_RAISE names a text; the first request whose prompt holds it fails. What to say, in
place of the model: REWARDLAB_CPU_ENGINE_SAYS, JSON, a list of conversations, each the texts of its turns. The file that
REWARDLAB_REQUESTS names gets a line a request: how it is sampled (tests/helpers/claimed_jobs.py).
"""

import asyncio
import json
import os
from itertools import groupby
from typing import Any

import ray
import torch
from verl.workers.rollout.base import BaseRollout
from verl.workers.rollout.replica import RolloutReplica, TokenOutput

PREFIX, DOWN, UP = "base_model.model.", ".lora_A.weight", ".lora_B.weight"
PAUSE_S = 0.01
"""for the requests that come together to become one batch"""


@ray.remote(num_cpus=0)
class Server:
    """The model that generates: all requests that wait become one padded batch."""

    def __init__(self, path: str):
        from transformers import AutoModelForCausalLM, AutoTokenizer

        torch.set_num_threads(1)
        self._model = AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32).eval()
        self._tokenizer = AutoTokenizer.from_pretrained(path)
        self._step = 0
        self._waiting: list[Any] = []
        self._wake = asyncio.Event()
        self._serving: Any = None
        self._fault = os.environ.get("REWARDLAB_CPU_ENGINE_RAISE")
        self._says = json.loads(os.environ.get("REWARDLAB_CPU_ENGINE_SAYS", "[]"))
        self._begun = 0
        self._base: dict[str, torch.Tensor] = {}

    async def generate(
        self, request_id: str, prompt_ids: list[int], sampling_params: dict[str, Any], **_: Any
    ) -> TokenOutput:
        if self._fault and self._fault in self._tokenizer.decode(prompt_ids):
            self._fault = None
            raise RuntimeError("the engine lost this request")
        if path := os.environ.get("REWARDLAB_REQUESTS"):
            with open(path, "a") as file:
                file.write(json.dumps(_drawn(sampling_params)) + "\n")
        if self._says:
            return self._recite(self._tokenizer.decode(prompt_ids))
        self._serving = self._serving or asyncio.create_task(self._serve())
        made = asyncio.get_running_loop().create_future()
        self._waiting.append((prompt_ids, sampling_params, made))
        self._wake.set()
        return await made

    async def _serve(self) -> None:
        while True:
            await self._wake.wait()
            await asyncio.sleep(PAUSE_S)
            batch, self._waiting = self._waiting, []
            self._wake.clear()
            try:
                batch.sort(key=lambda request: _drawn(request[1]))
                for drawn, alike in groupby(batch, key=lambda request: _drawn(request[1])):
                    requests = list(alike)
                    for (_, _, made), output in zip(requests, self._generate(requests, *drawn), strict=True):
                        made.set_result(output)
            except Exception as error:  # it is that of all who wait
                for _, _, made in batch:
                    if not made.done():
                        made.set_exception(error)

    @torch.no_grad()
    def _generate(
        self,
        batch: list[Any],
        temperature: float,
        top_p: float,
        top_k: int,
        min_p: float,
        repetition_penalty: float,
        stop: list[str],
    ) -> list[TokenOutput]:
        end = self._tokenizer.eos_token_id
        pad = end if self._tokenizer.pad_token_id is None else self._tokenizer.pad_token_id
        longest = max(len(prompt) for prompt, _, _ in batch)
        ids = torch.tensor([[pad] * (longest - len(prompt)) + list(prompt) for prompt, _, _ in batch])
        mask = torch.tensor([[0] * (longest - len(prompt)) + [1] * len(prompt) for prompt, _, _ in batch])
        made = self._model.generate(
            ids,
            attention_mask=mask,
            do_sample=temperature > 0,
            temperature=temperature or 1.0,
            top_k=top_k,
            top_p=top_p,
            min_p=min_p or None,
            repetition_penalty=repetition_penalty,
            max_new_tokens=int(os.environ["REWARDLAB_CPU_ENGINE_TOKENS"]),
            pad_token_id=pad,
            eos_token_id=end,
            return_dict_in_generate=True,
            output_logits=True,
        )
        tokens = made.sequences[:, longest:]
        logits = [torch.log_softmax(one.float() / (temperature or 1.0), -1) for one in made.logits]
        log_probs = torch.stack(logits, 1).gather(-1, tokens.unsqueeze(-1)).squeeze(-1)
        rows = [self._until(row.tolist(), stop) for row in tokens]
        return [self._output(row, probs.tolist(), end) for row, probs in zip(rows, log_probs, strict=True)]

    def _until(self, tokens: list[int], stop: list[str]) -> list[int]:
        """Return the tokens up to the one that completes a stop text."""
        texts = (self._tokenizer.decode(tokens[:count]) for count in range(1, len(tokens) + 1) if stop)
        counts = (count for count, text in enumerate(texts, 1) if any(one in text for one in stop))
        return tokens[: next(counts, len(tokens))]

    def _recite(self, prompt: str) -> TokenOutput:
        """The next turn of the conversation whose first one is in the prompt, or the first of the next conversation."""
        turns = next((turns for turns in self._says if turns[0] in prompt), None)
        if turns is None:
            turns = self._says[self._begun % len(self._says)]
            self._begun += 1
        text = turns[sum(turn in prompt for turn in turns)]
        tokens = [*self._tokenizer(text, add_special_tokens=False)["input_ids"], self._tokenizer.eos_token_id]
        return self._output(tokens, [-1.0] * len(tokens), self._tokenizer.eos_token_id)

    def _output(self, tokens: list[int], log_probs: list[float], end: int) -> TokenOutput:
        count = tokens.index(end) + 1 if end in tokens else len(tokens)
        return TokenOutput(
            token_ids=tokens[:count],
            log_probs=log_probs[:count],
            stop_reason="completed",
            num_preempted=0,
            extra_fields={"global_steps": self._step},
        )

    async def load(self, weights: list[tuple[str, torch.Tensor]], step: int | None, scale: float | None) -> None:
        """Take the weights, or with a scale LoRA adapters of the weights that it began with."""
        state, given = self._model.state_dict(), dict(weights)
        for name, value in given.items():
            if scale is None:
                state[name].copy_(value)
            elif name.endswith(DOWN):
                layer = name.removesuffix(DOWN)
                weight = f"{layer.removeprefix(PREFIX)}.weight"
                base = self._base.setdefault(weight, state[weight].clone())
                state[weight].copy_(base + scale * (given[layer + UP] @ value))
        self._step = step or 0

    async def set_global_steps(self, step: int) -> None:
        self._step = step

    async def nothing(self, *_: Any, **__: Any) -> None:
        return None

    wake_up = sleep = clear_kv_cache = abort_all_requests = resume_generation = nothing
    release_kv_cache = resume_kv_cache = start_profile = stop_profile = nothing


def _drawn(params: dict[str, Any]) -> tuple[float, float, int, float, float, list[str]]:
    """Return how a request's tokens are drawn."""
    names = {"temperature": 1.0, "top_p": 1.0, "top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0, "stop": []}
    temperature, top_p, top_k, *more = (params.get(name, absent) for name, absent in names.items())
    return temperature, top_p, max(top_k, 0), *more


class Replica(RolloutReplica):
    """The one server of a job."""

    async def launch_servers(self) -> None:
        name = f"{self.name()}_{self.replica_rank}"
        server = Server.options(name=name, max_concurrency=1000).remote(self.model_config["path"])
        self.servers = [server]
        self._server_handle, self._server_address = server, name

    @staticmethod
    def name() -> str:
        return "rewardlab_cpu_server"


class WeightSender(BaseRollout):
    """The part of the trainer's ranks that hands the weights over."""

    def __init__(self, config: Any, model_config: Any, device_mesh: Any, replica_rank: int = -1):
        super().__init__(config, model_config, device_mesh)
        self._rank = int(os.environ["RANK"]) if replica_rank == -1 else replica_rank

    async def resume(self, tags: list[str]) -> None:
        return None

    async def release(self) -> None:
        return None

    @torch.no_grad()
    async def update_weights(
        self, weights: Any, global_steps: int | None = None, peft_config: Any = None, **_: Any
    ) -> None:
        pairs = []
        if hasattr(weights, "__aiter__"):
            async for name, value in weights:
                pairs.append((name, value.detach().float().cpu().clone()))
        else:
            pairs = [(name, value.detach().float().cpu().clone()) for name, value in weights]
        scale = None if peft_config is None else peft_config["lora_alpha"] / peft_config["r"]
        await ray.get_actor(f"{Replica.name()}_{self._rank}").load.remote(pairs, global_steps, scale)
