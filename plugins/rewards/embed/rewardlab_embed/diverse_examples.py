"""Examples for the laws of embed/diverse: rows of several topics; the user gives the model."""

from rewardlab import Sample
from rewardlab.laws import DatasetExample

TOPICS = {
    "trains": "A train leaves at {} and arrives {} hours later. When does it arrive?",
    "primes": "How many prime numbers lie between {} and {}?",
    "jars": "Ein Glas enthält {} rote und {} blaue Kugeln. Welcher Anteil ist rot?",
    "poems": "Write a poem of {} lines about {} birds in the snow.",
}
EACH = 12


def examples_of_diverse() -> list[DatasetExample]:
    """Return examples of both strategies, one with quotas by a field and by difficulty."""
    source = [_sample(number, topic) for number, topic in enumerate(list(TOPICS) * EACH)]
    quotas = {"topic": {"trains": 2, "primes": 1, "poems": 1}, "right": {"0": 3, "1": 1}}
    return [
        DatasetExample(title="paper", options={"rows": 20, "least": 3}, needs=("model",), source=source),
        DatasetExample(
            title="official_code", options={"rows": 20, "strategy": "official_code"}, needs=("model",), source=source
        ),
        DatasetExample(title="quotas", options={"rows": 16, "quotas": quotas}, needs=("model",), source=source),
    ]


def _sample(number: int, topic: str) -> Sample:
    text = TOPICS[topic].format(number + 2, 3 * number + 5)
    return Sample(
        id=f"r{number}",
        prompt=({"role": "user", "content": text},),
        fields={"topic": topic, "right": number // len(TOPICS) % 3},
        source=f"train.jsonl:{number + 1}",
    )
