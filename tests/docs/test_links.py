"""Pages can be reached: each link leads to a file and an anchor that are there, and docs/README.md lists every page."""

import re
from pathlib import Path

from helpers.paths import DOCS, ROOT
from helpers.shown_commands import pages

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^ *```.*?^ *```$", re.DOTALL | re.MULTILINE)


def prose(page):
    return FENCE.sub("", page.read_text(encoding="utf-8"))


def links(page):
    """(file, anchor) of each link of a page that stays in this repository."""
    for target in LINK.findall(prose(page)):
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


def test_every_page_is_listed():
    listed = {file for file, _ in links(DOCS / "README.md")}
    assert [page.name for page in DOCS.glob("*.md") if page not in {*listed, DOCS / "README.md"}] == []
    assert DOCS / "README.md" in {file for file, _ in links(ROOT / "README.md")}
