"""Orders of samples that lose some, change them, or differ from process to process."""

import hashlib
import random
from collections.abc import Callable, Sequence

from rewardlab import CurriculumSpec, Sample, hookimpl
from rewardlab.laws import CurriculumExample, Laws


class ByDifficulty:
    """The easiest samples first, by their field; equals by a hash of seed and id."""

    def order(self, samples: Sequence[Sample], seed: int) -> list[int]:
        return sorted(range(len(samples)), key=lambda index: self.key(samples[index], seed))

    def key(self, sample: Sample, seed: int):
        rank = hashlib.sha256(f"{seed}/{sample.id}".encode("utf-8", "surrogatepass")).hexdigest()
        return self.difficulty(sample), rank

    def difficulty(self, sample: Sample) -> float:
        value = sample.fields.get("difficulty")
        return float(value) if isinstance(value, (int, float)) else 0.0


class Salted(ByDifficulty):
    def key(self, sample, seed):
        return self.difficulty(sample), hash((seed, sample.id))


class ByPrompt(ByDifficulty):
    """Looks for each sample's place by its prompt, which another may have, too."""

    def order(self, samples, seed):
        places = {str(sample.prompt): index for index, sample in enumerate(samples)}
        return [places[str(samples[index].prompt)] for index in super().order(samples, seed)]


class DropsLastBatch(ByDifficulty):
    def order(self, samples, seed):
        found = super().order(samples, seed)
        return found[: len(found) // 4 * 4]


class FromOne(ByDifficulty):
    def order(self, samples, seed):
        return [index + 1 for index in super().order(samples, seed)]


class InPlace(ByDifficulty):
    def order(self, samples, seed):
        before = list(samples)
        samples.sort(key=lambda sample: self.key(sample, seed))
        return [before.index(sample) for sample in samples]


class WritesRanks(ByDifficulty):
    def order(self, samples, seed):
        found = super().order(samples, seed)
        for rank, index in enumerate(found):
            samples[index].fields["rank"] = rank
        return found


class GlobalRandom(ByDifficulty):
    def order(self, samples, seed):
        found = list(range(len(samples)))
        random.shuffle(found)
        return found


class OwnGenerator(ByDifficulty):
    def __init__(self):
        self._random = random.Random(0)

    def order(self, samples, seed):
        found = list(range(len(samples)))
        self._random.shuffle(found)
        return found


class HardestFirst(ByDifficulty):
    """Looks at the hardest of the samples, if there is one."""

    def order(self, samples, seed):
        most = max(self.difficulty(sample) for sample in samples)
        return sorted(range(len(samples)), key=lambda index: most - self.difficulty(samples[index]))


class Samples(ByDifficulty):
    def order(self, samples, seed):
        return [samples[index] for index in super().order(samples, seed)]


def _sums() -> list[CurriculumExample]:
    samples = [
        Sample(
            id=f"s{n}",
            prompt=({"role": "user", "content": f"What is {n} + {n}?"},),
            fields={"answer": str(2 * n), "difficulty": n % 5},
        )
        for n in range(11)
    ]
    return [CurriculumExample(samples=samples)]


def _curriculum(name: str, summary: str, made: Callable[[], object]) -> CurriculumSpec:
    build = lambda options, context: made()  # noqa: E731
    return CurriculumSpec(name=name, summary=summary, build=build, laws=Laws(examples=_sums))


@hookimpl
def rewardlab_curricula():
    return [
        _curriculum("correct_order", "the easiest first", ByDifficulty),
        _curriculum("salted_order_of_samples", "breaks ties by hash()", Salted),
        _curriculum("by_prompt", "takes samples with the same prompt for one", ByPrompt),
        _curriculum("drops_last_batch_of_samples", "whole batches of 4 only", DropsLastBatch),
        _curriculum("from_one", "counts from 1", FromOne),
        _curriculum("in_place", "sorts the list that it is given", InPlace),
        _curriculum("writes_ranks", "writes its ranks into the samples", WritesRanks),
        _curriculum("global_random", "shuffles by the global generator", GlobalRandom),
        _curriculum("own_generator_of_order", "shuffles by a generator that goes on", OwnGenerator),
        _curriculum("hardest_first", "takes the maximum of no sample", HardestFirst),
        _curriculum("samples_for_indices", "samples in place of their indices", Samples),
    ]
