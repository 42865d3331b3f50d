"""`rewardlab plugins check`: the laws, tried on an installed plugin."""

import sys
from functools import partial
from typing import Annotated

from rewardlab import CommandResult, Config, Positional, PythonOnly
from rewardlab.commands import Count

from rewardlab_testing.check.check import check_plugin
from rewardlab_testing.check.report import check_as_dict, format_findings

TRIES = 25


class Options(Config):
    """Try the laws on a plugin or <plugin>/<component>."""

    name: Annotated[str, Positional("NAME")]
    """a plugin, or <plugin>/<component>"""
    settings: tuple[str, ...] = ()
    """KEY=VALUE for the components that have the option, <plugin>/<component>:KEY=VALUE for one"""
    tries: Count | None = None
    """generated cases a law (25)"""
    only: tuple[str, ...] = ()
    """these laws alone"""
    as_json: Annotated[bool, PythonOnly()] = False
    """whether nothing but the result is printed"""


def run(options: Options) -> CommandResult:
    """Try the laws; data: what each says."""
    # the stdout of now: what plugins print goes to stderr
    how = {} if options.as_json else {"write": partial(print, file=sys.stdout, flush=True)}
    only = list(options.only) or None
    check = check_plugin(options.name, options.settings, tries=options.tries or TRIES, only=only, **how)
    return CommandResult(ok=check.passed, text=f"\n{format_findings(check)}", data=check_as_dict(check))
