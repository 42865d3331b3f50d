"""The commands that documentation and recipes show: blocks of shell on pages, heads of YAML files, words in prose."""

import re
import runpy
import shlex
import textwrap
from dataclasses import dataclass
from pathlib import Path

from helpers.our_commands import NAMES
from helpers.paths import ROOT

REFERENCE = ROOT / "docs" / "reference"
FOLDERS = ("recipes", "docs", "skills", "plugins", "tests", "docker", "benchmarks", "evidence", "release")
BLOCK = re.compile(r"^(?:<!-- in (?P<folder>\S+) -->\n)?```(?P<kind>\w*)\n(?P<body>.*?)^```$", re.DOTALL | re.MULTILINE)
PROSE = re.compile(r"`rewardlab ([a-z]+)((?: [^`]*)?)`")
SHELL = ("sh", "bash", "shell", "console")


@dataclass(frozen=True)
class Command:
    """A command as it is shown. where: its file and line. text: its lines, joined; words: what follows "rewardlab"."""

    where: str
    text: str
    words: tuple[str, ...]

    @property
    def name(self):
        return self.words[0]


@dataclass(frozen=True)
class Run:
    """Commands that a page shows with what they print: a comment `<!-- in FOLDER -->`, a shell block, the output."""

    where: str
    folder: str
    commands: tuple[Command, ...]
    printed: str


def pages():
    """The pages that are in git: not those that `python docs/reference` makes."""
    made = {*REFERENCE.glob("*.md")} - {REFERENCE / "README.md"}
    files = [*ROOT.glob("*.md"), *(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.md"))]
    return sorted(file for file in files if file.name != "CHANGELOG.md" and file not in made)


def made_pages():
    """The pages that `python docs/reference` writes: where each would be, and its text."""
    return {REFERENCE / f"{name}.md": page() for name, page in runpy.run_path(str(REFERENCE))["PAGES"].items()}


def yaml_files():
    return sorted(file for folder in FOLDERS for file in (ROOT / folder).rglob("*.yaml"))


def shown_commands():
    """All commands that stand in shell blocks of pages, or in comments of YAML, on pages and in files."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            yield from commands_in(block["body"], page, _line(text, block.start("body")), block["kind"])
    for file in yaml_files():
        yield from commands_in(file.read_text(encoding="utf-8"), file, 1, "yaml")


def block_of(marker, page):
    """The body of the fenced block that follows the line `<!-- MARKER -->` on a page."""
    [body] = re.findall(
        rf"^<!-- {marker} -->\n```\w+\n(.*?)^```$", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return body


def shown_runs():
    """All runs that pages show with what they print."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            if block["folder"]:
                printed = BLOCK.match(text, block.end() + 2)
                assert printed, f"{page}: nothing follows that the commands in {block['folder']} print"
                line = _line(text, block.start("body"))
                commands = tuple(commands_in(block["body"], page, line, block["kind"]))
                yield Run(f"{page.relative_to(ROOT)}:{line}", block["folder"], commands, printed["body"])


def in_prose():
    """(where, command, its options) of all that pages, made ones too, and YAML comments name between backquotes."""
    texts = {file: file.read_text(encoding="utf-8") for file in [*pages(), *yaml_files()]} | made_pages()
    for file, text in texts.items():
        for found in PROSE.finditer(text):
            options = re.findall(r"(?<![\w-])--?[a-z][a-z-]*", found[2])
            yield f"{file.relative_to(ROOT)}:{_line(text, found.start())}", found[1], options


def commands_in(body, file, first, kind):
    """The commands of a block whose first line is the file's line `first`."""
    if kind not in (*SHELL, "yaml"):
        return
    lines = textwrap.dedent(body).splitlines()
    if kind == "yaml":
        lines = [line.removeprefix("#") if line.startswith("#") else "" for line in lines]
    number = 0
    while number < len(lines):
        start, line = number, lines[number].strip()
        while line.endswith("\\") and number + 1 < len(lines):
            number += 1
            line = f"{line[:-1]} {lines[number].strip()}"
        number += 1
        if words := _words(line):
            yield Command(f"{Path(file).relative_to(ROOT)}:{first + start}", line, words)


def _words(line):
    """What follows `rewardlab` in a command; () for what is none."""
    line = re.sub(r"^(\$ )?([A-Z_]+=\S+ )*", "", line)
    if not re.match(r"rewardlab [a-z-]", line) or line.split()[1] not in NAMES:
        return ()
    if re.match(r"rewardlab [a-z]+ [a-z]+ [a-z]+ [a-z]", line) and line.split()[1] != "plugins":
        return ()  # a sentence
    return tuple(shlex.split(line, comments=True))[1:]


def _line(text, place):
    return text.count("\n", 0, place) + 1
