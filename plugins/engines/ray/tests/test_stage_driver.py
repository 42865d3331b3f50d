"""How the driver of a stage ends: its last line is the outcome, its exit code is that of `rewardlab run`."""

import json
from importlib.metadata import version

import pytest
from rewardlab import Sample
from rewardlab.errors import JobError, UserError
from rewardlab.text.redaction import note_secrets
from rewardlab_ray.job.engine import RayEngine
from rewardlab_ray.job.log_lines import OUTCOME, read_mark
from rewardlab_ray.job.stage_driver import drive as drive_stage
from rewardlab_ray.job.stage_driver import hand_on
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.stage_prompts import StageTokenizer
from rewardlab_ray.stage_task import StageTask
from rewardlab_training import Capabilities, read_asked

RECIPE = """
    version: 1
    model: made/model
    dataset: {use: data/arithmetic, with: {kind: responses, rows: 8}}
    stages:
      - {use: sft, batch_size: 2, steps: 1}
    backend: {use: openrlhf, gpus_per_node: 2}
"""


@pytest.fixture
def run(write, tmp_path, monkeypatch):
    """The folder of a run that has begun."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "run"
    folder.mkdir()
    write("run/recipe.resolved.yaml", RECIPE)
    (folder / "manifest.json").write_text("{}")
    return folder


ENGINE = RayEngine(
    name="made",
    distribution="rewardlab-ray",
    wheel=version("rewardlab-ray"),
    absent="",
    driver="made.driver",
    capabilities=Capabilities(stages=("sft",)),
    findings=lambda plan: (),
    describe_stage=lambda plan, index: (),
    packages=(),
    modules=lambda plan, samples: {},
    gpus=lambda plan, stage: 1,
    newest_step=lambda folder: 0,
)


@pytest.fixture
def drive(run, capsys):
    """Run the driver of a stage that ends with an error: (exit code, the error of its outcome, all that it printed)."""

    def main(*arguments, folder=run, error=None):
        def train(task):
            raise error

        code = drive_stage(ENGINE, train, [str(folder), "0", *map(str, arguments)])
        out = capsys.readouterr().out
        ours = read_mark(out.splitlines()[-1])
        assert ours.startswith(OUTCOME)
        outcome = json.loads(ours[len(OUTCOME) :])
        assert outcome["code"] == code
        return code, outcome["error"], out

    return main


class InAnActor(RuntimeError):
    """As Ray raises it: its text is a trace."""

    def __init__(self, cause):
        super().__init__("ray::Actor.call()\n  File ...")
        self.cause = cause


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (UserError("the stage needs 8 GPUs"), 2, "the stage needs 8 GPUs"),
        (JobError("component 'x' failed"), 1, "component 'x' failed"),
        (KeyboardInterrupt(), 1, "stopped"),
        (ValueError("of the engine"), 1, "stage 0-sft: ValueError: of the engine"),
        (InAnActor(InAnActor(ValueError("of a model"))), 1, "stage 0-sft: ValueError: of a model"),
        (ValueError("\x1b[36mray::Actor\x1b[39m died"), 1, "stage 0-sft: ValueError: ray::Actor died"),
        (SystemExit(3), 1, "stage 0-sft: SystemExit: 3"),
    ],
)
def test_whatever_the_stage_ends_with_is_the_outcome(drive, error, code, told):
    assert drive(error=error)[:2] == (code, told)


def test_the_outcome_holds_no_secret(drive):
    note_secrets(["sk-very-secret"])
    _, told, _ = drive(error=ValueError("key sk-very-secret"))
    assert told == "stage 0-sft: ValueError: key ***"


def test_a_stage_that_is_done_is_not_trained_again_by_a_later_attempt(drive, run):
    (run / "models" / "0-sft").mkdir(parents=True)
    code, told, out = drive("--attempt", 1)
    assert (code, told) == (0, None)
    assert "stage 0-sft has its model already" in out


class TestWhatWasSentWithTheJob:
    def test_must_be_seen_by_the_cluster(self, drive, run, tmp_path):
        code, told, _ = drive("--sent", run, folder=tmp_path / "unseen")
        assert code == 2
        assert f"does not see the run directory {tmp_path / 'unseen'}; set backend.engine.storage" in told

    def test_is_put_to_where_every_node_sees_it(self, drive, run, tmp_path):
        error = JobError("later")
        assert drive("--sent", run, "--store", folder=tmp_path / "stored", error=error)[1] == "later"
        assert (tmp_path / "stored" / "recipe.resolved.yaml").is_file()

    def test_a_storage_that_cannot_be_written_is_the_users_to_mend(self, drive, run, tmp_path):
        (tmp_path / "file").write_text("")
        code, told, _ = drive("--sent", run, "--store", folder=tmp_path / "file" / "run")
        assert code == 2
        assert f"backend.engine.storage: {tmp_path / 'file' / 'run'} cannot be written" in told


@pytest.mark.slow
def test_the_model_keeps_how_its_rows_were_asked(run, write, tmp_path):
    """A later attempt finds the model as it is, so the file is in it before it is moved to its place."""
    write("run/recipe.resolved.yaml", RECIPE.replace("made/model", "{use: tiny}"))
    task = StageTask(run=run, index=0, attempt=0, home=run, say=print)
    ways = [{"use": "rubric/binary", "layout": layout} for layout in ("r3", "mr3", "r3")]
    prompt = ({"role": "user", "content": "Is it so?"},)
    rows = [Sample(id=str(n), prompt=prompt, fields={"asked": way, "response": "Yes."}) for n, way in enumerate(ways)]
    task.folder.mkdir(parents=True)
    write_rows(task.folder / "source.jsonl", [Row(sample=row, prompt="") for row in rows])
    (made := tmp_path / "made").mkdir()
    hand_on(task, made, StageTokenizer(task))
    assert read_asked(str(run / "models" / "0-sft")) == ways[:2]
