"""The model: a softmax over the same few answers for every prompt."""

import hashlib
import json
import math
import random
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from rewardlab import Completion, Group, Sample
from rewardlab.files import write_json

FILE = "policy.json"


@dataclass(frozen=True, kw_only=True)
class AnswerWeights:
    """The weights after some steps of a stage. They never change: an interrupt at any moment leaves a whole one.

    logits: sample id -> a number for each answer. A prompt that is not there has the mean of those that are.
    """

    answers: Sequence[str]
    logits: Mapping[str, Sequence[float]] = field(default_factory=dict)
    step: int = 0

    def probabilities(self, prompt: str, temperature: float) -> list[float]:
        """Return the probability of each answer to the sample with this id; at temperature 0 one of them has all."""
        logits = self._logits(prompt)
        best = max(logits)
        if temperature == 0:
            return [float(index == logits.index(best)) for index in range(len(logits))]
        weights = [math.exp((logit - best) / temperature) for logit in logits]
        return [weight / math.fsum(weights) for weight in weights]

    def sample(self, sample: Sample, count: int, temperature: float, seed: str) -> Group:
        """Return `count` completions of a prompt; the same weights and seed give the same ones in every process."""
        likely = self.probabilities(sample.id, temperature)
        chosen = _random(f"{seed}/{sample.id}").choices(self.answers, likely, k=count)
        completions = [Completion(text=text, token_count=len(text.split())) for text in chosen]
        return Group(sample=sample, completions=tuple(completions))

    def trained(
        self, taught: Sequence[tuple[Group, Sequence[float]]], temperature: float, rate: float
    ) -> "AnswerWeights":
        """Return the weights after one step: logits + rate * mean over all completions of advantage * grad log p.

        taught: the groups that teach, with their advantages.
        """
        logits = {prompt: list(values) for prompt, values in self.logits.items()}
        count = sum(len(group.completions) for group, _ in taught)
        for group, of_group in taught:
            prompt = group.sample.id
            moved = logits.setdefault(prompt, list(self._logits(prompt)))
            likely = self.probabilities(prompt, temperature)
            for completion, advantage in zip(group.completions, of_group, strict=True):
                answered = self.answers.index(completion.text)
                for index, probability in enumerate(likely):
                    moved[index] += rate * advantage * ((index == answered) - probability) / temperature / count
        return replace(self, logits=logits, step=self.step + 1)

    def save(self, folder: Path) -> None:
        """Write the weights to a file of `folder`, whole or not at all."""
        write_json(folder / FILE, asdict(self))

    def _logits(self, prompt: str) -> Sequence[float]:
        if prompt in self.logits or not self.logits:
            return self.logits.get(prompt, [0.0] * len(self.answers))
        return [statistics.fmean(of_answer) for of_answer in zip(*self.logits.values(), strict=True)]


def load(folder: Path) -> AnswerWeights:
    """Return the weights that `save` wrote, to the last bit of each logit."""
    return AnswerWeights(**json.loads((folder / FILE).read_text(encoding="utf-8")))


def _random(seed: str) -> random.Random:
    # Python's own hash() differs between processes, and a resumed run is another process
    return random.Random(hashlib.sha256(seed.encode()).digest())
