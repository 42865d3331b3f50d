"""Which ends of a job are a loss, after which it is started again, and how often."""

import json
import re
import threading
from contextlib import ExitStack

import pytest
from helpers.each_case import each_case
from rewardlab.errors import JobError, UserError
from rewardlab_ray.job import restarts
from rewardlab_ray.job.log_lines import OUTCOME
from rewardlab_ray.job.lost_process import (
    ENGINE_LOST,
    LostProcess,
    RayStartTimeout,
    StartFailure,
    is_loss,
    is_reason_of_loss,
    text_of_engine,
)
from rewardlab_ray.job.restarts import with_restarts
from rewardlab_ray.job.scored_training import ask_judges
from rewardlab_ray.job.stage_log import StageLog
from rewardlab_ray.stage_task import StageTask
from rewardlab_ray.user_lines import marked


class Stage:
    """A stage whose attempts end as `ends` says: (an error or None, the step of the newest checkpoint then)."""

    def __init__(self, *ends):
        self.ends, self.step, self.restarted, self.said = list(ends), 0, [], []

    def attempt(self, again):
        self.restarted.append(again)
        error, self.step = self.ends.pop(0)
        if error is not None:
            raise error

    def run(self, most, stop=None):
        with_restarts(self.attempt, lambda: self.step, most, stop or threading.Event(), self.said.append)


@pytest.fixture(autouse=True)
def short_pause(monkeypatch):
    monkeypatch.setattr(restarts, "PAUSE_S", 0.0)


LOST = LostProcess("stage 1-rl: ActorDiedError: the actor died")


class TestRestarts:
    def test_a_loss_is_told_and_followed_by_an_attempt_from_the_checkpoint(self):
        stage = Stage((LOST, 4), (None, 9))
        stage.run(most=1)
        assert stage.restarted == [False, True]
        assert stage.said == [
            "warning: stage 1-rl: ActorDiedError: the actor died",
            "starting again from the checkpoint of step 4 (restart 1 of 1; backend.max_restarts)",
        ]

    def test_a_loss_ends_the_run_by_default(self):
        stage = Stage((LOST, 4))
        with pytest.raises(LostProcess, match=r"the actor died\n`backend\.max_restarts: 3` starts such a job again"):
            stage.run(most=0)
        assert stage.said == []

    def test_losses_without_a_new_checkpoint_count(self):
        stage = Stage((LOST, 4), (LOST, 4), (LOST, 4))
        with pytest.raises(JobError, match="the actor died\nit was started again 2 times without a new checkpoint"):
            stage.run(most=2)
        assert stage.restarted == [False, True, True]

    def test_a_new_checkpoint_begins_the_count_anew(self):
        stage = Stage((LOST, 4), (LOST, 5), (LOST, 6), (None, 9))
        stage.run(most=1)
        assert len(stage.restarted) == 4

    def test_before_the_first_checkpoint_it_begins_anew(self):
        stage = Stage((LOST, 0), (None, 9))
        stage.run(most=1)
        assert "starting again from the stage's beginning" in stage.said[-1]

    @pytest.mark.parametrize(
        "error", [JobError("judge 'main': the budget is used up"), UserError("8 GPUs"), StartFailure("no actor")]
    )
    def test_nothing_else_is_tried_again(self, error):
        stage = Stage((error, 4))
        with pytest.raises(type(error)):
            stage.run(most=5)
        assert stage.restarted == [False]

    @pytest.mark.parametrize("error", [UserError("judges.main: Connection refused"), StartFailure("no room")])
    def test_a_start_that_fails_is_a_restart_like_another(self, error):
        stage = Stage((LOST, 4), (error, 4), (None, 9))
        stage.run(most=2)
        assert stage.restarted == [False, True, True]
        assert stage.said[2:] == [
            f"warning: it could not be started again: {error}",
            "starting again from the checkpoint of step 4 (restart 2 of 2; backend.max_restarts)",
        ]

    def test_a_node_that_does_not_come_back_ends_it_with_both_reasons(self):
        away = UserError("the stage needs 4 GPUs and Ray has 2")
        stage = Stage((LOST, 4), (away, 4), (away, 4))
        why = f"the actor died\nit could not be started again: {away}\nit was started again 2 times"
        with pytest.raises(JobError, match=why):
            stage.run(most=2)
        assert stage.restarted == [False, True, True]

    def test_a_ray_that_is_late_is_started_once_more(self):
        late = RayStartTimeout("stage 1-rl: Ray was not up within 30 s")
        stage = Stage((late, 0), (None, 9))
        stage.run(most=0)
        assert stage.restarted == [False, False]
        assert stage.said == [f"warning: {late}; starting it once more"]
        with pytest.raises(RayStartTimeout):
            Stage((late, 0), (late, 0)).run(most=5)

    def test_a_stop_ends_the_pause(self, monkeypatch):
        monkeypatch.setattr(restarts, "PAUSE_S", 60.0)
        stop = threading.Event()
        stop.set()
        stage = Stage((LOST, 4))
        with pytest.raises(KeyboardInterrupt):
            stage.run(most=5, stop=stop)


JUDGED = """
version: 1
model: org/model
dataset: {use: data/arithmetic, with: {kind: prompts}}
judges: {main: {use: openai/chat, with: {model: m, base_url: URL}, timeout: 0.2, retries: 2}}
reward: {components: {preference: {use: pairwise/win_rate, with: {judge: main}}}, total: preference}
stages: [{use: rl, algorithm: dr_grpo, group_size: 2, batch_size: 2, steps: 1, max_new_tokens: 8}]
backend: {use: openrlhf, gpus_per_node: 1}
"""


def test_a_restart_waits_for_a_judge_that_is_away_as_a_job_under_way_does(judge_server, write, tmp_path, monkeypatch):
    """The judge's server is lost with the engine, and comes back once somebody says that they wait for it."""
    monkeypatch.setenv("RAY_ADDRESS", "of a cluster")
    server, said = judge_server.JudgeServer(answer=lambda request: "ready"), []

    def hear(line):
        said.append(line)
        if "its questions wait for it, for 24 s at most" in line:  # two retries have 12 s each
            serving.enter_context(judge_server.Serving(server, server.port))

    def attempt(again):
        ask_judges(StageTask(run=tmp_path, index=0, attempt=int(again), home=tmp_path, say=hear, restarted=again))
        if not again:
            serving.close()
            raise LOST

    with ExitStack() as serving:
        serving.enter_context(judge_server.Serving(server))
        write("recipe.resolved.yaml", JUDGED.replace("URL", server.url))
        with_restarts(attempt, lambda: 0, 1, threading.Event(), hear)
    assert [re.sub(r"after \d+ s", "soon", line) for line in said if not line.startswith("warning")] == [
        "judges that answer: main",
        "starting again from the stage's beginning (restart 1 of 1; backend.max_restarts)",
        "judge 'main' answers again soon; 1 question waited",
        "judges that answer: main",
    ]


def raised_by_ray(name, text="The actor died unexpectedly", cause=None):
    error = type(name, (Exception,), {})(text)
    error.cause = cause
    return error


@each_case(
    "error, lost",
    [
        (raised_by_ray("ActorDiedError"), True),
        (raised_by_ray("RayTaskError", cause=raised_by_ray("ActorDiedError")), True),
        (raised_by_ray("RayTaskError", cause=raised_by_ray("EngineDeadError", "see above")), True),
        (raised_by_ray("RayTaskError", cause=RuntimeError("NCCL communicator was aborted")), True),
        (raised_by_ray("ActorDiedError", "because of an error raised in its creation task"), False),
        (raised_by_ray("RayTaskError", cause=ValueError("of a model")), False),
        (RuntimeError("CUDA out of memory"), False),
        (JobError("component 'x' failed"), False),
    ],
)
def test_an_error_of_the_engine_is_a_loss_where_a_process_went(error, lost):
    assert is_loss(error) is lost


def test_a_job_that_ends_as_its_rollout_engine_went_may_be_started_again():
    """A completion that failed by itself would fail again."""
    text = "1 of 4 completions were lost; the last of them: RuntimeError: the judge said Connection reset"
    assert not is_reason_of_loss(text)
    assert is_reason_of_loss(f"{ENGINE_LOST}: ActorDiedError: Server died")
    assert is_reason_of_loss("row 3: vllm.v1.engine.exceptions.EngineDeadError: see above")


RAYS_TEXT = (
    "The actor died unexpectedly before finishing this task. class_name: RolloutRayActor actor_id: 363e3c224859 "
    "pid: 13266 namespace: rewardlab ip: 192.0.2.2 The actor is dead because its worker process has died. Worker exit "
    "type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file. "
    "Some common causes include: (1) the process was killed by the OOM killer due to high memory usage, (2) ray stop "
    "--force was called, or (3) the worker crashed unexpectedly due to SIGSEGV or another unexpected error."
)


class TestTheTextOfALoss:
    def test_is_which_process_died_and_how_without_rays_guesses(self):
        assert text_of_engine(raised_by_ray("RayTaskError", cause=raised_by_ray("ActorDiedError", RAYS_TEXT))) == (
            "ActorDiedError: RolloutRayActor (pid 13266, ip 192.0.2.2) died: its worker process has died. Worker exit "
            "type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of "
            "file."
        )

    @each_case("text", ["", "The node died", "pid: 5 The actor is dead because", "class_name: A"])
    def test_that_is_another_one_is_told_all_the_same(self, text):
        assert text_of_engine(raised_by_ray("ActorDiedError", text)).startswith("ActorDiedError")

    def test_of_the_engine_itself_stays_as_it_is(self):
        assert text_of_engine(ValueError("class_name: A, pid: 5\nmore")) == "ValueError: class_name: A, pid: 5 more"


class TestWhatALogEndsWith:
    @pytest.fixture
    def end(self, tmp_path):
        def ended(*lines, code=1):
            with StageLog(tmp_path / "1-rl.log", lambda line: None) as log:
                for line in lines:
                    log.take(line)
                with pytest.raises(JobError) as raised:
                    log.end("1-rl", code)
            return isinstance(raised.value, LostProcess)

        return ended

    @pytest.mark.parametrize(("code", "lost"), [(-9, True), (137, True), (None, True), (1, False)])
    def test_a_driver_that_was_killed_is_a_loss(self, end, code, lost):
        assert end("some line", code=code) is lost

    @pytest.mark.parametrize("lost", [True, False])
    def test_an_outcome_says_it_itself(self, end, lost):
        assert end(outcome(lost=lost)) is lost

    def test_or_that_it_did_not_begin(self, tmp_path):
        with StageLog(tmp_path / "1-rl.log", lambda line: None) as log:
            log.take(outcome(at_start=True))
            with pytest.raises(StartFailure, match="it failed"):
                log.end("1-rl", 1)

    def test_or_that_ray_was_late(self, tmp_path):
        with StageLog(tmp_path / "1-rl.log", lambda line: None) as log:
            log.take(outcome(at_start=True, ray_late=True))
            with pytest.raises(RayStartTimeout, match="it failed"):
                log.end("1-rl", 1)

    @pytest.mark.parametrize(
        ("raised", "lost"),
        [
            ([], True),
            (["[rank0]: torch.distributed.DistBackendError: NCCL error"], True),
            (["[rank0]: ValueError: bad rows"], False),
            (["(launch_node pid=7) [rank1]: torch.OutOfMemoryError: CUDA out of memory."], False),
        ],
    )
    def test_a_rank_that_raised_nothing_was_killed(self, end, raised, lost):
        assert end(*raised, outcome(in_log=True)) is lost


def outcome(**more):
    return marked(OUTCOME + json.dumps({"error": "it failed", "code": 1, "in_log": False, **more}))
