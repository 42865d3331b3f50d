"""What OpenRLHF reads and writes for one stage: places and sizes that its arguments name."""

from dataclasses import dataclass
from pathlib import Path

from rewardlab.plan import Plan
from rewardlab.recipe import DpoStage, RlStage, SftStage


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
    steps: int
    rows: int
    """lines of rows.jsonl: steps times batch_size"""
    longest_prompt: int | None
    """tokens; None before the rows were read (a dry run) where the recipe sets no limit"""
    evaluation_rows: int = 0
    resume: bool = False
    """go on from the last checkpoint"""

    @property
    def training_rows(self) -> Path:
        """What the engine's dataset reads."""
        return self.folder / "rows.jsonl"

    @property
    def evaluation(self) -> Path | None:
        """The evaluation prompts, where there are any."""
        return self.folder / "evaluation.jsonl" if self.evaluation_rows else None

    @property
    def agent(self) -> Path:
        """The executor that OpenRLHF loads."""
        return self.folder / "agent.py"


TrainingStage = SftStage | RlStage | DpoStage


def training_stage(plan: Plan, index: int) -> TrainingStage:
    """What the recipe says of stage `index`, which trains."""
    stage = plan.recipe.stages[index]
    assert isinstance(stage, TrainingStage)
    return stage
