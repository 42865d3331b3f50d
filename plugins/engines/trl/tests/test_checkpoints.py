"""Folders that are whole or not there."""

import json

import pytest
from rewardlab_training import whole_folder
from rewardlab_trl.checkpoints import last_checkpoint


def checkpoint(folder, step, state=None):
    made = folder / f"checkpoint-{step}"
    made.mkdir(parents=True)
    (made / "model.safetensors").write_bytes(b"x")
    text = json.dumps({"global_step": step}) if state is None else state
    if text:
        (made / "trainer_state.json").write_text(text)
    return made


class TestLastCheckpoint:
    def test_none_where_there_is_none(self, tmp_path):
        assert last_checkpoint(tmp_path / "nowhere") is None
        assert last_checkpoint(tmp_path) is None

    def test_the_newest_by_step_not_by_name(self, tmp_path):
        for step in (2, 10, 9):
            checkpoint(tmp_path, step)
        assert last_checkpoint(tmp_path) == tmp_path / "checkpoint-10"

    @pytest.mark.parametrize(
        "state",
        ["", "{", '{"global_step": 4, "log_hist', "[]", "{}", '{"global_step": 2}', "null"],
        ids=["no state", "open", "cut", "a list", "empty", "of another step", "null"],
    )
    def test_a_torn_one_is_not_used_and_does_not_stay(self, tmp_path, state):
        whole, torn = checkpoint(tmp_path, 2), checkpoint(tmp_path, 4, state)
        assert last_checkpoint(tmp_path) == whole
        assert not torn.exists()

    def test_one_that_lacks_the_part_of_a_process_is_torn(self, tmp_path):
        whole, torn = checkpoint(tmp_path, 2), checkpoint(tmp_path, 4)
        for made, number in ((whole, 0), (whole, 1), (torn, 0)):
            (made / f"rng_state_{number}.pth").write_bytes(b"x")
        assert last_checkpoint(tmp_path, 1) == torn
        assert last_checkpoint(tmp_path, 2) == whole
        assert not torn.exists()


class TestWholeFolder:
    def test_it_is_there_when_all_is_written(self, tmp_path):
        with whole_folder(tmp_path / "models" / "0-sft") as scratch:
            (scratch / "a").write_text("1")
            assert not (tmp_path / "models" / "0-sft").exists()
        assert (tmp_path / "models" / "0-sft" / "a").read_text() == "1"
        assert [path.name for path in (tmp_path / "models").iterdir()] == ["0-sft"]

    def test_it_takes_the_place_of_an_earlier_one(self, tmp_path):
        for content in "12":
            with whole_folder(tmp_path / "m") as scratch:
                (scratch / content).write_text(content)
        assert [path.name for path in (tmp_path / "m").iterdir()] == ["2"]

    def test_what_ends_badly_changes_nothing(self, tmp_path):
        write(tmp_path / "m", "1")
        with pytest.raises(OSError, match="full"):
            write(tmp_path / "m", "2", fails=True)
        assert (tmp_path / "m" / "a").read_text() == "1"

    def test_what_it_leaves_is_no_hindrance(self, tmp_path):
        with pytest.raises(OSError, match="full"):
            write(tmp_path / "m", "1", fails=True)
        assert not (tmp_path / "m").exists()
        write(tmp_path / "m", "2")
        assert [path.name for path in tmp_path.iterdir()] == ["m"]
        assert (tmp_path / "m" / "a").read_text() == "2"


def write(folder, content, fails=False):
    with whole_folder(folder) as scratch:
        (scratch / "a").write_text(content)
        if fails:
            raise OSError("full")
