"""What models write, as rewards and data steps read it: the parts of a response, its boxed answer, its thoughts.

In go a completion's text or a judge's reply, and a sample. Each reader takes time linear in the text. Here are the
templates of prompts, too, by which a judge or a translator is asked about a text.

    sections        the parts of a response: reasoning, answer, what follows the reasoning
    thoughts        the thoughts that a model left in its text, by the marks of many models
    boxed           the boxed answer, as LaTeX has it and as SP3F's published code reads it; answers that are joined
    comparison      a part of a response beside the same part of a reference
    invisible       whether a text shows nothing, and what stands unseen around a score
    piecewise       long texts in pieces, each for one question to a translator
    languages       languages as people name them, `Deutsch` or `ドイツ語`
    prompt_template  templates of prompts, in files
"""

from typing import TYPE_CHECKING

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab_answers import piecewise as piecewise
    from rewardlab_answers import sections as sections
    from rewardlab_answers.boxed import last_box as last_box
    from rewardlab_answers.boxed import last_boxes as last_boxes
    from rewardlab_answers.boxed import official_box as official_box
    from rewardlab_answers.boxed import only_joins as only_joins
    from rewardlab_answers.comparison import ComparedTexts as ComparedTexts
    from rewardlab_answers.comparison import Part as Part
    from rewardlab_answers.comparison import compared_texts as compared_texts
    from rewardlab_answers.invisible import is_blank as is_blank
    from rewardlab_answers.invisible import without_format_marks as without_format_marks
    from rewardlab_answers.languages import named_language as named_language
    from rewardlab_answers.prompt_template import QuotingTemplate as QuotingTemplate
    from rewardlab_answers.prompt_template import read_template as read_template
    from rewardlab_answers.prompt_template import template_of as template_of
    from rewardlab_answers.thoughts import THOUGHT_MARK as THOUGHT_MARK
    from rewardlab_answers.thoughts import Thoughts as Thoughts
    from rewardlab_answers.thoughts import thoughts_of as thoughts_of
    from rewardlab_answers.thoughts import without_thoughts as without_thoughts

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
