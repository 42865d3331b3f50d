"""R3 in miniature by one command: a teacher's verdicts, a judge trained on them, a policy that it rewards.

    python tests/tiny_models/rubric_road.py [FOLDER]      (r3_miniature)

It starts the scripted teacher (teacher.py), trains a judge by recipes/r3_miniature.yaml, serves it (model_server.py),
measures it with `rewardlab judge` on pairs that it never saw (judged_pairs.py), beside the model as it was before, and
lets it reward a policy by recipes/r3_miniature_policy.yaml. FOLDER keeps all of it. What it prints at the end:

    accuracy on held-out pairs (chance 0.500): untrained 0.000, trained 0.9...
"""

import argparse
import json
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import judged_pairs
import model_server
import teacher
from rewardlab_commands import evaluations, mean, newest, rewardlab, serving

RECIPES = Path(__file__).parents[2] / "recipes"
JUDGE, POLICY = RECIPES / "r3_miniature.yaml", RECIPES / "r3_miniature_policy.yaml"


class Road:
    """The commands of the road, run in one folder."""

    def __init__(self, folder, *overrides):
        self.folder, self._overrides = folder.resolve(), overrides

    def train_judge(self):
        """Distil, filter and train; returns the folders of the untrained and of the trained judge."""
        with serving(teacher.Server()) as url:
            rewardlab(self.folder, "run", JUDGE, *self._overrides, R3_TEACHER_URL=url)
        models = newest(self.folder, "r3-miniature-2*") / "models"
        return models / "tiny", models / "1-sft"

    def accuracy(self, model):
        """The share of the held-out pairs of which a judge finds the better one; a tie and no verdict are wrong."""
        unread = "reward.components.quality.max_missing=1"  # an untrained judge writes nothing that can be read
        with serving(model_server.Server(model)) as url:
            printed = rewardlab(
                self.folder, "judge", POLICY, unread, self.folder / "pairs.jsonl", "--json", R3_JUDGE_URL=url
            )
        return json.loads(printed)["components"]["quality"]["all"]["accuracy"]

    def reward_policy(self, judge):
        """Train a policy by a judge; returns the means of its evaluations before and after."""
        with serving(model_server.Server(judge)) as url:
            rewardlab(self.folder, "run", POLICY, *self._overrides, R3_JUDGE_URL=url)
        return evaluations(newest(self.folder, "r3-miniature-policy-*"), "1-rl")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", default=Path("r3_miniature"))
    given = parser.parse_args()
    begun = time.monotonic()
    given.folder.mkdir(parents=True, exist_ok=True)
    judged_pairs.write(given.folder / "pairs.jsonl")
    road = Road(given.folder)
    untrained, trained = road.train_judge()
    accuracies = [road.accuracy(model) or 0.0 for model in (untrained, trained)]
    before, after = road.reward_policy(trained)
    print("accuracy on held-out pairs (chance 0.500): untrained {:.3f}, trained {:.3f}".format(*accuracies))
    for name in ("quality", "language", "boxed"):
        print(f"policy, {name}: {mean(before, name):.3f} before, {mean(after, name):.3f} after")
    print(f"{time.monotonic() - begun:.0f} s; everything is in {given.folder}")


if __name__ == "__main__":
    main()
