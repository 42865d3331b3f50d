"""Write JSON Schemas, which let editors complete and check recipes and rows.

Into schemas/: those of this repository's plugins (the distributions in ./plugins). With -o DIR: those of
every plugin that is installed. A recipe names its schema in its first line:

    # yaml-language-server: $schema=../schemas/recipe.schema.json
"""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="a folder for what is installed")
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if a file is not as it would be written"
    )


def run(options: Namespace) -> int:
    from rewardlab.authoring.json_schemas import first_party_plugins, generate_schemas
    from rewardlab.errors import JobError
    from rewardlab.registry import Registry

    folder = options.output or Path("schemas")
    plugins = list(Registry()) if options.output else first_party_plugins(Registry(), Path())
    broken = [plugin for plugin in plugins if plugin.broken]
    if broken and not options.output:
        raise JobError("\n".join(f"plugin {plugin.name!r} cannot be used: {plugin.broken}" for plugin in broken))
    files, warnings = generate_schemas(plugins)
    for warning in [
        *(f"plugin {plugin.name!r} is left out: {plugin.broken}" for plugin in broken),
        *warnings,
    ]:
        print(f"warning: {warning}", file=sys.stderr)
    left_over = _left_over(folder, files, {plugin.name for plugin in broken})
    if options.check:
        return _check(folder, files, left_over)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    for path in left_over:
        path.unlink()
    print(f"wrote {len(files)} schemas to {folder}")
    return 0


def _check(folder: Path, files: dict[str, str], left_over: list[Path]) -> int:
    from rewardlab.errors import JobError

    stale = [f"{folder / name}: {why}" for name, text in files.items() if (why := _staleness(folder / name, text))]
    stale += [f"{path}: there is no such component any more" for path in left_over]
    if stale:
        again = "rewardlab schema" + ("" if folder == Path("schemas") else f" -o {folder}")
        raise JobError("\n".join([*stale, f"write them with: {again}"]))
    print(f"{len(files)} schemas in {folder} are up to date")
    return 0


def _staleness(path: Path, text: str) -> str | None:
    if not path.is_file():
        return "is not there"
    return None if path.read_bytes() == text.encode() else "is out of date"


def _left_over(folder: Path, files: dict[str, str], broken: set[str]) -> list[Path]:
    """Return the schemas of components that are gone, except those of a plugin that is broken at present."""
    from rewardlab.authoring.json_schemas import SCHEMA_MARK, SCHEMA_SUFFIX

    ours = [p for p in sorted(folder.glob(f"*{SCHEMA_SUFFIX}")) if SCHEMA_MARK in p.read_text(encoding="utf-8")]
    return [path for path in ours if path.name not in files and path.name.split(".")[0] not in broken]
