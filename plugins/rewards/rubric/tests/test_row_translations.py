"""Rows' own rubrics in the rows' languages: translated once each, looked up by their content, and never in English."""

import json
import logging

import pytest
import yaml
from helpers.each_case import each_case
from helpers.translator import OTHERS, sentence, translated, translation
from pydantic import ValidationError
from rewardlab import Context, Reply, Sample, find
from rewardlab.errors import JobError, UserError
from rewardlab_rubric.data_steps.reply_language import foreign
from rewardlab_rubric.data_steps.translation_question import KEPT
from rewardlab_rubric.strategies.language_file import own_text, packaged_texts, script_of

OWN = {"field": "rubric"}
STEPS = {"1": "It is off by much.", "2": "It is off by a little.", "3": "It is right."}
POEMS = [
    {"description": f"Say how {how} the poem is.", "scoring": {"1": f"Not {how}.", "2": how}} for how in ("sad", "long")
]
TRUTH = {"true": "The answer holds.", "false": "The answer does not hold."}
REWORDED = (
    "Judge with care to what degree the reply satisfies what has been asked of the writer. Do not let length or order "
    "decide, and write down the reasons before the final grade is given."
)
LANGUAGES = ("de", "zh", "ar", "hi", "th", "ja", "ru", "ko", "sw", "zh-Hant", *OTHERS)


def row(number, language, rubric, **fields):
    fields = {"language": language, "rubric": rubric, "response": "7", "score": None, **fields}
    prompt = ({"role": "user", "content": "3 + 4?"},)
    return Sample(id=f"{language}-{number}", prompt=prompt, fields=fields, source=f"rows.jsonl:{number}")


class Translator:
    """A judge that translates by `helpers.translator`, or as `change(value, code)` says."""

    def __init__(self, change=translated):
        self._change, self.asked = change, []

    async def ask(self, ask):
        self.asked.append(ask)
        codes = {texts.language: code for code, texts in packaged_texts().items()}
        code = codes.get(ask.parts["language"], ask.parts["language"].split()[-1])
        return Reply(text=json.dumps(self._change(json.loads(ask.parts["texts"]), code)), finish_reason="stop")

    def report_parsed(self, reply, ok):
        """Nobody counts here."""


def texts_of(path, rows, translator=None, **options):
    """Write what rubric/translated_texts makes of rows; return the questions that it asked."""
    translator = translator or Translator()
    spec = find("dataset", "rubric/translated_texts")
    config = spec.config.model_validate({"translator": "t", "rubric": OWN, **options})
    made = list(spec.build(config, Context(judges={"t": translator}, source=rows)))
    path.write_text("".join(json.dumps(one.as_row()) + "\n" for one in made), encoding="utf-8")
    return translator.asked


class TestTheStep:
    def test_asks_once_for_each_rubric_and_language(self, tmp_path):
        rows = [
            row(n, language, rubric)
            for language in ("en", *LANGUAGES)
            for n, rubric in enumerate([STEPS, json.dumps(STEPS), POEMS, TRUTH, STEPS, None])
        ]
        asked = texts_of(tmp_path / "made.jsonl", rows)
        pairs = [(ask.parts["language"], ask.parts["texts"]) for ask in asked]
        assert len(pairs) == len(set(pairs)) == 3 * len(LANGUAGES) + len(OTHERS)
        made = [json.loads(line) for line in (tmp_path / "made.jsonl").read_text("utf-8").splitlines()]
        assert len({one["id"] for one in made}) == len(made) == len(asked)

    def test_reads_all_rows_before_it_asks(self, tmp_path):
        translator = Translator()
        many = [row(n, "de", {"1": f"bad {n}", "2": "good"}) for n in range(300)]  # more than are under way at once
        with pytest.raises(UserError, match=r"rows.jsonl:9: 'Tongue of Elves' is not a language code"):
            rows = [*many, row(9, "Tongue of Elves", STEPS)]
            texts_of(tmp_path / "made.jsonl", rows, translator, most_rubrics=400)
        with pytest.raises(UserError, match="more than 2 rubrics in field 'rubric'; raise `most_rubrics` if they are"):
            texts_of(tmp_path / "made.jsonl", many, translator, most_rubrics=2)
        with pytest.raises(UserError, match=r"rows.jsonl:3: field 'rubric': level 1 stands alone"):
            texts_of(tmp_path / "made.jsonl", [row(1, "de", STEPS), row(3, "de", {"1": "bad"})], translator)
        assert translator.asked == []

    def test_prices_its_questions(self):
        spec = find("dataset", "rubric/translated_texts")
        config = spec.config(translator="t", rubric=OWN, most=10, most_rubrics=4, tries=2)
        assert spec.makes(config, 10**6) == 10 + 40
        assert spec.calls(config, 10**6) == 2 * (10 + 40)
        assert spec.calls(config, 3) == 2 * (3 + 3)
        assert spec.calls(spec.config(translator="t", most=10, tries=2), 100) == 2 * 10

    @each_case("language", [code for code in LANGUAGES if code != "my"])
    def test_takes_no_english_for_a_translation(self, language):
        english = own_text("the language")
        assert foreign("\n".join([english["system"], *english["rules"].values()]), language, 0.5)
        assert foreign(REWORDED, language, 0.5)
        assert foreign(sentence(language), language, 0.5) is None

    @each_case(
        "code, text",
        [
            ("ha", "Kai alkali ne mai kulawa; faɗi yadda amsar ta cika ka'idojin, bisa ga abin da aka tambaya."),
            ("rw", "Uri umucamanza witonda; vuga uko igisubizo cyujuje ibisabwa, ukurikije icyo ikibazo gisaba."),
            ("sco", "Ye are a carefu judge; say hou faur the respone meets the rubric, gien whit is speired for."),
            ("sr-Latn", "Ti si pažljiv sudija; reci koliko odgovor ispunjava merila s obzirom na traženo u pitanju."),
            ("my", OTHERS["my"]),
        ],
    )  # fmt: skip
    def test_takes_languages_that_no_detector_knows(self, code, text):
        assert foreign(text, code, 0.5) is None

    def test_leaves_out_a_rubric_that_stays_english(self, tmp_path, caplog):
        rows = [row(n, language, STEPS) for n, language in enumerate(("de", "sw"))]
        keeps = Translator(lambda value, code: value if code == "sw" else translated(value, code))
        with caplog.at_level(logging.WARNING):
            texts_of(tmp_path / "made.jsonl", rows, keeps)
        assert "1 of 2 rows dropped: 1 sw: no translation that is in the language" in caplog.text
        assert "nothing is translated" in caplog.text

    def test_leaves_out_what_is_english_in_other_words(self, tmp_path, caplog):
        def reworded(value, code):
            if isinstance(value, str):
                return f"{REWORDED} {' '.join(KEPT.findall(value))}"
            return (
                {key: reworded(one, code) for key, one in value.items()}
                if isinstance(value, dict)
                else [reworded(one, code) for one in value]
            )

        rows = [row(n, code, STEPS) for n, code in enumerate(("de", "eu", "zh"))]
        keeps = Translator(lambda value, code: translated(value, "de") if code == "de" else reworded(value, code))
        with caplog.at_level(logging.WARNING):
            texts_of(tmp_path / "made.jsonl", rows, keeps)
        assert "3 of 4 rows dropped: 2 eu: " in caplog.text
        assert "of the words are in 'eu'" in caplog.text

    def test_refuses_rubrics_in_the_rows_languages(self):
        spec = find("dataset", "rubric/translated_texts")
        with pytest.raises(ValidationError, match="needs no translation; leave `language: row` out"):
            spec.config(translator="t", rubric={"field": "rubric", "language": "row"})


class TestAQuestion:
    @pytest.fixture
    def made(self, tmp_path):
        rows = [row(n, language, rubric) for language in LANGUAGES for n, rubric in enumerate((STEPS, POEMS))]
        texts_of(tmp_path / "made.jsonl", rows)
        return str(tmp_path / "made.jsonl")

    @each_case("language", LANGUAGES)
    def test_has_the_translation_of_its_own_rubric(self, rubric, scripted, made, language):
        for strategy in ("tgt-eng", "tgt-tgt"):
            for own, levels in ((STEPS, "123"), (POEMS, "12")):
                judge = scripted(lambda ask: Reply(text='x</think>{"explanation": "", "score": "2"}'))
                fields = {"language": language, "rubric": own}
                (found,) = rubric("pointwise", judge, ["7"], rubric=OWN, strategy=strategy, texts=made, fields=fields)
                assert found.error is None
                system = judge.asked[0].messages[0]["content"]
                variant = own if own is STEPS else own[found.info["variant"]]["scoring"]
                wanted = translated(variant, language)
                for level in levels:
                    assert f"\n{level}: {wanted[level]}\n" in system
                    assert variant[level] not in system.replace(packaged_texts()["en"].system, "")

    def test_is_the_rows_own_words_in_english(self, rubric, scripted, made):
        for strategy, texts in (("eng-eng", {}), ("tgt-eng", {"texts": made}), ("tgt-eng", {})):
            judge = scripted(lambda ask: 2)
            fields = {"language": "en" if strategy == "tgt-eng" else "de", "rubric": STEPS}
            rubric("pointwise", judge, ["7"], rubric=OWN, strategy=strategy, fields=fields, **texts)
            assert "2: It is off by a little." in "".join(one["content"] for one in judge.asked[0].messages)

    @each_case(
        "fields, told",
        [
            ({"language": "de", "rubric": TRUTH | {"true": "Another one."}}, "no translation into German"),
            ({"language": "fr", "rubric": TRUTH}, "no translation into French"),
            ({"language": "kk", "rubric": TRUTH}, "there are no texts in the language 'kk'"),
        ],
    )
    def test_without_a_translation_is_never_asked(self, rubric, scripted, made, fields, told):
        for name in ("binary", "pairwise"):
            own = {**fields, "rubric": STEPS | {"3": "Other."}} if name == "pairwise" else fields
            for texts in ({}, {"texts": made}):
                judge = scripted(lambda ask: True)
                found = rubric(name, judge, ["7", "8"], rubric=OWN, strategy="tgt-eng", fields=own, **texts)
                assert {one.value for one in found} == {None}
                assert all(told in one.info["reason"] for one in found)
                assert judge.asked == []

    def test_whose_rubric_is_in_the_rows_language_says_so(self, rubric, scripted):
        own = {"field": "rubric", "language": "row"}
        judge = scripted(lambda ask: 2)
        fields = {"language": "fr", "rubric": {"1": "mauvais", "2": "bon"}}
        rubric("pointwise", judge, ["7"], rubric=own, strategy="tgt-eng", fields=fields)
        assert "2: bon" in judge.asked[0].messages[0]["content"]
        reward = find("reward", "rubric/pointwise")
        with pytest.raises(ValidationError, match="strategy eng-eng is English"):
            reward.config(judge="j", rubric=own)
        step = find("dataset", "rubric/distilled")
        with pytest.raises(ValidationError, match="strategy eng-eng is English"):
            step.config(teacher="t", rubric=own, strategy="tgt-eng", also=["eng-eng"])
        with pytest.raises(ValidationError, match=r"\{field: NAME, language: row\} in the row's language"):
            reward.config(judge="j", rubric={"field": "rubric", "language": "fr"})

    @each_case(
        "old, new, told",
        [
            ('"1": ', '"0": ', "has no level 1"),
            ('"3": ', '"4": ', "has no level 3"),
        ],
    )
    def test_whose_translation_was_spoilt_names_the_file(self, rubric, scripted, tmp_path, old, new, told):
        texts_of(tmp_path / "one.jsonl", [row(1, "de", STEPS)])
        spoilt = tmp_path / "one.jsonl"
        spoilt.write_text(spoilt.read_text("utf-8").replace(old, new), encoding="utf-8")
        judge = scripted(lambda ask: 2)
        fields = {"language": "de", "rubric": STEPS}
        (found,) = rubric("pointwise", judge, ["7"], rubric=OWN, strategy="tgt-eng", texts=str(spoilt), fields=fields)
        assert (found.value, judge.asked) == (None, [])
        assert "one.jsonl:1: rubric: " in found.error
        assert told in found.error


class TestDistilled:
    def made(self, rows, texts, scripted, **options):
        teacher = scripted(lambda ask: Reply(text='<think>Hm.</think>{"explanation": "", "score": "true"}'))
        spec = find("dataset", "rubric/distilled")
        config = {"teacher": "t", "asks": "binary", "rubric": OWN, "also": ["tgt-eng"], "texts": texts, **options}
        built = spec.build(spec.config.model_validate(config), Context(judges={"t": teacher}, source=rows))
        return list(built), teacher.asked

    def test_a_row_that_one_strategy_cannot_ask_is_not_paid_for_by_another(self, tmp_path, scripted, caplog):
        path = tmp_path / "made.jsonl"
        texts_of(path, [row(1, "de", TRUTH)])
        rows = [row(1, "de", TRUTH), row(2, "fr", TRUTH), row(3, "kk", TRUTH), row(4, "en", TRUTH)]
        with caplog.at_level(logging.WARNING):
            made, asked = self.made(rows, str(path), scripted)
        assert [one.fields["language"] for one in made] == ["de", "en"]
        assert len(asked) == 4
        assert (
            "2: no question in its language; first: rows.jsonl:2: the English rubric in field 'rubric'" in caplog.text
        )
        with pytest.raises(UserError, match=r"rows.jsonl:2: the English rubric in field 'rubric' has no translation"):
            self.made(rows[1:2], None, scripted)

    def test_more_of_them_than_max_dropped_end_it(self, tmp_path, scripted):
        path = tmp_path / "made.jsonl"
        texts_of(path, [row(1, "de", TRUTH)])
        with pytest.raises(JobError, match="more than max_dropped"):
            self.made([row(n, "fr", TRUTH) for n in range(60)], str(path), scripted)


def test_a_policy_is_not_asked_for_answers_that_no_judge_can_be_asked_about(tmp_path, scripted, caplog):
    path = tmp_path / "made.jsonl"
    texts_of(path, [row(1, "de", TRUTH)])
    judge = scripted(lambda ask: Reply(text=json.dumps({"score": ask.parts["response"] == "long"})))
    policy = scripted(lambda ask: Reply(text=("short", "long")[ask.draw]))
    how = {"rubric": OWN, "strategy": "tgt-eng", "texts": str(path)}
    spec = find("dataset", "rubric/preferences")
    config = spec.config(policy="p", candidates=2, judge="j", asks="binary", options=how)
    rows = [row(n, code, TRUTH) for n, code in enumerate(("de", "fr", "kk", "en"))]
    with caplog.at_level(logging.WARNING):
        made = list(spec.build(config, Context(judges={"p": policy, "j": judge}, source=rows)))
    assert [one.fields["language"] for one in made] == ["de", "en"]
    assert (len(policy.asked), len(judge.asked)) == (4, 4)
    assert "2: no question in its language" in caplog.text


RECIPE = """\
version: 1
judges:
  main: {use: openai/chat, with: {model: m, base_url: URL}}
stages:
  - use: data
    dataset:
      use: rubric/translated_texts
      with: {translator: main, rubric: {field: rubric}}
      from: {use: data/jsonl, with: {path: rows.jsonl}}
    to: texts.jsonl
  - use: data
    dataset:
      use: rubric/distilled
      with: {teacher: main, asks: binary, rubric: {field: rubric}, strategy: tgt-eng, texts: texts.jsonl}
      from: {use: data/jsonl, with: {path: rows.jsonl}}
    to: judged.jsonl
"""


class TestARecipe:
    @pytest.fixture
    def served(self, write, judge_server):
        def answer(request):
            told = {"role": "assistant", "content": '{"explanation": "so", "score": "true"}'}
            return translation(request, judge_server.FENCE) or {**told, "reasoning_content": "Hm."}

        rows = [row(n, language, TRUTH).as_row() for n, language in enumerate(("en", "de", "zh", "eu"))]
        write("rows.jsonl", rows)
        with judge_server.Serving(judge_server.JudgeServer(answer=answer)) as server:
            names = "rubric: {field: rubric}, names: {eu: Basque}"
            write("r.yaml", RECIPE.replace("URL", server.url).replace("rubric: {field: rubric}}", f"{names}}}", 1))
            yield server

    def test_may_write_the_texts_that_it_reads_and_pays_for_none_twice(self, main, served, tmp_path):
        assert main("check", "r.yaml")[0] == 0
        code, out, err = main("run", "r.yaml")
        assert code == 0, out + err
        asked = [str(one["messages"]) for one in served.requests if "BEGIN INPUT" in str(one["messages"])]
        assert len(asked) == 4 + 1, "a row each, and one before the run"
        assert sum("The answer holds." in text for text in asked) == 1
        whole = {name: (tmp_path / name).read_bytes() for name in ("texts.jsonl", "judged.jsonl")}
        for name, lines in (("texts.jsonl", 0), ("texts.jsonl", 2), ("judged.jsonl", 1)):  # as after a kill
            (tmp_path / name).write_bytes(b"".join(whole[name].splitlines(keepends=True)[:lines]))
            before = len(served.requests)
            code, out, err = main("run", "r.yaml")
            assert code == 0, out + err
            assert (tmp_path / name).read_bytes() == whole[name]
            again = [str(one["messages"]) for one in served.requests[before:]]
            assert [text for text in again if "3 + 4" in text] == [], "what was paid for is kept"
            assert sum("BEGIN TEXTS" in text for text in again) <= 1, "the small one before a run"

    def test_names_a_file_of_texts_that_nothing_writes(self, main, served, write, tmp_path):
        text = (tmp_path / "r.yaml").read_text("utf-8")
        write("r.yaml", text.replace("to: texts.jsonl", "to: other.jsonl"))
        code, out, err = main("check", "r.yaml")
        assert code == 2
        assert "there is no file texts.jsonl, and no earlier stage `data` writes it" in out + err
        stages = yaml.safe_load(text)["stages"]
        write("late.yaml", yaml.safe_dump({**yaml.safe_load(text), "stages": stages[::-1]}))
        assert "no earlier stage `data` writes it" in str(main("check", "late.yaml"))

    @each_case("strategy", ["tgt-eng", "tgt-tgt"])
    def test_names_rows_without_texts_before_anything_is_asked(self, main, served, write, strategy, tmp_path):
        text = yaml.safe_load((tmp_path / "r.yaml").read_text("utf-8"))
        step = text["stages"][1]["dataset"]
        step["with"] = {"teacher": "main", "asks": "binary", "strategy": strategy}
        text["judges"]["main"]["with"]["continues"] = True
        write("one.yaml", yaml.safe_dump({**text, "stages": text["stages"][1:]}))
        for command in ("check", "run"):
            code, out, err = main(command, "one.yaml")
            assert code == 2
            told = "can make nothing of 1 of 4 rows: field 'language': there are no texts in the language 'eu'"
            assert told in out + err
            assert "first rows.jsonl:4" in out + err
        assert served.requests == []

    def test_of_a_reward_names_them_too(self, main, served, write):
        with_own = "rubric: {field: rubric}, strategy: tgt-eng"
        write(
            "score.yaml",
            f"""\
            version: 1
            judges:
              main: {{use: openai/chat, with: {{model: m, base_url: "{served.url}"}}}}
            reward:
              components:
                right: {{use: rubric/binary, with: {{judge: main, {with_own}}}}}
              total: right
            """,
        )
        write(
            "given.jsonl",
            [{**row(n, code, TRUTH).as_row(), "completions": ["7"]} for n, code in enumerate(("en", "de"))],
        )
        code, out, err = main("check", "score.yaml", "given.jsonl")
        assert code == 2
        assert "the English rubric in field 'rubric' has no translation into German" in out + err
        code, out, err = main("score", "score.yaml", "given.jsonl", "-o", "out.jsonl")
        assert code == 2
        assert "will abstain on 1 row: the English rubric in field 'rubric' has no translation into German" in out + err
        assert served.requests == []


def test_the_helper_that_translates_writes_each_language():
    assert {script_of(text) for text in OTHERS.values()} == {"Latn", "Geor", "Armn", "Cyrl", "Mymr"}
