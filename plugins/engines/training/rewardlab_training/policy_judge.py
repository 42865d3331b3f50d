"""The judge `policy/self` as engines offer it: its options, its spec, and the texts that it reads."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, NonNegativeFloat, PositiveInt
from rewardlab import Ask, Config, Context, JudgeSpec, Message, Sample
from rewardlab.errors import JobError, UserError
from rewardlab.plan import POLICY, Plan
from rewardlab.recipe import Chat

from rewardlab_training.prompts import PromptFormat

SAMPLING = ("temperature", "top_p", "max_tokens", "thinking")
"""what a question may set for itself"""


class PolicyJudgeOptions(Config):
    """The sampling of the policy as a judge; a question's own parameters come first."""

    temperature: NonNegativeFloat = 0.0
    """temperature of sampling; 0: greedy"""
    top_p: Annotated[float, Field(gt=0, le=1)] = 1.0
    """sample from the likeliest tokens that together have this probability"""
    max_tokens: PositiveInt = 1024
    """tokens of the longest answer"""
    thinking: bool | None = None
    """`enable_thinking` of the chat template"""

    def sampling(self, ask: Ask) -> Mapping[str, Any]:
        """Return temperature, top_p, max_tokens and thinking of a question. JobError if it sets something else."""
        sampling = {name: getattr(self, name) for name in SAMPLING} | dict(ask.params)
        if "max_completion_tokens" in sampling:
            sampling["max_tokens"] = sampling.pop("max_completion_tokens")
        if strange := sorted(sampling.keys() - set(SAMPLING)):
            raise JobError(f"{POLICY} takes no {', '.join(strange)}; it takes {', '.join(SAMPLING)}")
        return sampling


def policy_judge_spec(summary: str, config: type[PolicyJudgeOptions] = PolicyJudgeOptions) -> JudgeSpec:
    """Return the spec under which an engine offers its policy: `BackendSpec(judges={"policy/self": ...})`.

    Inside of its jobs the engine opens judges with a `Context` whose `policy` has `judge(options)`, which returns the
    Judge; elsewhere building it is a JobError.
    """
    return JudgeSpec(
        name="self",
        summary=summary,
        config=config,
        build=_build,
        identity=lambda options: {"model": POLICY, "params": options.model_dump()},
        most_tokens=lambda options: options.max_tokens,
    )


def _build(options: PolicyJudgeOptions, context: Context) -> Any:
    if context.policy is None:
        raise JobError(f"{POLICY} answers only inside of a training job")
    return context.policy.judge(options)


def judges_itself(plan: Plan) -> bool:
    """Return whether a judge of the recipe is the policy in training."""
    return any(use.use == POLICY for use in plan.recipe.judges.values())


def question_tokens(
    tokenizer: Any, messages: list[Message], thinking: bool | None, template: str | None = None
) -> tuple[list[int], str]:
    """Return a question's token ids as the policy reads it, and what its chat template begins the answer with.

    What the messages quote is never read for special tokens.

    Args:
        template: in place of the tokenizer's own.

    JobError if the question cannot be put into it.
    """
    try:
        prompt_format = PromptFormat(tokenizer, Chat(template=template, thinking=thinking), ends=())
        question = Sample(id="a question", prompt=messages)
        return prompt_format.quoting_tokens(question), prompt_format.opened(prompt_format.text(question))
    except UserError as error:  # nobody here can say whose mistake it is
        raise JobError(f"{POLICY}: {error}") from error
