"""How tinker-cookbook 0.6.1 rewards a group: its own code if it is installed, else copies.

`do_group_rollout`: tinker_cookbook/rl/rollouts.py. `Trajectory`, `Transition`, `StepResult`, `TrajectoryGroup`:
tinker_cookbook/rl/types.py. `TokensWithLogprobs`: tinker_cookbook/completers.py. `ProblemEnv`, `ProblemGroupBuilder`:
tinker_cookbook/rl/problem_env.py. `advantages`: `compute_advantages` in tinker_cookbook/rl/data_processing.py, and
whether `trajectory_to_data` there leaves a trajectory out of the loss.
"""

import asyncio
from dataclasses import dataclass, field
from statistics import fmean

try:
    from tinker import ModelInput
    from tinker_cookbook.completers import TokensWithLogprobs
    from tinker_cookbook.rl.data_processing import compute_advantages, trajectory_to_data
    from tinker_cookbook.rl.problem_env import ProblemGroupBuilder
    from tinker_cookbook.rl.rollouts import do_group_rollout
    from tinker_cookbook.rl.types import Env, StepResult

    def advantages(group):
        """(the advantages, of which trajectories the loss has tokens)"""
        [found] = compute_advantages([group])
        data = [
            trajectory_to_data(*one, include_provenance=False) for one in zip(group.trajectories_G, found, strict=True)
        ]
        return found.tolist(), [any(sum(datum.loss_fn_inputs["mask"].data) for datum in one) for one in data]

except ImportError:

    class ModelInput:
        @staticmethod
        def from_ints(tokens):
            return tokens

    Env = object

    @dataclass
    class StepResult:
        reward: float
        episode_done: bool
        next_observation: list
        next_stop_condition: list
        metrics: dict = field(default_factory=dict)

    @dataclass
    class TokensWithLogprobs:
        tokens: list[int]
        maybe_logprobs: list[float] | None
        stop_reason: str = "stop"

    @dataclass
    class Transition:
        ob: list
        ac: TokensWithLogprobs
        reward: float
        episode_done: bool
        metrics: dict = field(default_factory=dict)

    @dataclass(frozen=True)
    class Trajectory:
        transitions: list[Transition]
        final_ob: list

    @dataclass
    class TrajectoryGroup:
        trajectories_G: list
        final_rewards_G: list
        metrics_G: list

        def get_total_rewards(self):
            steps = [sum(step.reward for step in one.transitions) for one in self.trajectories_G]
            return [a + b for a, b in zip(steps, self.final_rewards_G, strict=True)]

    @dataclass(frozen=True)
    class ProblemGroupBuilder:
        env_thunk: object
        num_envs: int

        async def make_envs(self):
            return [self.env_thunk() for _ in range(self.num_envs)]

    async def do_single_rollout(policy, env):
        observation, stop = await env.initial_observation()
        action = await policy(observation, stop)
        step = await env.step(action.tokens)
        transition = Transition(observation, action, step.reward, step.episode_done, step.metrics)
        return Trajectory([transition], step.next_observation)

    async def do_group_rollout(builder, policy):
        envs = await builder.make_envs()
        trajectories = list(await asyncio.gather(*[do_single_rollout(policy, env) for env in envs]))
        rewards, metrics = zip(*await builder.compute_group_rewards(trajectories, envs), strict=True)
        return TrajectoryGroup(trajectories, list(rewards), list(metrics))

    def advantages(group):
        """(the advantages, of which trajectories the loss has tokens)"""
        rewards = group.get_total_rewards()
        masked = [one.transitions[0].metrics.get("parse_error_masked", 0.0) for one in group.trajectories_G]
        return [reward - fmean(rewards) for reward in rewards], [mask < 1 for mask in masked]


class Renderer:
    """A renderer whose tokens are the characters; it takes thoughts apart as those of thinking models do."""

    def parse_response(self, tokens):
        text = "".join(map(chr, tokens))
        if not text.startswith("<think>"):
            return {"role": "assistant", "content": text}, "stop_sequence"
        thinking, _, answer = text.removeprefix("<think>").partition("</think>")
        parts = [{"type": "thinking", "thinking": thinking}, {"type": "text", "text": answer}]
        return {"role": "assistant", "content": parts}, "stop_sequence"


class SumEnv(Env):
    """A ProblemEnv without rewards of its own."""

    renderer = Renderer()

    def get_question(self):
        return "1+1?"

    def get_reference_answer(self):
        return "2"

    async def initial_observation(self):
        return ModelInput.from_ints([1]), []

    async def step(self, action, *, extra=None):
        return StepResult(0.0, True, ModelInput.from_ints([]), [])


class Says:
    """A policy that says one text after the other, each its own stop reason."""

    def __init__(self, texts, stop_reason="stop"):
        self._texts, self._stop = iter(texts), stop_reason

    async def __call__(self, model_input, stop, **_):
        tokens = [*map(ord, next(self._texts))]
        return TokensWithLogprobs(tokens, [0.0] * len(tokens), self._stop)
