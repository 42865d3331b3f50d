"""The plugin's README says which detector knows which of the paper's 50 languages.

`python plugins/rewards/language/tests/test_detectors_page.py` writes its table anew. That the labels are
those of the models is looked at by test_consistency.py.
"""

from pathlib import Path

from rewardlab_language.detector_languages import LABELS, accepted
from rewardlab_language.languages import UnknownLanguage

PAGE = Path(__file__).parents[1] / "README.md"
BEGIN, END = (
    "<!-- table: written by plugins/rewards/language/tests/test_detectors_page.py -->\n",
    "<!-- end of the table -->\n",
)
LANGUAGES = """
zh Chinese|en English|es Spanish|hi Hindi|ar Arabic|bn Bengali|pt Portuguese|ru Russian|ja Japanese|fr French|ur Urdu
id Indonesian|de German|ko Korean|vi Vietnamese|ta Tamil|tr Turkish|fa Persian|it Italian|th Thai|pl Polish
uk Ukrainian|my Burmese|ro Romanian|nl Dutch|sv Swedish|he Hebrew|fi Finnish|hu Hungarian|el Greek|cs Czech
bg Bulgarian|ca Catalan|ms Malay|tg Tajik|ku Kurdish|ky Kyrgyz|kk Kazakh|uz Uzbek|tk Turkmen|lo Lao|km Khmer
tl Filipino|mn Mongolian|ug Uyghur|bo Tibetan|yue Cantonese|za Zhuang|dz Dzongkha|ii Nuosu
"""
NAMES = dict(entry.split() for entry in LANGUAGES.strip().replace("\n", "|").split("|"))


def known_by(code):
    """The detectors that know a language; none where a row in it gets no value."""
    try:
        labels = accepted(code)
    except UnknownLanguage:
        return []
    return [name for name in LABELS if labels & LABELS[name]]


def table():
    """The table: languages that all detectors know in one row, each other one in a row of its own."""
    lines = ["| language | " + " | ".join(LABELS) + " |", "|---" * (len(LABELS) + 1) + "|"]
    everywhere = [code for code in NAMES if len(known_by(code)) == len(LABELS)]
    lines.append(f"| {len(everywhere)}: {' '.join(everywhere)} |" + " yes |" * len(LABELS))
    for code, name in NAMES.items():
        if code not in everywhere:
            cells = " | ".join("yes" if detector in known_by(code) else "no" for detector in LABELS)
            lines.append(f"| `{code}` {name} | {cells} |")
    return "\n".join(lines) + "\n"


def test_the_page_has_the_table():
    before, begin, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    assert rest.partition(END)[0] == table()
    assert before
    assert begin


def test_the_names_mean_their_codes():
    assert len(NAMES) == 50
    for code, name in NAMES.items():
        assert known_by(code) == known_by(name)
    assert [code for code in NAMES if not known_by(code)] == ["za", "ii"]


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    PAGE.write_text(before + BEGIN + table() + END + rest.partition(END)[2], encoding="utf-8")
