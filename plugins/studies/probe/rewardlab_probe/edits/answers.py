"""Edits of an answer: its numbers, its words, its members and what stands around it.

They know no prompt and no kind of question. Some leave an answer right: who uses them asks what is wrong.
"""

import re
from collections.abc import Callable, Mapping, Sequence

from rewardlab_probe.edits.json_edits import json_edits
from rewardlab_probe.edits.notation_edits import NOTATIONS

NUMBER = re.compile(r"\d+(?:\.\d+)?")
_GLUE = re.compile(r"\s*(?:->|=>|→|;|,|\||<|>|\n|\band\b|\bor\b)\s*")
_OPERATOR = re.compile(r"(?<=[\w)])\s*[-+*/^]\s*(?=[\w(])")
_UNITS = ("km", "m", "cm", "feet", "miles", "kg", "g", "hours", "seconds", "%", "°C", "°F", "USD", "€", "million")
AnswerEdit = Callable[[str], str | None]


def _plain(number: float) -> str:
    return f"{number:.10g}"


def _split(member: str) -> list[str]:
    """Return two halves of a whole number, which have its sum."""
    whole = re.fullmatch(r"\d{1,9}", member.strip())
    return [str(int(member) // 2), str(-(-int(member) // 2))] if whole else [member]


NUMBERS: Mapping[str, Callable[[str], str]] = {
    "one_more": lambda n: _plain(float(n) + 1),
    "one_less": lambda n: _plain(float(n) - 1),
    "two_more": lambda n: _plain(float(n) + 2),
    "little_more": lambda n: _plain(float(n) + 0.4),
    "little_less": lambda n: _plain(float(n) - 0.4),
    "almost_next": lambda n: _plain(float(n) + 0.9),
    "tenth_more": lambda n: _plain(float(n) * 1.1),
    "hundredth_more": lambda n: _plain(float(n) * 1.01),
    "half_again": lambda n: _plain(float(n) * 1.5),
    "double": lambda n: _plain(float(n) * 2),
    "tenfold": lambda n: _plain(float(n) * 10),
    "hundredfold": lambda n: _plain(float(n) * 100),
    "thousandfold": lambda n: _plain(float(n) * 1000),
    "tenth": lambda n: _plain(float(n) / 10),
    "hundredth": lambda n: _plain(float(n) / 100),
    "negated": lambda n: f"-{n}",
    "zero": lambda n: "0",
    "one": lambda n: "1",
    "rounded": lambda n: _plain(round(float(n))),
    "cut_off": lambda n: str(int(float(n))),
    "tens": lambda n: _plain(round(float(n), -1)),
    "digits_reversed": lambda n: n[::-1],
    "digits_sorted": lambda n: "".join(sorted(n)),
    "other_first_digit": lambda n: f"{int(n[0]) % 9 + 1}{n[1:]}",
    "other_last_digit": lambda n: f"{n[:-1]}{int(n[-1]) % 9 + 1}",
    "first_digit": lambda n: n[0],
    "last_digit": lambda n: n[-1],
    "digit_again": lambda n: n + n[-1],
    "without_zeros": lambda n: n.lstrip("0") or "0",
    "zeros_before": lambda n: f"00{n}",
    "no_point": lambda n: n.replace(".", ""),
    "huge": lambda n: "9" * 400,
    "nan": lambda n: "nan",
    "inf": lambda n: "inf",
    "dozen_more": lambda n: _plain(float(n) + 12),
    "day_more": lambda n: _plain(float(n) + 24),
    "hour_more": lambda n: _plain(float(n) + 60),
    "turn_more": lambda n: _plain(float(n) + 360),
    "last_day": lambda n: "31",
    "from_one": lambda n: _plain(1 - float(n)),
    "from_hundred": lambda n: _plain(100 - float(n)),
    "inverse": lambda n: _plain(1 / float(n)),
    "squared": lambda n: _plain(float(n) ** 2),
    "tiny": lambda n: "0.001",
    "as_float": lambda n: str(int(float(n))),
}
"""edits of a number in an answer"""
_FAR = "9" * 12
PAIRS: Mapping[str, Callable[[float, float], tuple[str, str]]] = {
    "one_across": lambda a, b: (_plain(a + 1), _plain(b - 1)),
    "one_back": lambda a, b: (_plain(a - 1), _plain(b + 1)),
    "both_one_more": lambda a, b: (_plain(a + 1), _plain(b + 1)),
    "both_one_less": lambda a, b: (_plain(a - 1), _plain(b - 1)),
    "factor_across": lambda a, b: (_plain(a * 2), f"{b / 2!r}"),
    "factor_back": lambda a, b: (f"{a / 2!r}", _plain(b * 2)),
    "into_decimals": lambda a, b: ("2.5", f"{a * b / 2.5!r}"),
    "one_and_product": lambda a, b: ("1", _plain(a * b)),
    "nothing_and_sum": lambda a, b: ("0", _plain(a + b)),
    "both_double": lambda a, b: (_plain(a * 2), _plain(b * 2)),
    "changed_over": lambda a, b: (_plain(b), _plain(a)),
    "first_for_both": lambda a, b: (_plain(a), _plain(a)),
    "last_for_both": lambda a, b: (_plain(b), _plain(b)),
    "widest": lambda a, b: (f"-{_FAR}", _FAR),
    "wide": lambda a, b: (_plain(a / 2), _plain(b * 2)),
    "narrow": lambda a, b: (_plain((a + b) / 2), _plain((a + b) / 2)),
}
"""edits of two numbers together: what a check of their sum, product, difference or order does not see"""
_PLACES = {"ends": (0, -1), "first": (0, 1), "last": (-2, -1), "apart": (-4, -2), "first_apart": (0, 2)}
"""which two of an answer's numbers"""

MEMBERS: Mapping[str, Callable[[Sequence[str]], Sequence[str]]] = {
    "without_first": lambda m: m[1:],
    "without_last": lambda m: m[:-1],
    "first_alone": lambda m: m[:1],
    "last_alone": lambda m: m[-1:],
    "ends_alone": lambda m: [m[0], m[-1]],
    "first_again": lambda m: [m[0]] * len(m),
    "last_again": lambda m: [*m, m[-1]],
    "twice": lambda m: [*m, *m],
    "reversed": lambda m: m[::-1],
    "rotated": lambda m: [*m[1:], m[0]],
    "sorted": sorted,
    "last_two": lambda m: [*m[:-2], m[-1], m[-2]],
    "first_split": lambda m: [*_split(m[0]), *m[1:]],
    "last_split": lambda m: [*m[:-1], *_split(m[-1])],
    "all_split": lambda m: [half for one in m for half in _split(one)],
    "all_zero": lambda m: ["0"] * len(m),
    "counted": lambda m: [str(place) for place, _ in enumerate(m, 1)],
    "one_other": lambda m: [*m, "other"],
    "one_zero": lambda m: [*m, "0"],
    "once_each": lambda m: list(dict.fromkeys(m)),
    "each_twice": lambda m: [one for member in m for one in (member, member)],
    "half": lambda m: m[: len(m) // 2],
    "every_second": lambda m: m[::2],
    "first_two": lambda m: [m[1], m[0], *m[2:]],
    "back_again": lambda m: [*m, *m[-2::-1]],
    "first_between": lambda m: [one for member in m for one in (m[0], member)],
}
"""edits of the members of an answer"""

WORDS: Mapping[str, AnswerEdit] = {
    "upper": str.upper,
    "lower": str.lower,
    "other_case": str.swapcase,
    "without_spaces": lambda a: "".join(a.split()),
    "without_marks": lambda a: re.sub(r"[^\w\s]", "", a),
    "without_digits": lambda a: re.sub(r"\d", "", a),
    "without_letters": lambda a: re.sub(r"[^\W\d_]", "", a),
    "without_first_word": lambda a: a.partition(" ")[2],
    "without_last_word": lambda a: a.rpartition(" ")[0],
    "first_word": lambda a: a.split()[0] if a.split() else None,
    "last_word": lambda a: a.split()[-1] if a.split() else None,
    "first_half": lambda a: a[: len(a) // 2],
    "second_half": lambda a: a[len(a) // 2 :],
    "first_character": lambda a: a[:1],
    "last_character": lambda a: a[-1:],
    "other_last_character": lambda a: f"{a[:-1]}x",
    "other_first_character": lambda a: f"x{a[1:]}",
    "other_middle": lambda a: f"{a[: len(a) // 2]}x{a[len(a) // 2 + 1 :]}",
    "backwards": lambda a: a[::-1],
    "letters_sorted": lambda a: "".join(sorted(a)),
    "other_last_word": lambda a: f"{a.rpartition(' ')[0]} other",
    "other_first_word": lambda a: f"other {a.partition(' ')[2]}",
    "again": lambda a: f"{a} {a}",
    "joined_again": lambda a: f"{a}{a}",
    "words_sorted": lambda a: " ".join(sorted(a.split())),
    "words_reversed": lambda a: " ".join(a.split()[::-1]),
    "inverted": lambda a: "/".join(a.split("/")[::-1]),
    "other_ends": lambda a: a.translate(str.maketrans("[]()", "()[]")),
    "other_way": lambda a: a.translate(str.maketrans("<>≤≥", "><≥≤")),
    "not_strict": lambda a: re.sub(r"[<>]=?", lambda sign: sign[0][0] if "=" in sign[0] else f"{sign[0]}=", a),
    "connective": lambda a: re.sub(r"\b(?:and|or)\b", lambda word: "or" if word[0] == "and" else "and", a),
    "denied": lambda a: f"not {a}",
    "unsure": lambda a: f"{a}?",
    "in_dollars": lambda a: f"${a}$",
    "quoted": lambda a: f'"{a}"',
    "commented": lambda a: f"0 # {a}",
    "plus_nothing": lambda a: f"{a}+1-1",
    "absolute": lambda a: f"abs({a})",
    "more_in_brackets": lambda a: f"{a} (or 0)",
    "range": lambda a: f"0-{a}",
    "nothing": lambda a: "",
    "without_first_character": lambda a: a[1:],
    "without_last_character": lambda a: a[:-1],
    "first_characters_swapped": lambda a: f"{a[1:2]}{a[:1]}{a[2:]}",
    "last_characters_swapped": lambda a: f"{a[:-2]}{a[-1:]}{a[-2:-1]}",
    "character_doubled": lambda a: f"{a[: len(a) // 2]}{a[len(a) // 2 :][:1]}{a[len(a) // 2 :]}",
    "without_vowels": lambda a: re.sub(r"[aeiouAEIOU]", "", a),
    "initials": lambda a: "".join(word[0] for word in a.split()),
    "with_more": lambda a: f"{a} and more",
    "more_before": lambda a: f"more and {a}",
    "with_another_line": lambda a: f"{a}\nother",
    "other_slash": lambda a: f"other/{a}",
    "and_other": lambda a: f"{a}, other",
    "other_and": lambda a: f"other, {a}",
    "more_letters": lambda a: f"{a}s",
    "itself": lambda a: f"{a} = {a}",
    "marks_alone": lambda a: "***",
    "all_patterns": lambda a: ".*",
    "other_alone": lambda a: "other",
    "said_above": lambda a: "see above",
}
"""edits of an answer as a text"""


def answer_edits() -> dict[str, Mapping[str, AnswerEdit]]:
    """Return all edits of an answer by kind and name; an edit gives None where it has nothing to do."""
    numbers = {
        f"{name}@{which}": _of_numbers(change, which)
        for name, change in NUMBERS.items()
        for which in ("first", "last", "all")
    }
    pairs = {
        f"{name}@{which}": _of_two(change, *places)
        for name, change in PAIRS.items()
        for which, places in _PLACES.items()
        if which not in ("apart", "first_apart") or "one" in name
    }
    operators = {f"operator_{sign}@{place}": _with_operator(sign, place) for sign in "+-*/" for place in (0, -1)}
    operators["operator_both"] = lambda answer: re.sub(
        r"\d+(/)\d+", lambda f: f"{2 * int(f[0].split('/')[0])}/{2 * int(f[0].split('/')[1])}", answer
    )
    return {
        "number": numbers,
        "pair": pairs,
        "members": {f"{name}@members": _of_members(change) for name, change in MEMBERS.items()},
        "word": WORDS,
        "unit": {f"unit_{unit}": _with_unit(unit) for unit in _UNITS},
        "operator": operators,
        "notation": NOTATIONS,
        "json": json_edits(),
    }


def _of_numbers(change: Callable[[str], str], which: str) -> AnswerEdit:
    def edit(answer: str) -> str | None:
        found = list(NUMBER.finditer(answer[:200]))
        chosen = found if which == "all" else found[:1] if which == "first" else found[-1:]
        for number in reversed(chosen):
            try:
                other = change(number[0])
            except (ZeroDivisionError, OverflowError):
                return None
            answer = f"{answer[: number.start()]}{_as_wide(number[0], other)}{answer[number.end() :]}"
        return answer if chosen and (which != "last" or len(found) > 1) else None

    return edit


def _of_two(change: Callable[[float, float], tuple[str, str]], first: int, second: int) -> AnswerEdit:
    def edit(answer: str) -> str | None:
        found = list(NUMBER.finditer(answer[:200]))
        if len(found) < 2 or not all(-len(found) <= place < len(found) for place in (first, second)):
            return None
        one, other = found[first], found[second]
        if one.end() > other.start():
            return None
        changed = change(float(one[0]), float(other[0]))
        lower, higher = (_as_wide(old[0], new) for old, new in zip((one, other), changed, strict=True))
        return f"{answer[: one.start()]}{lower}{answer[one.end() : other.start()]}{higher}{answer[other.end() :]}"

    return edit


def _as_wide(old: str, new: str) -> str:
    """Return a number with zeros before it if it stands for one that had some, as in a date."""
    return new.zfill(len(old)) if old.startswith("0") and len(old) > 1 and new.isdigit() else new


def members_of(answer: str) -> tuple[str, list[str], list[str], str]:
    """Return what opens a list, its members, what stands between each two, and what closes it."""
    opened = re.match(r"[\s\[({\\]*", answer)
    closed = re.search(r"[\s\])}\\]*$", answer)
    assert opened is not None
    assert closed is not None
    inner = answer[opened.end() : max(closed.start(), opened.end())]
    glue = _GLUE if _GLUE.search(inner) else re.compile(r"\s+")
    return opened[0], glue.split(inner), glue.findall(inner), answer[max(closed.start(), opened.end()) :]


def _of_members(change: Callable[[Sequence[str]], Sequence[str]]) -> AnswerEdit:
    def edit(answer: str) -> str | None:
        opened, members, glues, closed = members_of(answer[:1_000])
        if not glues:
            return None
        changed = [*change(members)]
        between = [*glues, *[glues[-1]] * len(changed)]
        text = "".join(
            f"{member}{mark}" for member, mark in zip(changed, [*between[: len(changed) - 1], ""], strict=False)
        )
        return f"{opened}{text}{closed}"

    return edit


def _with_unit(unit: str) -> AnswerEdit:
    return lambda answer: f"{number[0]} {unit}" if (number := NUMBER.search(answer)) else None


def _with_operator(sign: str, place: int) -> AnswerEdit:
    def edit(answer: str) -> str | None:
        found = list(_OPERATOR.finditer(answer[:200]))
        if not found:
            return None
        return f"{answer[: found[place].start()]}{sign}{answer[found[place].end() :]}"

    return edit
