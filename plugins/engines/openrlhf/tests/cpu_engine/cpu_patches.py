"""What OpenRLHF 0.11.2 and DeepSpeed do that needs CUDA, done on a CPU: one patch a module, when it is imported.

Nothing heavy is imported here: every Python process of a job reads this file, most of them for nothing.
"""

import json
import os
from functools import wraps
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder


class PatchOnImport(MetaPathFinder):
    """Finds the modules of PATCHES as Python does, and applies their patch to each as soon as it is loaded."""

    def find_spec(self, name, path=None, target=None):
        patch = PATCHES.get(name)
        spec = PathFinder.find_spec(name, path, target) if patch else None
        if spec is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                patch(module)

            spec.loader.exec_module = exec_module
        return spec


class _Cpu(str):
    """The device "cpu"; as a part of "cuda:<index>" it is an index, for OpenRLHF parses that name."""

    __slots__ = ()

    def __format__(self, _):
        return "0"


def _cuda(module):
    """Actors ask for the current device, and synchronise with it, without asking whether there is one."""
    module.current_device = lambda: _Cpu("cpu")
    for name in ("set_device", "synchronize", "empty_cache", "current_stream"):
        setattr(module, name, _nothing())  # a function each: torch keeps tables by the function


def _nothing():
    return lambda *_, **__: None


def _device_mesh(module):
    """DeepspeedStrategy names its mesh "cuda"."""
    mesh = module.init_device_mesh
    module.init_device_mesh = lambda kind, *args, **kwargs: mesh("cpu" if kind == "cuda" else kind, *args, **kwargs)


def _deepspeed_ops(module):
    """Collectives through shared memory are a C++ extension, compiled when first used."""
    module.__compatible_ops__["deepspeed_shm_comm"] = False


def _fused_adam(module):
    """FusedAdam is a CUDA kernel; this is the same rule in torch. `adam_w_mode` is always on in OpenRLHF."""
    from torch.optim import AdamW

    class FusedAdam(AdamW):
        def __init__(self, params, lr, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, adam_w_mode=True, **others):
            if not adam_w_mode or others:
                raise NotImplementedError(f"FusedAdam on a CPU: {others or 'adam_w_mode=False'}")
            super().__init__(params, lr=lr, betas=tuple(betas), eps=eps, weight_decay=weight_decay)

    module.FusedAdam = FusedAdam


def _without_kernels(build):
    """FlashAttention has no CPU kernel; sdpa reads packed rows by their position ids just as well."""

    @wraps(build)  # Ray pickles it by its name
    def built(*args, attn_implementation="flash_attention_2", **settings):
        sdpa = "flash" in attn_implementation
        return build(*args, attn_implementation="sdpa" if sdpa else attn_implementation, **settings)

    return built


def _actor(module):
    module.Actor.__init__ = _without_kernels(module.Actor.__init__)


def _critic(module):
    module.get_llm_for_sequence_regression = _without_kernels(module.get_llm_for_sequence_regression)


def _weight_sync(module):
    """Colocated with backend nccl, weights go by CUDA IPC; with another they go by broadcast, as on several nodes."""
    build = module.ActorPPOTrainer.__init__

    @wraps(build)
    def __init__(self, strategy, *args, **kwargs):
        strategy.args.vllm.sync_backend = "gloo"
        build(self, strategy, *args, **kwargs)

    module.ActorPPOTrainer.__init__ = __init__
    if path := os.environ.get("REWARDLAB_LOSSES"):
        _tell_losses(module, path)


def _tell_losses(module, path):
    """Write what the policy's loss got to a file (tests/helpers/losses.py)."""
    step, averaged = module.ActorPPOTrainer.training_step, module.aggregate_loss

    @wraps(step)
    def training_step(self, experience, *args, **kwargs):
        given, averages, compute, backward = {}, [], self.actor_loss_fn, self.strategy.backward

        def loss_of(new, old, advantages, **more):
            given.update(new=new, old=old, advantages=advantages)
            return compute(new, old, advantages, **more)

        def told(loss, *rest):
            if self.args.actor.entropy_coef is not None:
                given["entropies"] = averages[-1]
            if experience.base_action_log_probs is not None:
                given["reference"] = experience.base_action_log_probs
            masks = experience.action_mask.bool()
            rows = [{name: of[row][mask].tolist() for name, of in given.items()} for row, mask in enumerate(masks)]
            with open(path, "a") as file:
                file.write(json.dumps({"loss": loss.item(), "rows": rows}) + "\n")
            return backward(loss, *rest)

        def aggregate_loss(values, *args, **kwargs):
            averages.append(values)
            return averaged(values, *args, **kwargs)

        self.actor_loss_fn, self.strategy.backward, module.aggregate_loss = loss_of, told, aggregate_loss
        try:
            return step(self, experience, *args, **kwargs)
        finally:
            self.actor_loss_fn, self.strategy.backward, module.aggregate_loss = compute, backward, averaged

    module.ActorPPOTrainer.training_step = training_step


def _experience(module):
    if os.environ.get("REWARDLAB_LOSSES"):
        _keep_references(module)
    if path := os.environ.get("REWARDLAB_CPU_ENGINE_RECEIVED"):
        _tell_batches(module, path)


def _keep_references(module):
    """Leave the reference's log-probabilities, which a penalty in the reward (k1) has used up, for _tell_losses."""
    compute = module.RemoteExperienceMaker.compute_advantages_and_returns

    @wraps(compute)
    def compute_advantages_and_returns(self, experiences):
        kept = [experience.action_log_probs - experience.kl for experience in experiences]
        made = compute(self, experiences)
        for experience, reference in zip(made, kept, strict=True):
            if self.strategy.args.algo.kl.init_coef and not self.strategy.args.algo.kl.use_loss:
                experience.base_action_log_probs = reference
        return made

    module.RemoteExperienceMaker.compute_advantages_and_returns = compute_advantages_and_returns


def _tell_batches(module, path):
    """Where the variable names a file, each step adds a line to it: what the trainer is about to train on.

    [[label, index in its group, the advantage of each of its tokens], ...], as OpenRLHF made them.
    """
    make = module.RemoteExperienceMaker.make_experience_batch

    @wraps(make)
    def make_experience_batch(self, rollout_samples):
        made, seen, lines = make(self, rollout_samples), {}, {}
        for experience in made:
            for row, place in enumerate(experience.index):
                tokens = experience.advantages[row][experience.action_mask[row].bool()]
                lines[place] = sorted(set(tokens.tolist()))
        with open(path, "a") as file:
            received = []
            for place, sample in enumerate(rollout_samples):
                label = sample.labels[0]
                seen[label] = seen.get(label, -1) + 1
                received.append([label, seen[label], lines[place]])
            file.write(json.dumps(received) + "\n")
        return made

    module.RemoteExperienceMaker.make_experience_batch = make_experience_batch


PATCHES = {
    "torch.cuda": _cuda,
    "torch.distributed.device_mesh": _device_mesh,
    "deepspeed.ops": _deepspeed_ops,
    "deepspeed.ops.adam.fused_adam": _fused_adam,
    "openrlhf.models.actor": _actor,
    "openrlhf.models.model": _critic,
    "openrlhf.trainer.ray.ppo_actor": _weight_sync,
    "openrlhf.trainer.ppo_utils.experience_maker": _experience,
}
