"""Files about an evaluation beside a run's ledger: whether it ended, and what is missing, cut or empty."""

from collections.abc import Iterator
from pathlib import Path

from rewardlab.errors import JobError
from rewardlab.recipe import RESOLVED
from rewardlab_training import Results

Evaluation = tuple[int, str, int | None]
"""an evaluation of a run: its stage, phase and step"""


def evaluation_notes(ledger: Path, evaluation: Evaluation) -> Iterator[str]:
    """Yield what a reader of the evaluation's averages must know.

    Args:
        ledger: a run's folder, or its ledger; nothing is known of one that lies elsewhere.
    """
    run = next((folder for folder in (ledger, ledger.parent) if (folder / RESOLVED).is_file()), None)
    if run is None:
        return
    files = sorted((run / "evaluation").glob(_pattern(evaluation)))
    if not files:
        yield "it has no results yet, since it is going on or was ended: averages are of the prompts so far"
    for path in files:
        yield from _notes_of(path)


def _pattern(evaluation: Evaluation) -> str:
    stage, phase, step = evaluation
    endings = {"eval": f"{stage}-eval-*.json", "during": f"{stage}-*-step-{step}.json"}
    return endings.get(phase, f"{stage}-*-{phase}.json")


def _notes_of(path: Path) -> Iterator[str]:
    try:
        whole = Results.load(path).slices[0]
    except (OSError, JobError):
        yield f"{path} cannot be read, so completions may be missing without a count here"
    else:
        yield from whole.notes()
