"""Settings of Sphinx, which makes a site of the Markdown pages as they are: `nox -s docs` writes build/site.

What a forge shows by itself is added here: diagrams, notebooks, and a table of contents from docs/README.md.
"""

import html
import json
import re
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import Directive
from myst_parser.parsers.sphinx_ import MystParser
from pygments.lexers.data import JsonLexer

ROOT = Path(__file__).parents[2]
MADE = ROOT / "build" / "docs"
"""the folder of what the session makes before: the demo report, and the script that draws diagrams"""
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(?:#[^)\s]*)?\)")
PAGES = re.compile(r"\(([\w/]+)\.(?:md|ipynb)[#)]")
REFERENCE = re.compile(r"\breference/README\.md#(\w+)")
"""a link of a page in git to a page that `python docs/reference` makes"""
PLUGINS = [f"/{path.relative_to(ROOT).with_suffix('')}" for path in sorted(ROOT.glob("plugins/**/README.md"))]
PROJECT = [
    "/README",
    "/CONTRIBUTING",
    "/CHANGELOG",
    "/SECURITY",
    "/AGENTS",
    "/skills/rewardlab/SKILL",
    "/release/README",
    "/evidence/README",
    "/evidence/audit/README",
    "/evidence/audit/reproductions",
]
DEMO = "\n\nThe <a href='../demo.html'>demo report</a>: a run of the quickstart.\n"

project = html_title = "rewardlab"
extensions = ["myst_parser"]
root_doc = "docs/README"
include_patterns = [
    "*.md",
    "docs/*.md",
    "docs/reference/*.md",
    "docs/*.ipynb",
    "plugins/**/README.md",
    "skills/**.md",
    "release/README.md",
    "evidence/README.md",
    "evidence/audit/*.md",
]
exclude_patterns = [".*"]
source_suffix = {".md": "markdown", ".ipynb": "notebook"}
myst_heading_anchors = 6
myst_fence_as_directive = ["mermaid"]
html_theme = "furo"
html_copy_source = False
html_show_copyright = False
html_show_search_summary = False  # it asks a server for pages, and there is none
html_use_index = False
html_static_path = ["draw.js", str(MADE / "mermaid.tiny.js")]
html_extra_path = ["index.html", str(MADE / "demo.html")]


class Mermaid(Directive):
    """A diagram, which the page's script draws."""

    has_content = True

    def run(self):
        text = html.escape("\n".join(self.content))
        return [nodes.raw("", f'<pre class="mermaid" style="background: #fff">{text}</pre>', format="html")]


class Notebook(MystParser):
    """A notebook, each cell with what it printed."""

    supported = ("notebook",)

    def parse(self, inputstring, document):
        super().parse("\n\n".join(map(markdown, json.loads(inputstring)["cells"])), document)


def markdown(cell):
    """A cell of a notebook as Markdown."""
    text = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        return text
    shown = [output.get("text") or output["data"]["text/plain"] for output in cell["outputs"]]
    blocks = [("python", text), *(("text", "".join(lines)) for lines in shown)]
    return "\n\n".join(f"```{language}\n{body.rstrip()}\n```" for language, body in blocks)


def toctree(caption, pages):
    return "\n\n```{{toctree}}\n:hidden:\n:caption: {}\n\n{}\n```\n".format(caption, "\n".join(pages))


def complete(_app, page, source):
    """Let links lead to the made pages; those to folders become plain text; add the table of contents and the demo."""
    folder = (ROOT / page).parent
    source[0] = REFERENCE.sub(r"reference/\1.md", source[0])
    if page == "docs/reference/README":
        source[0] = re.sub(r"(?m)^## (\w+)$", r"## [\1](\1.md)", source[0])
    text = LINK.sub(lambda link: link[1] if (folder / link[2]).is_dir() else link[0], source[0])
    if page == root_doc:
        parts = [part.partition("\n") for part in text.split("\n## ")[1:]]
        others_first = sorted(parts, key=lambda part: part[0] != "How-to")  # which links to pages of every part
        place = {name: title for title, _, body in others_first for name in PAGES.findall(body)}
        for title, _, body in parts:
            text += toctree(title, [name for name in dict.fromkeys(PAGES.findall(body)) if place[name] == title])
        text += toctree("Plugins", PLUGINS) + toctree("Project", PROJECT)
    source[0] = text + DEMO * (page == "docs/report")


def draw(app, _page, _template, context, _doctree):
    """Let a page with diagrams have the scripts that draw them."""
    for script in ("mermaid.tiny.js", "draw.js") if 'class="mermaid"' in context.get("body", "") else ():
        app.add_js_file(script)


def setup(app):
    app.add_directive("mermaid", Mermaid)
    app.add_source_parser(Notebook)
    app.add_lexer("jsonl", JsonLexer)
    app.connect("source-read", complete)
    app.connect("html-page-context", draw)
