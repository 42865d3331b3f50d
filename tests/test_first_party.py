"""How a plugin of ours is installed, as the core says it where it lacks one: from where the core itself came."""

import json
import runpy
import shutil
import subprocess
import sys

import pytest
from helpers.paths import ROOT
from rewardlab.first_party import first_party, pip_install

AT_A_CLONE = "at the root of a clone of rewardlab, pip install -c constraints.txt rewardlab-serve"


@pytest.fixture
def core(tmp_path):
    """Put the core into a folder as an installer does, and return its `pip_install`.

    source: the URL in the record that the installer leaves of where the core came from (none: an index). published: the
    switch of release/project.toml.
    """

    def install(into=tmp_path / "site-packages", source=None, published=False):
        (into / "rewardlab").mkdir(parents=True)
        shutil.copy(ROOT / "core/rewardlab/first_party.py", into / "rewardlab")
        known = json.loads((ROOT / "core/rewardlab/first_party.json").read_text(encoding="utf-8"))
        known["published"] = published
        (into / "rewardlab/first_party.json").write_text(json.dumps(known), encoding="utf-8")
        if source is not None:
            record = into / "rewardlab_core-0.1.0.dist-info/direct_url.json"
            record.parent.mkdir()
            record.write_text(json.dumps({"url": source, "dir_info": {}}), encoding="utf-8")
        return runpy.run_path(str(into / "rewardlab/first_party.py"))["pip_install"]

    return install


@pytest.fixture
def clone(tmp_path):
    """The root of a clone, in a folder whose name is not plain."""
    folder = tmp_path / "my clöne"
    folder.mkdir()
    shutil.copy(ROOT / "constraints.txt", folder)
    return folder


@pytest.mark.parametrize("published", [False, True])
class TestACoreOfAClone:
    def test_that_runs_there_has_plugins_run_there_too(self, core, clone, published):
        told = core(into=clone / "core", published=published)("openrlhf")
        ours = " -e ".join(f"'{clone}/plugins/engines/{name}'" for name in ("ray", "shards", "training", "openrlhf"))
        assert told == f"pip install -e {ours}", "one that is published is another than this"

    def test_that_was_copied_has_plugins_copied(self, core, clone, published):
        told = core(source=f"{clone.as_uri()}/core", published=published)("openrlhf")
        ours = " ".join(f"'{clone}/plugins/engines/{name}'" for name in ("ray", "shards", "training", "openrlhf"))
        assert told == f"pip install {ours}"


@pytest.mark.parametrize(
    "source",
    [None, "file:///gone/core", "file:///wheels/rewardlab_core-0.1.0-py3-none-any.whl", "https://example.org/x.git"],
)
def test_a_core_of_no_clone_that_is_there_follows_the_switch(core, tmp_path, source):
    assert core(into=tmp_path / "before", source=source)("serve") == AT_A_CLONE
    assert core(into=tmp_path / "after", source=source, published=True)("serve") == "pip install rewardlab-serve"


def test_each_plugin_comes_from_a_folder_with_all_of_ours_that_it_needs():
    for name, plugin in first_party().items():
        command = pip_install(name).split()
        assert command[:2] == ["pip", "install"]
        assert {*command[3::2]} == {
            str(ROOT / "plugins" / first_party()[each]["folder"]) for each in (*plugin["needs"], name)
        }
        assert (ROOT / "plugins" / plugin["folder"] / "pyproject.toml").is_file()


def test_it_is_said_without_loading_what_reads_installed_packages():
    code = "import sys; from rewardlab.first_party import pip_install; pip_install('serve'); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], cwd=ROOT / "core", capture_output=True, encoding="utf-8")
    assert "importlib.metadata" not in done.stdout.split(), done.stderr
