"""A person's own training script with a recipe's reward, as accelerate or torchrun starts it in each process.

    torchrun --nproc_per_node=2 train_with_reward.py MODEL RECIPE ROWS OUT BATCH_OF_A_PROCESS

It writes OUT-RANK.json: of each step the process's completions with the advantages that they are trained with.
"""

import json
import os
import sys

from datasets import Dataset
from rewardlab_trl import reward_function
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import GRPOConfig, GRPOTrainer

STEPS = []


class Trainer(GRPOTrainer):
    """The trainer, which keeps what it trains on."""

    def _generate_and_score_completions(self, inputs):
        batch = super()._generate_and_score_completions(inputs)
        texts = self.processing_class.batch_decode(batch["completion_ids"], skip_special_tokens=True)
        tokens = batch["completion_mask"].sum(dim=1).tolist()
        rows = zip(inputs, texts, tokens, batch["advantages"].tolist(), strict=True)
        STEPS.append([{"row": row["id"], "text": t, "tokens": n, "advantage": a} for row, t, n, a in rows])
        return batch


def main(model, recipe, rows, out, size):
    arguments = GRPOConfig(
        output_dir=f"{out}-model",
        use_cpu=True,
        bf16=False,
        report_to=[],
        gradient_checkpointing=False,
        per_device_train_batch_size=int(size),
        num_generations=4,
        max_completion_length=12,
        max_steps=4,
        logging_steps=1,
        log_completions=True,
        save_strategy="no",
    )
    with reward_function(recipe, name="recipe") as reward:
        trainer = Trainer(
            model=AutoModelForCausalLM.from_pretrained(model),
            reward_funcs=reward,
            args=arguments,
            train_dataset=Dataset.from_json(rows),
            processing_class=AutoTokenizer.from_pretrained(model),
        )
        trainer.train()
    logs = [entry["recipe/reward/total"] for entry in trainer.state.log_history if "recipe/reward/total" in entry]
    with open(f"{out}-{os.environ.get('RANK', 0)}.json", "w", encoding="utf-8") as file:
        json.dump({"steps": STEPS, "logs": logs}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
