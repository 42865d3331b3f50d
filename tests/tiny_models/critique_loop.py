"""AMRO in miniature by one command: a critic that rewards its own policy, beside a control with shuffled critiques.

    python tests/tiny_models/critique_loop.py [FOLDER] [--seeds 0 1 2] [--few]      (amro_miniature)

It starts the scripted teacher (critic.py) and runs recipes/amro_miniature.yaml twice for each seed, side by side. The
control learns the same critiques, each as if it were that of another answer. FOLDER keeps all of it. What it prints:

    critiques of held-out answers that agree with the teacher's, Language: trained 0.9.., control 0...
    trained, boxed: 0.6.. before, 0.9.. after

and of several seeds the mean of each rise and of what it is above the control's, with a 95% interval. One seed shows
little: a control rises or falls by chance (docs/amro.md).
"""

import argparse
import json
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import critic
from over_seeds import told_rises
from rewardlab_commands import evaluations, mean, newest, rewardlab, serving

RECIPE = Path(__file__).parents[2] / "recipes" / "amro_miniature.yaml"
COMPONENTS = ("answer", "language", "boxed")
FEW = (
    *("stages.0.dataset.from.critiques.from.with.rows=160", "stages.1.steps=4", "stages.2.steps=2"),
    *("stages.2.eval.prompts=8", "reward.components.answer.with.judge=teacher"),
)
"""so few steps that nothing is learnt, and no control: the loop itself, with the teacher as critic"""
ROWS, SHUFFLED = "amro-miniature.jsonl", "shuffled.jsonl"


def trained(folder, url, *overrides):
    """The run of the recipe as it is."""
    return run(folder, url, *overrides)


def control(folder, url, *overrides):
    """The run whose critiques belong to other answers."""
    folder.mkdir(exist_ok=True)
    rewardlab(folder, "run", RECIPE, "--stage", "0", *overrides, AMRO_TEACHER_URL=url)
    rows = read(folder / ROWS)
    critiques = [row for row in rows if row["dataset"] == "critiques"]
    responses = [row["response"] for row in critiques]
    random.Random(overrides[0]).shuffle(responses)
    for row, response in zip(critiques, responses, strict=True):
        row["response"] = response
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    (folder / SHUFFLED).write_text(text, encoding="utf-8")
    return run(folder, url, *overrides, f"stages.1.dataset.with.path={SHUFFLED}")


def run(folder, url, *overrides):
    """The directory of one run; the two have a core each."""
    rewardlab(folder, "run", RECIPE, *overrides, AMRO_TEACHER_URL=url, OMP_NUM_THREADS="1")
    return newest(folder, "amro-miniature-*")


def agreement(run, dimension):
    """The share of the critiques of held-out answers, before the policy learnt, that score as the teacher does."""
    asked = {row["id"]: row["prompt"][-1]["content"] for row in read(run / "evaluation" / "2-rl-before.rows.jsonl")}
    right = []
    for row in read(run / "ledger.jsonl"):
        if row["phase"] == "before":
            told = critic.critique(asked[row["id"]], row["completion"])[dimension]["score"]
            said = row["components"]["answer"]["info"].get("scores", {})
            right.append(said.get(dimension) == float(told))
    return sum(right) / len(right)


def read(path):
    """The rows of a file."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def of_seed(folder, url, *overrides, controlled=True):
    """Print what one seed shows; return the rise of each run's components."""
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor() as threads:
        under_way = {"trained": threads.submit(trained, folder, url, *overrides)}
        if controlled:
            under_way["control"] = threads.submit(control, folder / "control", url, *overrides)
        runs = {name: one.result() for name, one in under_way.items()}
    for dimension in ("Language", "Box"):
        shares = ", ".join(f"{name} {agreement(made, dimension):.3f}" for name, made in runs.items())
        print(f"critiques of held-out answers that agree with the teacher's, {dimension}: {shares}")
    rises = {}
    for name, made in runs.items():
        before, after = evaluations(made, "2-rl")
        for component in COMPONENTS:
            rises[name, component] = mean(after, component) - mean(before, component)
            print(f"{name}, {component}: {mean(before, component):.3f} before, {mean(after, component):.3f} after")
    return rises


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("amro_miniature"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--few", action="store_true", help="a few steps of one run: that it runs, not that it learns")
    given = parser.parse_args()
    folder = given.folder.resolve()
    begun = time.monotonic()
    rises = []
    with serving(critic.Server()) as url:
        for seed in given.seeds:
            print(f"seed {seed}", flush=True)
            own = folder if len(given.seeds) == 1 else folder / f"seed-{seed}"
            few = FEW if given.few else ()
            rises.append(of_seed(own, url, f"seed={seed}", *few, controlled=not few))
    if len(rises) > 1:
        told_rises(rises, COMPONENTS, "trained", "control")
    print(f"{time.monotonic() - begun:.0f} s; everything is in {folder}")


if __name__ == "__main__":
    main()
