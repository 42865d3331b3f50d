"""Meaning against an English reference, by a reference-free COMET (PB-RLSVR's R_Answer)."""

from typing import Annotated, Any, Literal

from pydantic import Field
from rewardlab import Config, Context, RewardSpec, hookimpl
from rewardlab.laws import Laws, RewardExample
from rewardlab.sides import Part
from rewardlab.specs import EnvironmentChoice

Name = Annotated[str, Field(min_length=1)]


class AnswerOptions(Config):
    """How well a part of the prediction says what the same part of an English reference says."""

    checkpoint: Name = "Unbabel/wmt23-cometkiwi-da-xl"
    """A reference-free COMET: a .ckpt file, a folder that holds checkpoints/model.ckpt, or a hub name."""
    environment: EnvironmentChoice = "managed"
    """Where COMET runs: in an environment of its own, built at its first use; or {python: path} of one of yours."""
    against: Name = "reference"
    """The row's field with the English reference: a whole response with its tags, or just the text."""
    part: Part = "answer"
    """What is compared: the body of the last `<answer>`, the think block, or all that follows the thinking."""
    empty: Literal["zero", "fail"] = "zero"
    """A prediction whose part is missing or blank scores 0, or is a failure. An empty reference is always one."""
    exact_match: bool = False
    """1 where both sides are equal but for case, white space, forms of digits and letters, and a last full stop."""
    batch_tokens: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Tokens, with padding, that the model sees at once; null: 16,384 on a GPU and 2,048 on a CPU, where more is
    no faster. Halved by itself where memory does not suffice."""


def _answer(options: AnswerOptions, context: Context) -> Any:
    from rewardlab_comet.answer import open_answer

    return open_answer(options, context.workers)


def _answer_examples() -> list[RewardExample]:
    from rewardlab_comet.examples import answer

    return answer()


@hookimpl
def rewardlab_rewards() -> list[RewardSpec]:
    return [
        RewardSpec(
            name="answer",
            summary="how well a prediction says what the English reference says (COMET without reference; PB-RLSVR)",
            config=AnswerOptions,
            scope="batch",
            range=(0.0, 1.0),
            requires=lambda options: [options.against],
            runs="async",
            environment="requirements.txt",
            remarks=("empty", "chunks", "exact_match"),
            build=_answer,
            laws=Laws(
                examples=_answer_examples,
                off=dict.fromkeys(
                    ("prompt_copy", "repetition"),
                    "it measures likeness to a reference, which the prompt has, too; `probe` judges the total",
                ),
                rounding=1e-4,
            ),
        )
    ]
