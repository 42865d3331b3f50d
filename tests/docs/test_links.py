"""Pages can be reached: each link leads to a file and an anchor that are there, and docs/README.md lists every page."""

import re
from pathlib import Path

from helpers.paths import DOCS, ROOT
from helpers.shown_commands import made_pages, pages

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NAMED_FILE = re.compile(r"`([\w./]+(?:\.(?:py|yaml|json|toml)|/))`")
FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)


def prose(page):
    return without_code(page.read_text(encoding="utf-8"))


def without_code(text):
    return FENCE.sub("", text)


def links(page, text=None):
    """(file, anchor) of each link of a page that stays in this repository; text: that of a page without a file."""
    for target in LINK.findall(prose(page) if text is None else without_code(text)):
        if not re.match(r"\w+:", target):
            path, _, anchor = target.partition("#")
            yield (page.parent / path).resolve() if path else page, anchor


def anchors(page):
    """The anchors that a forge gives the headings of a page."""
    found = []
    for heading in re.findall(r"^#+ (.*)$", prose(page), re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        found.append(f"{anchor}-{found.count(anchor)}" if anchor in found else anchor)
    return found


def test_links_lead_somewhere():
    found = [(page, *link) for page in [*pages(), ROOT / "CHANGELOG.md"] for link in links(page)]
    assert len(found) > 300
    assert [(str(page), str(file)) for page, file, _ in found if not file.exists()] == []
    anchored = [(str(page), str(file), anchor) for page, file, anchor in found if anchor]
    assert [link for link in anchored if link[2] not in anchors(Path(link[1]))] == []


def test_links_of_made_pages_lead_somewhere_and_no_page_in_git_has_one_to_them():
    files = made_pages()
    found = [(page.name, file) for page, text in files.items() for file, _ in links(page, text)]
    assert len(found) > 15
    assert [(page, str(file)) for page, file in found if file not in files and not file.exists()] == []
    assert [(str(page), str(file)) for page in pages() for file, _ in links(page) if file in files] == []


def test_every_page_is_listed():
    listed = {file for file, _ in links(DOCS / "README.md")}
    assert [page.name for page in DOCS.glob("*.md") if page not in {*listed, DOCS / "README.md"}] == []
    assert DOCS / "README.md" in {file for file, _ in links(ROOT / "README.md")}


def test_files_that_the_architecture_page_names_are_there():
    rows = prose(DOCS / "architecture.md").split("## Where do I change")[1].splitlines()
    missing, found = [], 0
    for row in rows:
        folders = [ROOT, ROOT / "core" / "rewardlab"]
        for name in NAMED_FILE.findall(row):
            package = name.partition("/")[0]
            plugin = next(ROOT.glob(f"plugins/**/{package}"), ROOT) if package.startswith("rewardlab_") else ROOT
            path = next((folder / name for folder in [plugin.parent, *folders] if (folder / name).exists()), None)
            if path is None and not re.search("NAME|ROOM", name):
                missing.append(name)
            elif path is not None:
                found += 1
                folders += [path] if path.is_dir() else [path.parent]
    assert missing == []
    assert found > 80
