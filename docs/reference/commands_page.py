"""commands.md: every command and its flags, from the options that the commands take."""

import inspect

from rewardlab.commands.find import find_command
from rewardlab.commands.parsing import parser_of
from rewardlab.first_party import our_commands

HEAD = """# Commands

If you work in a shell, find here every command and flag, generated from the options that the commands take.
`rewardlab COMMAND --help` prints the same, and `rewardlab.COMMAND(...)` takes them in Python
([python.md](../python.md)). Each also has `--json`, which prints the result as JSON, and `--traceback`.
"""


def page():
    """The whole page."""
    sections = [HEAD]
    for command in map(find_command, sorted(our_commands())):
        sections += [f"## {command.name}\n", f"```text\n{inspect.cleandoc(command.options.__doc__)}\n```\n"]
        sections += ["| argument | meaning |", "|---|---|"]
        for action in parser_of(command)._actions:
            if action.dest not in ("help", "json", "traceback"):
                values = "|".join(action.choices) if action.choices else action.metavar or action.dest.upper()
                shown = f"{', '.join(action.option_strings)} {values if action.nargs != 0 else ''}".strip()
                cells = [f"`{shown}`", " ".join(action.help.replace("%%", "%").split())]
                sections.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
        sections.append("")
    return "\n".join(sections)
