"""vLLM's asynchronous engine: requests that wait together are generated in one batch, in a thread of its own."""

import asyncio
import threading
import time
from queue import Empty, SimpleQueue
from types import SimpleNamespace

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from vllm.batch import Batch
from vllm.faults import HANG, RAISE, Faults
from vllm.requests import Request
from vllm.worker import Worker

GATHERING = 0.005  # seconds that the first request of a batch waits for others
MAX_BATCH = 256
PARTS = frozenset({"weights", "kv_cache"})


class AsyncEngineArgs:
    """Kept as they come; tensor_parallel_size must be 1."""

    def __init__(self, model, **settings):
        if settings["tensor_parallel_size"] != 1:
            raise NotImplementedError("the stand-in has no tensor parallelism")
        self.model = model
        self.__dict__.update(settings)


class AsyncLLMEngine:
    def __init__(self, args):
        torch.set_num_threads(1)
        self._args = args
        self._tokenizer = AutoTokenizer.from_pretrained(args.model)
        self._model = AutoModelForCausalLM.from_pretrained(args.model, dtype=getattr(torch, args.dtype)).eval()
        self._worker = Worker(args.worker_extension_cls, self._model)
        self._stops = _stops(self._tokenizer, self._model)
        self._generator = torch.Generator().manual_seed(args.seed)
        self._faults = Faults()
        self._exchanges, self._first_weight = 0, None
        self._awake = set(PARTS)
        self._unfinished = 0
        self.output_processor = SimpleNamespace(get_num_unfinished_requests=lambda: self._unfinished)
        self._waiting = SimpleQueue()
        self._going = threading.Event()
        self._going.set()
        self._at_rest = threading.Lock()  # held for a step of a batch: weights change, and pauses begin, between two
        threading.Thread(target=self._work, name="engine", daemon=True).start()

    @classmethod
    def from_engine_args(cls, args):
        return cls(args)

    async def generate(self, prompt, sampling_params, request_id):
        """Yields the one RequestOutput. A caller that stops waiting aborts the request."""
        request = self._request(prompt["prompt_token_ids"], sampling_params, request_id)
        self._unfinished += 1
        try:
            self._faults.note(self._exchanges, request.params)
            match self._faults.of(self._tokenizer.decode(request.prompt)):
                case None:
                    self._waiting.put(request)
                case kind if kind == RAISE:
                    raise RuntimeError(f"a test ordered this fault of the engine by {RAISE}")
                case kind if kind == HANG:
                    pass  # nobody will ever answer it
            yield await asyncio.wrap_future(request.done)
        finally:
            self._unfinished -= 1

    def _request(self, prompt, params, request_id):
        room = self._args.max_model_len - len(prompt)
        most = getattr(self._args, "max_logprobs", 20)
        if self._awake != PARTS:
            raise RuntimeError(f"the engine sleeps: only {sorted(self._awake)} of {sorted(PARTS)} is awake")
        if room < 1:
            message = f"The decoder prompt (length {len(prompt)}) is longer than the maximum model length of"
            raise ValueError(f"{message} {self._args.max_model_len}.")
        if (params.logprobs or 0) > most:
            raise ValueError(f"Requested logprobs of {params.logprobs}, which is greater than max allowed: {most}")
        return Request(request_id, list(prompt), params, limit=min(params.max_tokens or room, room))

    async def pause_generation(self, *, mode="abort"):
        """mode "keep": requests stay where they are, in the middle of a completion, until resume_generation."""
        if mode != "keep":
            raise NotImplementedError(f"pause_generation(mode={mode!r}): OpenRLHF keeps its requests")
        self._going.clear()
        await asyncio.to_thread(self._wait_for_step)

    def _wait_for_step(self):
        with self._at_rest:
            pass

    async def resume_generation(self):
        self._going.set()

    async def sleep(self, level=1):
        """Nothing is generated from now on; with requests under way that is an error of the caller."""
        if self._unfinished:
            raise RuntimeError(f"the engine was sent to sleep with {self._unfinished} unfinished requests")
        self._awake.clear()

    async def wake_up(self, tags=None):
        self._awake |= PARTS & set(tags or PARTS)

    async def is_sleeping(self):
        return not self._awake

    async def reset_prefix_cache(self):
        """There is none to forget: every batch computes its prompts anew."""
        return True

    async def collective_rpc(self, method, args=(), kwargs=None):
        """Call a method of the worker between two steps; [its result], for there is one worker."""
        if method.startswith("update_weight") and "weights" not in self._awake:
            raise RuntimeError(f"{method}: the weights of the engine sleep; they would be lost")
        if method.startswith("update_weight"):
            self._first_weight = self._first_weight or args[0]
            self._exchanges += args[0] == self._first_weight
        return [await asyncio.to_thread(self._between_steps, method, args, kwargs or {})]

    def _between_steps(self, method, args, kwargs):
        with self._at_rest:
            return self._worker.call(method, args, kwargs)

    def _work(self):
        while True:
            requests = self._gather()
            try:
                self._complete(requests)
            except Exception as error:
                for request in requests:
                    if not request.done.done():
                        request.done.set_exception(error)

    def _gather(self):
        """Those that wait: one at least, and what comes within GATHERING seconds of it."""
        requests = [self._waiting.get()]
        time.sleep(GATHERING)
        while len(requests) < MAX_BATCH:
            try:
                requests.append(self._waiting.get_nowait())
            except Empty:
                break
        return requests

    @torch.inference_mode()
    def _complete(self, requests):
        processed = getattr(self._args, "logprobs_mode", "raw_logprobs") == "processed_logprobs"
        batch = Batch(self._model, self._tokenizer, requests, self._stops, self._generator, processed)
        while batch.open:
            self._going.wait()
            with self._at_rest:
                complete = batch.step()
            for request, stopped in complete:
                if request.done.set_running_or_notify_cancel():
                    request.done.set_result(request.output(self._tokenizer, stopped))


def _stops(tokenizer, model):
    """The ids that end a completion: of the tokenizer, and of the model's generation config."""
    configured = model.generation_config.eos_token_id
    several = configured if isinstance(configured, list) else [configured]
    return sorted({token for token in [tokenizer.eos_token_id, *several] if token is not None})
