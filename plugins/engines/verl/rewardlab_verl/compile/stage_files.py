"""The files that verl reads and writes for one stage: places and sizes that its settings name."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

STEPS = "STEPS"
"""stands in a dry run's command for the number of steps, if the rows cannot be counted yet"""
LONGEST = "MAX_PROMPT_LENGTH"
"""stands there for the tokens of the longest prompt"""


@dataclass(frozen=True, kw_only=True)
class VerlFiles:
    """The files of a stage; `folder` is engine/<name> in the run directory, which every node sees.

    folder/rows.jsonl        what verl's dataset reads, in the recipe's order (rl: rendered prompts; sft: token ids)
    folder/evaluation.jsonl  a line for each evaluation prompt (rl with `eval`)
    folder/agent_loops.yaml  names the agent loop `rewardlab` (rl)
    folder/tools.py          names the functions that the policy may call (rl with `agent`)
    """

    model: str
    """folder or hub name that the stage starts from"""
    folder: Path
    checkpoints: Path
    run_name: str
    """of the run and stage, for trackers"""
    job: str
    """begins the names of the job's actors"""
    steps: int | None
    """None in a dry run, if they follow from rows that cannot be counted yet"""
    longest: int | None
    """tokens of the longest prompt (rl) or row (sft); None in a dry run, before the rows are read"""
    ends: Sequence[int] = ()
    """ids of the tokens that end a completion"""
    evaluation_rows: int = 0
    evaluate_first: bool = False
    """whether to evaluate before the first step of this attempt"""
    resume: bool = False
    """go on from the last checkpoint"""

    @property
    def rows(self) -> Path:
        """The file that verl's dataset reads."""
        return self.folder / "rows.jsonl"

    @property
    def evaluation(self) -> Path:
        """The file of the evaluation prompts; without any, that of the training, as verl wants one in any case."""
        return self.folder / "evaluation.jsonl" if self.evaluation_rows else self.rows

    @property
    def tools(self) -> Path:
        """The file that names the functions of an agent."""
        return self.folder / "tools.py"

    @property
    def agent_loops(self) -> Path:
        """The file that names the agent loop."""
        return self.folder / "agent_loops.yaml"
