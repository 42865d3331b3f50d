"""Read Chinese and Japanese numbers: `一千二百`, `七万円`, `三分之二`, `百分之五十`, `负五`, `百`, `1億2000万`."""

import re
from fractions import Fraction

_SIGNS = ("〇零", "一壹壱", "二贰弐貳两兩", "三叁参參", "四肆", "五伍", "六陆陸", "七柒", "八捌", "九玖")
_DIGITS = {sign: str(value) for value, signs in enumerate(_SIGNS) for sign in signs}
_TENS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_COUNTED = (
    "元円圆块个個人名位只隻匹头頭条條本枚张張棵颗顆支件台辆輛次回天日年岁歳才分秒米克升度倍种種组組页頁冊册题題道つ"
)
_MEASURES = """
元钱 块钱 小时 小時 時間 时间 分钟 分間 秒间 秒間 日間 年間 公里 厘米 毫米 千米 公斤 千克 通り 平方米 立方米 平方厘米
美元 ドル メートル センチ キロ グラム パーセント ユーロ
"""
_THINGS = "|".join([*_MEASURES.split(), f"[{_COUNTED}]"])
_RUN = rf"[{''.join([*_DIGITS, *_TENS, *_MYRIADS])}]"
_NUMBER = re.compile(
    rf"(?!千[米克]\Z|\d+.(?:{_THINGS})?\Z)(?P<sign>负|負|マイナス)?(?:(?P<percent>百分之)|(?:(?P<whole>{_RUN}+)又)?(?P<bottom>{_RUN}+)分[之の])?"
    rf"(?P<number>(?:\d{{1,4}})?{_RUN}(?:\d{{1,4}}|{_RUN})*)(?:[点點](?P<decimals>[{''.join(_DIGITS)}]+))?(?P<things>{_THINGS})?"
)
_PIECE = re.compile(r"\d+|\D")


def number(text: str, *, is_japanese: bool = False) -> str | None:
    """Return the digits of a text that is one number, with what it counts behind them; None for another text.

    3万 is none: it may be 3, if 万 is what the question counts in (see `scales.SCALES`).

    Args:
        is_japanese: 百五 is 105 there; in Chinese, where people say 百五 for 150, it is not read.
    """
    match = _NUMBER.fullmatch(text)
    if match is None:
        return None
    number, bottom = _value(match["number"], is_japanese), _value(match["bottom"] or "一", is_japanese)
    whole = _value(match["whole"] or "零", is_japanese)
    if number is None or whole is None or not bottom:
        return None
    decimals = "".join(_DIGITS[sign] for sign in match["decimals"] or "零")
    value = whole + Fraction(f"{number}.{decimals}") / bottom
    return f"{'-' if match['sign'] else ''}{value}{'%' if match['percent'] else match['things'] or ''}"


def _value(text: str, is_japanese: bool) -> int | None:
    if all(sign in _DIGITS for sign in text):
        is_read = len(text) == 1 or len(text) > 2 or text[1] in "〇零"  # 三四 is three or four
        return int("".join(_DIGITS[sign] for sign in text)) if is_read else None
    *sections, last = re.split(f"([{''.join(_MYRIADS)}])", text)
    total, above = 0, 10**16
    for section, myriad in zip(sections[::2], sections[1::2], strict=True):
        value, power = _below_myriad(section, is_japanese=True), _MYRIADS[myriad]
        if not value or power >= above:
            return None
        total, above = total + value * power, power
    below = _below_myriad(last, is_japanese, is_behind=bool(sections)) if last else 0
    return None if below is None else total + below


def _below_myriad(text: str, is_japanese: bool, is_behind: bool = False) -> int | None:
    total, above, count, is_short = 0, 10**4, "", is_behind
    for piece in _PIECE.findall(text):
        if piece in _TENS:
            if _TENS[piece] >= above or len(count.lstrip("0")) > 1:
                return None
            total, above = total + int(count or "1") * _TENS[piece], _TENS[piece]
            count, is_short = "", above > 10
        else:
            count += _DIGITS.get(piece, piece)
    if is_short and len(count) == 1 and not is_japanese:
        return None
    return total + int(count or "0") if len(count) < 2 or count.startswith("0") or text.isdigit() else None
