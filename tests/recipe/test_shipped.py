"""Recipes that come with rewardlab: named without a file, and held by the wheel."""

import os
import subprocess
import sys
import zipfile

import pytest
from helpers.each_case import each_case
from helpers.paths import RECIPES, ROOT
from rewardlab.errors import UserError
from rewardlab.recipe.loading import load
from rewardlab.recipe.shipped import recipe_file, shipped_recipes


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def message(path):
    with pytest.raises(UserError) as caught:
        load(path)
    return str(caught.value)


def test_a_checkout_s_own_recipes_are_the_shipped_ones():
    files = {path.relative_to(RECIPES).with_suffix("").as_posix(): path for path in RECIPES.rglob("*.yaml")}
    assert shipped_recipes() == files


@pytest.mark.parametrize("name", ["quickstart", "pb_rlsvr_ablations/comet_comet"])
def test_a_name_is_the_shipped_recipe(name):
    assert load(name, ["seed=3"]).path == RECIPES / f"{name}.yaml"


def test_a_file_of_this_name_comes_first(write):
    write("quickstart", "version: 1\n")
    assert load("quickstart").raw == {"version": 1}


def test_a_file_that_lacks_only_its_ending_is_not_passed_over(write):
    write("quickstart.yaml", "version: 1\n")
    write("mine.yml", "version: 1\n")
    assert message("quickstart") == (
        "quickstart: no such file; write quickstart.yaml, though a recipe of this name comes with rewardlab, too"
    )
    assert message("mine") == "mine: no such file; write mine.yml"


def test_a_folder_of_this_name_is_no_recipe(tmp_path):
    (tmp_path / "sp3f").mkdir()
    assert message("sp3f").startswith("sp3f: it is a folder; name a recipe in it")


def test_a_misspelt_name_gets_the_nearest():
    assert message("quikstart") == (
        "quikstart: no such file, and no recipe of this name comes with rewardlab; did you mean 'quickstart'?"
    )


@pytest.mark.parametrize("name", ["ja.yamll", "ja.yalm", "jaa"])
def test_a_misspelt_name_of_a_file_here_gets_that(write, name):
    write("ja.yaml", "version: 1\n")
    assert message(name).endswith("no recipe of this name comes with rewardlab; did you mean 'ja.yaml'?")


@pytest.mark.parametrize("path", ["recipes/quickstart.yaml", "quickstart.yaml", "quickstart.yml"])
def test_a_path_of_the_repository_gets_the_name(path):
    assert message(path).endswith(
        "; the recipe that comes with rewardlab is called quickstart, without a folder and an ending"
    )


@each_case("path", ["folder/mine", "other.yaml", "a\0b", "x" * 300, ""])
def test_other_paths_are_paths(path):
    assert "comes with rewardlab" not in message(path) or path in ("a\0b", "x" * 300)
    if path == "folder/mine":
        assert recipe_file(path).name == "mine"


@pytest.mark.slow
def test_the_wheel_holds_them_and_runs_them_by_name(installed, tmp_path):
    site = installed(ROOT / "core")
    packed = {
        path.relative_to(site / "rewardlab/shipped_recipes"): path for path in site.rglob("shipped_recipes/**/*.yaml")
    }
    assert {str(name): path.read_bytes() for name, path in packed.items()} == {
        str(path.relative_to(RECIPES)): path.read_bytes() for path in RECIPES.rglob("*.yaml")
    }
    done = subprocess.run(
        [sys.executable, "-m", "rewardlab.cli", "check", "quickstart"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("quickstart: fine\n")


def test_an_editable_installation_has_no_copies(tmp_path):
    from hatchling.builders.wheel import WheelBuilder

    (wheel,) = WheelBuilder(str(ROOT / "core")).build(directory=str(tmp_path), versions=["editable"])
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".yaml")]
