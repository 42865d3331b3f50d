"""Completions and groups from the token ids that TRL generates."""

from collections.abc import Collection, Sequence

from rewardlab import Completion, Group, Sample
from rewardlab.training import PromptFormat


class CompletionReader:
    """A reader of token ids as completions, in groups of `size`. `ends` are the ids of tokens that end a completion."""

    def __init__(
        self, samples: Sequence[Sample], prompt_format: PromptFormat, ends: Collection[int], size: int
    ) -> None:
        self._samples = samples
        self._prompt_format = prompt_format
        self._ends = frozenset(ends)
        self.size = size

    def completions(self, prompts: Sequence[str], completion_ids: Sequence[list[int]]) -> list[Completion]:
        """Return a completion for each prompt's text and the ids that follow it."""
        texts = self._prompt_format.decode(completion_ids)
        return [
            Completion(
                text=self._prompt_format.opened(prompt) + text,
                token_count=len(ids),
                truncated=ids[-1] not in self._ends,
            )
            for prompt, text, ids in zip(prompts, texts, completion_ids, strict=True)
        ]

    def groups(self, prompts: Sequence[str], completion_ids: Sequence[list[int]], rows: Sequence[int]) -> list[Group]:
        """Return the groups of B x G completions, the G of a prompt one after the other; rows: of their samples."""
        completions = self.completions(prompts, completion_ids)
        groups = []
        for start in range(0, len(rows), self.size):
            if len(set(rows[start : start + self.size])) != 1:
                raise AssertionError("TRL did not keep the completions of a prompt together")
            group = tuple(completions[start : start + self.size])
            groups.append(Group(sample=self._samples[rows[start]], completions=group))
        return groups
