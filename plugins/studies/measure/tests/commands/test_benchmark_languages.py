"""Benchmarks with their own question, by strategy: in the row's language, translated once, or named before a call."""

import json
import re
from collections import Counter

import pytest
import yaml
from helpers.translator import OTHERS, translation
from rewardlab import find
from rewardlab_measure.judge_benchmarks.benchmark_format import BENCHMARKS
from rewardlab_rubric.strategies.language_file import packaged_texts

RTP_LX = ("en", "de", "sw", "zh", "ar", "hi", "th", "ja", "ru", *OTHERS)
HELPSTEER3 = ("english", "chinese", "korean", "french", "spanish", "japanese", "german", "russian", "portuguese")
STRATEGIES = ("eng-eng", "tgt-eng", "tgt-tgt")
MARK = re.compile(r"\? \((\w+)\)")


def rows_of(name):
    if name == "rtp_lx":
        told = {"Completion": "A text.", "CompletionAnnotations": {"Toxicity": 1}}
        return [{"ID": n, "Prompt": f"? ({code})", "Locale": code, **told} for n, code in enumerate(RTP_LX)]
    pair = {"response1": "A.", "response2": "B.", "overall_preference": 1, "domain": "general"}
    return [
        {"id": n, "context": [{"role": "user", "content": f"? ({language})"}], "language": language, **pair}
        for n, language in enumerate(HELPSTEER3)
    ]


NAMES = {"eu": "Basque", "ka": "Georgian", "hy": "Armenian", "mk": "Macedonian", "my": "Burmese"}
QUESTIONS = {"rtp_lx": "binary", "helpsteer3": "pairwise"}
"""benchmark -> the reward that asks it"""


@pytest.fixture
def served(write, judge_server):
    """A server that judges and translates, and the two recipes for it: `judge.yaml` and `texts.yaml`."""

    def answer(request):
        found = translation(request, judge_server.FENCE)
        if found is not None:
            return found
        text = str(request["messages"])
        score = "4" if '"7"' in text or "from 1 to 7" in text else "false"
        message = {"role": "assistant", "content": json.dumps({"explanation": "so", "score": score})}
        return {**message, "reasoning_content": "Hm."}

    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        judge = {"use": "openai/chat", "with": {"model": "m", "base_url": server.url, "continues": True}}
        reward = {
            "components": {
                name: {"use": f"rubric/{name}", "with": {"judge": "main"}} for name in ("binary", "pairwise")
            },
            "total": "binary",
        }
        write("judge.yaml", yaml.safe_dump({"version": 1, "judges": {"main": judge}, "reward": reward}))
        stages = [
            {
                "use": "data",
                "to": f"texts-{name}.jsonl",
                "dataset": {
                    "use": "rubric/translated_texts",
                    "with": {"translator": "main", "rubric": {"field": "rubric"}, "names": NAMES},
                    "from": {
                        "use": "measure/benchmark_questions",
                        "with": {"benchmark": name, "path": f"{name}.jsonl"},
                    },
                },
            }
            for name in QUESTIONS
        ]
        write("texts.yaml", yaml.safe_dump({"version": 1, "judges": {"main": judge}, "stages": stages}))
        for name in QUESTIONS:
            write(f"{name}.jsonl", rows_of(name))
        yield server


def ask(main, name, strategy, *more):
    component = QUESTIONS[name]
    place = f"reward.components.{component}.with"
    how = [f"{place}.strategy={strategy}", *(f"{place}.{one}" for one in more)]
    return main("judge", "judge.yaml", f"{name}.jsonl", *how, "--component", component, "--benchmark", name, "--json")


def question_of(name):
    """The lines of a benchmark's own question, in all its wordings."""
    return [text for one in BENCHMARKS.load(name).wordings for text in (one.description, *one.scoring.values())]


def english_of(name):
    texts = packaged_texts()["en"]
    return [*question_of(name), *(f"# {tag}\n" for tag in texts.tags.values()), *texts.tasks.values(), texts.format]


def test_a_question_without_a_translation_is_named_before_anything_is_asked(main, served):
    for name in QUESTIONS:
        for strategy in ("tgt-eng", "tgt-tgt"):
            code, out, _ = ask(main, name, strategy)
            told = [problem["what"] for problem in json.loads(out)["problems"]]
            assert code == 2
            assert served.requests == []
            assert any("the English rubric in field 'rubric' has no translation into German" in what for what in told)
            assert name == "helpsteer3" or any("there are no texts in the language 'eu'" in what for what in told)


def test_a_rubric_in_the_rows_language_is_no_benchmarks(main, served):
    for name in QUESTIONS:
        code, out, _ = ask(main, name, "tgt-eng", "rubric={field: rubric, language: row}")
        assert (code, served.requests) == (2, [])
        assert f"{name} has its question in English, which `texts` translates; leave `language: row` out" in out


def test_a_language_without_texts_is_named_of_a_usual_question(main, served, write):
    options = {f"option_{c}": c for c in "abcd"}
    write(
        "include.jsonl",
        [
            {"id": n, "question": "?", **options, "answer": 0, "language": language, "domain": "law"}
            for n, language in enumerate(("German", "Basque", "Uzbek", "Kazakh"))
        ],
    )
    strategy = "reward.components.binary.with.strategy=tgt-eng"
    how = ("include.jsonl", strategy, "--component", "binary", "--benchmark", "include", "--json")
    code, out, _ = main("judge", "judge.yaml", *how)
    told = [problem["what"] for problem in json.loads(out)["problems"]]
    assert (code, served.requests) == (2, [])
    assert [re.search(r"no texts in the language '(\w+)'", what)[1] for what in told[:3]] == ["eu", "uz", "kk"]
    assert main("judge", "judge.yaml", *how, "--skip-bad")[0] == 0
    assert all("# Anweisung" in str(one["messages"]) for one in served.requests if "BEGIN" in str(one["messages"]))


@pytest.mark.slow
def test_each_strategy_asks_in_its_language(main, served):
    code, out, err = main("run", "texts.yaml")
    assert code == 0, out + err
    translations = [one for one in served.requests if "BEGIN TEXTS" in str(one["messages"])]
    wanted = len(RTP_LX) - 1 + len(OTHERS) + len(HELPSTEER3) - 1
    assert len(translations) == wanted + 1, "once a language and rubric, and one question before the run"
    for name in QUESTIONS:
        english = english_of(name)
        for strategy in STRATEGIES:
            before = len(served.requests)
            texts = [] if strategy == "eng-eng" else [f"texts=texts-{name}.jsonl"]
            code, out, err = ask(main, name, strategy, *texts)
            assert code == 0, out + err
            asked = [one["messages"] for one in served.requests[before:] if MARK.search(str(one["messages"]))]
            counted, leaks = Counter(), []
            for messages in asked:
                language = MARK.search(str(messages))[1]
                counted[language] += 1
                text = "\n".join(message["content"] for message in messages)
                found = [line for line in english if line in text]
                if strategy == "eng-eng" or language in ("en", "english"):
                    assert any(line in text for line in question_of(name)), text
                else:
                    leaks += [(language, strategy, line) for line in found]
            assert leaks == []
            orders = 1 if name == "rtp_lx" else 2
            assert counted == dict.fromkeys(RTP_LX if name == "rtp_lx" else HELPSTEER3, orders)


def test_the_rows_to_translate_are_one_a_language_and_question(main, served, write):
    spec = find("dataset", "measure/benchmark_questions")

    def rows(name, **options):
        return list(spec.build(spec.config(benchmark=name, path=f"{name}.jsonl", **options), None))

    made = rows("rtp_lx")
    assert [row.fields["language"] for row in made] == list(RTP_LX)
    assert {len(row.fields["rubric"]) for row in made} == {2}
    assert [row.fields["language"] for row in rows("rtp_lx", languages=("sw", "th"))] == ["sw", "th"]
    assert [row.fields["language"] for row in rows("helpsteer3")][:3] == ["en", "zh", "ko"]
    pair = {"prompt": "?", "chosen": "a", "rejected": "b", "subset": "chat", "language": "de"}
    write("mm_eval.jsonl", [{"id": n, **pair} for n in "12"])
    (usual,) = rows("mm_eval")
    assert usual.fields == {"language": "de", "rubric": None}
