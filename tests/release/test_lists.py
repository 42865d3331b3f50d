"""release/lists.py: what follows from plugins/, and from whether an index has ours, is as it would write it."""

import re
import runpy

import pytest
from helpers.paths import ROOT

INSTALLERS = r"(?:pip3? (?:install|download)|uvx|uv add|uv tool \w+|pipx \w+)"
BY_HAND = re.compile(rf"{INSTALLERS} (?:[^\n`;#]*?[ '\"])?rewardlab(?![\w.]*/)\b.*")
"""a command that installs something of ours by its name"""
WHEELHOUSE = re.compile(r"pip install --no-index --find-links")


@pytest.fixture(scope="module")
def lists():
    """The names of release/lists.py."""
    return runpy.run_path(str(ROOT / "release/lists.py"))


@pytest.mark.slow
def test_all_lists_of_plugins_are_up_to_date(lists):
    stale = [str(path) for path, text in lists["written"]().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run python release/lists.py"


def test_no_page_or_recipe_says_by_hand_how_ours_are_installed(lists):
    """Each has the form that release/lists.py turns round, and the one that holds today."""
    pages = lists["pages"]()
    assert len(pages) > 300
    assert [
        str(path) for path, text in pages.items() if lists["as_published"](text, lists["published"]()) != text
    ] == []
    strange = [
        (str(path), command)
        for path, text in pages.items()
        for command in BY_HAND.findall(text)
        if not lists["INSTALLS_OURS"].match(command) and not WHEELHOUSE.match(command)
    ]
    assert strange == []


def test_no_message_says_by_hand_how_ours_are_installed():
    """`pip_install` of rewardlab.first_party says it, by where the core came from; schemas repeat docstrings."""
    sources = [*ROOT.glob("core/rewardlab/**/*.py"), *ROOT.glob("plugins/*/*/rewardlab_*/**/*.py")]
    sources += ROOT.glob("schemas/*.json")
    assert len(sources) > 500
    found = [(path.name, command) for path in sources for command in BY_HAND.findall(path.read_text(encoding="utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    ("command", "is_ours"),
    [
        ("pip install rewardlab", True),
        ("pip install -U rewardlab", True),
        ("pip install 'rewardlab[serve]'", True),
        ('pip install "rewardlab-data[hub]"', True),
        ("pip install pandas rewardlab-math", True),
        ("pip download -d here rewardlab", True),
        ("uvx rewardlab plugins", True),
        ("uv add rewardlab", True),
        ("pip install -e './rewardlab-first[test]'", False),
        ("pip install -r plugins/engines/verl/rewardlab_verl/requirements/gpu.txt", False),
        ("pip install pyarrow", False),
    ],
)
def test_which_commands_install_ours(command, is_ours):
    assert bool(BY_HAND.search(command)) is is_ours


TURNED = {
    "README.md": ("No package index has", None),
    "docs/install.md": ("uvx -c constraints.txt rewardlab", "uvx rewardlab"),
    "docs/serve.md": ("$ pip install -c constraints.txt 'rewardlab[serve]'", "$ pip install 'rewardlab[serve]'"),
    "docs/notebook.ipynb": ("-c constraints.txt rewardlab rewardlab-math", "`pip install rewardlab rewardlab-math"),
    "plugins/doors/serve/README.md": ("[`pip install -c constraints.txt", "[`pip install 'rewardlab[serve]'`]"),
    "core/README.md": ("`pip install -c constraints.txt", "`pip install 'rewardlab[trl]'`"),
    "recipes/amro.yaml": ("# pip install -c constraints.txt", "# pip install 'rewardlab[openrlhf]'"),
    "plugins/authoring/testing/rewardlab_testing/scaffold/full/every/github/workflows/ci.yml.tmpl": (
        "no package index",
        None,
    ),
}
"""place -> (what it says of a clone, what it says in the place of that)"""


def test_the_switch_turns_every_kind_of_place_round(lists):
    before = {
        str(path.relative_to(ROOT)): lists["as_published"](text, False) for path, text in lists["pages"]().items()
    }
    after = {name: lists["as_published"](text, True) for name, text in before.items()}
    for name, (clone, index) in TURNED.items():
        assert clone in before[name], name
        assert clone not in after[name], name
        assert index is None or index in after[name], name
    ours = re.compile(r"-c constraints\.txt '?rewardlab|until published")
    assert [name for name, text in after.items() if ours.search(text)] == []
    turned = {name for name, text in after.items() if text != before[name]}
    assert {name for name in before if name.startswith("recipes/")} <= turned


@pytest.mark.slow
def test_the_switch_turns_what_the_core_says_and_what_is_written_anew(lists, monkeypatch, tmp_path):
    turned = not lists["published"]()
    project = tmp_path / "project.toml"
    project.write_text(f"published = {str(turned).lower()}\n", encoding="utf-8")
    monkeypatch.setitem(lists["published"].__globals__, "PROJECT", project)
    texts = {str(path.relative_to(ROOT)): text for path, text in lists["written"]().items()}
    assert f'"published": {str(turned).lower()}' in texts["core/rewardlab/first_party.json"]
    for name in ("docs/install.md", "recipes/quickstart.yaml"):
        assert ("pip install 'rewardlab[trl]'" in texts[name]) is turned, name
