"""The options of comet/answer."""

from typing import Annotated, Literal

from pydantic import Field
from rewardlab import Config, EnvironmentChoice
from rewardlab_answers import Part

Name = Annotated[str, Field(min_length=1)]


class CometOptions(Config):
    """Options of comet/answer, which scores how well a part of the prediction says what an English reference says."""

    checkpoint: Name = "Unbabel/wmt23-cometkiwi-da-xl"
    """A reference-free COMET: a .ckpt file, a folder that holds checkpoints/model.ckpt, or a hub name."""
    environment: EnvironmentChoice = "managed"
    """Where COMET runs: in a separate environment, built at its first use; or {python: path} of one of yours."""
    against: Name = "reference"
    """The row's field with the English reference: a whole response with its tags, or just the text."""
    part: Part = "answer"
    """The part that is compared: the body of the last `<answer>`, the think block, or all text after the thinking."""
    empty: Literal["zero", "fail"] = "zero"
    """A prediction whose part is missing or blank scores 0, or is a failure. An empty reference is always one."""
    exact_match: bool = False
    """Score 1 for sides that are equal but for case, white space, forms of digits and letters, and a last full stop."""
    batch_tokens: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Tokens, with padding, that the model sees at once; null: 16,384 on a GPU and 2,048 on a CPU, where more tokens
    are not faster. Halved automatically if memory does not suffice."""
