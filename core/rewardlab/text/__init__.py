"""Texts as they are printed, and as prompts quote them.

Out come lines in which no text steers a terminal and no secret stands, and prompts in which no quoted text can pose as
something else. `rewardlab_answers` reads what models write.

    chat_markers    the marks of turns inside of messages, escaped so that no server reads them
    printable       texts without what steers a terminal; everything that is printed goes through it
    progress        progress of long work: a bar on a terminal, a line every so often elsewhere
    terminal        the foot of a terminal, above which all that is printed stands
    redaction       secrets are masked in all that is printed and written
    quoting         unforgeable fences for prompts that quote texts
    transcript      a conversation as one text, in which no message can pose as another's
    plural          numbers of things: "1 row", "2,000 rows"
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.text import quoting as quoting
    from rewardlab.text.chat_markers import count_chat_markers as count_chat_markers
    from rewardlab.text.chat_markers import escape_chat_markers as escape_chat_markers
    from rewardlab.text.chat_markers import unescape_chat_markers as unescape_chat_markers
    from rewardlab.text.plural import counted as counted
    from rewardlab.text.printable import cursor_stream as cursor_stream
    from rewardlab.text.printable import printable as printable
    from rewardlab.text.progress import Progress as Progress
    from rewardlab.text.progress import format_duration as format_duration
    from rewardlab.text.progress import place_of_step as place_of_step
    from rewardlab.text.progress import progress_interval_s as progress_interval_s
    from rewardlab.text.progress import safe as safe
    from rewardlab.text.progress import speed as speed
    from rewardlab.text.progress import state_line as state_line
    from rewardlab.text.quoting import fence as fence
    from rewardlab.text.quoting import fence_key as fence_key
    from rewardlab.text.quoting import fence_lines as fence_lines
    from rewardlab.text.redaction import MASK as MASK
    from rewardlab.text.redaction import MIN_LENGTH as MIN_LENGTH
    from rewardlab.text.redaction import Redactor as Redactor
    from rewardlab.text.redaction import name_variables as name_variables
    from rewardlab.text.redaction import redact as redact
    from rewardlab.text.redaction import redactor as redactor
    from rewardlab.text.redaction import shell_command as shell_command
    from rewardlab.text.terminal import has_foot as has_foot

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
__getattr__("printable")  # at once: its module has the same name, and would be found in its place
