"""Python runs this at its start where this folder is on PYTHONPATH: TRL's batches are told to a file, a line a step.

[[id of the sample, advantage], ...] as the trainer is about to train on them, into REWARDLAB_TRL_RECEIVED.N
of process N.
"""

import json
import os
import sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder


class _PatchOnImport(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        spec = PathFinder.find_spec(name, path, target) if name == "rewardlab_trl.rl" else None
        if spec is not None:
            load = spec.loader.exec_module

            def exec_module(module):
                load(module)
                if "REWARDLAB_TRL_RECEIVED" in os.environ:
                    _tell(module._Trainer)
                if "REWARDLAB_LOSSES" in os.environ:
                    tell_losses(module._Trainer)

            spec.loader.exec_module = exec_module
        return spec


def _tell(trainer):
    prepare = trainer._generate_and_score_completions

    def told(self, inputs):
        batch = prepare(self, inputs)
        samples = [self.reward._samples[row["row"]].id for row in inputs]
        with open(f"{os.environ['REWARDLAB_TRL_RECEIVED']}.{self.accelerator.process_index}", "a") as file:
            file.write(json.dumps([*zip(samples, batch["advantages"].tolist(), strict=True)]) + "\n")
        return batch

    trainer._generate_and_score_completions = told


def tell_losses(trainer):
    """Write what the loss got to the file that REWARDLAB_LOSSES names (tests/helpers/losses.py)."""
    compute, forward = trainer._compute_loss, trainer._get_per_token_logps_and_entropies

    def computed(self, model, inputs):
        loss = compute(self, model, inputs)
        new, entropies = self.told_tokens
        old = inputs.get("old_per_token_logps")
        tokens = {"new": new, "entropies": entropies, "old": new if old is None else old}
        if (reference := inputs.get("ref_per_token_logps")) is not None:
            tokens["reference"] = reference
        rows = []
        for row, mask in enumerate(inputs["completion_mask"].bool()):
            given = inputs["advantages"][row].reshape(-1).tolist()  # one for all tokens; also of a row that has none
            rows.append({name: of[row][mask].tolist() for name, of in tokens.items()})
            rows[-1]["advantages"] = given * max(1, len(rows[-1]["new"])) if len(given) == 1 else given
        with open(os.environ["REWARDLAB_LOSSES"], "a") as file:
            file.write(json.dumps({"loss": loss.item(), "rows": rows}) + "\n")
        return loss

    def forwarded(self, *arguments, **more):
        made = forward(self, *arguments, **more)
        self.told_tokens = made[:2]
        return made

    trainer._compute_loss, trainer._get_per_token_logps_and_entropies = computed, forwarded


if {"REWARDLAB_TRL_RECEIVED", "REWARDLAB_LOSSES"} & os.environ.keys():
    sys.meta_path.insert(0, _PatchOnImport())
