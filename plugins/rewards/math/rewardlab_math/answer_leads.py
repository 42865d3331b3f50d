"""Take away what says that an answer follows: `Answer: 42`, `The answer is 42`, `答案：42`, `<answer>42</answer>`."""

import re

_NOUNS = (
    "answer|solution|result|ans|antwort|lösung|ergebnis|réponse|résultat|respuesta|solución|resultado|resposta|solução"
    "|risposta|soluzione|antwoord|svar|vastaus|odpowiedź|odpověď|răspuns|válasz|ответ|відповідь|jawaban|cevap|yanıt"
    "|đáp án|đáp số|απάντηση|उत्तर|উত্তর|సమాధానం|பதில்|jibu|תשובה|الجواب|الإجابة|पاسخ|답|정답|答案|答|答え|解答|คำตอบ"
)
_BEFORE = (
    r"(?:(?:so|thus|hence|therefore),? )?(?:(?:the|my|our|your|die|das|la|le|el|il|o|a|het) )?"
    r"(?:(?:final|correct|right) )?"
)
_LEAD = re.compile(
    rf"\s*(?:\*\*)?{_BEFORE}(?:{_NOUNS})\s*(?:(?:(?:is|ist|est|es|è|é)(?!\w)|是|は)\s*[:=]?|[:=.])\s*(?:\*\*(?=\s))?\s*",
    re.IGNORECASE,
)
_IN_TEXT = re.compile(r"\\text\w*\s*\{(?P<lead>[^{}]*)\}\s*")
_TAG = re.compile(
    r"<(?P<name>answer|final_answer|ans)>(?P<inside>(?:(?!</?(?:answer|final_answer|ans)>).)*)</(?P=name)>", re.DOTALL
)


def inside_tags(text: str) -> str:
    """Return what stands in the last pair of tags of an answer; a text without such a pair as it is."""
    if "</" not in text:
        return text
    tagged = list(_TAG.finditer(text))
    return tagged[-1]["inside"] if tagged else text


def without_lead(text: str) -> str:
    r"""Return a plain answer without "Answer:" or "The answer is" before it, also where that stands in `\text{...}`."""
    group = _IN_TEXT.match(text)
    if group and _LEAD.fullmatch(group["lead"]):
        rest = text[group.end() :]
    else:
        lead = _LEAD.match(text)
        rest = text[lead.end() :] if lead else text
    return rest or text
