"""What an evaluator returns, copied from rllm/eval/types.py of rllm-org/rllm at 9beb6e0 (August 2026)."""

from dataclasses import dataclass, field


@dataclass
class Signal:
    name: str
    value: float
    metadata: dict = field(default_factory=dict)


@dataclass
class EvalOutput:
    reward: float
    is_correct: bool
    signals: list[Signal] = field(default_factory=list)
    metadata: dict = field(default_factory=dict)
