"""List the installed plugins and what they offer; show one in full; start a new one; try the laws that it must keep.

    rewardlab plugins                              all of them, broken ones too
    rewardlab plugins NAME                         one plugin in full, or <plugin>/<component>
    rewardlab plugins rl                           the keys of a stage, or of another part of recipes: with defaults and
                                                   units
    rewardlab plugins new NAME [--kind KIND] [--minimal] [--into DIR]
                                                   write a plugin that installs, keeps its laws and has tests
    rewardlab plugins check NAME [KEY=VALUE ...]   try the laws (docs/plugins.md) on a plugin or <plugin>/<component>

KEY=VALUE sets an option of the components that have it, or of one: <plugin>/<component>:KEY=VALUE.
`check` exits with 1 where a law is broken, or none could be tried. It needs `pip install 'rewardlab[testing]'`.
"""

import sys
from argparse import SUPPRESS, ArgumentParser, Namespace
from functools import partial

from rewardlab.commands.argument_types import count

NEW, CHECK = "new", "check"
TRIES = 25
ONLY_OF = {"into": NEW, "kind": NEW, "minimal": NEW, "tries": CHECK, "only": CHECK}


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="[new | check] NAME [KEY=VALUE ...]", help=SUPPRESS)
    parser.add_argument("--json", action="store_true", help="print the result as JSON")
    parser.add_argument("--into", metavar="DIR", help="of new: the folder to make (./rewardlab-NAME)")
    parser.add_argument(
        "--kind",
        metavar="KIND",
        help="of new: reward (as if not given), judge, dataset, curriculum, normalizer, backend",
    )
    parser.add_argument("--minimal", action="store_const", const=True, help="of new: as few files as it takes")
    parser.add_argument("--tries", type=count, metavar="N", help=f"of check: generated cases a law ({TRIES})")
    parser.add_argument("--only", action="append", metavar="LAW", help="of check: this law; may be given again")


def run(options: Namespace) -> int:
    command = options.words[0] if options.words and options.words[0] in (NEW, CHECK) else None
    _refuse_options_of_others(options, command)
    if command == NEW:
        return _new(options)
    if command == CHECK:
        return _check(options)
    return _list(options)


def _refuse_options_of_others(options: Namespace, command: str | None) -> None:
    from rewardlab.errors import UserError

    for name, owner in ONLY_OF.items():
        if getattr(options, name) is not None and command != owner:
            raise UserError(f"--{name} is an option of `rewardlab plugins {owner} NAME`")


def _list(options: Namespace) -> int:
    from rewardlab.authoring.listing import component_rows, format_card, format_table
    from rewardlab.authoring.recipe_keys import PARTS, part_row
    from rewardlab.errors import UserError, nearest
    from rewardlab.registry import Registry
    from rewardlab.text.printable import print_json

    if len(options.words) > 1:
        given = " ".join(options.words)
        raise UserError(f"one name, not {given!r}; the commands are {NEW}, {CHECK}: `rewardlab plugins --help`")
    name = options.words[0] if options.words else ""
    registry = Registry()
    wanted = name.partition("/")[0]
    parts = [part_row(name)] if name in PARTS else []
    if wanted and wanted not in registry.names() and not parts:
        raise UserError(f"no plugin {wanted!r}{nearest(wanted, [*registry.names(), *PARTS])}")
    plugins = [registry.plugin(name) for name in registry.names() if wanted in ("", name)]
    every = [row for plugin in plugins for row in component_rows(plugin)]
    rows = [row for row in every if name in ("", wanted, row["use"])] + parts
    if name and not rows:
        raise UserError(f"no component {name!r}{nearest(name, [row['use'] for row in every])}")
    if options.json:
        print_json(rows, indent=1)
    elif name:
        print("\n\n".join(map(format_card, rows)))
    else:
        print(format_table(rows))
        print(f"\nkeys of a stage or of another part of recipes: rewardlab plugins {' | '.join(PARTS)}")
        if any(row["kind"] == "broken" for row in rows):
            print("broken plugins stop only the recipes that name them", file=sys.stderr)
        for line in registry.unreadable:
            print(f"warning: {line}", file=sys.stderr)
    return 0


def _new(options: Namespace) -> int:
    from rewardlab.authoring.scaffold.scaffold import next_steps, write_scaffold
    from rewardlab.errors import UserError
    from rewardlab.text.printable import print_json

    if len(options.words) != 2:
        raise UserError(f"`rewardlab plugins {NEW} NAME [--into DIR]` takes one name, such as glossary")
    made = write_scaffold(options.words[1], options.into, kind=options.kind or "reward", minimal=bool(options.minimal))
    if options.json:
        print_json({"folder": str(made.folder), "files": made.files, "next": next_steps(made)})
    else:
        print(f"{made.folder}: {len(made.files)} files, with the {made.kind} {made.use}. Next:")
        print("\n".join(f"  {command}" for command in next_steps(made)))
    return 0


def _check(options: Namespace) -> int:
    from rewardlab.errors import UserError

    if len(options.words) < 2:
        raise UserError(f"`rewardlab plugins {CHECK} NAME [KEY=VALUE ...]` needs the name of an installed plugin")
    from rewardlab.authoring.check.check import check_plugin
    from rewardlab.authoring.check.report import check_as_dict, format_findings
    from rewardlab.text.printable import print_json

    _, name, *settings = options.words
    tries, only = options.tries or TRIES, options.only
    if options.json:
        check = check_plugin(name, settings, tries=tries, only=only)
        print_json(check_as_dict(check), indent=1)
    else:
        write = partial(print, file=sys.stdout, flush=True)  # the stdout of now: what plugins print goes to stderr
        check = check_plugin(name, settings, tries=tries, only=only, write=write)
        print(f"\n{format_findings(check)}")
    return 0 if check.passed else 1
