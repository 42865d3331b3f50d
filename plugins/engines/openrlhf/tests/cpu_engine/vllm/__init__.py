"""A stand-in for vLLM in the tests: what OpenRLHF 0.11.2 calls, with a transformers model on a CPU behind it.

It batches, pauses, sleeps, samples and refuses as vLLM does; OpenRLHF's own WorkerWrap puts new weights into it.
"""

import os

if os.environ.get("REWARDLAB_CPU_ENGINE") != "1":
    raise ImportError("this vllm is a stand-in for tests on a CPU; REWARDLAB_CPU_ENGINE=1 turns it on")

from vllm.engine import AsyncEngineArgs, AsyncLLMEngine
from vllm.sampling_params import SamplingParams

__version__ = "0.29.0"
__all__ = ["AsyncEngineArgs", "AsyncLLMEngine", "SamplingParams"]
