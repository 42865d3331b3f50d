"""Folders of runs that nobody trained: any number of completions in many languages, with every kind of outcome."""

import json
import random

GROUP = 8
STEPS = 50
LETTERS = {  # letters or syllables of which words are made
    "en": "tion er an in st al re on is at or ed",
    "am": "ሀ ለ መ ሰ ረ በ ተ ነ አ ከ ወ የ ደ ገ ጠ ፈ",
    "ar": "ال من في عل كت ما سل ية قو نا در ين",
    "he": "של ים ות הי מה לא בר כן את חד תו נו",
    "km": "កា ខ្ញុំ នេះ ទៅ មាន ជា បាន ដែល ពី ស្រី",
    "my": "က မ န တယ် သည် ပါ လာ ခဲ့ များ ကို",
    "zh": "的 一 是 不 了 人 我 在 有 他 这 中 大 来 上 国",
    "hi": "का में है से की पर ना ता ने या",
    "ja": "の に は を た が で て と し れ さ",
    "sw": "ni wa ku na ya ka mu li za ta ha ki",
}
PROBLEM = "problem"


def write_run(folder, completions=800, seed=0, lines_of=lambda lines: lines, texts=()):
    """Write the folder of a run: half as many evaluated completions as trained ones, in each language.

    texts: what some completions say in place of words. lines_of: changes the lines of each group, as a list.
    """
    draw = random.Random(seed)
    words = {language: _words(language, draw) for language in LETTERS}
    for name in ("logs", "evaluation"):
        (folder / name).mkdir(parents=True)
    groups = max(1, completions // GROUP)
    (folder / "manifest.json").write_text(json.dumps({"rewardlab": "0.1.0", "seed": seed}))
    (folder / "recipe.resolved.yaml").write_text(_recipe(groups))
    (folder / "state.json").write_text(json.dumps({"attempt": 0, "done": [0]}))
    given = iter(texts)
    with open(folder / "ledger.jsonl", "w", encoding="utf-8", errors="backslashreplace") as file:
        for number in range(groups):
            for line in lines_of(_lines(number, groups, words, draw, given)):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    with open(folder / "logs" / "0-rl.jsonl", "w") as file:
        for step in range(1, STEPS + 1):
            numbers = {"loss": 1 / step, "grad_norm": 0.2 + draw.random() / 10, "entropy": 2 / (1 + step / 20)}
            numbers |= {"timing/generation": 4.0, "timing/train": 1.5 + 1 / step, "step_time": 6.0 + 1 / step}
            file.write(json.dumps({"attempt": 0, "step": step, **numbers, "learning_rate": 1e-6}) + "\n")
    return folder


def _recipe(groups):
    stage = f"- {{use: rl, algorithm: grpo, group_size: {GROUP}, batch_size: {max(1, groups * 2 // 3 // STEPS)}}}"
    return f"version: 1\nname: many-languages\nreward: {{correctness: accuracy}}\nstages:\n{stage}\n"


def _words(language, draw):
    parts = LETTERS[language].split()
    return ["".join(draw.choices(parts, k=draw.randint(1, 3))) for _ in range(4_000)]


def _text(words, draw, size):
    between = "" if words[0] > "\u3000" else " "
    return between.join(draw.choices(words, k=size)) + f" \\boxed{{{draw.randint(1, 99)}}}"


def _lines(number, groups, words, draw, given):
    language = list(LETTERS)[number % len(LETTERS)]
    trained = groups * 2 // 3
    place = {"step": 1 + number * STEPS // trained, "trained": "yes", "phase": "training"}
    if number >= trained:
        place = {"step": STEPS, "trained": "no", "phase": "after"}
    skill = min(1.0, place["step"] / STEPS) * (0.9 if language in ("en", "zh") else 0.5)
    flat = draw.random() < 0.1
    lines = []
    for index in range(GROUP):
        right = float(draw.random() < skill) if not flat else 1.0
        judged = round(min(1.0, max(0.0, draw.gauss(0.4 + 0.4 * right, 0.2))), 4) if not flat else 0.5
        components = {"accuracy": _score(right), "preference": _score(judged), "fluency": _score(0.5)}
        if draw.random() < 0.02:
            components["preference"] = _score(None) | {"error": "the judge did not answer in 60 s"}
        if draw.random() < 0.03:
            components["fluency"] = _score(None) | {"info": {"unknown language": language}, "contribution": 0.0}
        values = [entry["value"] for entry in components.values()]
        total = None if components["preference"]["value"] is None else sum(value or 0.0 for value in values)
        for entry in components.values() if total is None else ():
            entry["contribution"] = None
        head = {"version": 2, "attempt": 0, "stage": 0, "step": place["step"], "group": number, "index": index}
        asked = {}
        if index == 0:
            prompt = [{"role": "user", "content": _text(words[language], draw, 20)}]
            fields = {
                "language": language,
                "task": ("sums", "stories", "proofs")[number % 3],
                "answer": str(number),
                "source": None,
            }
            asked = {"prompt": prompt, "fields": fields}
        text = next(given, None) if index == 1 else None
        lines.append(
            head
            | {"trained": place["trained"], "phase": place["phase"], "id": f"{PROBLEM}-{number % max(1, groups // 3)}"}
            | asked
            | {
                "completion": text or _text(words[language], draw, draw.randint(30, 110)),
                "tokens": draw.randint(20, 90),
            }
            | {
                "truncated": draw.random() < 0.02,
                "components": components,
                "total": total,
                "shaped": total,
                "rest": 0.0,
            }
        )
    return lines


def _score(value):
    return {"value": value, "error": None, "info": {"extracted": str(value)}, "weight": 1.0, "contribution": value}
