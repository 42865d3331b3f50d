"""What the actors of one rl stage are told when they start."""

from dataclasses import dataclass
from pathlib import Path

from rewardlab.errors import JobError
from rewardlab.loading import load
from rewardlab.plan import Plan, make_plan
from rewardlab.recipe import RlStage


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """The stage, and where its files are; every node sees them at the same paths."""

    job: str
    """unique to run, stage and attempt; begins the names of its actors"""
    run: Path
    """the run directory"""
    recipe: Path
    """recipe.resolved.yaml"""
    stage: int
    attempt: int
    folder: Path
    """engine/<stage> in the run directory"""
    home: Path
    """where the recipe's relative paths begin"""
    consumed: int = 0
    """positions of the reading order that earlier attempts have used up"""
    evaluation_rows: int = 0

    def plan(self) -> Plan:
        """The run's recipe, which was checked when the run began."""
        return make_plan(load(self.recipe, strict=False), purpose="job")

    def stage_of(self, plan: Plan) -> RlStage:
        """What the recipe says of the stage; a JobError where it is none of rl."""
        stage = plan.recipe.stages[self.stage]
        if not isinstance(stage, RlStage):
            raise JobError(f"stage {self.stage} of {self.recipe} is {stage.use}, not rl")
        return stage

    @property
    def name(self) -> str:
        """Of the stage's files: "1-rl"."""
        return f"{self.stage}-rl"

    @property
    def failure(self) -> Path:
        """Holds the first reason why the job has to end, once there is one."""
        return self.folder / "failure.txt"

    def journal(self, what: str) -> Path:
        """A file of this attempt, from which a desk that died goes on."""
        return self.folder / f"{what}-{self.attempt}.jsonl"
