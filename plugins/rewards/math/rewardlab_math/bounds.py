"""Find words that make something else of the one number in an answer: "at least 42", "42 or more", 42以上, "not 42".

They stand directly before the number, or behind it and what it counts. An answer that has such a word is right only
if the gold answer has one of the same meaning; where only the gold one has it, the question may have said it.
"""

import re

from rewardlab_math.wording import without_text_groups

MAX_LENGTH = 200

_BEFORE = {
    "least": (
        "at least|no less than|not less than|no fewer than|not fewer than|mindestens|wenigstens"
        "|au moins|al menos|por lo menos|como mínimo|pelo menos|no mínimo|almeno|не менее|не меньше"
        "|至少|不少于|不小于|少なくとも|최소|적어도|ít nhất|setidaknya|paling sedikit|en az|على الأقل|कम से कम|কমপক্ষে"
        "|অন্তত|อย่างน้อย|angalau|కనీసం|o kere ju"
    ),
    "most": (
        "at most|no more than|not more than|up to|höchstens|maximal|bis zu|au plus|como máximo"
        "|a lo sumo|no máximo|al massimo|не более|не больше|至多|最多|不超过|不大于|多くとも|최대|nhiều nhất"
        "|paling banyak|en fazla|على الأكثر|अधिक से अधिक|ज़्यादा से ज़्यादा|সর্বাধিক|ไม่เกิน"
        "|si zaidi ya"
    ),
    "more": (
        "more than|greater than|larger than|bigger than|over|above|exceeds|exceeding|mehr als"
        "|größer als|über|plus de|supérieur à|más de|mayor que|mais de|maior que|più di|maggiore di"
        "|более|больше|свыше|大于|超过|多于|lớn hơn|hơn|lebih dari|أكثر من|أكبر من|มากกว่า|zaidi ya"
    ),
    "less": (
        "less than|fewer than|smaller than|under|below|weniger als|kleiner als|unter|moins de"
        "|inférieur à|menos de|menor que|meno di|minore di|менее|меньше|小于|少于|低于|nhỏ hơn|ít hơn"
        "|kurang dari|أقل من|أصغر من|น้อยกว่า|chini ya"
    ),
    "not": (
        "not|never|isn't|isn’t|cannot be|can't be|nicht|n'est pas|pas|no es|não é|non è|не|不是|不等于"
        "|không phải là|không phải|bukan|ليس|ไม่ใช่|sio"
    ),
    "computed": "twice|double|triple|half of|(?:square|cube) root of",
}
_BEHIND = {
    "least": (
        "(?:or|and) (?:more|greater|above|higher|larger|over|up)|or over|at least|oder mehr|ou plus"
        "|o más|ou mais|o più|или более|или больше|以上|이상|hoặc hơn|atau lebih|veya daha fazla|या अधिक"
        "|বা তার বেশি|أو أكثر|หรือมากกว่า|au zaidi"
    ),
    "most": (
        "(?:or|and) (?:less|fewer|below|lower|smaller|under)|at most|oder weniger|ou moins|o menos"
        "|ou menos|o meno|или менее|или меньше|以下|以内|이하|hoặc ít hơn|atau kurang|veya daha az|या कम"
        "|বা তার কম|أو أقل|หรือน้อยกว่า|au pungufu"
    ),
    "more": "より大きい|より多い|を超える|초과|से अधिक|से ज़्यादा|এর বেশি|(?:'den|'dan|’den|’dan|den|dan) fazla",
    "less": "未満|より小さい|より少ない|미만|से कम|এর কম|(?:'den|'dan|’den|’dan|den|dan) az",
    "not": (
        "is wrong|is incorrect|is not|isn't|isn’t|ist falsch|ist nicht|est faux|n'est pas|no es|não é"
        "|non è|неверно|не подходит|ではない|ではありません|じゃない|이 아니|가 아니|नहीं|নয়|değil|不对|是错的|不是"
    ),
    "computed": "(?<![A-Za-z] )(?:squared|cubed)|factorial|below zero",
}

_NUMBER = re.compile(r"\d(?:[\d.,'/ ]*\d)?")
_OPENING = {
    name: re.compile(rf"(?<![A-Za-zÀ-ÿЀ-ӿ])(?:{words})(?:\s(?:be|is|de))?[\s$€£¥(\"'-]{{0,4}}\Z", re.IGNORECASE)
    for name, words in _BEFORE.items()
}
_FOLLOWING = {
    name: re.compile(rf"[^\d,;.]{{0,25}}?(?<![A-Za-z])(?:{words})(?![A-Za-z])", re.IGNORECASE)
    for name, words in _BEHIND.items()
}


def bounds(text: str) -> frozenset[str]:
    """Return what the words beside the one number of an answer make of it: least, most, more, less, not, computed.

    Empty if there are none, or more numbers than one.
    """
    if len(text) > MAX_LENGTH:
        return frozenset()
    flat = " ".join(without_text_groups(text).replace("$", " ").split())
    numbers = list(_NUMBER.finditer(flat))
    if len(numbers) != 1:
        return frozenset()
    before, behind = flat[: numbers[0].start()], flat[numbers[0].end() :]
    opening = {name: match.start() for name, words in _OPENING.items() if (match := words.search(before))}
    first = min(opening.values(), default=0)  # "no more than" has "more than" in it
    found = {name for name, start in opening.items() if start == first}
    return frozenset(found | {name for name, words in _FOLLOWING.items() if words.match(behind)})
