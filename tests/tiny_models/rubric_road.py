"""R3 in miniature by one command: a teacher's verdicts, a judge trained on them, a policy that it rewards.

    python tests/tiny_models/rubric_road.py [FOLDER] [--seeds 0 1 2] [--few]      (r3_miniature)

It starts the scripted teacher (teacher.py), trains a judge by recipes/r3_miniature.yaml, serves it (model_server.py),
measures it with `rewardlab judge` on pairs that it never saw (judged_pairs.py), beside the model as it was before, and
lets it reward a policy by recipes/r3_miniature_policy.yaml. FOLDER keeps all of it. What it prints at the end:

    accuracy on held-out pairs (chance 0.500): untrained 0.000, trained 0.9...

Several seeds have a control each, the same policy with its groups' rewards shuffled (shuffled_rewards.py), and what
they show of a rise is its mean with a 95% interval.
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import judged_pairs
import model_server
import shuffled_rewards
import teacher
from over_seeds import told, told_rises
from rewardlab_commands import evaluations, mean, newest, rewardlab, serving

RECIPES = Path(__file__).parents[2] / "recipes"
JUDGE, POLICY = RECIPES / "r3_miniature.yaml", RECIPES / "r3_miniature_policy.yaml"
COMPONENTS = ("quality", "language", "boxed")
FEW = {
    JUDGE: ("stages.0.dataset.from.from.from.with.rows=160", "stages.1.steps=4"),
    POLICY: ("stages.0.steps=4", "stages.1.steps=2", "stages.1.eval.prompts=8", "judges.trained.with.model=teacher"),
}
"""so few steps that nothing is learnt: the road itself, on which the teacher rewards the policy"""


class Road:
    """The commands of the road, run in one folder."""

    def __init__(self, folder, seed, few=False):
        self.folder, self._few = folder.resolve(), few
        self._overrides = {recipe: (f"seed={seed}", *(FEW[recipe] if few else ())) for recipe in FEW}
        self.folder.mkdir(parents=True, exist_ok=True)
        judged_pairs.write(self.folder / "pairs.jsonl", 8 if few else 200)

    def train_judge(self):
        """Distil, filter and train; returns the folders of the untrained and of the trained judge."""
        with serving(teacher.Server()) as url:
            rewardlab(self.folder, "run", JUDGE, *self._overrides[JUDGE], R3_TEACHER_URL=url)
        models = newest(self.folder, "r3-miniature-2*") / "models"
        return models / "tiny", models / "1-sft"

    def accuracy(self, model):
        """The share of the held-out pairs of which a judge finds the better one; a tie and no verdict are wrong."""
        unread = "reward.components.quality.max_missing=1"  # an untrained judge writes nothing that can be read
        with serving(model_server.Server(model)) as url:
            printed = rewardlab(
                self.folder, "judge", POLICY, unread, self.folder / "pairs.jsonl", "--json", R3_JUDGE_URL=url
            )
        return json.loads(printed)["components"]["quality"]["all"]["accuracy"] or 0.0

    def reward_policy(self, judge, *overrides, **environment):
        """Train a policy by a judge; returns the directory of its run."""
        with serving(teacher.Server() if self._few else model_server.Server(judge)) as url:
            rewardlab(self.folder, "run", POLICY, *self._overrides[POLICY], *overrides, R3_JUDGE_URL=url, **environment)
        return newest(self.folder, "r3-miniature-policy-*")

    def control(self, judge, rewarded):
        """The run from the same policy before its reinforcement, whose groups' rewards are shuffled."""
        environment = shuffled_rewards.install(self.folder)
        changes = (f"model={rewarded / 'models' / '0-sft'}", shuffled_rewards.OVERRIDE, "--stage", "1")
        return self.reward_policy(judge, *changes, **environment)


def of_seed(road, controlled):
    """Print what one seed shows; return the judge's accuracy, and the rise of each run's components."""
    untrained, trained = road.train_judge()
    accuracies = [road.accuracy(model) for model in (untrained, trained)]
    print("accuracy on held-out pairs (chance 0.500): untrained {:.3f}, trained {:.3f}".format(*accuracies), flush=True)
    runs = {"policy": road.reward_policy(trained)}
    if controlled:
        runs["control"] = road.control(trained, runs["policy"])
    rises = {}
    for name, run in runs.items():
        before, after = evaluations(run, "1-rl")
        for component in COMPONENTS:
            print(f"{name}, {component}: {mean(before, component):.3f} before, {mean(after, component):.3f} after")
            rises[name, component] = mean(after, component) - mean(before, component)
    return accuracies[1], rises


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("r3_miniature"))
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--few", action="store_true", help="a few steps of each: that it runs, not that it learns")
    given = parser.parse_args()
    begun, several, found = time.monotonic(), len(given.seeds) > 1, []
    for seed in given.seeds:
        print(f"seed {seed}", flush=True)
        folder = given.folder / f"seed-{seed}" if several else given.folder
        found.append(of_seed(Road(folder, seed, given.few), several))
    if several:
        print(f"accuracy on held-out pairs: {told([accuracy for accuracy, _ in found])}")
        told_rises([rises for _, rises in found], COMPONENTS, "policy", "control")
    print(f"{time.monotonic() - begun:.0f} s; everything is in {given.folder}")


if __name__ == "__main__":
    main()
