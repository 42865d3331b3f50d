"""What an environment is made from decides its folder, and nothing else does."""

import json
import re
import sysconfig

import pytest
from rewardlab.errors import UserError
from rewardlab.workers import EnvironmentDefinition, InstallStep
from rewardlab_environments.distributions import as_installed_here
from rewardlab_environments.managed import Environment
from rewardlab_environments.requirements import requirement_lines


def folder(path, *, options=(), variables=None, distributions=()):
    step = InstallStep(requirements=path, options=options, variables=variables or {})
    return Environment(EnvironmentDefinition(name="comet", steps=(step,), distributions=distributions)).folder


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """An installed distribution with or without a direct_url.json: `installed("a", "1.0", url)`."""

    def install(name, version, origin=None):
        info = tmp_path / "site" / f"{name}-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        if origin:
            (info / "direct_url.json").write_text(json.dumps(origin))
        monkeypatch.syspath_prepend(tmp_path / "site")
        return name

    return install


def test_comments_and_blank_lines_do_not_count(write):
    assert requirement_lines(write("r.txt", "# why\n\na==1  # here\nb  ;  python_version > '3'\nc \\\n  >=2\n")) == [
        "a==1",
        "b ; python_version > '3'",
        "c >=2",
    ]


def test_included_files_count_in_their_place(write):
    write("more/base.txt", "b==1\n-r deeper.txt\n")
    write("more/deeper.txt", "d==1\n")
    write("limits.txt", "e<3\n")
    path = write("r.txt", "a==1\n-r more/base.txt\n--constraint=limits.txt\nf @ file:///w.whl#sha256=0\n")
    assert requirement_lines(path) == ["a==1", "b==1", "d==1", "-c e<3", "f @ file:///w.whl#sha256=0"]


def test_a_file_that_is_not_there_or_includes_itself_is_a_mistake(write, tmp_path):
    with pytest.raises(UserError, match=r"lost\.txt: no requirements can be read: No such file .*included by .*r\.txt"):
        requirement_lines(write("r.txt", "-r lost.txt\n"))
    with pytest.raises(UserError, match=r"round\.txt: includes itself"):
        requirement_lines(write("round.txt", "-r round.txt\n"))


def test_the_folder_is_named_after_what_is_installed(write, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    plain = folder(write("r.txt", "a==1\n"))
    assert plain.parent == tmp_path / "cache" / "rewardlab" / "environments"
    assert re.fullmatch(r"comet-[0-9a-f]{12}", plain.name)
    assert folder(write("elsewhere/same.txt", "# a comment\na==1\n")) == plain

    step = write("r.txt", "a==1\n")
    others = [
        folder(write("other.txt", "a==2\n")),
        folder(step, options=("--no-deps",)),
        folder(step, variables={"BUILD": "0"}),
        folder(step, distributions=("pluggy",)),
    ]
    monkeypatch.setattr(sysconfig, "get_platform", lambda: "another-machine")
    others.append(folder(step))
    assert len({plain, *others}) == 6


@pytest.mark.parametrize(
    ("origin", "line"),
    [
        (None, "mine==1.0"),
        ({"url": "file:///here/my%20plugin", "dir_info": {"editable": True}}, "-e /here/my plugin"),
        ({"url": "file:///here/mine", "dir_info": {}}, "/here/mine"),
        ({"url": "file:///w/mine-1.0.whl", "archive_info": {}}, "mine @ file:///w/mine-1.0.whl"),
        (
            {"url": "https://host/mine.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "mine @ git+https://host/mine.git@abc",
        ),
    ],
)
def test_a_distribution_goes_in_as_it_is_installed_here(installed, origin, line):
    assert as_installed_here(installed("mine", "1.0", origin)) == line


def test_a_distribution_that_is_not_installed_is_a_mistake():
    with pytest.raises(UserError, match="'no-such-thing' is not installed here; pip install no-such-thing"):
        as_installed_here("no-such-thing")
