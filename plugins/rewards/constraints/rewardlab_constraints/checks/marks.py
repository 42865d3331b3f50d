"""Instructions about punctuation, quotation marks, brackets and emoji."""

import unicodedata

from rewardlab_constraints.arguments import text
from rewardlab_constraints.emoji import is_emoji
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.visible import says_something
from rewardlab_constraints.words import without_punctuation

COMMAS = frozenset(",，﹐､،⸲︐、")
_OF_ENUMERATIONS = frozenset("、")
"""no comma in Chinese, which has another mark between the items of a list; the comma of Japanese"""
_QUOTES = {'"': '"', "“": "”", "„": "“”", "«": "»", "»": "«", "「": "」", "『": "』", "”": "”", "＂": "＂"}
_BRACKETS = {")": "(", "]": "[", "}": "{"}
NESTED_BRACKETS, NESTED_QUOTES = 5, 3
_STANDARD = str.maketrans({"。": ".", "।": ".", "۔": ".", "،": ",", "、": ",", "؛": ";", "؟": "?", "‽": "?!"})
_DOUBLE = str.maketrans(dict.fromkeys("“”„«»＂「」", '"') | dict.fromkeys("‘’‚‹›『』", "'"))


@check("punctuation:no_comma")
def no_comma(answer: JudgedText) -> bool:
    """Return whether there is no comma of any script."""
    commas = COMMAS - _OF_ENUMERATIONS if answer.language.code == "zh" else COMMAS
    return commas.isdisjoint(answer.text)


@check("startend:quotation")
def quotation(answer: JudgedText) -> bool:
    """Return whether the whole text stands in double quotation marks, of which each language has its own."""
    inside = answer.text[1:-1]
    return says_something(inside) and answer.text[-1] in _QUOTES.get(answer.text[0], "")


@check("startend:end_checker", end_phrase=text)
def end_checker(answer: JudgedText, end_phrase: str) -> bool:
    """Return whether the text ends with a phrase; a quotation mark may stand behind it."""
    end = answer.language.folded(end_phrase.strip())
    return answer.folded.strip().strip('"').endswith(end)


@check("count:punctuation")
def punctuation(answer: JudgedText) -> bool:
    """Return whether each mark is there in the forms of its script: . , ! ? ; : and an interrobang."""
    said = unicodedata.normalize("NFKC", answer.text.translate(_STANDARD))
    for interrobang in ("?!", "!?"):
        if interrobang in said:
            return set(".,!?;:") <= set(said.replace(interrobang, "", 1))
    return False


@check("format:parentheses")
def nested_parentheses(answer: JudgedText) -> bool:
    """Return whether brackets stand five deep in each other."""
    open_brackets: list[str] = []
    deepest = 0
    for char in unicodedata.normalize("NFKC", answer.text):
        if char in "([{":
            open_brackets.append(char)
            deepest = max(deepest, len(open_brackets))
        elif char in _BRACKETS:
            if not open_brackets or open_brackets.pop() != _BRACKETS[char]:
                open_brackets, deepest = [], 0
            elif deepest >= NESTED_BRACKETS:
                return True
    return False


@check("format:quotes")
def nested_quotes(answer: JudgedText) -> bool:
    """Return whether double and single quotation marks stand three deep in each other in turn."""
    open_quotes: list[str] = []
    deepest = 0
    for char in answer.text.translate(_DOUBLE):
        if open_quotes and char == open_quotes[-1]:
            open_quotes.pop()
            if deepest - len(open_quotes) >= NESTED_QUOTES:
                return True
        elif char in "\"'":
            open_quotes.append(char)
            deepest = max(deepest, len(open_quotes))
    return False


@check("format:quote_unquote")
def quote_unquote(answer: JudgedText) -> bool:
    """Return whether something unquoted stands behind each quoted phrase, of which there is one or more."""
    parts = answer.text.translate(_DOUBLE).split('"')
    return len(parts) > 2 and all(map(says_something, parts[2::2]))


@check("format:emoji", needs="sentences")
def emoji(answer: JudgedText) -> bool:
    """Return whether each sentence ends with an emoji, or the next one begins with it."""
    said = ["".join(without_punctuation(part).split()) for part in _sentences_with_emoji(answer)]
    for place, sentence in enumerate(said):
        following = said[place + 1][:1] if place + 1 < len(said) else ""
        if not (any(map(is_emoji, sentence[-2:])) or is_emoji(following)):
            return False
    return bool(said)


def _sentences_with_emoji(answer: JudgedText) -> list[str]:
    """Return the sentences, and behind the last one what else is there."""
    joined = " ".join(answer.text.split())
    last = answer.sentences[-1] if answer.sentences else ""
    behind = joined.rpartition(last)[2]
    return [*answer.sentences, behind] if without_punctuation(behind).strip() else answer.sentences
