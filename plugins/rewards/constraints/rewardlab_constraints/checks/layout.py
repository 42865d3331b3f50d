"""Instructions about the layout: titles, sections, highlights, JSON, templates, indents and white space."""

import json
import re
from functools import lru_cache
from itertools import pairwise

from rewardlab_constraints.arguments import positive, text, whole
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.visible import says_something

_PLACEHOLDER = re.compile(r"\[[^\[\]\n]*\]|［[^［］\n]*］|【[^【】\n]*】")
_BOLD = re.compile(r"\*\*[^\n*]*\*\*")
_HIGHLIGHT = re.compile(r"\*[^\n*]*\*")
_NUMBER = r"\s?(\d+|[一二三四五六七八九十]+)"
OPTIONS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")
TEMPLATE = ("My Answer:", "My Conclusion:", "Future Outlook:")


@check("detectable_content:number_placeholders", num_placeholders=whole)
def number_placeholders(answer: JudgedText, num_placeholders: int) -> bool:
    """Return whether there are enough words in square brackets."""
    return sum(map(says_something, _PLACEHOLDER.findall(answer.text))) >= num_placeholders


@check("detectable_content:postscript", postscript_marker=text)
def postscript(answer: JudgedText, postscript_marker: str) -> bool:
    """Return whether something stands behind the marker of a postscript."""
    found = list(_postscript(answer.language.folded(postscript_marker.strip())).finditer(answer.folded))
    return bool(found) and says_something(answer.folded[found[0].end() :])


@lru_cache(maxsize=1 << 8)
def _postscript(marker: str) -> re.Pattern[str]:
    usual = {"p.s.": r"p\.\s?s\.", "p.p.s": r"p\.\s?p\.\s?s"}
    return re.compile(usual.get(marker, re.escape(marker)))


@check("detectable_format:constrained_response", needs="english")
def constrained_response(answer: JudgedText) -> bool:
    """Return whether exactly one of the three answers is there."""
    return sum(option in answer.text for option in OPTIONS) == 1


@check("detectable_format:number_highlighted_sections", num_highlights=whole)
def number_highlighted_sections(answer: JudgedText, num_highlights: int) -> bool:
    """Return whether enough *sections* or **sections** are highlighted."""
    found = (*_HIGHLIGHT.findall(answer.text), *_BOLD.findall(answer.text))
    return sum(map(says_something, found)) >= num_highlights


@check("detectable_format:multiple_sections", section_spliter=text, num_sections=positive)
def multiple_sections(answer: JudgedText, section_spliter: str, num_sections: int) -> bool:
    """Return whether enough sections with a number have something in them."""
    parts = re.split(re.escape(section_spliter.strip()) + _NUMBER, answer.text)
    return len({number for number, body in zip(parts[1::2], parts[2::2], strict=True) if says_something(body)}) >= (
        num_sections
    )


@check("detectable_format:json_format")
def json_format(answer: JudgedText) -> bool:
    """Return whether the whole text is JSON with something in it, in a fence or without."""
    text = answer.text.removesuffix("```")
    for begin in ("```", "json", "JSON", "Json") if text.startswith("```") else ():
        text = text.removeprefix(begin)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict | list | str) and bool(value)


@check("detectable_format:title")
def title(answer: JudgedText) -> bool:
    """Return whether a line has a title in double angular brackets."""
    wide = answer.language.words == "characters"
    return any(
        end in part and says_something(part.partition(end)[0])
        for begin, end in (("<<", ">>"), *([("《", "》")] if wide else []))
        for line in answer.text.split("\n")
        for part in line.split(begin)[1:]
    )


@check("combination:two_responses")
def two_responses(answer: JudgedText) -> bool:
    """Return whether six asterisks part two different responses."""
    parts = answer.folded.split("******")
    said = [part for part in parts if says_something(part)]
    inner = parts[1:-1]
    return len(said) == 2 and all(map(says_something, inner)) and len({"".join(part.split()) for part in said}) == 2


@check("format:options", options=text)
def options(answer: JudgedText, options: str) -> bool:
    """Return whether the response is one of the options, which slashes, "or" or commas part."""
    separator = "/" if "/" in options else "or" if "or" in options else ","
    choices = [option.strip() for option in options.split(separator)]
    if re.match(r"\W*a\W*b\W*c\W*", options, re.IGNORECASE):
        return answer.text in choices
    marks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ "
    return answer.folded.strip(marks) in {answer.language.folded(choice).strip(marks) for choice in choices}


@check("format:output_template")
def output_template(answer: JudgedText) -> bool:
    """Return whether the three headings of the template are there in order, with something behind each."""
    rest = answer.text
    for heading, following in zip(TEMPLATE, (*TEMPLATE[1:], None), strict=True):
        _, found, rest = rest.partition(heading)
        if not found or not says_something(rest.partition(following)[0] if following else rest):
            return False
    return True


@check("format:thesis")
def thesis(answer: JudgedText) -> bool:
    """Return whether a thesis in italics, by HTML, is followed by something else."""
    found = re.search(r"<(i|em)>", answer.text)
    if not found:
        return False
    inside, end, behind = answer.text[found.end() :].partition(f"</{found[1]}>")
    return bool(end) and says_something(inside) and says_something(behind)


@check("format:line_indent")
def line_indent(answer: JudgedText) -> bool:
    """Return whether each of several lines is indented more than the one before."""
    lines = [line for line in answer.text.split("\n") if line.strip()]
    indents = [len(line) - len(line.lstrip(" ")) for line in lines]
    return len(lines) > 1 and all(before < after for before, after in pairwise(indents))


@check("format:newline", needs="words")
def newline(answer: JudgedText) -> bool:
    """Return whether each word stands on a line of its own."""
    lines = [line for line in answer.text.split("\n") if says_something(line)]
    return len(lines) == len(answer.bare)


@check("format:no_whitespace")
def no_whitespace(answer: JudgedText) -> bool:
    """Return whether nothing parts the characters."""
    return not any(map(str.isspace, answer.text))
