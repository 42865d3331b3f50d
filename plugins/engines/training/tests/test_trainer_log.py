"""Logs of other trainers as alarms read them, and `rewardlab alarms`."""

import json
import math

import pytest
from helpers.each_case import each_case
from rewardlab.cli import main
from rewardlab.errors import UserError
from rewardlab_training.alarms.trainer_log import read_trainer_log

TRL = {
    "completions/mean_length": 90.5, "entropy": 0.4, "epoch": 0.1, "frac_reward_zero_std": 0.25, "grad_norm": 0.3,
    "kl": 0.01, "loss": 0.02, "reward": 0.6, "reward_std": 0.2, "rewards/accuracy/mean": 0.5,
    "rewards/accuracy/std": 0.1,
}  # fmt: skip
ALL = {
    "length/mean": 90.5, "entropy": 0.4, "reward/groups_without_variance": 0.25, "grad_norm": 0.3, "kl": 0.01,
    "loss": 0.02, "reward/total": 0.6, "group/std": 0.2, "reward/accuracy": 0.5,
}  # fmt: skip
NEW_TRL = {name: f"{value:.4g}" for name, value in TRL.items()}
VERL = (
    "\x1b[36m(TaskRunner pid=7)\x1b[0m step:2 - actor/entropy:0.4 - actor/pg_loss:np.float64(-0.02) - "
    "actor/grad_norm:3e-1 - critic/score/mean:0.6 - critic/score/max:1.0 - critic/rewards/mean:0.5 - "
    "response_length/mean:90.5 - reward_extra/acc/mean:0.5 - timing_s/gen:1.0"
)
OF_VERL = {"entropy": 0.4, "loss": -0.02, "grad_norm": 0.3, "reward/total": 0.6, "length/mean": 90.5, "reward/acc": 0.5}
EVALUATED = {"eval_reward": 0.1, "eval_loss": 0.4, "epoch": 1.0}
STATE = json.dumps({"log_history": [TRL | {"step": 5}, EVALUATED | {"step": 5}, {"train_loss": 0.1, "step": 9}]})
EXPORT = '"Step","mine - train/reward","mine - train/rewards/accuracy/mean","mine - train/reward__MIN"\n3,0.6,0.5,0.1\n'


@each_case(
    "name, text, expected",
    [
        ("trainer_state.json", STATE, [(5, ALL)]),
        ("steps.json", json.dumps([TRL, TRL]), [(1, ALL), (2, ALL)]),
        ("steps.jsonl", f"{json.dumps(TRL | {'step': 7})}\n", [(7, ALL)]),
        ("steps.jsonl", '{"step":7,"loss":NaN}\n{torn', [(7, {"loss": math.nan})]),
        ("out.log", f"Loading: 3%|#\rmap:\r{TRL}\n  1%| 2/9\n{EVALUATED}\n{TRL}\n", [(1, ALL), (2, ALL)]),
        ("out.log", f"{NEW_TRL}\n", [(1, ALL)]),
        ("out.log", f"{VERL}\n{VERL}", [(2, OF_VERL), (2, OF_VERL)]),
        (
            "steps.jsonl",
            '{"step":1e999,"loss":Infinity}\n{"step":4,"loss":1}',
            [(1, {"loss": math.inf}), (4, {"loss": 1.0})],
        ),
        ("steps.csv", "step,reward\nnan,0.5\n,0.6\n", [(1, {"reward/total": 0.5}), (2, {"reward/total": 0.6})]),
        ("out.log", "{'loss': 'infonce', 'kl': 'nano'}\n{'loss': 0.1}", [(1, {"loss": 0.1})]),
        ("wandb.csv", EXPORT, [(3, {"reward/total": 0.6, "reward/accuracy": 0.5})]),
    ],
)
def test_a_log_is_read(tmp_path, name, text, expected):
    (tmp_path / name).write_text(text)
    found = [(step, sorted(numbers.items())) for step, numbers in read_trainer_log(tmp_path / name).steps]
    assert repr(found) == repr([(step, sorted(numbers.items())) for step, numbers in expected])  # NaN equals nothing


def test_columns_of_other_names(tmp_path):
    (tmp_path / "log.csv").write_text("update,reward_mean,ndcg_mean,tokens\n1,0.5,0.25,90\n2,0.6,,\n")
    log = read_trainer_log(tmp_path / "log.csv", ["reward_mean=total", "ndcg_mean=ndcg", "tokens=length"], "ndcg")
    assert log.steps == [
        (1, {"reward/total": 0.5, "reward/ndcg": 0.25, "length/mean": 90.0}),
        (2, {"reward/total": 0.6}),
    ]
    assert log.watched("ndcg") == ["reward_hacking"]
    assert log.watched(None) == []


def test_a_column_that_somebody_has_named_goes_before_those_that_are_known(tmp_path):
    (tmp_path / "log.csv").write_text("step,reward,mine\n1,0.9,0.1\n2,0.9,\n")
    log = read_trainer_log(tmp_path / "log.csv", ["mine=total"])
    assert log.steps == [(1, {"reward/total": 0.1}), (2, {"reward/total": 0.9})]


@each_case(
    "name, text, columns, correctness, problem",
    [
        (
            "a.csv",
            "step,reward,mine\n1,2,3\n",
            ("mein=total",),
            None,
            "--column: no column 'mein'; did you mean 'mine'?",
        ),
        (
            "a.csv",
            '"Step","A - reward","B - reward"\n1,2,\n2,,2\n',
            (),
            None,
            "holds the columns of 2 runs (A, B); export one",
        ),
        ("a.json", "{", (), None, "cannot be read as JSON"),
        ("a.json", '{"epoch": 3}', (), None, "neither a trainer_state.json, with `log_history`, nor a list of steps"),
        ("a.json", "[" * 100_000, (), None, "nested too deeply"),
        ("a.log", "step 3: all is well\n", (), None, "no step with a number that an alarm reads"),
        ("a.log", "{'loss': 0.1}", ("reward=",), None, "'reward=' is not COLUMN=NAME"),
        ("a.log", f"{TRL}", (), "accurate", "no component 'accurate'; did you mean 'accuracy'?"),
        ("missing.log", None, (), None, "cannot be read: No such file or directory"),
        ("missing.csv", None, (), None, "no such file"),
    ],
)
def test_what_cannot_be_read_gets_one_error(tmp_path, name, text, columns, correctness, problem):
    if text is not None:
        (tmp_path / name).write_text(text)
    with pytest.raises(UserError) as caught:
        read_trainer_log(tmp_path / name, columns, correctness)
    assert problem in str(caught.value)


def rows(judge):
    noise = [0.08 * math.sin(11 * step * step) for step in range(60)]
    return [
        {"step": step, "reward": judge(step) + noise[step], "rewards/judge/mean": judge(step) + noise[step],
         "rewards/gold/mean": 0.4 + noise[step]}
        for step in range(60)
    ]  # fmt: skip


@pytest.fixture
def logs(tmp_path):
    """Two logs: a judge that parts from what is right from step 30 on, and one that does not."""
    hacked, sound = tmp_path / "hacked.jsonl", tmp_path / "sound.jsonl"
    hacked.write_text("\n".join(map(json.dumps, rows(lambda step: 0.5 + max(0, step - 30) / 60))))
    sound.write_text("\n".join(map(json.dumps, rows(lambda step: 0.5))))
    return [str(hacked), str(sound)]


def test_the_command_says_of_each_log_what_went_off(logs, capsys):
    assert main(["alarms", *logs, "--correctness", "gold", "--batch-size", "8"]) == 0
    hacked, alarm, sound = capsys.readouterr().out.splitlines()
    assert hacked == f"{logs[0]}: 1 alarm in 60 steps; its numbers allow reward_hacking"
    assert alarm.startswith("  reward_hacking: may be hacking its reward: judge rises (")
    assert "away from gold (" in alarm
    assert sound == f"{logs[1]}: no alarm in 60 steps; its numbers allow reward_hacking"


def test_a_log_whose_numbers_no_alarm_can_use_says_so(tmp_path, capsys):
    (tmp_path / "log.csv").write_text("step,reward\n1,0.5\n")
    assert main(["alarms", str(tmp_path / "log.csv")]) == 0
    assert capsys.readouterr().out.endswith("no alarm in 1 step; its numbers allow none\n")


@each_case("flags, code", [([], 0), (["--fail-on", "any"], 0), (["--fail-on", "saturated"], 1)])
def test_what_is_usually_silent_can_be_asked_for(tmp_path, flags, code):
    steps = [{"step": n, "varied/format": 0.5 * (n < 30), "reward/format": 0.5 + 0.5 * (n >= 30)} for n in range(60)]
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, steps)))
    assert main(["alarms", str(tmp_path / "log.jsonl"), *flags]) == code


@each_case("flags, code", [(["any"], 1), (["reward_hacking"], 1), (["length"], 0), (["lenght"], 2)])
def test_its_exit_code_says_whether_a_named_alarm_went_off(logs, flags, code):
    assert main(["alarms", *logs, "--correctness", "gold", "--fail-on", *flags]) == code


def test_json_has_the_alarms_of_each_log(logs, capsys):
    assert main(["alarms", *logs, "--correctness", "gold", "--json"]) == 0
    hacked, sound = json.loads(capsys.readouterr().out)["logs"]
    assert [alarm["component"] for alarm in hacked["alarms"]] == ["judge"]
    assert (sound["alarms"], sound["components"], sound["watched"]) == (
        [],
        ["gold", "judge", "total"],
        ["reward_hacking"],
    )
