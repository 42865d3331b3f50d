"""Texts, for those who write rewards: read them, compare them, quote them.

In go a completion's text and a sample. Out come the parts of a response (`sections`), its boxed answer, the two texts
that a reward compares, and prompts in which no quoted text can pose as something else.

    sections        the parts of a response: reasoning, answer, what follows the reasoning
    thoughts        the thoughts that a model left in its text, by the marks of many models
    boxed           the boxed answer, as LaTeX has it and as SP3F's published code reads it; answers that are joined
    chat_markers    the marks of turns inside of messages, escaped so that no server reads them
    comparison      a part of a response beside the same part of a reference
    piecewise       long texts in pieces, each for one question to a translator
    languages       languages as people name them, `Deutsch` or `ドイツ語`
    printable       texts without what steers a terminal; everything that is printed goes through it
    progress        progress of long work: a bar on a terminal, a line every so often elsewhere
    terminal        the foot of a terminal, above which all that is printed stands
    redaction       secrets are masked in all that is printed and written
    quoting         templates and unforgeable fences for prompts that quote texts
    transcript      a conversation as one text, in which no message can pose as another's
    special_tokens  texts as token ids, in which no quoted text is read for special tokens
    plural          numbers of things: "1 row", "2,000 rows"
    tables          rows of cells as lines with aligned columns
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.text import piecewise as piecewise
    from rewardlab.text import quoting as quoting
    from rewardlab.text import sections as sections
    from rewardlab.text.boxed import last_box as last_box
    from rewardlab.text.boxed import last_boxes as last_boxes
    from rewardlab.text.boxed import official_box as official_box
    from rewardlab.text.boxed import only_joins as only_joins
    from rewardlab.text.chat_markers import count_chat_markers as count_chat_markers
    from rewardlab.text.chat_markers import escape_chat_markers as escape_chat_markers
    from rewardlab.text.chat_markers import unescape_chat_markers as unescape_chat_markers
    from rewardlab.text.comparison import ComparedTexts as ComparedTexts
    from rewardlab.text.comparison import Part as Part
    from rewardlab.text.comparison import compared_texts as compared_texts
    from rewardlab.text.languages import named_language as named_language
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
    from rewardlab.text.quoting import QuotingTemplate as QuotingTemplate
    from rewardlab.text.quoting import fence as fence
    from rewardlab.text.quoting import fence_key as fence_key
    from rewardlab.text.quoting import fence_lines as fence_lines
    from rewardlab.text.quoting import read_template as read_template
    from rewardlab.text.quoting import template_of as template_of
    from rewardlab.text.redaction import MASK as MASK
    from rewardlab.text.redaction import MIN_LENGTH as MIN_LENGTH
    from rewardlab.text.redaction import Redactor as Redactor
    from rewardlab.text.redaction import name_variables as name_variables
    from rewardlab.text.redaction import redact as redact
    from rewardlab.text.redaction import redactor as redactor
    from rewardlab.text.redaction import shell_command as shell_command
    from rewardlab.text.special_tokens import chat_ids as chat_ids
    from rewardlab.text.special_tokens import literal_ids as literal_ids
    from rewardlab.text.tables import COLUMN_GAP as COLUMN_GAP
    from rewardlab.text.tables import columns as columns
    from rewardlab.text.tables import display_width as display_width
    from rewardlab.text.terminal import has_foot as has_foot
    from rewardlab.text.thoughts import THOUGHT_MARK as THOUGHT_MARK
    from rewardlab.text.thoughts import Thoughts as Thoughts
    from rewardlab.text.thoughts import thoughts_of as thoughts_of
    from rewardlab.text.thoughts import without_thoughts as without_thoughts

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
__getattr__("printable")  # at once: its module has the same name, and would be found in its place
