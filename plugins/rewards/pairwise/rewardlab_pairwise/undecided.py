"""Whether a judge says that it prefers neither response: a box beside such words is no vote.

Only the plainest words count, about the responses themselves: `Both angles are equal` says nothing of them.
"""

import re

from rewardlab_pairwise.vote_words import BEATS, BETTER, OTHER, VOTE, WORSE

_RESPONSES = "(?:responses?|answers?|assistants?|options?|candidates?|models?|solutions?|translations?|replies)"
_LETTERS = rf"(?:(?:{_RESPONSES} )?(?:[ab]\b|[{VOTE}{OTHER}]))"
_WHO = (
    rf"(?:both|they|the two|these two|{_RESPONSES}|{_LETTERS} and {_LETTERS}|"
    rf"(?:both|the|these|all)(?: of)?(?: the| these)?(?: two)? (?:{_RESPONSES}|them))"
)
_ABOUT = "(?:about|roughly|basically|essentially|really|just|almost|nearly|practically|both|all|simply) "
_EQUAL = (
    r"(?:equal|equals|equally \w+(?: and \w+)?|tied|on (?:a )?par|the same|identical|equivalent|indistinguishable|"
    "(?:of )?(?:equal|the same|comparable|identical) (?:quality|merit|value|standard)|as good as each other)"
)
_REGARDS = (
    "(?: here| overall| in (?:(?:overall )?quality|merit|value|general|(?:every|all) (?:way|respect|aspect|regard)s?))?"
)
"""of all that counts: responses that are equal in length alone may differ in the rest"""
_FIRST = (
    "(?:(?:so|but|and|however|thus|hence|overall|actually|sorry|unfortunately|honestly|frankly|though|although|yet|"
    "still|wait|no|well|in the end|all in all|to be honest|on balance|im sorry|i am sorry|in conclusion|in short|"
    "(?:i|we) (?:think|believe|conclude|find|say|would say)(?: that)?|in my (?:view|opinion)|"
    "as an ai(?: language)?(?: model| assistant)?)[,:]? )*"
)
_TIE = "(?:(?:a|dead|complete|clear) )*(?:tie|draw|toss[- ]?up|coin[- ]?flip|dead heat)"
_WINNER = "(?:winner|difference|preference|better (?:one|response|answer)|favou?rite)"
_EQUALITY = re.compile(
    rf"{_FIRST}(?:"
    rf"{_WHO} (?:are|seem|look|appear|perform|were|remain) (?:{_ABOUT})*{_EQUAL}{_REGARDS}|"
    rf"(?:(?:it|this|that|the (?:result|verdict|outcome|comparison))(?: is|s| was| ends in| would be) )?"
    rf"(?:{_ABOUT})*{_TIE}|"
    rf"neither(?: one|(?: of (?:them|the two|these|the))? {_RESPONSES}| of (?:them|the two))? "
    r"(?:wins|stands out|(?:is|was|seems) (?:\w+ly )?(?:better|superior|preferable|stronger|ahead|the winner))"
    r"(?: than the other)?|"
    rf"(?:there (?:is|s) |there are |(?:i|we) (?:see|find|have) )?no (?:\w+ )?{_WINNER}s?"
    rf"(?: between (?:them|the two|the {_RESPONSES}|{_LETTERS} and {_LETTERS}))?|"
    r"(?:beide|ambas|ambos|les deux|entrambe)\b.{0,30}?(?:gleich|gleichwertig|iguales|iguais|égales|se valent|uguali)"
    r"(?: \w+)?|es (?:un )?empate|unentschieden|égalité|empate|"
    "(?:两者|二者|两个回答|两个答案).{0,8}(?:一样|相同|相当|不相上下|平手).{0,2}|平局|平手|引き分け)"
)
_NAMED = rf"(?:(?:\S+ ){{0,2}}(?:b\b|a(?!\S| \w)|{_RESPONSES} [ab]\b|[{VOTE}{OTHER}]))"
_DECISION = "(?:verdict|choice|decision|judge?ment|preference|answer|ranking|side|vote|opinion|evaluation|comparison)"
_REFUSAL = re.compile(
    rf"{_FIRST}(?:(?:i|we)(?: \w+ly| just| still)? (?:"
    "(?:cannot|can not|cant|could not|couldnt|(?:am|are|m|was) (?:unable|not able) to|refuse to|decline to|wont|"
    "will not|(?:would|d) rather not|(?:do not|dont) want to|(?:must|have to) decline to)(?: \\w+ly| really)? (?:"
    rf"(?:decide|judge|choose|pick|determine|compare|evaluate|assess|rank|vote)\b(?! {_NAMED})|"
    r"(?:say|tell|answer)(?=\W*\Z| (?:which|who|for sure|them apart|the difference|either|that question|this)\b)|"
    rf"(?:make|give|provide|take|reach)(?: an?| any| the)?(?: \w+)? {_DECISION}s?\b|"
    r"(?:help|assist|comply|do)(?=\W*\Z| (?:with|this|that|so|it)\b))|"
    r"(?:do not|dont) know(?=\W*\Z| which| who)|have no (?:\w+ )?(?:preference|opinion|idea)\b|"
    r"(?:refuse|decline|(?:must |will |have to )?abstain)\W*\Z)|"
    r"(?:never ?mind|scratch that|"
    r"(?:disregard|ignore) (?:(?:that|this)(?=\W*\Z| (?:box|vote|verdict)\b)|the (?:above|box|verdict))|"
    r"(?:that|this|it) (?:is|was) (?:not|no)(?: a| my)? (?:real )?(?:vote|verdict))\b|"
    "ich kann (?:mich |das |es )?nicht (?:entscheiden|beurteilen|sagen)|je ne peux pas (?:décider|choisir|juger)|"
    "no puedo (?:decidir|elegir|juzgar)|我(?:无法|不能)(?:判断|决定|选择|回答))"
)
_OF_A_LABEL = (
    "(?:so|hence|thus|therefore|then|my|the|final|overall|verdict|decision|choice|vote|answer|judge?ment|winner|better|best|"
    "one|response|is|i|would|will|pick|choose|select|say|go|with|for)"
)
_LABEL = re.compile(rf"\W*(?:{_OF_A_LABEL}\b\W*)*")
_LABEL_AT_END = re.compile(rf"(?:\W+{_OF_A_LABEL})+\W*\Z")
_COMPARED = re.compile(rf"\b(?:{BETTER}|{WORSE}|{BEATS}|wins?|best)\b")
_ONE_OF_THEM = re.compile(rf"\b[ab]\b|[{VOTE}{OTHER}]")
_MARKS = " ,.:;!–—-*#>。，"


def is_without_preference(sentence: str) -> bool:
    """Return whether a plain sentence says that both responses are equal, or that its author does not decide."""
    bare = sentence.strip(_MARKS)
    return _EQUALITY.fullmatch(bare) is not None or refuses(bare)


def compares(sentence: str) -> bool:
    """Return whether a plain sentence says of one response that it is better, or worse, in something."""
    return _COMPARED.search(sentence) is not None and _ONE_OF_THEM.search(sentence) is not None


def refuses(sentence: str) -> bool:
    """Return whether a plain sentence says that its author does not decide, or that a box before it is no vote."""
    return _REFUSAL.match(sentence.strip(_MARKS)) is not None


def is_label(words: str) -> bool:
    """Return whether plain words before a box are a label of it, or nothing."""
    return _LABEL.fullmatch(words) is not None


def without_label(words: str) -> str:
    """Return plain words without those of a label at their end: "both are equal, so" is "both are equal"."""
    return _LABEL_AT_END.sub("", words)
