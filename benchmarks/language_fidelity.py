"""language/fidelity against the published way of scoring language with lingua, on the same texts.

    python benchmarks/language_fidelity.py [--texts 1000] [--workers 2] [--languages id,sw]

SP3F's way (sp3f/utils.py): one process, a preloaded detector for each of lingua's 75 languages paired with
English, one call a text. Ours: the reward in a pool of worker processes, in the profile that gives the same
answers, and in the default one. Start-up is the time from nothing to a first score in every process, with
whatever that loads; throughput is measured after it; memory is the sum of the processes' peaks.
Exit code 1 if an answer of the official profile differs.
"""

import argparse
import asyncio
import multiprocessing
import os
import random
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from rewardlab import Completion, Context, Sample
from rewardlab.registry import Registry
from rewardlab.workers.reward_pool import WorkerPool

USE = "language/fidelity"
BATCH = 16  # texts a call

NAMES = ("Ana", "Budi", "Carlos", "Dina", "Elena", "Farid", "Grace", "Hasan", "Ines", "Juma", "Kofi", "Lina")

SENTENCES = {
    "en": """We want to know how many books {name} has left.|At first there were {a} books on the shelf.
        Her brother took {b} of them to school this morning.|Subtracting gives {a} - {b} = {c}.
        Now each of the remaining books costs the same amount of money.|Therefore we multiply the two numbers.
        The perimeter of the garden equals twice the sum of its sides.|Let us check the result once more.
        Since the train leaves at noon, it arrives {b} hours later.|So the final answer is {c}.""",
    "es": """Queremos saber cuántos libros le quedan a {name}.|Al principio había {a} libros en el estante.
        Su hermano se llevó {b} de ellos a la escuela esta mañana.|Restando obtenemos {a} - {b} = {c}.
        Cada uno de los libros que quedan cuesta la misma cantidad de dinero.
        Por eso multiplicamos ambos números.
        El perímetro del jardín es el doble de la suma de sus lados.|Comprobemos el resultado una vez más.
        Como el tren sale al mediodía, llega {b} horas más tarde.|Así que la respuesta final es {c}.""",
    "id": """Kita ingin tahu berapa banyak buku yang masih dimiliki {name}.|Mula-mula ada {a} buku di rak itu.
        Adiknya membawa {b} di antaranya ke sekolah tadi pagi.
        Dengan mengurangkan kita peroleh {a} - {b} = {c}.
        Setiap buku yang tersisa harganya sama.|Karena itu kita mengalikan kedua bilangan tersebut.
        Keliling kebun sama dengan dua kali jumlah sisi-sisinya.|Mari kita periksa hasilnya sekali lagi.
        Karena kereta berangkat siang hari, kereta tiba {b} jam kemudian.
        Jadi jawaban akhirnya adalah {c}.""",
    "sw": """Tunataka kujua ni vitabu vingapi vimebaki kwa {name}.
        Mwanzoni kulikuwa na vitabu {a} kwenye rafu.
        Kaka yake alichukua {b} kati yake kwenda shuleni asubuhi hii.|Tukitoa tunapata {a} - {b} = {c}.
        Kila kitabu kilichobaki kinagharimu kiasi sawa cha pesa.|Kwa hiyo tunazidisha namba hizo mbili.
        Mzingo wa bustani ni mara mbili ya jumla ya pande zake.|Hebu tuangalie matokeo mara moja tena.
        Kwa kuwa treni inaondoka mchana, inafika baada ya saa {b}.|Kwa hiyo jibu la mwisho ni {c}.""",
    "bn": """আমরা জানতে চাই {name} এর কাছে কতগুলি বই বাকি আছে।|শুরুতে তাকের উপর {a}টি বই ছিল।
        তার ভাই আজ সকালে সেখান থেকে {b}টি বই স্কুলে নিয়ে গেছে।|বিয়োগ করে পাই {a} - {b} = {c}।
        বাকি প্রতিটি বইয়ের দাম সমান।|তাই আমরা সংখ্যা দুটি গুণ করি।
        বাগানের পরিসীমা তার বাহুগুলির যোগফলের দ্বিগুণ।|আসুন ফলাফলটি আরেকবার যাচাই করি।
        ট্রেনটি দুপুরে ছাড়ে বলে {b} ঘণ্টা পরে পৌঁছায়।|সুতরাং চূড়ান্ত উত্তর হল {c}।""",
    "zh": """我们想知道{name}还剩下多少本书。|一开始书架上有{a}本书。|今天早上她的弟弟带了{b}本去学校。
        相减得到{a} - {b} = {c}。|剩下的每本书价格都相同。|因此我们把这两个数相乘。
        花园的周长等于各边之和的两倍。|让我们再检查一次结果。|火车中午出发，{b}小时后到达。|所以最终答案是{c}。""",
    "ja": """{name}さんの手元に本が何冊残っているかを求めます。|最初、本棚には{a}冊の本がありました。
        今朝、弟がそのうち{b}冊を学校に持って行きました。|引き算をすると{a} - {b} = {c}になります。
        残りの本はどれも同じ値段です。|そこで二つの数を掛けます。|庭の周りの長さは辺の和の二倍です。
        もう一度結果を確かめましょう。|電車は正午に出発するので、{b}時間後に到着します。|よって最終的な答えは{c}です。""",
    "de": """Wir möchten wissen, wie viele Bücher {name} noch hat.|Zuerst standen {a} Bücher im Regal.
        Ihr Bruder nahm heute Morgen {b} davon mit in die Schule.|Durch Abziehen erhalten wir {a} - {b} = {c}.
        Jedes der übrigen Bücher kostet gleich viel Geld.|Deshalb multiplizieren wir die beiden Zahlen.
        Der Umfang des Gartens ist das Doppelte der Summe seiner Seiten.|Prüfen wir das Ergebnis noch einmal.
        Da der Zug mittags abfährt, kommt er {b} Stunden später an.|Also lautet die Antwort {c}.""",
    "fr": """Nous voulons savoir combien de livres il reste à {name}.
        Au début, il y avait {a} livres sur l'étagère.
        Son frère en a emporté {b} à l'école ce matin.|En soustrayant, nous obtenons {a} - {b} = {c}.
        Chacun des livres qui restent coûte la même somme.|Nous multiplions donc les deux nombres.
        Le périmètre du jardin est le double de la somme de ses côtés.|Vérifions encore une fois le résultat.
        Comme le train part à midi, il arrive {b} heures plus tard.|La réponse finale est donc {c}.""",
}
FORMULAS = (
    *(r"$x = \frac{{{a}}}{{{b}}}$", r"\[ {a} + {b} = {c} \]"),
    *(r"\(2(x + {b}) = {a}\)", r"$\sqrt{{{a}}}$"),
)


@dataclass
class Outcome:
    """What one way of scoring came to: seconds, peak megabytes by process, and the answers."""

    startup: float
    memory: list[float]
    wall: float
    cpu: float
    shares: list[float | None]


def generate(languages: list[str], count: int, seed: int) -> list[tuple[str, str]]:
    """(text, language): solutions of 200 to 2,000 characters; three of ten have English sentences in them."""
    stock = {
        code: [" ".join(sentence.split()) for sentence in text.replace("\n", "|").split("|")]
        for code, text in SENTENCES.items()
    }
    rng = random.Random(seed)
    return [_text(rng, stock, rng.choice(languages)) for _ in range(count)]


def _text(rng: random.Random, stock: dict[str, list[str]], language: str) -> tuple[str, str]:
    length, english = rng.randint(200, 1900), rng.choice([0.0] * 7 + [0.2, 0.5, 1.0])
    pieces: list[str] = []
    while sum(map(len, pieces)) < length:
        template = rng.choice(stock["en" if rng.random() < english else language])
        a, b = rng.randint(2, 99), rng.randint(2, 99)
        values = {"name": rng.choice(NAMES), "a": a, "b": b, "c": a - b}
        pieces.append(template.format(**values))
        if rng.random() < 0.2:
            pieces.append(rng.choice(FORMULAS).format(**values))
    return " ".join(pieces) + f" \\boxed{{{rng.randint(1, 99)}}}", language


def published(texts: list[tuple[str, str]]) -> Outcome:
    """SP3F's way, in a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_published, args=(theirs, texts))
    begin = time.perf_counter()
    process.start()
    ours.recv()
    startup, cpu = time.perf_counter() - begin, _cpu(process.pid)
    ours.send("go")
    wall, shares = ours.recv()
    outcome = Outcome(startup, [_peak(process.pid)], wall, _cpu(process.pid) - cpu, shares)
    ours.send("enough")
    process.join()
    return outcome


def _published(pipe, texts: list[tuple[str, str]]) -> None:
    from lingua import Language, LanguageDetectorBuilder

    detectors = {}
    for language in Language.all():
        pair = [language] if language == Language.ENGLISH else [language, Language.ENGLISH]
        builder = LanguageDetectorBuilder.from_languages(*pair).with_preloaded_language_models()
        detectors[language.iso_code_639_1.name.lower()] = builder.build()
    _word_share(detectors, *texts[0])
    pipe.send("started")
    pipe.recv()
    begin = time.perf_counter()
    shares = [_word_share(detectors, *text) for text in texts]
    pipe.send((time.perf_counter() - begin, shares))
    pipe.recv()


def _word_share(detectors: dict, text: str, language: str) -> float:
    if "<think>" in text and "</think>" in text:
        text = text.split("</think>")[-1]
    counts: Counter[str] = Counter()
    for segment in detectors[language].detect_multiple_languages_of(text):
        counts[segment.language.iso_code_639_1.name.lower()] += segment.word_count
    return counts[language] / counts.total() if counts else 0.0


async def pooled(texts: list[tuple[str, str]], profile: str, workers: int) -> Outcome:
    """The reward as the library runs it."""
    spec = Registry().find("reward", USE)
    options = spec.config(threshold=None, profile=profile)
    items = [(Sample(fields={"language": language}), Completion(text=text)) for text, language in texts]
    one_each = list({sample.fields["language"]: (sample, completion) for sample, completion in items}.values())
    begin = time.perf_counter()
    pool = WorkerPool(use=USE, spec=spec, options=options, context=Context(), size=workers)
    try:
        await asyncio.gather(*(pool.score(one_each) for _ in range(workers)))
        startup = time.perf_counter() - begin
        pids = _workers()
        if len(pids) != workers:
            raise RuntimeError(f"expected {workers} worker processes, saw {len(pids)}")
        cpu, begin = sum(map(_cpu, pids)), time.perf_counter()
        batches = [items[start : start + BATCH] for start in range(0, len(items), BATCH)]
        scores = [score for batch in await asyncio.gather(*map(pool.score, batches)) for score in batch]
        wall, cpu = time.perf_counter() - begin, sum(map(_cpu, pids)) - cpu
        return Outcome(startup, list(map(_peak, pids)), wall, cpu, [score.value for score in scores])
    finally:
        pool.close()


def _workers() -> list[int]:
    """Pids of this process's worker processes."""
    found = []
    for task in Path("/proc/self/task").iterdir():
        found += [int(pid) for pid in (task / "children").read_text().split()]
    return [pid for pid in found if b"workers/worker_main.py" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _peak(pid: int) -> float:
    """Peak resident memory in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def _cpu(pid: int) -> float:
    """Processor seconds used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _row(name: str, outcome: Outcome, base: Outcome) -> str:
    count, theirs = len(outcome.shares), sum(base.memory)
    cells = [
        f"{outcome.startup:.2f} (1/{base.startup / outcome.startup:.1f})",
        f"{sum(outcome.memory):.0f} (1/{theirs / sum(outcome.memory):.1f})",
        f"{max(outcome.memory):.0f} (1/{theirs / max(outcome.memory):.1f})",
        f"{count / outcome.wall:.0f} ({base.wall / outcome.wall:.2f}x)",
        f"{1000 * outcome.cpu / count:.2f} (1/{base.cpu / outcome.cpu:.2f})",
    ]
    return f"{name:<14}" + "".join(f"{cell:>18}" for cell in cells)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=min(2, os.cpu_count() or 1))
    # the default: those that SP3F trains one at a time
    parser.add_argument("--languages", default="bn,en,es,id,ja,sw,zh", help=f"of {','.join(SENTENCES)}")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    languages = arguments.languages.split(",")
    texts = generate(languages, arguments.texts, arguments.seed)
    mean = sum(len(text) for text, _ in texts) / len(texts)
    print(f"{len(texts)} texts in {arguments.languages}, {mean:.0f} characters, {arguments.workers} workers\n")
    columns = ["start-up, s", "peak memory, MB", "of one process", "texts a second", "CPU ms a text"]
    print(" " * 14 + "".join(f"{column:>18}" for column in columns))
    base = published(texts)
    print(_row("SP3F's way", base, base), flush=True)
    official = asyncio.run(pooled(texts, "sp3f_official", arguments.workers))
    print(_row("sp3f_official", official, base), flush=True)
    print(_row("default", asyncio.run(pooled(texts, "default", arguments.workers)), base))
    equal = sum(a == b for a, b in zip(base.shares, official.shares, strict=True))
    print(f"\nsame answers as SP3F's way in sp3f_official: {equal} of {len(texts)}")
    return 0 if equal == len(texts) else 1


if __name__ == "__main__":
    raise SystemExit(main())
