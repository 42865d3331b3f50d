"""`rewardlab schema`: JSON Schemas, for editors."""

from pathlib import Path
from shlex import quote
from typing import Annotated

from rewardlab import CommandResult, Config, Flag
from rewardlab.errors import JobError
from rewardlab.registry import installed

from rewardlab_testing.schemas.first_party import first_party_plugins
from rewardlab_testing.schemas.json_schemas import SCHEMA_MARK, SCHEMA_SUFFIX, generate_schemas

SUMMARY = "write JSON schemas, for editors"
COMMITTED = ("recipe.schema.json", "rows.schema.json")
"""what a repository keeps, because recipes name it by its path: it holds the options of all components"""


class Options(Config):
    """Write JSON Schemas, which let editors complete and check recipes and rows.

    Into schemas/: those of recipes and rows, with this repository's plugins (the distributions in ./plugins). With
    -o DIR: with every plugin that is installed, and one for the options of each component. A recipe names its schema
    in its first line:

        # yaml-language-server: $schema=../schemas/recipe.schema.json
    """

    output: Annotated[Path | None, Flag("-o", metavar="DIR")] = None
    """a folder for the schemas of installed components"""
    check: bool = False
    """write nothing; fail if a file is not as it would be written"""


def run(options: Options) -> CommandResult:
    """Write the schemas, or check those that are there; data: the folder and its files."""
    folder = options.output or Path("schemas")
    plugins = list(installed()) if options.output else first_party_plugins(installed(), Path())
    broken = [plugin for plugin in plugins if plugin.broken]
    if broken and not options.output:
        raise JobError("\n".join(f"plugin {plugin.name!r} cannot be used: {plugin.broken}" for plugin in broken))
    files, warnings = generate_schemas(plugins)
    if not options.output:
        files = {name: files[name] for name in COMMITTED}
    warnings = [*(f"plugin {plugin.name!r} is left out: {plugin.broken}" for plugin in broken), *warnings]
    left_over = _left_over(folder, files, {plugin.name for plugin in broken})
    data = {"ok": True, "folder": str(folder), "files": sorted(files)}
    if options.check:
        _refuse_stale(folder, files, left_over)
        return CommandResult(text=f"{len(files)} schemas in {folder} are up to date", data=data, warnings=warnings)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for path in left_over:
        path.unlink()
    return CommandResult(text=f"wrote {len(files)} schemas to {folder}", data=data, warnings=warnings)


def _refuse_stale(folder: Path, files: dict[str, str], left_over: list[Path]) -> None:
    stale = [f"{folder / name}: {why}" for name, text in files.items() if (why := _staleness(folder / name, text))]
    stale += [f"{path}: this component does not exist" for path in left_over]
    if stale:
        again = "rewardlab schema" + ("" if folder == Path("schemas") else f" -o {quote(str(folder))}")
        raise JobError("\n".join([*stale, f"write them with: {again}"]))


def _staleness(path: Path, text: str) -> str | None:
    if not path.is_file():
        return "is not there"
    return None if path.read_bytes() == text.encode() else "is out of date"


def _left_over(folder: Path, files: dict[str, str], broken: set[str]) -> list[Path]:
    """Return the schemas of components that are gone, except those of a plugin that is broken at present."""
    schemas = [p for p in sorted(folder.glob(f"*{SCHEMA_SUFFIX}")) if SCHEMA_MARK in p.read_text(encoding="utf-8")]
    return [path for path in schemas if path.name not in files and path.name.split(".")[0] not in broken]
