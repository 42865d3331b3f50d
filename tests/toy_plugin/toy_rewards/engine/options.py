"""What a recipe may say under `backend: {use: toy}`."""

from pydantic import Field, PositiveFloat
from rewardlab import Config

ANSWERS = ["No.", "Yes, please.", "It is one more than it was before.", "1 + 1 = 2, 2 + 1 = 3, 3 + 1 = 4"]


class Options(Config):
    answers: list[str] = Field(default=ANSWERS, min_length=2)
    """all that the policy can say, to every prompt"""
    step_size: PositiveFloat = 1000.0
    """a step moves the logits by the gradient times this times the stage's learning rate"""
