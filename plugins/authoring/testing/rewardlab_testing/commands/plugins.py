"""`rewardlab plugins`: what is installed, a new plugin, and the laws that one must keep."""

import sys
from functools import partial
from typing import Annotated

from rewardlab import CommandResult, Config, Flag, Positional, PythonOnly, note
from rewardlab.commands import Count
from rewardlab.errors import UserError, nearest
from rewardlab.registry import installed

from rewardlab_testing.listing.listing import component_rows, format_card, format_table
from rewardlab_testing.listing.plugin_search import format_found, search_plugins
from rewardlab_testing.listing.recipe_keys import PARTS, part_row

SUMMARY = "list installed plugins and components"
NEW, CHECK = "new", "check"
TRIES = 25
ONLY_OF = {"into": NEW, "kind": NEW, "minimal": NEW, "tries": CHECK, "only": CHECK}


class Options(Config):
    """List the installed plugins and their components; show one in full; start a new one; check its laws.

        rewardlab plugins                              all plugins, including broken ones
        rewardlab plugins NAME                         one plugin in full, or <plugin>/<component>
        rewardlab plugins --search WORD                installed and known plugins that have the word
        rewardlab plugins rl                           the keys of a stage or another part of a recipe
        rewardlab plugins new NAME [--kind KIND] [--minimal] [--into DIR]
                                                       write an installable plugin that passes its laws and has tests
        rewardlab plugins check NAME [KEY=VALUE ...]   check the laws on a plugin or <plugin>/<component>

    KEY=VALUE sets an option for all components that have it; <plugin>/<component>:KEY=VALUE sets it for one.
    `check` exits with 1 if a law is broken, or if a main law of a component's kind could not be tried; it then says
    what is needed. It needs hypothesis and pytest (`pip install hypothesis pytest`).
    """

    words: Annotated[tuple[str, ...], Positional("[new | check] NAME [KEY=VALUE ...]")] = ()
    """the action, and its plugin"""
    search: Annotated[str | None, Flag(metavar="WORD")] = None
    """list plugins and components with this word, also plugins that are not installed"""
    into: Annotated[str | None, Flag(metavar="DIR")] = None
    """for new: the folder to make (./rewardlab-NAME)"""
    kind: Annotated[str | None, Flag(metavar="KIND")] = None
    """for new: reward (the default), judge, dataset, curriculum, normalizer, backend"""
    minimal: bool = False
    """for new: write as few files as possible"""
    tries: Annotated[Count | None, Flag(metavar="N")] = None
    """for check: generated cases a law (25)"""
    only: Annotated[tuple[str, ...], Flag(metavar="LAW")] = ()
    """for check: try this law alone; may be given again"""
    as_json: Annotated[bool, PythonOnly()] = False
    """whether nothing but the result is printed"""


def run(options: Options) -> CommandResult:
    """List, write or check; data: the rows of the list, the files of the new plugin, or what the laws say."""
    command = options.words[0] if options.words and options.words[0] in (NEW, CHECK) else None
    _refuse_options_of_others(options, command)
    if options.search is not None:
        return _search(options)
    if command == NEW:
        return _new(options)
    return _check(options) if command == CHECK else _list(options)


def _refuse_options_of_others(options: Options, command: str | None) -> None:
    for name, owner in ONLY_OF.items():
        if getattr(options, name) and command != owner:
            raise UserError(f"--{name} is an option of `rewardlab plugins {owner} NAME`")


def _search(options: Options) -> CommandResult:
    if options.words:
        raise UserError(f"--search takes one word or several in quotes; leave out {' '.join(options.words)}")
    matches = search_plugins(str(options.search))
    if not matches and not options.as_json:
        note(f"nothing has {options.search!r}; `rewardlab plugins` lists the installed ones")
    return CommandResult(ok=bool(matches), text=format_found(matches) if matches else "", data=matches)


def _list(options: Options) -> CommandResult:
    if len(options.words) > 1:
        given = " ".join(options.words)
        raise UserError(f"one name, not {given!r}; the commands are {NEW}, {CHECK}: `rewardlab plugins --help`")
    name = options.words[0] if options.words else ""
    registry = installed()
    wanted = name.partition("/")[0]
    parts = [part_row(name)] if name in PARTS else []
    if wanted and wanted not in registry.names() and not parts:
        meant = nearest(wanted, [*registry.names(), *PARTS, NEW, CHECK])
        error = f"no plugin {wanted!r}{meant}" if "did you mean" in meant else str(registry.not_installed(wanted))
        if ", ..." in error:
            error += f"; sub-commands are {NEW} NAME and {CHECK} NAME, parts of recipes {', '.join(PARTS)}"
        raise UserError(error)
    plugins = [registry.plugin(name) for name in registry.names() if wanted in ("", name)]
    every = [row for plugin in plugins for row in component_rows(plugin)]
    rows = [row for row in every if name in ("", wanted, row["use"])] + parts
    if name and not rows:
        raise UserError(f"no component {name!r}{nearest(name, [row['use'] for row in every])}")
    if name:
        return CommandResult(text="\n\n".join(map(format_card, rows)), data=rows)
    keys = f"keys of a stage or of another part of recipes: rewardlab plugins {' | '.join(PARTS)}"
    warnings = list(registry.unreadable)
    if any(row["kind"] == "broken" for row in rows):
        warnings.append("broken plugins stop only the recipes that name them")
    return CommandResult(text=f"{format_table(rows)}\n\n{keys}", data=rows, warnings=warnings)


def _new(options: Options) -> CommandResult:
    if len(options.words) != 2:
        raise UserError(f"`rewardlab plugins {NEW} NAME [--into DIR]` takes one name, such as glossary")
    from rewardlab_testing.scaffold.scaffold import next_steps, write_scaffold

    made = write_scaffold(options.words[1], options.into, kind=options.kind or "reward", minimal=options.minimal)
    lines = [f"{made.folder}: {len(made.files)} files, with the {made.kind} {made.use}. Next:"]
    lines += [f"  {command}" for command in next_steps(made)]
    data = {"folder": str(made.folder), "files": made.files, "next": next_steps(made)}
    return CommandResult(text="\n".join(lines), data=data)


def _check(options: Options) -> CommandResult:
    if len(options.words) < 2:
        raise UserError(f"`rewardlab plugins {CHECK} NAME [KEY=VALUE ...]` needs the name of an installed plugin")
    from rewardlab_testing.check.check import check_plugin
    from rewardlab_testing.check.report import check_as_dict, format_findings

    _, name, *settings = options.words
    # the stdout of now: what plugins print goes to stderr
    how = {} if options.as_json else {"write": partial(print, file=sys.stdout, flush=True)}
    check = check_plugin(name, settings, tries=options.tries or TRIES, only=list(options.only) or None, **how)
    return CommandResult(ok=check.passed, text=f"\n{format_findings(check)}", data=check_as_dict(check))
