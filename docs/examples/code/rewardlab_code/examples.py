"""The example with which the laws are tried."""

from rewardlab import Sample
from rewardlab.laws import RewardExample


def fenced(code: str) -> str:
    return f"Here it is:\n```python\n{code}\n```"


SAMPLE = Sample(
    id="add",
    prompt=({"role": "user", "content": "Write add(a, b)."},),
    fields={"tests": ["assert add(1, 2) == 3", "assert add('a', 'b') == 'ab'"]},
)


def examples() -> list[RewardExample]:
    return [
        RewardExample(
            sample=SAMPLE,
            good=[fenced("def add(a, b):\n    return a + b")],
            bad=[
                "def add(a, b): return a + b",
                fenced("def add(a, b):\n    return a - b"),
                fenced("def add(a, b)"),
                fenced("import os\nos._exit(0)"),
                fenced("raise SystemExit(0)"),
            ],
        )
    ]
