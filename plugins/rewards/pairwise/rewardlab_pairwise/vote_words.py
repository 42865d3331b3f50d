"""The vote of a sentence about a response that it names: it wins, it loses, or neither is clear.

The sentence is `plain`, and a character of no alphabet stands in it for each response. Only what stands directly
before or behind a response counts, so that `B is worse, hence A` says nothing bad of A. English is read, and of other
languages the plainest words for "not" and "worse".
"""

import re
from typing import Literal

Sign = Literal["wins", "loses", "unclear"]

VOTE, OTHER, NEITHER = "\ue000", "\ue001", "\ue002"
"""in a sentence: the response that it names last, the other one, and what is named beside these, such as a tie"""
REACH = 120
"""characters before and behind a response that are looked at"""
MAX_NAMES = 20
"""bare letters of a line that are looked at"""

_LAYOUT = re.compile(r"""[*_$"'“”‘’«»`()\[\]{}\\]+""")
_SIGNS = (("\\succ", "≻"), ("\\prec", "≺"), ("\\gt", ">"), ("\\lt", "<"), ("\\geq", "≥"), ("\\leq", "≤"))


def _any(words: str) -> str:
    """Return the pattern of any of words, or of patterns, between commas."""
    return rf"(?:{'|'.join(words.split(', '))})"


def _several(words: str) -> str:
    return rf"(?:{_any(words)} )*"


_NAMED = _several("the, an?, is, to, for, of, in, it, its, that, response, assistant, answer, option, candidate, model")
"""what may stand between a word and the response that it is about"""
_NOT = _any(
    r"\b(?:not|nor|neither|never|cannot|no|nicht|keine?s?|pas|não|non|не|bukan|không phải), "
    r"\b(?:is|are|was|were|do|does|did|would|should|could|ca|can|wo|has|have)nt, "
    r"不是, 并非, 並非, 而非, 不选, 不選, ليس, وليس"
)
_FILL = _several(
    "really, quite, at all, also, actually, be, want, going, able, so, think, believe, say, find, case, my"
)
_CHOOSE = _any(
    "choos(?:e|es|ing), chosen?, picks?, picked, selects?, selected, prefer(?:s|red)?, favou?r(?:s|ed)?, accept, "
    "award, vot(?:e|es|ed|ing)(?: goes)?, go, go(?:es|ing)? with, went with, opt for, settle on, side with, "
    "decided? (?:on|for)"
)
_GOOD = _any(
    "accurate, complete, correct, helpful, useful, detailed, convincing, precise, thorough, rigorous, faithful, "
    "reliable, coherent, informative, concise, readable, relevant, persuasive, clear, truthful, honest, "
    "consistent, logical"
)
BETTER = _any(f"better, stronger, superior, preferable, preferred, clearer, more {_GOOD}")
WORSE = _any(f"worse, weaker, poorer, inferior, less {_GOOD}")
BEATS = _any(
    "beats?, beating, defeats, outperforms, outclasses, outranks, outshines, surpasses, exceeds, tops, trumps, "
    "over, ahead of, edges out, superior to, preferable to, preferred to"
)
_YIELDS = _any(
    "(?:loses?|lost|losing|yields?)(?: out)? (?:to|against), falls (?:behind|short of), lags behind, trails, "
    "behind, inferior to, second to, (?:beaten|outperformed|defeated|surpassed|outclassed|edged out) by"
)
_INSTEAD_OF = _any(
    "rather than, instead of, as opposed to, in place of, against, anything but, other than, unlike, "
    "compared (?:to|with), except, avoid, "
    "rejects?, rejected, cross(?:ed)? out, dismiss, discard, exclude, eliminate, ruled? out, disqualify, "
    "statt, anstatt, "
    "plutôt que, au lieu de, en lugar de, en vez de, em vez de, invece di, anziché, вместо"
)
_BEST = _any("better, best, stronger, strongest, superior, winner, winning, preferred, chosen, preference")
_VERDICT = _any(
    "verdict, decision, choice, vote, pick, selection, judge?ment, conclusion, result, final, answer, correct, right"
)
_LAST = _any(
    "worse, worst, weaker, weakest, loser, losing, inferior, poorer, poorest, rejected, lesser, runner[- ]up, "
    "last, bottom, wrong, incorrect, dispreferred, less preferred, not (?:chosen|preferred|selected), other, "
    "discarded, eliminated, excluded, ruled out, disqualified, second(?! to none), "
    "2nd, schlechter, pire, peor, хуже"
)
_FAULT = _any("errors?, mistakes?, flaws?, faults?, gaps?")
_SUPPOSED = (
    r"\bif (?!i |we )\S+ (?:had|were|did|could)\b|\bhad (?:it|response|assistant|answer|a|b)\b|\btempted to\b|"
    r"\b(?:nothing|nobody|no one)\b|\b(?:one|some|many|others|people) (?:might|may|could|would|will)\b"
)
"""before a response of which a sentence decides nothing: "had it shown its work, I would have chosen\""""
_OF_CLAUSE = f"[^,;:，；：、{VOTE}{OTHER}]"
_NOT_WRONG = r"(?! (?:bad|wrong|flawed|false|incorrect)\b)"
_DENIED = (
    rf"(?!no (?:doubt|question|choice|other))(?:{_NOT}\b{_NOT_WRONG}|\b(?:less|least)\b{_NOT_WRONG}|(?<!not )\bwrong\b|"
    r"\b(?:hardly|barely|unable|hesitat\w*|reluctan\w*|impossible|(?:hard|difficult) to|refuse\w*|(?<!no )doubt\w*|few|"
    r"naive|against|mistake|ignor\w*|disappoint\w*|penali[sz]\w*|deduct\w*|fail(?:s|ed)|errs|ask(?:s|ed)|tells?|told|"
    r"sa(?:ys?|id)|want(?:s|ed)|tries|tried|instruct\w*|request\w*|demand\w*|claim(?:s|ed)|begs?|urges?|"
    r"kein\w*|gegen|contre|contra|против|нельзя|ne|nie|ikke|inte|niet|tidak|không)\b|[不没沒無无](?!如))"
)
"""before a response in its clause: then choosing it is denied, or somebody else's wish"""
_RANK = (
    rf"(?: {_any('one, response, answer, option, candidate, choice, place, best, verdict, of the two, here, thus')})*"
)
_IS = _any("is, was, seems, looks, remains, appears, s, would be, will be, must be, comes(?: out)?, turns out") + " "
_COPULA = rf"(?: ?[:=–—-]| {_any('is, was, goes to, remains, must be, would be, will be')}\b)"
_LABEL = rf"(?:\A|[,:;|–—-] ?|\b(?:and|while|but|whereas) ){_several('the, my, so, overall, then')}"
"""where the name of a place can begin; `A is the loser: B` has none"""
_VERY = _several("clearly, the, much, far, slightly, a, bit, obviously, definitely, still, overall, also, thus, by, my")
_DOUBT = (
    rf"(?:{_NOT}|\b(?:hardly|barely|if|whether|unless|wrong|false|mistake|mistaken|doubt|refuse|may|might|could|some))"
)
_COMPARED = rf"(?:(?:{BETTER}|{WORSE})(?: \S+){{0,3}} (?:than|to|over)|{BEATS}|{_YIELDS})"
_SYMBOL = "(?:[<>≻≺≥≤≫≪≈~]|(?<!=)=(?!=))"


def _before(*patterns: str, joint: str = " ?") -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(patterns)}){joint}{_NAMED}\Z")


def _behind(*patterns: str) -> re.Pattern[str]:
    return re.compile(rf"[ :=–—-]*(?:{'|'.join(patterns)})")


_LAST_ABROAD = _any(
    "schlechtere, schwächere, falsche, verlierer, moins bonne, pire, mauvaise, perdante?, peor, perdedora?, peggiore, "
    "perdente, pior, gorsza, przegrana, slechtste, förlorare, хуже, худший, проигравший, kalah"
)
_RESPONSE_ABROAD = _any("réponse, antwort, respuesta, resposta, risposta, odpowiedź, antwoord, svar, ответ")
_COPULA_ABROAD = "(?: (?:ist|est|es|è|é|to|adalah|это|är|is))?(?: ?[:：=–—-])?"
_CHOOSE_ABROAD = _any("elij, escoj, prefier, scelg, wybier, выбира, escolh")
_LAST_IN_CHINESE = (
    "(?:较差|較差|更差|(?<!没有)(?<!沒有)(?:错误|錯誤)|败者|敗者|输家|輸家|劣).{0,6}?(?:是|为|為|：|:|のは|回答：)"
)
"""words of other languages for the response that loses"""
_BEFORE: tuple[tuple[Sign, re.Pattern[str]], ...] = (
    ("unclear", _before(_SYMBOL)),
    ("unclear", _before(rf"(?:{_SUPPOSED})(?:(?!\b(?:but|so|yet|hence|thus)\b)[^;:]){{0,80}}", r"\bopposing view ?:")),
    ("wins", _before(rf"\b(?:without|fewer|fewest|least)\b(?: \S+){{0,2}} {_FAULT}{_COPULA}")),
    ("unclear", _before(rf"\b(?:no|any|without|fewer|fewest|less|least)\b(?: \S+){{0,2}} {_FAULT}(?: \S+)?{_COPULA}?")),
    ("loses", _before(rf"\b{_FAULT}(?: (?:is|are|lies?))?(?: (?:in|with|by))?{_COPULA}?", "[❌✗✘]")),
    ("loses", _before(rf"(?:\A|[\s,;|]){_LAST_ABROAD}(?: {_RESPONSE_ABROAD})?{_COPULA_ABROAD}", _LAST_IN_CHINESE)),
    ("unclear", _before(rf"\b(?:no|non|nie|ne|не) {_CHOOSE_ABROAD}\w*", r"\b(?:tidak|inte|niet|ikke)\b")),
    ("unclear", _before(rf"{_DOUBT} (?:[^\s,]+ ){{0,5}}{_COMPARED}", rf"{_NOT} (?:just|only)")),
    ("unclear", _before(rf"{_NOT} {_NAMED}{_FILL}(?:{_BEST}|{_VERDICT}){_RANK}{_COPULA}?", joint="[ :,]*")),
    ("wins", _before(rf"\b{_YIELDS}", rf"\b{WORSE}(?: \S+){{0,3}} than", rf"{_NOT} (?:\S+ )?as \S+ as")),
    ("loses", _before(rf"\b{BETTER}(?: \S+){{0,3}} than", r"\b(?:rather|prefer)\b[^,;:]{0,60} than")),
    ("loses", _before(r"\bprefer\w* (?:\S+ ){1,3}to", rf"\b{BEATS}", rf"\b{_INSTEAD_OF}")),
    ("loses", _before(rf"{_NOT} ?{_NAMED}{_FILL}{_NAMED}(?:{_CHOOSE})?")),
    ("loses", _before(rf"{_LABEL}{_LAST}{_RANK}{_COPULA}?")),
    (
        "unclear",
        _before(
            rf"{_NOT} (?:[^\s,]+ ){{0,2}}(?:by|with|of|in|about)", r"\bthan", rf"{_DOUBT} (?:[^\s,]+ ){{0,3}}{_CHOOSE}"
        ),
    ),
    (
        "unclear",
        _before(rf"{_DENIED}(?:(?!\b(?:but|so|yet|hence|thus|therefore)\b)[^,;:，；：、{VOTE}{OTHER}]){{0,80}}?"),
    ),
    ("wins", _before(rf"\b{_CHOOSE}", rf"\b{_BEST}{_RANK}{_COPULA}?", joint="[ :,]*")),
    ("wins", _before(rf"\b{_VERDICT}{_RANK}{_COPULA}", rf"{_LABEL}(?:first|1st)(?: place)? ?[:=]", joint="[ :,]*")),
)
_HENCE = _before(
    r"\b(?:so|thus|hence|therefore|consequently|finally|ultimately|conclude|but|it is|its)", joint="[ :,]*"
)
"""says that a response wins, unless anything else says otherwise"""
_BEHIND: tuple[tuple[Sign, re.Pattern[str]], ...] = (
    ("unclear", _behind(_SYMBOL)),
    ("unclear", _behind(r"would\b[^,;]{0,60} if\b", rf"{_IS}{_VERY}{BETTER} only\b", r"would be un\w+")),
    ("loses", _behind(r"(?:should|deserves to|will|would) lose\b", r"(?:deserves|wins?|earns) (?:no|nothing|none)\b")),
    ("loses", _behind(r"(?:gets|takes|finishes|comes|ends|places)(?: \w+)? (?:second|last|2nd)\b", "[❌✗✘👎]")),
    (
        "loses",
        _behind(r"(?:is )?(?:the )?(?:one|response)(?: that| which)? (?:i|we) (?:reject|dismiss|discard|exclude)"),
    ),
    (
        "loses",
        _behind(
            rf"(?:has|contains|makes|made)(?: (?!no\b|fewer\b|less\b|only\b)\w+){{0,2}} {_FAULT}\b",
            r"(?:gets|got) (?:it|this|that|the \w+) wrong\b|(?:misses|missed)\b",
            rf"{_IS}overruled\b",
            r"[^.;]{0,40}\bbut (?:that|this|it) (?:is|would be) (?:wrong|false|incorrect)\b",
        ),
    ),
    (
        "unclear",
        _behind(rf"(?:{_IS})?{_VERY}{_NOT} {_VERY}(?:{WORSE}|{_LAST}|bad|only|just|behind|beaten|flawed|false)\b"),
    ),
    ("loses", _behind(rf"(?:{_IS})?{_VERY}{_NOT} (?:the |as )?(?:{_BEST}|{_VERDICT}|selected|good|acceptable)\b")),
    ("loses", _behind(rf"{_IS}{_VERY}(?:{WORSE}|{_LAST}|out|behind|flawed|false|mistaken|excluded)\b")),
    ("loses", _behind(rf"{_IS}{_VERY}(?:beaten|outperformed|defeated|surpassed|outclassed|edged out|eliminated)\b")),
    (
        "loses",
        _behind(
            rf"{_VERY}(?:{WORSE}|{_LAST}|loses?|lost|fails?|failed|trails|falls|lags)\b", r",? ?no ?(?:[,.;:!]|\Z)"
        ),
    ),
    (
        "loses",
        _behind(r"(?:ist|est|es|é|è) (?:\S+ )?(?:schlechter|falsch|pire|peor|pior|peggiore)\b", "хуже", "проигр"),
    ),
    (
        "loses",
        _behind(r"(?:verliert|perd|pierde|perde)\b", "是?(?:更差|较差|較差|不好|不对|不對|不如|不是|输|輸|错|錯)"),
    ),
    ("loses", _behind("(?:では|じゃ)な", "[のはが]?(?:方が)?(?:悪|劣)", "より劣", "[가이] 아니", "नहीं", "değil")),
    (
        "wins",
        _behind(
            rf"(?:{_IS})?{_VERY}(?:{BETTER}|{_BEST}|{_VERDICT}|ahead|first)\b", r"(?:wins?|won|prevails|deserves)\b"
        ),
    ),
    ("wins", _behind(rf"{BEATS}\b", r"(?:it is|is it)\b", ",? ?(?:rather than|instead of|as opposed)")),
    ("wins", _behind(rf",? ?(?:and |but )?not {_NAMED}(?:[{VOTE}{OTHER}]|[ab]\b)")),
    ("unclear", _behind(rf"(?:{_IS}|(?:do|does|did|would|should|can|could|must|may|might|will) )?(?!no\b){_NOT}\b")),
    (
        "unclear",
        _behind(
            rf"{_IS}(?:an? |the )?(?:mistake|error|trap|what (?!i\b))", "[^ ,.;]{0,3} ?[^,.;。]{0,8}(?:ない|ません|없)"
        ),
    ),
)


def plain(words: str) -> str:
    """Return words as they are compared: one case, single spaces, without marks of layout and quotation."""
    for written, sign in _SIGNS:
        words = words.replace(written, sign)
    return " ".join(_LAYOUT.sub("", words).casefold().split())


def is_said_to_win(sentence: str, letter: str) -> bool:
    """Return whether a plain text says of a response, by its bare letter, that it wins."""
    places = [match.start() for match in re.finditer(rf"\b{letter.casefold()}\b", sentence)]
    return any(sign_at(sentence, place) == "wins" for place in places[:MAX_NAMES])


def sign_at(sentence: str, place: int) -> Sign | None:
    """Return what a plain sentence says of the response at a place of it; None for nothing."""
    before = f"{sentence[max(0, place - REACH) : place].rstrip()} ".lstrip()
    behind = sentence[place + 1 : place + 1 + REACH]
    early = next((sign for sign, pattern in _BEFORE if pattern.search(before)), None)
    late = next((sign for sign, pattern in _BEHIND if pattern.match(behind)), None)
    if early is None and late is None:
        return "wins" if _HENCE.search(before) else None
    return early if late in (None, early) else late if early is None else "unclear"
