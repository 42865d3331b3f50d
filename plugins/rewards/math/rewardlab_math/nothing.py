r"""Write what says that there is no solution as the empty set: "no solution", 无解, `\{\}`."""

import re

from rewardlab_math.wording import normalised

_PHRASES = """
none|nothing|no solution|no solutions|no real solution|no real solutions|no real roots|has no solution
there is no solution|there are no solutions|there is no real solution|there are no real solutions
no such number exists|the empty set|empty set|null set|the null set|keine lösung|keine lösungen|leere menge
die leere menge|pas de solution|aucune solution|ensemble vide|l'ensemble vide|sin solución|no hay solución
no tiene solución|conjunto vacío|sem solução|não há solução|conjunto vazio|nessuna soluzione|insieme vuoto
нет решений|решений нет|нет решения|пустое множество|无解|無解|无实数解|空集|解なし|해가 없다|해 없음|공집합
tidak ada solusi|vô nghiệm|tập rỗng|çözüm yok|boş küme|कोई हल नहीं|কোনো সমাধান নেই|لا يوجد حل|hakuna suluhisho
brak rozwiązań|geen oplossing
"""
_NOTHING = frozenset(phrase for line in _PHRASES.strip().splitlines() for phrase in line.split("|"))
_SIGN = re.compile(
    r"(?:[A-Za-z]\s*(?:=|\\in(?![A-Za-z]))\s*)?(?:\\(?:emptyset|varnothing)|(?:\\left\s*)?\\\{\s*(?:\\right\s*)?\\\}|\{\s*\})"
)
_LONGEST = 60
EMPTY = r"\emptyset"


def as_empty_set(text: str) -> str:
    r"""Return `\emptyset` for a plain answer that is nothing but it, in signs or words; anything else as it is."""
    if len(text) > _LONGEST:
        return text
    return EMPTY if _SIGN.fullmatch(text.strip()) or normalised(text) in _NOTHING else text
