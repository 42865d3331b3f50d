"""A stage with verl, from the machine where `rewardlab run` was typed."""

import json
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from rewardlab import redact
from rewardlab.errors import JobError, UserError
from rewardlab.recipe import RlStage, TinyModel
from rewardlab.training import DivergenceWatch, Results, StageJob, results_table
from rewardlab_ray.driver_process import run_here
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.stage_task import stage_folder
from rewardlab_ray.user_lines import MARK

from rewardlab_verl.job.driver import OUTCOME
from rewardlab_verl.job.step_numbers import LOGGER_PATH, StepNumbers, read_steps
from rewardlab_verl.options import options_of

LAST_LINES = 5
READ_S = 1.0


def run_stage(job: StageJob) -> None:
    """Train in a process of its own. Raises KeyboardInterrupt if the user stopped it; what was done is kept."""
    _write_sources(job)
    if isinstance(job.plan.recipe.model, TinyModel):
        job.starting_model()
    logs = job.run.folder("logs")
    numbers = logs / f"{job.name}.steps-{job.run.attempt}.jsonl"
    variables = {LOGGER_PATH: str(numbers.absolute())}
    if options_of(job.plan).tensorboard:
        variables["TENSORBOARD_DIR"] = str((logs / "tensorboard" / job.name).absolute())
    arguments = [str(job.run.path.absolute()), str(job.index), "--attempt", str(job.run.attempt)]
    with StageLog(logs / f"{job.name}.log", job.say) as log, _watching(job, numbers) as watch:
        job.say(f"stage {job.name}; all that verl says is in {log.path}")
        module = "rewardlab_verl.job.driver"
        try:
            code = run_here(module, [*arguments, "--home", str(Path.cwd())], log.take, job.run.stop, variables)
        except KeyboardInterrupt:
            watch.check()  # raises what has stopped the job, if it was no user
            raise
        watch.close()
        watch.check()
        log.end(job.name, code)
    _print_results(job)


def _write_sources(job: StageJob) -> None:
    """Write the stage's samples, read here: the job needs neither the datasets nor what they are made from."""
    folder = stage_folder(job.run.path, job.name)
    folder.mkdir(parents=True, exist_ok=True)
    write_rows(folder / "source.jsonl", (Row(sample=sample, prompt="") for sample in job.training_samples()))
    if isinstance(job.stage, RlStage) and job.stage.evaluation is not None:
        rows = (Row(sample=sample, prompt="") for sample in job.evaluation_samples())
        write_rows(folder / "evaluation_source.jsonl", rows)


def _print_results(job: StageJob) -> None:
    after = job.run.path / "evaluation" / f"{job.name}-after.json"
    if after.exists():
        before = job.run.path / "evaluation" / f"{job.name}-before.json"
        job.say(results_table(Results.load(after), Results.load(before) if before.exists() else None))


class StageLog:
    """The driver's output: all of it goes to a file, the lines for people to `say`. Use it as a context manager."""

    def __init__(self, path: Path, say: Callable[[str], None]):
        self.path = path
        self._say = say
        self._outcome: Mapping[str, object] | None = None
        self._last: list[str] = []
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace")

    def __enter__(self) -> "StageLog":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def take(self, line: str) -> None:
        """Take one line, without its line end; secrets are hidden."""
        line = redact(line.rpartition("\r")[2])
        self._file.write(f"{line}\n")
        self._file.flush()
        _, found, text = line.partition(MARK)
        if found and text.startswith(OUTCOME):
            self._outcome = json.loads(text.removeprefix(OUTCOME))
        elif found:
            self._say(text)
        elif line.strip():
            self._last = [*self._last, line][-LAST_LINES:]

    def end(self, stage: str, code: int) -> None:
        """Raise what the driver ended with, if it failed; `code` is its exit code."""
        if self._outcome is None:
            last = "\n".join(f"  {line}" for line in self._last)
            raise JobError(
                f"stage {stage} ended with exit code {code}; its log is {self.path}; the last lines:\n{last}"
            )
        if (error := self._outcome["error"]) is not None:
            kind = UserError if self._outcome["code"] == UserError.exit_code else JobError
            raise kind(str(error))


class _watching:
    """A thread that reads the numbers of steps, tells them, and stops the run if the training has diverged."""

    def __init__(self, job: StageJob, path: Path):
        earlier = sorted(path.parent.glob(f"{job.name}.steps-*.jsonl"))
        history = [step for other in earlier if other != path for step in read_steps(other)]
        self._watch = DivergenceWatch(job.plan, job.run.path, job.index, job.run.attempt, job.say, history)
        self._numbers = StepNumbers(path, lambda: job.stage.steps, self._take)  # type: ignore[union-attr]
        self._say, self._stop = job.say, job.run.stop
        self._error: JobError | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._read, name="rewardlab-steps", daemon=True)

    def __enter__(self) -> "_watching":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Read what is left; calling it again does nothing."""
        self._ended.set()
        self._thread.join()

    def check(self) -> None:
        """Raise what has ended the stage, if anything has."""
        if self._error is not None:
            raise self._error

    def _take(self, step: int, numbers: Mapping[str, float]) -> None:
        if self._error is None:
            try:
                self._watch.take(step, numbers)
            except JobError as error:
                self._error = error
                self._stop.set()

    def _read(self) -> None:
        ended = False
        while not ended:
            ended = self._ended.wait(READ_S)
            for line in self._numbers.read():
                self._say(line)
