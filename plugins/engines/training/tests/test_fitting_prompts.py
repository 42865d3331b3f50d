"""Which prompts fit into the policy's context beside a completion, and what is said of those that do not."""

from types import SimpleNamespace

import pytest
from rewardlab import Sample
from rewardlab.errors import UserError
from rewardlab_training import PromptFormat

SAMPLES = [Sample(id=str(i), prompt=({"role": "user", "content": "x" * i},)) for i in range(5)]


class TestFittingPrompts:
    """A policy that reads a letter as a token."""

    def fit(self, context, max_new_tokens=0, max_prompt_tokens=None):
        said = []
        shape = SimpleNamespace(text=lambda sample: sample.prompt[0]["content"], tokens=list)
        kept = PromptFormat.fitting(
            shape, SAMPLES, context, max_new_tokens, max_prompt_tokens, "r.yaml: stages.1", said.append
        )
        return [sample.id for sample in kept], said

    def test_without_a_limit_all_are_kept(self):
        assert self.fit(None) == (["0", "1", "2", "3", "4"], [])

    def test_longer_ones_are_left_out_and_counted(self):
        assert self.fit(None, max_prompt_tokens=2) == (
            ["0", "1", "2"],
            ["left out 2 of 5 prompts longer than 2 tokens"],
        )

    def test_the_context_must_have_room_for_the_completion_too(self):
        kept, said = self.fit(10, max_new_tokens=9, max_prompt_tokens=3)
        assert kept == ["0", "1"]
        assert said == [
            "left out 3 of 5 prompts longer than 1 tokens (the model's context of 10 less max_new_tokens, 9)"
        ]

    def test_none_left_is_an_error_that_says_where(self):
        with pytest.raises(UserError, match=r"r.yaml: stages.1: all 5 prompts are longer than -3 tokens"):
            self.fit(10, max_new_tokens=13)
