"""normalize/gdpo beside TRL's own `multi_objective_aggregation="normalize_then_sum"`, whose numbers it must give."""

import random

import pytest
from rewardlab import Completion, Group, Sample, Score
from rewardlab.recipe import parse
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring import Composition
from rewardlab_normalize.gdpo import Gdpo
from rewardlab_normalize.options import GdpoOptions
from rewardlab_training.advantages import batch_advantages

pytestmark = pytest.mark.slow
SIZE = 4
WEIGHTS = {"right": 1.0, "form": 0.25, "length": -0.5}


def drawn():
    """Values of three components for three groups: one in which a component is flat, one with failures, a flat one."""
    draw = random.Random(7)
    rows = [{"right": float(draw.random() > 0.5), "form": draw.random(), "length": 9 * draw.random()} for _ in range(8)]
    rows += [{"right": 0.0, "form": 1.0, "length": 12.0}] * SIZE
    for row in rows[:SIZE]:
        row["form"] = 1.0
    return [None if place in (4, 6) else row for place, row in enumerate(rows)]


def of_trl(rows, folder, model):
    """The advantages that TRL's trainer makes of the rows, None where every function has none."""
    from datasets import Dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer

    def function(name):
        def given(completions, **_):
            return [None if row is None else row[name] for row in rows]

        given.__name__ = name
        return given

    trainer = GRPOTrainer(
        model=AutoModelForCausalLM.from_pretrained(model),
        reward_funcs=[function(name) for name in WEIGHTS],
        args=GRPOConfig(
            output_dir=str(folder),
            use_cpu=True,
            bf16=False,
            report_to=[],
            gradient_checkpointing=False,
            per_device_train_batch_size=len(rows),
            num_generations=SIZE,
            max_completion_length=2,
            max_steps=1,
            multi_objective_aggregation="normalize_then_sum",
            reward_weights=list(WEIGHTS.values()),
        ),
        train_dataset=Dataset.from_list([{"prompt": f"Is {number} even?"} for number in range(3)]),
        processing_class=AutoTokenizer.from_pretrained(model),
    )
    trainer.train()
    return list(trainer._logs["advantages"])


def ours(rows):
    composition = Composition(
        expression=parse("right + 0.25 * form - length / 2"),
        uses={name: ComponentUse(use=f"made/{name}", on_missing="zero_advantage") for name in WEIGHTS},
        normalizers=[("normalize/gdpo", Gdpo(GdpoOptions()))],
        by_component=True,
        centred=True,
    )
    groups = []
    for start in range(0, len(rows), SIZE):
        group = Group(sample=Sample(id=str(start)), completions=[Completion(text="x")] * SIZE)
        failed, some = Score(value=None, error="no answer"), rows[start : start + SIZE]
        scores = {name: [failed if row is None else Score(value=row[name]) for row in some] for name in WEIGHTS}
        groups.append(composition.compose(group, scores))
    return batch_advantages("dr_grpo", groups, whitens=True)


def test_the_advantages_are_those_of_trl(model_folder, tmp_path):
    rows = drawn()
    assert ours(rows) == pytest.approx(of_trl(rows, tmp_path, str(model_folder("gpt2"))), abs=1e-4)
    assert sum(value == 0 for value in ours(rows)) == SIZE + 2, "of the flat group, and of those that failed"
