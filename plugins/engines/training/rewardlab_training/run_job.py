"""Runs of recipes from Python: start, follow, stop and continue them as `rewardlab run` does."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Literal

from rewardlab.errors import UserError
from rewardlab.plan import Plan
from rewardlab.recipe import RESOLVED, EvalStage, RecipeSource, load, needs_engine
from rewardlab.text import name_variables, shell_command

from rewardlab_training.alarms.alarm_file import alarm_sentences
from rewardlab_training.alarms.alarm_policy import DIVERGENCE
from rewardlab_training.backend import JobBackend, PolicyBackend, open_backend
from rewardlab_training.check import check_recipe
from rewardlab_training.divided_run import note_shard, refuse_spread
from rewardlab_training.dry_run import describe_run
from rewardlab_training.first_call import probe_judges
from rewardlab_training.latest_run import LATEST, latest_run
from rewardlab_training.licences.judge_licences import JudgeLicence, lacking_licences, licence_problems
from rewardlab_training.named_models import refuse_missing_models
from rewardlab_training.run_directory import WHOLE_RUN, RunDirectory, has_trained_longer
from rewardlab_training.run_folders import refuse_no_run, written_models
from rewardlab_training.stages import get_ready, run_stages

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True)
class RunResult:
    """The end of a run that did not fail.

    Args:
        directory: the folder of the run.
        stopped: whether it was stopped before its last stage was done.
        diverged: what says that stages have diverged, a sentence for each sign.
        alarms: likewise of all alarms, those among them.
        failed: whether such a stage has `on_divergence: fail`, with which the command's exit code is 1.
        unlicensed: what says that judges were asked without the licence that the recipe requires, a sentence for each.
    """

    directory: Path
    stopped: bool = False
    diverged: Sequence[str] = ()
    alarms: Sequence[str] = ()
    failed: bool = False
    unlicensed: Sequence[str] = ()


class RunJob:
    """One run of a checked recipe, or one more attempt at a run.

        job = RunJob.load("recipe.yaml", ["seed=3"])
        for line in job.follow():     # or job.run(), which blocks; or job.start(), job.stop() and job.wait()
            print(line)
        print(job.wait().directory)

    Args:
        plan: the result of `check_recipe(..., purpose="run")`.
        stage: the only stage to run, counted from 0, or several.
        resume: the folder of an earlier attempt.
        root: where a new folder is made.
        folder: the new folder itself.
        say: called, from any thread, with each line that the command prints.
        command: the command that starts this run, for the manifest and the advice on how to continue.
    """

    def __init__(
        self,
        plan: Plan,
        *,
        stage: int | Sequence[int] | None = None,
        resume: Path | None = None,
        root: Path = Path("runs"),
        folder: Path | None = None,
        say: Say = print,
        command: Sequence[str] = (),
    ) -> None:
        """Raise UserError if the recipe has no such stage; nothing is written and no engine is imported."""
        if folder is not None and resume is not None:
            raise UserError("a run that is resumed stays in its folder; leave out --run-dir")
        only: list[int | None] = [None] if stage is None else [stage] if isinstance(stage, int) else [*stage]
        for index in only:
            if index is not None and not 0 <= index < len(plan.recipe.stages):
                raise UserError(f"--stage {index}: the recipe has stages 0 to {len(plan.recipe.stages) - 1}")
        self.plan = plan
        self.spread = WHOLE_RUN
        """The part of the rows that this run asks about, in place of all"""
        self.unlicensed = False
        """Whether judges may be asked that do not have the licence that the recipe requires"""
        self.directory: Path | None = None
        self.command = list(command) or _command(plan, only)
        self._only, self._resume, self._root, self._folder, self._say = only, resume, root, folder, say
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._result: RunResult | BaseException | None = None
        self._lacking: Sequence[JudgeLicence] = ()

    @classmethod
    def load(
        cls,
        recipe: RecipeSource | None = None,
        overrides: Sequence[str] = (),
        *,
        stage: int | None = None,
        resume: Path | Literal["latest"] | None = None,
        root: Path = Path("runs"),
        folder: Path | None = None,
        say: Say = print,
    ) -> "RunJob":
        """Read and check a recipe, with overrides such as "seed=3"; raise a UserError that lists every problem.

        Args:
            recipe: a YAML file, the name of one that comes with rewardlab, or a dict; a run that is resumed knows
                its own.
            resume: the folder of an earlier attempt; "latest": the newest unfinished run of `recipe` in `root`,
                with the overrides that it was begun with if none are given.
        """
        source = recipe_of(resume) if recipe is None else recipe
        earlier = resume and Path(resume)
        if resume == LATEST:
            latest = latest_run(source, overrides, root, "run", stage, say)
            earlier, (source, overrides) = latest.path, latest.again(source, overrides)
        plan = check_recipe(load(source, list(overrides), strict=False), purpose="run")
        if resume == LATEST and earlier is not None and has_trained_longer(earlier, plan):
            say(f"{name_variables(str(earlier))} was resumed with a longer training since; it goes on with that")
            plan = check_recipe(load(earlier / RESOLVED, strict=False), purpose="run")
            source, overrides = earlier / RESOLVED, ()
        # a dict has no name that a command could give; the folder of its run will do
        named = [] if isinstance(source, Mapping) else [os.fspath(source), *overrides]
        command = ["rewardlab", "run", *named, *(["--stage", str(stage)] if stage is not None else [])]
        return cls(plan, stage=stage, resume=earlier, root=root, folder=folder, say=say, command=command)

    @property
    def status(self) -> Literal["waiting", "running", "done", "stopped", "failed"]:
        """The state of a job that is run by `start` or `follow`; "waiting" before, and throughout a direct `run`."""
        if self._result is None:
            return "waiting" if self._thread is None else "running"
        if isinstance(self._result, RunResult):
            return "stopped" if self._result.stopped else "done"
        return "failed"

    @property
    def started_with(self) -> list[str]:
        """The command that starts this run, with what it allows."""
        on = [] if self.spread.on is None else ["--on", self.spread.on]
        return [*self.command, *on, *(["--unlicensed"] if self.unlicensed else [])]

    def unlicensed_judges(self) -> list[str]:
        """Return what is to be said of each judge of this run that lacks the licence that it requires."""
        return [*map(str, lacking_licences(self.plan, self._stages()))]

    def describe(self) -> str:
        """Return what the run would do, with the exact commands of the engine; nothing is started or written."""
        backend = self._backend()
        return "\n".join(describe_run(self.plan, backend, stage) for stage in self._only)

    def run(self) -> RunResult:
        """Run to the end, in this thread; `directory` is set as soon as the folder is made.

        Raises UserError or JobError if the run cannot start or fails; finished work is kept, and `continuation` says
        how to continue. Ctrl-C in the main thread, or `stop` from another, ends the run early, with a checkpoint if
        the engine can write one.
        """
        backend = self._backend()
        self._get_ready(backend)
        refuse_spread(self.plan, self._stages(), self.spread, self._folder, self._resume)
        directory = self._open()
        self.directory = directory.path
        self._say(f"run directory: {name_variables(str(directory.path))}")
        for note in directory.notes:
            self._say(note)
        if all(index in directory.done for index in self._stages()):
            self._say("this run is finished: no stage is left to do")
        try:
            for stage in self._only:
                run_stages(self.plan, directory, stage, self._say, backend)
            note_shard(self.plan, self.spread, directory.path, done=True)
        except KeyboardInterrupt:
            return RunResult(directory=directory.path, stopped=True, unlicensed=[*map(str, self._lacking)])
        finally:
            directory.close()
        return self._result_of(directory.path)

    def start(self) -> None:
        """Start the run in a thread of its own; `wait` returns its result.

        Raises RuntimeError if it was started before.
        """
        if self._thread is not None:
            raise RuntimeError("this run was started before; make another RunJob")
        self._thread = threading.Thread(target=self._run_in_thread, name="rewardlab-run", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ask the run to end after the current step, with a checkpoint if the engine can write one; return at once."""
        self._stop.set()

    def wait(self, timeout: float | None = None) -> RunResult:
        """Wait for a job that was started, and return its result or raise the exception that ended it.

        Args:
            timeout: in seconds; None waits for as long as it takes.

        Raises TimeoutError if the job has not ended by then, and RuntimeError if it was not started.
        """
        if self._thread is None:
            raise RuntimeError("this run was not started; call start() first, or run()")
        self._thread.join(timeout)
        if self._result is None:
            raise TimeoutError(f"the run has not ended within {timeout:g} s")
        if isinstance(self._result, RunResult):
            return self._result
        raise self._result

    def follow(self) -> Iterator[str]:
        """Start the job and yield each line that the command would print; at the end, raise what `wait` raises."""
        lines: SimpleQueue[str | None] = SimpleQueue()
        say, self._say = self._say, lines.put
        self.start()
        assert self._thread is not None
        threading.Thread(target=_end_lines_after, args=(self._thread, lines), daemon=True).start()
        while (line := lines.get()) is not None:
            yield line
        self._say = say
        self.wait()

    def continuation(self) -> list[str]:
        """Return lines that say how to continue after a failure; none if there is no folder yet.

        A resume refuses a changed recipe, so there is also a line for going on from the last model.
        """
        if self.directory is None:
            return []
        resume = shell_command([*self.started_with, "--resume", str(self.directory)])
        folder = name_variables(str(self.directory))
        lines = [f"what was done is in {folder}; once it is fixed, continue with: {resume}"]
        if models := written_models(self.directory):
            stage = int(models[-1].name.partition("-")[0]) + 1
            named = self.command[2:-2] if "--stage" in self.command[-2:] else self.command[2:]
            begun = ["rewardlab", "run", *(named or [str(self.directory / RESOLVED)]), f"model={models[-1]}"]
            again = shell_command([*begun, "--stage", str(stage)])
            lines.append(f"or, with a changed recipe, from its last model: {again}")
        return lines

    def _run_in_thread(self) -> None:
        try:
            self._result = self.run()
        except BaseException as error:  # raised again by `wait`
            self._result = error

    def _backend(self) -> PolicyBackend | JobBackend:
        return open_backend(self.plan)

    def _get_ready(self, backend: PolicyBackend | JobBackend) -> None:
        """Make every check that costs nothing before the run starts; raise UserError or JobError if one fails."""
        here = backend.trains_here(self.plan)
        self._lacking = lacking_licences(self.plan, self._stages())
        if self._lacking and not self.unlicensed:
            raise UserError(licence_problems(self.plan, self._lacking))
        for only in self._only:
            if any(needs_engine(stage) for i, stage in enumerate(self.plan.recipe.stages) if only in (None, i)):
                backend.ready(self.plan, only)
                if here and backend.capabilities.transformers_models:
                    refuse_missing_models(self.plan, only, begins=self._resume is None)
        for stage in self._only if here else self._without_engine():  # a cluster asks the judges of its stages itself
            if here or isinstance(self.plan.recipe.stages[stage or 0], EvalStage):
                get_ready(self.plan, self._say, stage)
            probe_judges(self.plan, self._say, stage)

    def _stages(self) -> list[int]:
        """Return the stages that this job runs."""
        return [index for index in range(len(self.plan.recipe.stages)) if self._only == [None] or index in self._only]

    def _without_engine(self) -> list[int | None]:
        """Return the stages of this run that need no engine, and so run here whatever the backend is."""
        return [index for index in self._stages() if not needs_engine(self.plan.recipe.stages[index])]

    def _result_of(self, directory: Path) -> RunResult:
        stages = self.plan.recipe.stages
        failing = [f"{i}-{s.use}" for i, s in enumerate(stages) if getattr(s, "on_divergence", None) == "fail"]
        return RunResult(
            directory=directory,
            diverged=alarm_sentences(directory, alarms=[DIVERGENCE]),
            alarms=alarm_sentences(directory),
            failed=bool(alarm_sentences(directory, failing, [DIVERGENCE])),
            unlicensed=[*map(str, self._lacking)],
        )

    def _open(self) -> RunDirectory:
        if self._resume is not None:
            directory = RunDirectory.resume(self._resume, self.plan, self.started_with)
        else:
            shard, folder = self.spread.shard, self._folder
            folder = shard.path(folder) if shard is not None and folder is not None else folder
            directory = RunDirectory.create(self.plan, self.started_with, self._root, folder)
        directory.stop, directory.spread = self._stop, self.spread
        directory.note_unlicensed({licence.judge: str(licence) for licence in self._lacking})
        note_shard(self.plan, self.spread, directory.path, done=False)
        return directory


def recipe_of(resume: Path | Literal["latest"] | None) -> Path:
    """Return the recipe of the run in folder `resume`. Raises UserError if that names none."""
    if resume == LATEST:
        raise UserError("the latest run of which recipe? rewardlab run RECIPE --resume latest")
    if resume is None:
        raise UserError("which recipe? rewardlab run RECIPE, or rewardlab run --resume DIR")
    resume = Path(resume)
    refuse_no_run(resume, RESOLVED)
    return resume / RESOLVED


def _end_lines_after(thread: threading.Thread, lines: "SimpleQueue[str | None]") -> None:
    """Put None, the end of the lines, into `lines` when the thread has ended."""
    thread.join()
    lines.put(None)


def _command(plan: Plan, only: Sequence[int | None]) -> list[str]:
    named = [str(stage) for stage in only if stage is not None]
    return ["rewardlab", "run", str(plan.document.path), *(["--stage", *named] if len(named) == 1 else [])]
