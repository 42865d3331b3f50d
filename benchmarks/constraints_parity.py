"""How many verdicts of constraints/following are those of a benchmark's own checkers, and how many it gives a second.

    python benchmarks/constraints_parity.py input_data.jsonl eval_results_strict.jsonl [eval_results_loose.jsonl]
    python benchmarks/constraints_parity.py            # without files: those of the plugin's tests, for speed alone

The files are in the form in which IFEval (google-research/instruction_following_eval) and IFBench write them: rows with
prompt, instruction_id_list and kwargs, and results with prompt, response and follow_instruction_list. A name with
`loose` in it is compared with mode: loose. Printed are, by instruction, the verdicts that differ.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rewardlab import Completion, Sample
from rewardlab_constraints.following import Following
from rewardlab_constraints.options import FollowingOptions

DATA = Path(__file__).parents[1] / "plugins" / "rewards" / "constraints" / "tests" / "data"


def main() -> None:
    """Compare the files that are named, or measure on those of the tests."""
    if len(sys.argv) < 3:
        return speed()
    rows = {row["prompt"]: row for row in lines(Path(sys.argv[1]))}
    for path in map(Path, sys.argv[2:]):
        compare(path, rows)
    return None


def compare(path: Path, rows: dict[str, Any]) -> None:
    """Print how many verdicts of a file differ."""
    reward = Following(FollowingOptions(mode="loose" if "loose" in path.name else "strict"))
    compared, differ, results = 0, Counter[str](), list(lines(path))
    for result in results:
        row = rows[result["prompt"]]
        sample = Sample(
            id=str(row["key"]),
            prompt=({"role": "user", "content": row["prompt"]},),
            fields={key: row[key] for key in ("instruction_id_list", "kwargs")},
        )
        [score] = reward.score([(sample, Completion(text=result["response"]))])
        if score.error:
            raise ValueError(f"{path}: {row['key']}: {score.error}")
        for ours, theirs in zip(score.info["instructions"], result["follow_instruction_list"], strict=True):
            compared += 1
            if ours["followed"] is not theirs:
                differ[f"{ours['id']}: {ours['followed']} in place of {theirs}"] += 1
    print(f"{path.name}: {len(results)} rows, {compared - differ.total()} of {compared} verdicts are the same")
    for what, number in sorted(differ.items()):
        print(f"  {number:3}  {what}")


def speed() -> None:
    """Print how many verdicts a second the answers of IFBench get, by one process."""
    rows = [row for row in lines(DATA / "ifbench.jsonl") if "key" in row]
    items = [
        (
            Sample(id=row["key"], fields={key: row[key] for key in ("instruction_id_list", "kwargs")}),
            Completion(text=row["answer"]),
        )
        for row in rows
    ]
    for mode in ("strict", "loose"):
        reward = Following(FollowingOptions(mode=mode))
        reward.score(items)
        began = time.process_time()
        scores = reward.score(items)
        took = time.process_time() - began
        verdicts = sum(len(score.info["instructions"]) for score in scores)
        print(f"{mode}: {verdicts / took:,.0f} verdicts a second, {len(scores) / took:,.0f} completions")


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the objects of a file of JSON lines."""
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


if __name__ == "__main__":
    main()
