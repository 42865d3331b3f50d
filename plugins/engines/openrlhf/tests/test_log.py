"""The log of an OpenRLHF stage: what of it people read, what is kept, and how it says why the stage ended."""

import json
import math
import threading
import time
from types import SimpleNamespace

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab.recipe import load
from rewardlab.text.redaction import note_secrets
from rewardlab_ray.job.alarms import StopAtAlarm
from rewardlab_ray.job.log_lines import OUTCOME, STEPS, is_trouble, read_mark, read_numbers
from rewardlab_ray.job.stage_log import StageLog
from rewardlab_ray.user_lines import marked
from rewardlab_training import check_recipe

RETRIED = (
    "(raylet) Task CoordinatorActor.engines failed. There are infinite retries remaining, so the task will be retried."
)
WEIGHT = "(RolloutRayActor pid=7) update weight: lm_head.weight, dtype: torch.bfloat16, shape: torch.Size([80, 64])"
NUMBERS = {
    "score": 0.49,
    "reward/accuracy": 0.03125,
    "reward/total": 0.97,
    "rollout/response_length_mean": 37.125,
    "actor_grad_norm": 0.77,
    "timing/step_total": 1.94,
}
STEP = f"(PPOTrainer pid=9) INFO 11-21 15:56:58 ppo_trainer.py:551] Global step 4: {NUMBERS}"


@pytest.fixture
def said():
    return []


@pytest.fixture
def log(tmp_path, said):
    with StageLog(tmp_path / "logs" / "1-rl.log", said.append) as log:
        yield log


def ended(error=None, code=0, in_log=False):
    return marked(OUTCOME + json.dumps({"error": error, "code": code, "in_log": in_log}))


class TestMarks:
    def test_every_line_of_a_text_is_marked(self):
        assert [read_mark(line) for line in marked("one\ntwo").split("\n")] == ["one", "two"]

    def test_an_empty_text_is_a_line(self):
        assert read_mark(marked("")) == ""

    def test_ray_may_put_the_process_before_the_mark(self):
        assert read_mark(f"(driver pid=3) {marked('ready')}") == "ready"

    def test_a_line_of_the_engine_has_none(self):
        assert read_mark(STEP) is None

    @pytest.mark.parametrize(
        "line",
        [
            "(autoscaler) Warning: actor cannot be scheduled right now",
            "(raylet) 1 Workers killed due to memory pressure (OOM), out of memory",
            "(PPOTrainer pid=9) WARNING 11-21 agent.py:9] something",
            "2026-11-27 04:20:04,335\tERROR autoscaler.py:31 -- {'GPU': 8} cannot be scheduled",
        ],
    )
    def test_what_may_hold_a_job_up_is_trouble(self, line):
        assert is_trouble(line)

    @pytest.mark.parametrize(
        "line",
        [
            WEIGHT,
            "x.py:379: UserWarning: WARNING 'set_vital' is deprecated",
            "(W pid=3) WARNING:target_num_threads 8 should not exceed total physical CPU cores 2. Setting to 2.",
            "2026-11-27 04:20:04,335\tERROR worker.py:420 -- Unhandled error: ray::WorkerDict.update() (pid=7)",
            "(raylet) 2026-11-27 04:20:04,335 ERROR services.py:1412 -- Failed to start the dashboard",
            "(AgentLoopWorkerTQ pid=9) ERROR:2026-11-27 04:20:04,335:Error in _run_prompt for uid=9e817a34",
        ],
    )
    def test_a_librarys_own_warnings_are_not(self, line):
        assert not is_trouble(line)


class TestNumbers:
    """For the watch over a training; rl logs them all, sft and dpo show some beside their bar."""

    def test_have_rewardlabs_names(self):
        step, numbers = read_numbers(STEP)
        assert (step, numbers["grad_norm"], numbers["reward/total"]) == (4, 0.77, 0.97)

    def test_may_be_none(self):
        line = "Global step 5: {'policy_loss': nan, 'kl': inf, 'actor_grad_norm': -inf, 'a': 'text', 'return': 1.0}"
        _step, numbers = read_numbers(line)
        assert math.isnan(numbers.pop("loss"))
        assert numbers == {"kl": math.inf, "grad_norm": -math.inf, "return": 1.0}

    @pytest.mark.parametrize("name", ["gpt_loss", "loss"])
    def test_stand_beside_the_bar(self, name):
        bar = "Train step of epoch 1:  20%|##  | 4/20 [00:00<00:00, 30.58it/s, {}=5.72, lr=9e-6, grad_norm=nan]\x1b[A"
        step, numbers = read_numbers(bar.format(name))
        assert (step, numbers["loss"], math.isnan(numbers["grad_norm"])) == (24, 5.72, True)

    @pytest.mark.parametrize(
        "line", [WEIGHT, "Train step of epoch 0:  0%|  | 0/20 [00:00<?, ?it/s]", "Global step 1: {"]
    )
    def test_are_in_no_other_line(self, line):
        assert read_numbers(line) is None

    def test_are_handed_on_as_they_come_once_for_a_place_of_the_bar(self, tmp_path):
        taken = []
        bar = "Train step of epoch 0:  {}%|   | {}/20 [00:00<00:00, 1it/s, gpt_loss={}, lr=1e-6, grad_norm=1]"
        with StageLog(
            tmp_path / "x.log", lambda line: None, lambda step, numbers: taken.append((step, numbers))
        ) as log:
            for line in (bar.format(5, 1, 3), bar.format(5, 1, 3), bar.format(10, 2, 2.5), STEP):
                log.take(line)
        assert [step for step, _ in taken] == [1, 2, 4]
        assert taken[1][1] == {"loss": 2.5, "grad_norm": 1.0}


class TestDivergence:
    """The watch over a job's log, on the machine that started it."""

    RECIPE = """
        version: 1
        model: org/model
        dataset: {use: toy/counting, with: {rows: 32}}
        reward: {components: {brevity: {use: toy/brevity}}, total: brevity}
        stages:
          - {use: sft, batch_size: 16}
          - {use: rl, algorithm: grpo, batch_size: 8}
        backend: {use: openrlhf, gpus_per_node: 4}
    """

    @pytest.fixture
    def watched(self, toy, write, tmp_path, said):
        """Take steps with these numbers from 1 on, in a new attempt at one run: (the watch, the run's stop)."""
        log, recipe = tmp_path / "logs" / "1-rl.log", write("r.yaml", self.RECIPE)

        def take(*numbers, first=1, how="tell"):
            directory = SimpleNamespace(path=tmp_path, attempt=0, stop=threading.Event())
            plan = check_recipe(load(recipe, [f"stages.1.on_divergence={how}"]))
            watch = StopAtAlarm(plan, directory, 1, log, said.append)
            with StageLog(log, lambda line: None, watch.take) as taking:
                for step, of_step in enumerate(numbers, first):
                    taking.take(f"Global step {step}: {of_step}")
            return watch, directory.stop

        return take

    FINE, FAR = {"policy_loss": 0.0, "kl": 0.1}, {"policy_loss": 0.0, "kl": 40.0}

    def test_is_told(self, watched, said):
        watch, stop = watched(*[self.FINE] * 5, *[self.FAR] * 9)
        watch.check()
        assert not stop.is_set()
        assert ["stage 1-rl has diverged: kl is 40" in line for line in said] == [True]

    def test_stops_the_job_and_is_its_error(self, watched):
        watch, stop = watched(*[self.FINE] * 5, *[self.FAR] * 9, how="stop")
        assert stop.is_set()
        with pytest.raises(JobError, match=r"1-rl has diverged: kl is 40.* at step 8"):
            watch.check()

    def test_a_loss_that_is_none_always_does(self, watched):
        watch, stop = watched(self.FINE, {"policy_loss": math.nan})
        assert stop.is_set()
        with pytest.raises(JobError, match="loss is nan at step 2"):
            watch.check()

    def test_is_found_across_a_resume(self, watched, said, tmp_path):
        watched(*[self.FINE] * 5, self.FAR, self.FAR)
        assert said == []
        watched(self.FAR, first=8)
        assert ["at step 8" in line for line in said] == [True]
        watched(*[self.FINE] * 3, first=6)
        assert (tmp_path / "alarms.jsonl").read_text() == ""


class TestAlarmsOfScores:
    """Of engines that train on one step while later ones are scored; where nodes share logs, lines come twice."""

    watched, RECIPE = TestDivergence.watched, TestDivergence.RECIPE

    def test_are_found_in_what_the_coordinator_says(self, watched, said, tmp_path, write, toy):
        log, recipe = tmp_path / "logs" / "1-rl.log", write("r.yaml", self.RECIPE)

        def attempt(number, steps):
            directory = SimpleNamespace(path=tmp_path, attempt=number, stop=threading.Event())
            watch = StopAtAlarm(check_recipe(load(recipe)), directory, 1, log, said.append)
            with StageLog(log, said.append, watch.take, watch.take_scores) as taking:
                for step in steps:
                    numbers = {"step": step, "reward/brevity": 0.5, "varied/brevity": 0.5 * (step <= 15), "odd": None}
                    for prefix in ("", "(pid=1, ip=10.0.0.1) "):
                        taking.take(prefix + marked(f"scores {json.dumps(numbers)}"))
                    engines = {"policy_loss": 0.0, "reward/total": 0.0, "varied/brevity": 0.0}
                    taking.take(f"Global step {step - 2}: {engines}")

        attempt(0, range(1, 21))
        attempt(1, range(18, 31))
        [line] = [line for line in said if line.startswith("warning")]
        assert "stage 1-rl has a dead component: brevity" in line
        assert "at step 25" in line
        assert not any("scores {" in line for line in said)


class TestWhatIsShown:
    def test_our_lines_the_engines_steps_and_its_troubles(self, log, said):
        for line in (marked("starts"), WEIGHT, STEP, "[Warning] a flag"):
            log.take(line)
        assert said == ["starts", "1-rl: step 4", "[Warning] a flag"]

    def test_of_how_many_steps_where_the_driver_has_said_so(self, log, said):
        for line in (marked(f"{STEPS}9"), STEP):
            log.take(line)
        assert said == ["1-rl: step 4 of 9"]

    def test_of_how_much_time_is_left_by_the_engines_clock_however_late_the_lines_come(self, log, said):
        """Whoever follows a job again gets all that it has written at once."""
        for step, second in ((4, "58"), (5, "58"), (6, "59"), (24, "59"), (26, "59")):
            written = STEP.replace("step 4", f"step {step}").replace("15:56:58", f"{step + 11}:56:{second}")
            log.take(marked(f"{STEPS}26") if step == 24 else written)
            log.take(marked(f"{STEPS}26"))
        assert said == [
            "1-rl: step 4",
            "1-rl: step 5 of 26; 3.6e+03 s a step, 21 h 0 min left",
            "1-rl: step 6 of 26; 3.6e+03 s a step, 20 h 0 min left",
            "1-rl: step 26 of 26",
        ]

    def test_of_no_time_that_is_left_where_the_clock_has_not_moved(self, log, said):
        for line in (marked(f"{STEPS}26"), STEP, STEP.replace("step 4", "step 5"), "Global step 6: {}"):
            log.take(line)
        assert ["left" in line for line in said] == [False] * 3

    def test_a_step_is_told_once_where_every_node_sends_its_line(self, log, said):
        for line in (STEP, STEP, STEP.replace("step 4", "step 5"), STEP.replace("step 4", "step 5")):
            log.take(line)
        assert [line.partition(";")[0] for line in said] == ["1-rl: step 4", "1-rl: step 5"]

    def test_a_step_has_its_total_and_parts_from_the_scorers_whatever_the_engine_makes_of_them(self, tmp_path, said):
        """OpenRLHF's mean is NaN if one group has none, verl's own score is the advantage; both come with the loss."""
        openrlhf = "Global step {}: {{'policy_loss': 0.5, 'reward/total': nan, 'reward/accuracy': nan}}"
        scores = {"step": 1, "reward/total": 0.461, "reward/accuracy": 0.25, "reward/groups_without_variance": 0.5}
        with StageLog(tmp_path / "1-rl.log", said.append, scored=True) as log:
            log.take(marked(f"{STEPS}3"))
            log.take(marked(f"scores {json.dumps(scores)}"))
            log.take(openrlhf.format(1))
            log.take("Global step 2: {'loss': 0.25, 'critic/score/mean': 0.0}")
            assert said == ["1-rl: step 1 of 3, total 0.461, accuracy 0.25, loss 0.5"], (
                "the second waits for its scores"
            )
            log.take(marked(f"scores {json.dumps(scores | {'step': 2, 'reward/accuracy': None})}"))
            log.take(openrlhf.format(3))
        assert said[1:] == ["1-rl: step 2 of 3, total 0.461, loss 0.25", "1-rl: step 3 of 3, loss 0.5"]

    def test_the_steps_that_stand_in_a_bar_alone_are_lines_too_now_and_then(self, tmp_path, said, monkeypatch):
        now = [time.monotonic()]
        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        with StageLog(tmp_path / "0-sft.log", said.append) as log:
            log.take(marked(f"{STEPS}20"))
            for step in range(1, 7):  # one every 4 s
                bar = f"{step}%|▌   | {step}/20 [00:{4 * step:02}<00:00, 1it/s, gpt_loss=5, lr=1e-6, grad_norm=1]"
                log.take(f"Train step of epoch 0:  {bar}\x1b[A")
                now[0] += 4
        assert said == ["0-sft: step 4 of 20, loss 5"]

    def test_the_file_has_all_of_it_at_once(self, log):
        log.take(WEIGHT)
        assert WEIGHT in log.path.read_text()

    def test_of_the_lines_for_each_weight_the_file_has_the_first_of_a_step_and_a_count(self, log):
        """A model of 300 weights on 16 engines has 4,800 of them a step."""
        names = ["embed", "norm", "lm_head"]
        lines = [WEIGHT.replace("lm_head.weight", f"{name}.weight") for name in names for _engine in range(16)]
        for line in (*lines, "(RolloutRayActor pid=8) init_process_group: rank=1", STEP, lines[0], STEP):
            log.take(line)
        first, other, count, *rest = log.path.read_text().splitlines()
        assert [first, other] == [lines[0], "(RolloutRayActor pid=8) init_process_group: rank=1"]
        assert count == "rewardlab left 47 more lines `update weight: ...` out of this log, the last of lm_head.weight"
        assert rest == [STEP, lines[0], STEP]

    def test_of_rays_lines_for_each_call_that_waits_for_an_actor_the_file_has_the_first_and_a_count(self, log):
        for number in range(1000):
            log.take(RETRIED.replace("engines", "record") if number % 2 else RETRIED)
        log.close()
        assert log.path.read_text().splitlines() == [
            RETRIED,
            "rewardlab left 999 more lines `... the task will be retried` out of this log, the last of "
            "CoordinatorActor.record",
        ]

    def test_of_an_exchange_that_does_not_end_the_count_and_the_last_weight_are_there(self, log):
        for name in ("embed", "norm"):
            log.take(WEIGHT.replace("lm_head", name))
        log.close()
        assert log.path.read_text().endswith(
            "left 1 more lines `update weight: ...` out of this log, the last of norm.weight\n"
        )

    def test_of_a_bar_that_rewrites_its_line_the_last_state_is_kept(self, log):
        log.take("10%\r20%\rdone")
        assert log.path.read_text() == "done\n"

    def test_of_a_bars_states_one_is_shown_now_and_then_and_all_are_kept(self, log, said, monkeypatch):
        now = [time.monotonic()]
        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        for step in range(1, 7):  # one every 4 s
            log.take(f"Capturing graphs:  {step}%|▌   | {step}/20 [00:{4 * step:02}<00:00, 30.58it/s]\x1b[A")
            now[0] += 4
        assert [line.split("| ")[1].split(" ")[0] for line in said] == ["4/20"]
        assert "\x1b" not in log.path.read_text()
        assert len(log.path.read_text().splitlines()) == 6

    @pytest.mark.parametrize(
        "bar",
        [
            "Loading weights: 100%|██████████| 20/20 [00:00<00:00, 446.55it/s]",
            "Train epoch [1/1]: 100%|██████████| 1/1 [00:20<00:00, 15.90it/s, act_loss=0, reward=0, act_lr=0.001]",
            "Episode [1/2]:  50%|█████     | 1/2 [00:02<00:02,  2.0s/it]",
            "Episode [1/2]:  50%|█████     | 1/2 [01:02<01:02,  62.0s/it]",
            "Training Progress:  50%|█████     | 5/10 [02:30<02:30, 30.05s/it]",
            "Epoch 1/1:  50%|█████     | 5/10 [02:30<02:30, 30.05s/it]",
        ],
    )
    def test_of_what_is_short_over_or_of_the_steps_no_bar_is_shown_however_late(self, log, said, monkeypatch, bar):
        later = time.monotonic() + 60
        monkeypatch.setattr(time, "monotonic", lambda: later)
        log.take(bar)
        assert said == []

    def test_a_bar_that_lasts_is_shown_where_nothing_else_is(self, log, said, monkeypatch):
        now = [time.monotonic() + 60]
        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        bar = "(PPOTrainer pid=9) Generating samples:  50%|█████     | 512/1024 [1:02:03<00:02,  2.0s/it]"
        log.take(STEP)
        log.take(bar)
        assert len(said) == 1
        now[0] += 11
        log.take(bar)
        assert said[1:] == [bar]

    def test_nor_is_one_that_has_only_begun(self, log, said, monkeypatch):
        later = time.monotonic() + 60
        monkeypatch.setattr(time, "monotonic", lambda: later)
        log.take("Loading weights:   0%|          | 0/20 [00:00<?, ?it/s]")
        assert said == []

    def test_the_same_trouble_of_many_processes_is_shown_once_in_a_while(self, log, said, monkeypatch):
        now = [time.monotonic()]
        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        for process in range(16):
            log.take(f"(RolloutRayActor pid={process}) WARNING 11-21 15:56:{process} [cuda.py:{process}] slow")
        log.take("(RolloutRayActor pid=1) WARNING 11-21 15:56:58 [cuda.py:1] another")
        assert [line[-7:] for line in said] == ["0] slow", "another"]
        now[0] += 301
        log.take("(RolloutRayActor pid=3) WARNING 11-21 16:56:58 [cuda.py:3] slow")
        assert len(said) == 3

    def test_neither_shows_a_secret(self, log, said):
        note_secrets(["sk-very-secret"])
        log.take(marked("key sk-very-secret was used"))
        assert said == ["key *** was used"]
        assert "sk-very-secret" not in log.path.read_text()

    def test_the_outcome_is_for_the_program(self, log, said):
        log.take(ended())
        assert said == []


class TestTheEnd:
    def test_of_fewer_steps_than_were_planned_is_told(self, log, said):
        for line in (marked(f"{STEPS}9"), STEP, ended()):
            log.take(line)
        log.end("1-rl", 0)
        assert "trained 4 of its 9 steps" in said[-1]

    def test_of_all_steps_says_nothing_more(self, log, said):
        for line in (marked(f"{STEPS}4"), STEP, ended()):
            log.take(line)
        log.end("1-rl", 0)
        assert len(said) == 1

    def test_a_good_one_says_nothing(self, log):
        log.take(ended())
        log.end("1-rl", 0)

    def test_an_outcome_that_another_process_wrote_behind_is_read(self, log):
        log.take(f"Episode: 99%|{ended('over', 1)}(PPOTrainer pid=9) saved")
        with pytest.raises(JobError, match=r"^over$"):
            log.end("1-rl", 1)

    def test_one_that_is_torn_is_none(self, log):
        log.take(ended("over", 1)[:-9])
        with pytest.raises(JobError, match="ended with exit code 1"):
            log.end("1-rl", 1)

    def test_a_failed_job_is_a_job_error_with_the_drivers_words(self, log):
        log.take(ended("component 'x' failed", 1))
        with pytest.raises(JobError, match="component 'x' failed"):
            log.end("1-rl", 1)

    def test_a_rank_that_failed_is_told_with_what_it_raised(self, log):
        for line in ("[rank0]: ValueError: not supported", "    raise ChildFailedError(", "a.b.ChildFailedError: "):
            log.take(line)
        log.take(ended("a process of x ended with exit code 1", 1, in_log=True))
        with pytest.raises(JobError, match=r"ended with exit code 1: ValueError: not supported$"):
            log.end("0-sft", 1)

    def test_one_that_raised_nothing_with_the_file(self, log):
        log.take(ended("a process of x ended with exit code -9", 1, in_log=True))
        with pytest.raises(JobError, match=r"ended with exit code -9; its log is .*1-rl.log"):
            log.end("0-sft", 1)

    def test_what_the_driver_knows_is_told_alone(self, log):
        log.take("ValueError: of some library")
        log.take(ended("component 'x' failed", 1))
        with pytest.raises(JobError, match=r"^component 'x' failed$"):
            log.end("1-rl", 1)

    def test_a_users_mistake_stays_one(self, log):
        log.take(ended("the stage needs 8 GPUs", 2))
        with pytest.raises(UserError, match="8 GPUs"):
            log.end("1-rl", 2)

    def test_a_driver_that_was_killed_is_told_by_its_last_lines_and_the_file(self, log):
        log.take("Out of memory")
        with pytest.raises(JobError, match=r"1-rl ended with exit code -9; its log is .*1-rl.log(.|\n)*Out of memory"):
            log.end("1-rl", -9)

    def test_rays_names_of_processes_without_a_line_are_none_of_the_last_lines(self, log):
        for line in (
            "(PPOTrainer pid=9) it broke",
            *["(PPOTrainer pid=9) ", "(raylet) ", "(A pid=1, ip=10.0.0.2)  "] * 3,
        ):
            log.take(line)
        with pytest.raises(JobError, match=r"the last lines:\n  \(PPOTrainer pid=9\) it broke$"):
            log.end("1-rl", -9)

    def test_an_exit_code_of_0_without_an_outcome_is_no_good_end(self, log):
        with pytest.raises(JobError, match="exit code 0"):
            log.end("1-rl", 0)

    def test_a_second_attempt_goes_on_in_the_same_file(self, log, tmp_path):
        log.take("first")
        with StageLog(log.path, lambda line: None) as again:
            again.take("second")
        assert log.path.read_text() == "first\nsecond\n"
