"""A recipe with which a backend is tried, and the runs of it that several laws look at."""

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab.plan import Plan
from rewardlab.recipe import RlStage, dump

from rewardlab_testing.backend_laws import blocking_reward, mask, outcome
from rewardlab_testing.backend_laws.commands import Commands, EndedCommand
from rewardlab_testing.backend_laws.ledger import LedgerGroup, read_groups
from rewardlab_testing.outcomes.messages import violation
from rewardlab_testing.outcomes.outcome import LawViolation, UnmetNeed

RECIPE = "recipe.yaml"
RUN = ["run", RECIPE]


@dataclass(frozen=True, kw_only=True)
class TriedRun:
    """A run that has ended.

    Args:
        folder: where it was typed.
        result: of its last command.
    """

    folder: Path
    directory: Path
    result: EndedCommand

    @property
    def groups(self) -> list[LedgerGroup]:
        """The groups of its ledger, as it is now."""
        return read_groups(self.directory)

    @property
    def done(self) -> list[int]:
        """The stages that are done, as its state.json says."""
        return json.loads((self.directory / "state.json").read_text(encoding="utf-8"))["done"]


class BackendTrial:
    """A recipe under the laws of a backend.

    Args:
        plan: of the recipe as its author wrote it; what is run also has the gate, a component that changes no
            total.
        scratch: an empty folder for everything that is written.
        received: as `check_backend` takes it.
    """

    def __init__(
        self, plan: Plan, scratch: Path, environment: Mapping[str, str], limit: float, received: Any = None
    ) -> None:
        self.plan = plan
        self.received = received
        self._scratch = scratch
        self._limit = limit
        for name in ("output", "site"):
            (scratch / name).mkdir()
        blocking_reward.install(scratch / "site")
        self.commands = Commands(scratch / "output", environment, scratch / "site", limit)
        self._runs: dict[str, TriedRun | UnmetNeed] = {}

    @property
    def rl(self) -> dict[int, RlStage]:
        """The stages whose completions go into the ledger, by their index."""
        return {index: stage for index, stage in enumerate(self.plan.recipe.stages) if isinstance(stage, RlStage)}

    def gated_stage(self) -> tuple[int, RlStage]:
        """Return the stage in which runs are held up, the first of rl; raise UnmetNeed if none will do."""
        for index, stage in self.rl.items():
            needed = self.saved_steps(stage) + 2
            if stage.steps is not None and stage.steps < needed:
                raise UnmetNeed(f"needs {needed} steps or more of stage {index}; it has {stage.steps}")
            return index, stage
        raise UnmetNeed("needs a recipe with an rl stage")

    def saved_steps(self, stage: RlStage) -> int:
        """Return after how many steps of the gated stage a run is held up: they have a checkpoint."""
        return stage.save_every or 1

    def folder(
        self, name: str, also: Mapping[str, Any] | None = None, masked: bool = False, flat: str | None = None
    ) -> Path:
        """Return a new folder with the recipe in it, with the gate.

        Args:
            also: settings to put under `backend`.
            masked: whether the total is the reward of mask.py alone, or has that, too, if a normalizer shapes each
                component by itself.
        """
        folder = self._scratch / name
        folder.mkdir()
        raw = copy.deepcopy(self.plan.document.raw)
        if also:
            raw["backend"] = {**(raw.get("backend") or {}), **also}
        reward = raw.get("reward")
        if reward is not None and self.rl:
            _, stage = next(iter(self.rl.items()))
            step = stage.batch_size * stage.group_size
            rows = self.saved_steps(stage) * step
            held = {"longest_s": self._limit / 5, "late_s": self._limit / 20}
            options = {"folder": str(folder), "rows": rows, "step": step, **held}
            reward["components"][blocking_reward.PLUGIN] = {
                "use": f"{blocking_reward.PLUGIN}/{blocking_reward.NAME}",
                "with": options,
            }
            reward["total"] = f"({reward['total']}) + {blocking_reward.PLUGIN}"
        if reward is not None and masked:
            use = f"{blocking_reward.PLUGIN}/{mask.NAME}"
            reward["components"][mask.NAME] = {"use": use, "on_missing": "zero_advantage", "max_missing": 1.0}
            reward["total"] = f"{reward['total']} + {mask.NAME}" if self.plan.by_component else mask.NAME
        if reward is not None and flat is not None:
            for component in (outcome.NAME, outcome.BESIDE):
                reward["components"][component] = {"use": f"{blocking_reward.PLUGIN}/{component}"}
            reward["total"] = f"{outcome.NAME} + {outcome.BESIDE}"
            reward["teach"] = {"flat": flat, "by": outcome.NAME}
        (folder / RECIPE).write_text(dump(raw), encoding="utf-8")
        return folder

    def run(self) -> TriedRun:
        """Return the run that nothing interrupted; raise UnmetNeed if this machine cannot start it."""
        return self.once("whole", self._run_to_the_end)

    def masked_run(self) -> TriedRun:
        """Return a run whose total is a reward that fails on one completion of each group, which is left out."""
        return self.once("masked", self._run_to_the_end, masked=True)

    def taught_run(self) -> TriedRun:
        """Return a run in which groups are left out by their outcome, in the way that the engine has.

        Raises UnmetNeed if it has none.
        """
        for flat in ("drop", "replace"):
            folder = self.folder(f"taught-{flat}", flat=flat)
            if self.commands.run(["check", RECIPE], folder).code == 0:
                return self._run_to_the_end(folder)
        raise UnmetNeed("leaves no groups out: it has neither drop nor replace of `reward.teach`")

    def once(self, name: str, make: Callable[[Path], TriedRun], masked: bool = False) -> TriedRun:
        """Return the run that `make` makes in a folder of this name; later laws that ask for it get the same one.

        Where it could not be made, they are not tried.

        Args:
            masked: as in `folder`.
        """
        if name not in self._runs:
            try:
                self._runs[name] = make(self.folder(name, masked=masked))
            except UnmetNeed as why:
                self._runs[name] = why
            except LawViolation:
                self._runs[name] = UnmetNeed(f"needs the run `{name}`, which went wrong")
                raise
        outcome = self._runs[name]
        if isinstance(outcome, UnmetNeed):
            raise outcome
        return outcome

    def refuse_unready(self, result: EndedCommand) -> None:
        """Raise UnmetNeed if a command ended before it made a run, since this machine lacks something."""
        if result.code == 2 and result.directory is None:
            lines = [line.removeprefix("error: ") for line in result.err.splitlines() if line.startswith("error: ")]
            raise UnmetNeed(f"this machine cannot start the run: {'; '.join(lines)}")

    def _run_to_the_end(self, folder: Path) -> TriedRun:
        result = self.commands.run(RUN, folder)
        self.refuse_unready(result)
        return self.ended_well(folder, result)

    def ended_well(self, folder: Path, result: EndedCommand) -> TriedRun:
        """Return a run whose last command ended with exit code 0; raise LawViolation if it did not."""
        if result.code != 0 or result.directory is None:
            raise violation(result.typed, result.ending, "exit code 0, and `run directory: ...`")
        return TriedRun(folder=folder, directory=folder / result.directory, result=result)


def backend_options(plan: Plan) -> Sequence[str]:
    """Return the names of the options that may stand under `backend`."""
    assert plan.backend is not None
    return [info.alias or name for name, info in plan.backend.spec.config.model_fields.items()]
