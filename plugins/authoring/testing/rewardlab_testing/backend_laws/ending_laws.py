"""Laws about what ends a run early, and about going on after it: `resume`, `stop`, `same` and `failures`."""

import re
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rewardlab.errors import StoppedError

from rewardlab_testing.backend_laws import blocking_reward
from rewardlab_testing.backend_laws.commands import EndedCommand, RunningCommand
from rewardlab_testing.backend_laws.ledger import LedgerGroup, steps_that_stand
from rewardlab_testing.backend_laws.trial import RECIPE, RUN, BackendTrial, TriedRun
from rewardlab_testing.backend_laws.whole_laws import refuse_incomplete
from rewardlab_testing.outcomes.messages import quoted, violation
from rewardlab_testing.outcomes.outcome import NothingToTry, UnmetNeed

TRACEBACK = "Traceback (most recent call last)"
FAILED = re.compile(
    rf"^error: component '{blocking_reward.PLUGIN}' .* failed on sample .*{blocking_reward.FAILURE}", re.MULTILINE
)
STOPPED_JOB = """
import sys, time
from pathlib import Path
from rewardlab.errors import RewardlabError
from rewardlab_training import RunJob, open_backend
recipe, held, release, elsewhere = sys.argv[1:]
try:
    job = RunJob.load(recipe)
    if not open_backend(job.plan).trains_here(job.plan):
        sys.exit(elsewhere)
    job.start()
    while job.status == "running" and not Path(held).exists():
        time.sleep(0.01)
    job.stop()
    Path(release).touch()
    print("stopped" if job.wait().stopped else "done")
except RewardlabError as error:
    print(*(f"error: {line}" for line in str(error).splitlines()), sep="\\n", file=sys.stderr)
    sys.exit(error.exit_code)
"""
"""a program that stops a run from Python once it is held up"""
ELSEWHERE = "trains elsewhere"


def resume(tested: BackendTrial) -> int:
    """Ctrl-C in the middle of a step keeps a checkpoint, and the command that is printed goes on from it."""
    return refuse_incomplete(tested, _interrupted(tested))


def stop(tested: BackendTrial) -> int:
    """A run that is stopped from Python goes on in the same way."""
    return refuse_incomplete(tested, tested.once("stop", lambda folder: _stop(tested, folder)))


def same(tested: BackendTrial) -> int:
    """Nothing of an interruption is seen in what a run learns from, nor in what it ends as."""
    untouched, interrupted = tested.run().groups, _interrupted(tested).groups
    seen = 0
    for index in tested.rl:
        then, now = steps_that_stand(untouched, index), steps_that_stand(interrupted, index)
        for step in then:
            seen += _refuse_difference(f"stage {index}, step {step}", then[step], now.get(step, []))
    seen += _refuse_difference("the last evaluation of each prompt", _last(untouched), _last(interrupted))
    return seen


def failures(tested: BackendTrial) -> int:
    """A reward that fails is the end of the attempt, in one line that says which, and of no more than that."""
    return refuse_incomplete(tested, tested.once("failures", lambda folder: _fail(tested, folder)))


def _interrupted(tested: BackendTrial) -> TriedRun:
    return tested.once("resume", lambda folder: _interrupt(tested, folder))


def _interrupt(tested: BackendTrial, folder: Path) -> TriedRun:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        raise UnmetNeed("this process ignores SIGINT, and so do those that it starts")
    running = _start_held(tested, folder, ["-m", "rewardlab.cli", *RUN], "rewardlab run recipe.yaml, then Ctrl-C")
    running.interrupt()
    (folder / blocking_reward.RELEASE).touch()
    ended = running.wait()
    (folder / blocking_reward.HOLD).unlink()
    return _go_on(tested, folder, ended, _continuation(ended, StoppedError.exit_code))


def _stop(tested: BackendTrial, folder: Path) -> TriedRun:
    given = [RECIPE, blocking_reward.HELD, blocking_reward.RELEASE, ELSEWHERE]
    typed = "RunJob.load('recipe.yaml').start(), then stop()"
    ended = _start_held(tested, folder, ["-c", STOPPED_JOB, *given], typed).wait()
    (folder / blocking_reward.HOLD).unlink()
    if ended.code != 0 or ended.out.splitlines()[-1] != "stopped" or ended.directory is None:
        raise violation(ended.typed, ended.ending, "a result that is `stopped`")
    return _go_on(tested, folder, ended, [*RUN, "--resume", ended.directory])


def _start_held(tested: BackendTrial, folder: Path, arguments: Sequence[str], typed: str) -> RunningCommand:
    """Return a run that is held up in a step of the gated stage, while the file HOLD is there.

    Raises UnmetNeed if it ends before.
    """
    index, stage = tested.gated_stage()
    (folder / blocking_reward.HOLD).touch()
    running = tested.commands.start(arguments, folder, typed)
    if running.wait_for(folder / blocking_reward.HELD):
        return running
    ended = running.wait()
    if ended.err.strip() == ELSEWHERE:
        raise NothingToTry("the engine trains on another machine")
    tested.refuse_unready(ended)
    if ended.code != 0:
        raise violation(typed, ended.ending, "a run that can be interrupted")
    steps = tested.saved_steps(stage)
    raise UnmetNeed(f"it ended before any reward was asked with {steps} step(s) of stage {index} in the ledger")


def _go_on(tested: BackendTrial, folder: Path, ended: EndedCommand, arguments: Sequence[str]) -> TriedRun:
    """Return the run that a command completes after it was ended; raise LawViolation where it begins anew."""
    index, stage = tested.gated_stage()
    steps = tested.saved_steps(stage)
    tried = tested.ended_well(folder, tested.commands.run(arguments, folder))
    of_stage = [group for group in tried.groups if group.stage == index and group.trained]
    made = [(group.attempt, step) for group in of_stage if (step := group.step) is not None]
    again = [step for attempt, step in made if attempt > 0]
    asked = f"{ended.typed}, then {tried.result.typed}"
    if made and not again:
        expected = f"it ends after step {steps + 1}, which was under way, and leaves the others to be made"
        raise violation(asked, "every step was made before the run ended", expected)
    if again and min(again) <= steps:
        hint = "" if stage.save_every else "; or set save_every, if the engine keeps no checkpoint at a stop"
        expected = f"step {steps + 1} or a later one, since step {steps} had been made and saved{hint}"
        raise violation(asked, f"it goes on with step {min(again)}", expected)
    return tried


def _continuation(ended: EndedCommand, stopped: int = 1) -> Sequence[str]:
    """Return the arguments of the command by which one goes on; raise LawViolation unless a person would see it."""
    if ended.code != stopped or ended.continuation is None or TRACEBACK in ended.out + ended.err:
        expected = f"exit code {stopped}, no traceback, and `continue with: rewardlab run ...`"
        raise violation(ended.typed, ended.ending, expected)
    return ended.continuation


def _fail(tested: BackendTrial, folder: Path) -> TriedRun:
    tested.gated_stage()
    (folder / blocking_reward.FAIL).touch()
    ended = tested.commands.run(RUN, folder)
    tested.refuse_unready(ended)
    ended = replace(ended, typed=f"{ended.typed}, with a reward that raises an exception")
    arguments = _continuation(ended)
    if not FAILED.search(ended.err):
        plugin, name = blocking_reward.PLUGIN, blocking_reward.NAME
        expected = f"`error: component '{plugin}' ({plugin}/{name}) failed on sample ...`"
        raise violation(ended.typed, ended.ending, expected)
    (folder / blocking_reward.FAIL).unlink()
    return tested.ended_well(folder, tested.commands.run(arguments, folder))


def _last(groups: Sequence[LedgerGroup]) -> list[LedgerGroup]:
    """Return the last group of each prompt that was evaluated after the training or in a stage of its own."""
    last = {(g.stage, g.sample): g for g in groups if not g.trained and g.step is None}
    return [last[key] for key in sorted(last)]


def _refuse_difference(how: str, then: Sequence[LedgerGroup], now: Sequence[LedgerGroup]) -> int:
    """Return how many completions are the same; raise LawViolation at the first that is not."""
    before = [(row["id"], row["completion"], row["total"]) for group in then for row in group.rows]
    after = [(row["id"], row["completion"], row["total"]) for group in now for row in group.rows]
    asked = f"a run that was interrupted and resumed, {how}"
    if len(before) != len(after):
        raise violation(asked, f"{len(after)} completions", f"{len(before)}, as without an interruption")
    for row, other in zip(before, after, strict=True):
        if row != other:
            raise violation(asked, _shown(*other), f"{_shown(*row)}, as without an interruption")
    return len(before)


def _shown(sample: str, text: str, total: float | None) -> str:
    return f"{quoted(text)} for sample {sample!r}, with a total of {total}"
