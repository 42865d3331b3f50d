"""Completions as a reward reads them, from the token ids that TRL generated."""

from collections.abc import Sequence

from rewardlab import Completion
from rewardlab.training import PromptFormat


class CompletionReader:
    """Reads completions; `ends` are the ids of the tokens that end one."""

    def __init__(self, prompt_format: PromptFormat, ends: Sequence[int]):
        self._prompt_format = prompt_format
        self._ends = frozenset(ends)

    def read(self, prompts: Sequence[str], completion_ids: Sequence[list[int]]) -> list[Completion]:
        """Return the completions in order, each with what its prompt's template has begun of it."""
        texts = self._prompt_format.decode(completion_ids)
        return [
            Completion(
                text=self._prompt_format.opened(prompt) + text,
                token_count=len(ids),
                truncated=ids[-1] not in self._ends,
            )
            for prompt, text, ids in zip(prompts, texts, completion_ids, strict=True)
        ]
