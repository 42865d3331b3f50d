"""Texts, for those who write rewards: read them, compare them, quote them.

In go a completion's text and a sample. Out come the parts of a response (`sections`), its boxed answer, the two texts
that a reward compares, and prompts in which no quoted text can pose as something else.

    sections    the parts of a response: reasoning, answer, what follows the reasoning
    boxed       the boxed answer, as LaTeX has it and as SP3F's published code reads it
    comparison  a part of a response beside the same part of a reference
    joined      whether the text between two answers makes one of both
    printable   texts without what steers a terminal; everything that is printed goes through it
    progress    progress of long work: a bar on a terminal, a line every so often elsewhere
    quoting     templates and unforgeable fences for prompts that quote texts
    tables      rows of cells as lines with aligned columns
    tasks       labels of subjective tasks, and the names that they go by
"""

from rewardlab.redaction import MASK, MIN_LENGTH, Redactor
from rewardlab.text import quoting, sections
from rewardlab.text.boxed import last_box, last_boxes, official_box
from rewardlab.text.comparison import ComparedTexts, Part, compared_texts
from rewardlab.text.joined import only_joins
from rewardlab.text.printable import cursor_stream, printable, printable_output
from rewardlab.text.progress import Progress, format_duration, progress_interval_s
from rewardlab.text.quoting import (
    QuotingTemplate,
    fence,
    fence_key,
    fence_lines,
    read_template,
    template_of,
)
from rewardlab.text.tables import COLUMN_GAP, columns, display_width
from rewardlab.text.tasks import TASKS, task_label

__all__ = [
    "COLUMN_GAP",
    "MASK",
    "MIN_LENGTH",
    "TASKS",
    "ComparedTexts",
    "Part",
    "Progress",
    "QuotingTemplate",
    "Redactor",
    "columns",
    "compared_texts",
    "cursor_stream",
    "display_width",
    "fence",
    "fence_key",
    "fence_lines",
    "format_duration",
    "last_box",
    "last_boxes",
    "official_box",
    "only_joins",
    "printable",
    "printable_output",
    "progress_interval_s",
    "quoting",
    "read_template",
    "sections",
    "task_label",
    "template_of",
]
