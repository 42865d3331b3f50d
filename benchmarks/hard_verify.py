r"""math/accuracy on HardVerify-Math: 250 right answers that rules miss, beside bare math-verify in the same run.

    git clone https://github.com/uw-nsl/TinyV
    python benchmarks/hard_verify.py TinyV/benchmarks/HardVerify-Math.json
    python benchmarks/hard_verify.py TinyV/benchmarks/HardVerify-Math.json --rounding gold

The data set is of TinyV (Xu et al. 2025, arXiv 2505.14625; MIT licence): a `ground_truth` with a right answer,
`fn_output`, and a wrong one, `tn_output`. Three counts of each reader: right answers that it takes for right, each
right answer beside the next row's gold, and the wrong ones. The last two must be 0, but one "wrong" answer is right:
the set of the same five numbers.
"""

import argparse
import json
from collections.abc import Callable
from pathlib import Path

from math_verify import parse, verify
from rewardlab import Completion, Context, Sample, find


def by_math_verify(answer: str, gold: str) -> bool:
    """Return the verdict of math-verify 0.9.0 on both in boxes."""
    return verify(parse(rf"\boxed{{{gold}}}"), parse(answer))


def by_rewardlab(rounding: str | None) -> Callable[[str, str], bool]:
    """Return the verdict of math/accuracy with its defaults, and a rounding policy."""
    spec = find("reward", "math/accuracy")
    reward = spec.build(spec.config(rounding=rounding), Context())

    def is_right(answer: str, gold: str) -> bool:
        sample = Sample(fields={"answer": gold, "language": "en"})
        return reward.score([(sample, Completion(text=answer))])[0].value == 1.0

    return is_right


def main() -> None:
    """Print a line of counts for each reader."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=Path)
    parser.add_argument("--rounding", choices=["gold"])
    options = parser.parse_args()
    rows = json.loads(options.rows.read_text(encoding="utf-8"))
    golds = [row["ground_truth"] for row in rows]
    right, wrong = ([_boxed(row[key]) for row in rows] for key in ("fn_output", "tn_output"))
    print(f"of {len(rows)}: right answers, mismatched ones, wrong ones")
    for name, is_right in (("math/accuracy", by_rewardlab(options.rounding)), ("math-verify", by_math_verify)):
        pairs = [zip(right, golds, strict=True), zip(right, golds[1:] + golds[:1], strict=True)]
        counts = [sum(is_right(*pair) for pair in some) for some in [*pairs, zip(wrong, golds, strict=True)]]
        print(name, *counts)


def _boxed(answer: str) -> str:
    return answer if r"\boxed" in answer else rf"\boxed{{{answer}}}"


if __name__ == "__main__":
    main()
