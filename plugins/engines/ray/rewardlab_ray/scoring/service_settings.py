"""The settings with which the actors of one rl stage start."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from rewardlab.errors import JobError
from rewardlab.plan import Plan
from rewardlab.recipe import RlStage
from rewardlab.scoring import OnPartial
from rewardlab_training import plan_of_job

from rewardlab_ray.stage_task import StageTask, engine_stage


@dataclass(frozen=True, kw_only=True)
class ServiceSettings:
    """The settings of an rl stage's actors; every node sees its files at the same paths."""

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
    trained: int = 0
    """steps that earlier attempts have trained"""
    evaluation_rows: int = 0
    scorers: int = 1
    """how many there are"""
    generates_ahead: bool = False
    """whether the engine receives groups of several steps within one round of generation"""
    replaces: bool = False
    """whether the engine generates others in the place of groups that do not teach"""
    says_trained: bool = False
    """whether it says by itself on which groups of a step it trained"""
    scoring_timeout: float = 1800.0
    """seconds for scoring a group that is complete"""
    completion_timeout: float = 3600.0
    """seconds for which the members of a group wait for each other, where the engine asks for each alone"""
    on_partial: OnPartial = "fail"
    """what becomes of a group of which a member is lost then, as in ScoringHost"""
    tensorboard: bool = False
    """whether evaluations become TensorBoard events under logs/"""
    wandb: str | None = None
    """the Weights & Biases project of evaluations"""

    @classmethod
    def of(cls, task: StageTask, **more: Any) -> Self:
        """Return the settings of a stage's actors; `more` are those that a task does not have."""
        names = ("job", "run", "recipe", "attempt", "folder", "home")
        return cls(stage=task.index, **{name: getattr(task, name) for name in names}, **more)

    def plan(self) -> Plan:
        """Return the plan of the run's recipe, which was checked when the run began."""
        return plan_of_job(self.recipe)

    def stage_of(self, plan: Plan) -> RlStage:
        """Return the stage as StageTask.stage; a JobError if it is not an rl stage."""
        stage = engine_stage(plan.recipe.stages[self.stage])
        if not isinstance(stage, RlStage):
            raise JobError(f"stage {self.stage} of {self.recipe} is {stage.use}, not rl")
        return stage

    @property
    def name(self) -> str:
        """The name of the stage's files: "1-rl"."""
        return self.folder.name

    @property
    def failure(self) -> Path:
        """The file of the first reason why the job has to end, once there is one."""
        return self.folder / "failure.txt"

    def read_failure(self) -> str | None:
        """Return the reason why the job has to end; None if there is none."""
        try:  # a full disk leaves an empty file
            return self.failure.read_text(encoding="utf-8", errors="surrogatepass") or None
        except FileNotFoundError:
            return None

    def write_failure(self, reason: str) -> None:
        """Keep the reason why the job has to end for a coordinator that is restarted."""
        self.failure.write_text(reason, encoding="utf-8", errors="surrogatepass")

    def journal(self, name: str, attempt: int | None = None) -> Path:
        """Return the file of a journal of an attempt (this one), from which a restarted coordinator goes on."""
        return self.folder / f"{name}-{self.attempt if attempt is None else attempt}.jsonl"

    def scorer_mark(self, number: int) -> Path:
        """Return the empty file that says to a restarted scorer that there was one before it in this attempt."""
        return self.folder / f"scorer-{number}-{self.attempt}"
