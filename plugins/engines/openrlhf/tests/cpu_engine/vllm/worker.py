"""The worker of an engine: OpenRLHF's own WorkerWrap, with the attributes that vLLM's worker has."""

from importlib import import_module
from types import SimpleNamespace

import torch
from torch.overrides import TorchFunctionMode


class _CudaIsCpu(TorchFunctionMode):
    """WorkerWrap receives each weight in `torch.empty(..., device="cuda")`."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if kwargs.get("device") == "cuda":
            kwargs["device"] = "cpu"
        return function(*args, **kwargs)


class Weights:
    """`load_weights` as vLLM's models have it; an unknown name is a KeyError, another shape an error of torch."""

    def __init__(self, model):
        self._parameters = dict(model.named_parameters(remove_duplicate=False))

    @torch.no_grad()
    def load_weights(self, weights):
        for name, value in weights:
            self._parameters[name].copy_(value)


class Worker:
    """`call(method, args)` runs a method of `extension` (its dotted name) on `model`."""

    def __init__(self, extension, model):
        if not torch.distributed.is_initialized():  # WorkerWrap asks for its rank
            torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        module, _, name = extension.rpartition(".")
        self._worker = type("Worker", (getattr(import_module(module), name),), {})()
        self._worker.device = torch.device("cpu")
        self._worker.model_config = SimpleNamespace(dtype=model.dtype)
        self._worker.model_runner = SimpleNamespace(model=Weights(model))

    def call(self, method, args, kwargs):
        with _CudaIsCpu():
            return getattr(self._worker, method)(*args, **kwargs)
