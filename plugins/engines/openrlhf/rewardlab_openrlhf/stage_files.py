"""The files that OpenRLHF reads and writes for one stage: places and sizes that its arguments name."""

from dataclasses import dataclass
from pathlib import Path

from rewardlab.plan import Plan
from rewardlab_ray.stage_task import TrainingStage


@dataclass(frozen=True, kw_only=True)
class StageFiles:
    """The files of a stage; `folder` is engine/<name> in the run directory, which every node sees.

    folder/rows.jsonl       what the engine's dataset reads (rl: a line a ticket; sft, dpo: the texts)
    folder/evaluation.jsonl a line an evaluation prompt (rl with `eval`)
    folder/agent.py         the executor that OpenRLHF loads (rl)
    """

    model: str
    """folder or hub name that the stage starts from"""
    folder: Path
    output: Path
    """where the trained model goes"""
    checkpoints: Path
    tensorboard: Path | None
    run_name: str
    """of the run and stage, for trackers"""
    steps: int | None
    """None in a dry run, where they follow from rows that cannot be counted yet"""
    rows: int | None
    """lines of rows.jsonl: steps times batch_size; None without `steps`"""
    longest_prompt: int | None
    """tokens; None in a dry run, before the rows are read, if the recipe sets no limit"""
    evaluation_rows: int = 0
    resume: bool = False
    """go on from the last checkpoint"""

    @property
    def training_rows(self) -> Path:
        """The file that the engine's dataset reads."""
        return self.folder / "rows.jsonl"

    @property
    def evaluation(self) -> Path | None:
        """The file of the evaluation prompts; None if there are none."""
        return self.folder / "evaluation.jsonl" if self.evaluation_rows else None

    @property
    def agent(self) -> Path:
        """The executor that OpenRLHF loads."""
        return self.folder / "agent.py"


STEPS, ROWS, UPDATES = "STEPS", "ROWS", "UPDATES"
"""stand in a dry run's command for numbers that follow from rows which cannot be counted yet"""


def training_stage(plan: Plan, index: int) -> TrainingStage:
    """Return stage `index` as the recipe has it; it must be one that trains."""
    stage = plan.recipe.stages[index]
    assert isinstance(stage, TrainingStage)
    return stage
