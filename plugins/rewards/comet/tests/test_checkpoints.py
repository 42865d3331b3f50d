"""Forms of `checkpoint`, checked before a process starts."""

import pytest
from helpers.each_case import each_case
from rewardlab.errors import UserError
from rewardlab_comet.checkpoints import locate_checkpoint


@pytest.fixture
def folder(tmp_path):
    """A folder with the files of a published checkpoint."""
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / "checkpoints" / "model.ckpt").touch()
    (tmp_path / "hparams.yaml").touch()
    return tmp_path


def test_a_folder_and_its_file_are_the_same_checkpoint(folder, monkeypatch):
    file = str(folder / "checkpoints" / "model.ckpt")
    assert locate_checkpoint(str(folder)) == locate_checkpoint(file) == file
    monkeypatch.chdir(folder.parent)
    assert locate_checkpoint(folder.name) == locate_checkpoint(f"./{folder.name}") == file


def test_a_link_is_not_followed_away_from_the_settings(folder, tmp_path_factory):
    """A hub's cache is like this: snapshots link to files that are kept in one place."""
    kept = tmp_path_factory.mktemp("blobs") / "0123"
    file = folder / "checkpoints" / "model.ckpt"
    file.rename(kept)
    file.symlink_to(kept)
    assert locate_checkpoint(str(file)) == locate_checkpoint(str(folder)) == str(file)


@pytest.mark.parametrize("name", ["Unbabel/wmt22-cometkiwi-da", "wmt20-comet-qe-da"])
def test_any_other_name_is_left_to_comet(name):
    assert locate_checkpoint(name) == name


@each_case("path", ["/no/where", "./nowhere", "~/nowhere", "nowhere.ckpt", "a/b/c", "../nowhere_at_all"])
def test_a_path_without_a_checkpoint_is_told_with_what_to_give(path):
    with pytest.raises(UserError, match=r"there is no file .*; give a \.ckpt file, a folder that holds"):
        locate_checkpoint(path)


def test_a_folder_without_the_file_is_no_checkpoint(tmp_path):
    with pytest.raises(UserError, match=r"no file .*/checkpoints/model\.ckpt"):
        locate_checkpoint(str(tmp_path))


def test_a_checkpoint_needs_its_hparams(folder):
    (folder / "hparams.yaml").unlink()
    for name in (folder, folder / "checkpoints" / "model.ckpt"):
        with pytest.raises(UserError, match=r"no .*/hparams\.yaml"):
            locate_checkpoint(str(name))
