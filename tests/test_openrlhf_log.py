"""The log of an OpenRLHF stage: what of it people read, what is kept, and how it says why the stage ended."""

import json

import pytest
from rewardlab.backends.openrlhf.log import StageLog
from rewardlab.backends.openrlhf.marks import OUTCOME, is_noise, marked, read_mark
from rewardlab.errors import JobError, UserError
from rewardlab.redaction import note_secrets

WEIGHT = "(RolloutRayActor pid=7) update weight: lm_head.weight, dtype: torch.bfloat16, shape: torch.Size([80, 64])"
STEP = "(PPOTrainer pid=9) INFO 11-21 15:56:58 ppo_trainer.py:551] Global step 4: {'score': 0.49}"


@pytest.fixture
def said():
    return []


@pytest.fixture
def log(tmp_path, said):
    with StageLog(tmp_path / "logs" / "1-rl.log", said.append) as log:
        yield log


def ended(error=None, code=0):
    return marked(OUTCOME + json.dumps({"error": error, "code": code}))


class TestMarks:
    def test_every_line_of_a_text_is_marked(self):
        assert [read_mark(line) for line in marked("one\ntwo").split("\n")] == ["one", "two"]

    def test_an_empty_text_is_a_line(self):
        assert read_mark(marked("")) == ""

    def test_ray_may_put_the_process_before_the_mark(self):
        assert read_mark(f"(driver pid=3) {marked('ready')}") == "ready"

    def test_a_line_of_the_engine_has_none(self):
        assert read_mark(STEP) is None

    @pytest.mark.parametrize("line", [WEIGHT, "", "Episode [1/1]: 6%|# | 1/16 [00:02<00:30, 2.1s/it]"])
    def test_what_repeats_for_every_weight_and_bar_is_noise(self, line):
        assert is_noise(line)

    def test_what_a_step_says_is_not(self):
        assert not is_noise(STEP)


class TestWhatIsShown:
    def test_our_lines_without_the_mark_and_the_engines_without_the_noise(self, log, said):
        for line in (marked("starts"), WEIGHT, STEP):
            log.take(line)
        assert said == ["starts", STEP]

    def test_the_file_has_all_of_it_at_once(self, log):
        log.take(WEIGHT)
        assert WEIGHT in log.path.read_text()

    def test_of_a_bar_that_rewrites_its_line_the_last_state_is_kept(self, log):
        log.take("10%\r20%\rdone")
        assert log.path.read_text() == "done\n"

    def test_neither_shows_a_secret(self, log, said):
        note_secrets(["sk-very-secret"])
        log.take("key sk-very-secret was used")
        assert said == ["key *** was used"]
        assert "sk-very-secret" not in log.path.read_text()

    def test_the_outcome_is_for_the_program(self, log, said):
        log.take(ended())
        assert said == []


class TestTheEnd:
    def test_a_good_one_says_nothing(self, log):
        log.take(ended())
        log.end("1-rl", 0)

    def test_a_failed_job_is_a_job_error_with_the_drivers_words(self, log):
        log.take(ended("component 'x' failed", 1))
        with pytest.raises(JobError, match="component 'x' failed"):
            log.end("1-rl", 1)

    def test_a_users_mistake_stays_one(self, log):
        log.take(ended("the stage needs 8 GPUs", 2))
        with pytest.raises(UserError, match="8 GPUs"):
            log.end("1-rl", 2)

    def test_a_driver_that_was_killed_is_told_by_its_last_lines_and_the_file(self, log):
        log.take("Out of memory")
        with pytest.raises(JobError, match=r"1-rl ended with exit code -9; its log is .*1-rl.log(.|\n)*Out of memory"):
            log.end("1-rl", -9)

    def test_an_exit_code_of_0_without_an_outcome_is_no_good_end(self, log):
        with pytest.raises(JobError, match="exit code 0"):
            log.end("1-rl", 0)

    def test_a_second_attempt_goes_on_in_the_same_file(self, log, tmp_path):
        log.take("first")
        with StageLog(log.path, lambda line: None) as again:
            again.take("second")
        assert log.path.read_text() == "first\nsecond\n"
