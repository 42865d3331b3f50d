"""recipes/mr3.yaml in fifteen languages: what reaches the servers is in the language that each strategy says."""

import json
import re
from collections import Counter

import pytest
from helpers.translator import OTHERS, translation
from rewardlab_rubric.data_steps.wanted_texts import KINDS
from rewardlab_rubric.rubrics import known_variants
from rewardlab_rubric.strategies.language_file import packaged_texts

PACKAGED = ("en", "de", "zh", "ar", "hi", "ja", "ru", "th", "sw")
LANGUAGES = (*PACKAGED, *OTHERS, "tlh")
STRATEGIES = ("eng-eng", "tgt-eng", "tgt-tgt")
LEVELS = {str(n): f"Response {1 if n < 4 else 2} is better, by {abs(n - 4)} steps." for n in range(1, 8)}
TRUTH = [
    {"description": f"Decide {how} the sum is right.", "scoring": {"true": f"Right, {how}.", "false": f"Wrong, {how}."}}
    for how in ("whether", "if", "in what sense")
]
ASKED = tuple(code for code in LANGUAGES if code != "tlh")
"""those that the translator knows"""
SHOWN_LANGUAGE = re.compile(r"\? \((\w+)\)")


@pytest.fixture
def roads(module_of):
    return module_of("recipes/test_data_roads.py")


def pool(write, roads):
    def rows(**texts):
        return [roads.row(code, 5, 9, language=code, id=code, **texts) for code in LANGUAGES]

    kinds = {
        "pairs": rows(response_1="[[14]]", response_2="[[15]]", score="Assistant A"),
        "graded": rows(response_1="[[14]]", response_2="[[15]]", score=1, rubric=LEVELS),
        "binary": [
            {**row, "id": f"{source}-{row['id']}", "origin": source, "rubric": json.dumps(rubric)}
            for source, rubric in (("PolyGuard", TRUTH), ("MATH-500", {"true": "It is right.", "false": "It is not."}))
            for row in rows(response="[[14]]", score="true")
        ],
        "choices": rows(answer="[[14]]", options=["[[14]]", "[[15]]", "[[16]]"]),
    }
    for kind, made in kinds.items():
        write(f"mr3-pool/{kind}/train.jsonl", made)


def english_lines():
    """What an English question has that no other may have: headings, tasks, rules, rubrics; shipped ones and rows'."""
    texts = packaged_texts()["en"]
    own = [*LEVELS.values(), "It is right.", "It is not."]
    own += [text for one in TRUTH for text in (one["description"], *one["scoring"].values())]
    own += [f"# {tag}\n" for tag in texts.tags.values()]
    own += [*texts.tasks.values(), *texts.rules.values(), texts.format, f'"{texts.explanation}"']
    return own + rubrics_in_english() + [str(texts.binary.description), str(texts.pairwise.description)]


def rubrics_in_english():
    """The levels of the rows' rubrics, and of the packaged one about right answers and the better one."""
    own = [*LEVELS.values(), "It is right.", *(text for one in TRUTH for text in one["scoring"].values())]
    packaged = [one for name in ("binary", "pairwise_mr3") for one in known_variants(None, KINDS, name)]
    return own + [text for one in packaged for text in one.levels.texts.values()]


def language_of(messages):
    return SHOWN_LANGUAGE.search(str(messages))[1]


def strategy_of(messages):
    """The strategy by which a teacher was asked."""
    if messages[-1]["role"] == "assistant":
        return "tgt-tgt"
    return "tgt-eng" if messages[0]["content"].startswith(packaged_texts()["en"].system) else "eng-eng"


@pytest.mark.slow
def test_what_each_strategy_asks(main, write, judge_server, monkeypatch, roads):
    """One run of the recipe's data stages, by the requests that arrive."""
    pool(write, roads)

    def change(step):
        if step["use"] == "data/hub":
            path = step["with"]["path"]
            step.update({"use": "data/jsonl", "with": {"path": f"{path}/train.jsonl"}})
        if "rows" in step.get("with", {}):
            step["with"] |= {"rows": 100}
            step["with"].pop("whole", None)

    def answer(request):
        return translation(request, judge_server.FENCE) or roads.verdict(request)

    with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
        made = roads.road("mr3", main, write, server, monkeypatch, change)
    teacher = [one["messages"] for one in server.requests if one["model"] == "openai/gpt-oss-120b"]
    asked = [messages for messages in teacher if SHOWN_LANGUAGE.search(str(messages))]  # and not before the run
    no_english_is_asked_but_by_eng_eng(asked)
    the_levels_are_the_same_in_all_strategies(asked)
    each_rubric_is_translated_once_a_language(made["mr3-texts.jsonl"], server.requests)
    assert {row["language"] for row in made["mr3.jsonl"]} == set(ASKED)


def no_english_is_asked_but_by_eng_eng(asked):
    english, counted, leaks = english_lines(), Counter(), []
    for messages in asked:
        language, strategy = language_of(messages), strategy_of(messages)
        counted[language, strategy] += 1
        text = "\n".join(message["content"] for message in messages)
        found = [line for line in english if line in text]
        if language == "en" or strategy == "eng-eng":
            assert "# Instruction\n" in text
            assert any(line in text for line in rubrics_in_english()), text
        else:
            leaks += [(language, strategy, line) for line in found]
    assert leaks == []
    kinds = 5  # pairs, graded, two of binary, choices
    assert counted == {(code, strategy): kinds for code in ASKED for strategy in STRATEGIES}


def each_rubric_is_translated_once_a_language(texts, requests):
    rubrics = Counter((row["language"], row["rubric_sha"]) for row in texts if row["rubric"] is not None)
    assert set(rubrics.values()) == {1}
    assert Counter(code for code, _ in rubrics) == dict.fromkeys([code for code in ASKED if code != "en"], 3)
    assert {row["language"] for row in texts if row["texts"] is not None} == set(OTHERS)
    writer = [one["messages"][0]["content"] for one in requests if one["model"] == "gpt-4.1"]
    translations = [text for text in writer if "BEGIN TEXTS" in text and "into German." not in text]
    assert [text for text in translations if "into English." in text] == []
    klingon = [text for text in translations if "into Klingon." in text]
    assert len(klingon) == 4 * 3, "three tries each, for texts and three rubrics, and then it is left out"
    assert len(translations) - len(klingon) == len(rubrics) - 3 + len(OTHERS)  # of German one more, before the run


def the_levels_are_the_same_in_all_strategies(asked):
    shown = {strategy: Counter() for strategy in STRATEGIES}
    for messages in asked:
        schemas = re.findall(r'"enum": \[[^\]]*\]', messages[0]["content"])
        shown[strategy_of(messages)][language_of(messages), tuple(schemas)] += 1
    assert shown["eng-eng"] == shown["tgt-eng"] == shown["tgt-tgt"]
    assert len(shown["eng-eng"]) == 3 * len(ASKED), "four names, seven steps, true or false"
