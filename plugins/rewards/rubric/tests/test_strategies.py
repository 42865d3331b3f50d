"""Questions and thoughts in the row's language: what the judge is shown, how its reply is read, and what is refused."""

import asyncio
import importlib.util
import json
import math
from pathlib import Path

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Completion, Context, Reply, Sample, find, installed
from rewardlab.errors import UserError
from rewardlab.plan import make_plan
from rewardlab.recipe import load
from rewardlab_rubric.strategies.language_file import packaged_texts
from rewardlab_training import check_recipe

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
GERMAN = {"fields": {"language": "de"}}
CODES = sorted(packaged_texts())
QUALITY = "description: How good?\nscoring:\n  1: bad\n  2: good\n"
GUTE = "description: Wie gut?\nscoring:\n  1: schlecht\n  2: gut\n"


def options_of(name, **options):
    return find("reward", f"rubric/{name}").config.model_validate({"judge": "j", **options})


@pytest.fixture
def quality(tmp_path):
    """A rubric's file with its German translation beside it."""
    (tmp_path / "quality.yaml").write_text(QUALITY, encoding="utf-8")
    (tmp_path / "quality.de.yaml").write_text(GUTE, encoding="utf-8")
    return tmp_path / "quality.yaml"


def headings(messages):
    return [line for one in messages for line in one["content"].splitlines() if line.startswith("# ")]


class TestTheQuestion:
    def test_is_in_the_rows_language_and_its_thoughts_are_in_english(self, rubric, scripted):
        judge = scripted(lambda ask: True)
        (found,) = rubric("binary", judge, ["7"], strategy="tgt-eng", **GERMAN)
        assert found.value == 1.0
        system, user = judge.asked[0].messages
        german, english = packaged_texts()["de"], packaged_texts()["en"]
        assert system["content"].startswith(f"{english.system}\n\n# Anweisung\n{german.binary.description}\n\n")
        assert headings([system, user]) == [
            "# Anweisung", "# Bewertungsraster", "# Antwortformat", "# Eingabe", "# Antwort", "# Deine Antwort",
        ]  # fmt: skip
        assert f"\ntrue: {german.binary.levels.texts['true']}\n" in system["content"]
        schema = json.loads(system["content"].rpartition("\n")[2])
        assert schema["properties"]["explanation"]["description"] == german.explanation
        assert schema["properties"]["score"]["enum"] == ["true", "false"]
        key = user["content"].split("=== BEGIN RESPONSE ")[1].split(" ")[0]
        assert f"den Schlüssel {key}" in system["content"] or f"Schlüssel {key}." in system["content"]
        assert f"=== BEGIN RESPONSE {key} ===\n7\n=== END RESPONSE {key} ===" in user["content"]

    def test_begins_the_thoughts_where_they_are_forced(self, rubric, scripted):
        judge = scripted(lambda ask: Reply(text='Also.</think>{"explanation": "gut", "score": "true"}'))
        (found,) = rubric("binary", judge, ["7"], strategy="tgt-tgt", **GERMAN)
        assert (found.value, found.info["explanation"]) == (1.0, "gut")
        system, _, begun = judge.asked[0].messages
        german = packaged_texts()["de"]
        assert system["content"].startswith(german.system)
        assert begun == {"role": "assistant", "content": f"<think>\n{german.thinking}"}
        continued = {"continue_final_message": True, "add_generation_prompt": False}
        assert judge.asked[0].params == continued  # and so a part of the key of a kept answer

    def test_never_translates_the_names_of_scores_and_responses(self, rubric, scripted):
        for code in CODES:
            for strategy in ("tgt-eng", "tgt-tgt"):
                judge = scripted(
                    lambda ask: '{"explanation": "", "score": "Assistant B"}'.replace("{", "x</think>{", 1)
                )
                fields = {"language": code}
                scores = rubric(
                    "pairwise", judge, ["7", "8"], fields=fields, strategy=strategy, orders="a_only", ties=True
                )
                assert [score.value for score in scores] == [0.0, 0.0], (code, strategy)
                system, user = judge.asked[0].messages[:2]
                assert headings([user])[1:3] == ["# Assistant A", "# Assistant B"], (code, strategy)
                schema = json.loads(system["content"].rpartition("\n")[2])
                assert schema["properties"]["score"]["enum"] == ["Assistant A", "Assistant B", "Tie", "Both Bad"], (
                    code,
                    strategy,
                )
                assert "$" not in system["content"] + user["content"], (code, strategy)
                assert "=== BEGIN ASSISTANT A " in user["content"], (code, strategy)

    def test_in_english_is_as_before_without_a_strategy(self, rubric, scripted):
        judge = scripted(lambda ask: True)
        rubric("binary", judge, ["7"], layout="mr3", **GERMAN)
        rubric("binary", judge, ["7"], layout="mr3", strategy="eng-eng")
        first, second = judge.asked
        assert first.messages == second.messages
        assert first.messages[0]["content"].startswith("# Instruction\n")


class TestAReplyThatWasBegun:
    @pytest.fixture
    def score(self, rubric, scripted, quality):
        def read(text, **reply):
            judge = scripted(lambda ask: Reply(text=text, **reply))
            options = {"rubric": str(quality), "strategy": "tgt-tgt", "profile": reply.pop("profile", "strict")}
            return rubric("pointwise", judge, ["7"], **options, **GERMAN)[0]

        return read

    def test_is_read_behind_its_thoughts(self, score):
        draft = '{"explanation": "ein Entwurf", "score": 1}'
        assert score(f'Also {draft}</think>{{"explanation": "", "score": 2}}').value == 1.0

    def test_has_no_verdict_before_their_end(self, score):
        found = score('Also {"explanation": "ein Entwurf", "score": 1}, oder doch nicht?')
        assert (found.value, found.error) == (None, "the reply has no readable score")

    def test_may_come_without_the_thoughts(self, score):
        assert score('{"explanation": "", "score": 2}', reasoning="Also.").value == 1.0

    def test_has_expected_scores_too(self, rubric, scripted, quality):
        texts = ['Also.</think>{"explanation": "", "score": ', "2", "}"]
        top = [{"token": "2", "logprob": math.log(0.75)}, {"token": "1", "logprob": math.log(0.25)}]
        tokens = [{"token": text, "logprob": 0.0, "top_logprobs": []} for text in texts]
        tokens[1] = {**top[0], "top_logprobs": top}
        judge = scripted(lambda ask: Reply(text="".join(texts), logprobs={"content": tokens}))
        options = {"rubric": str(quality), "strategy": "tgt-tgt", "expected": True}
        assert rubric("pointwise", judge, ["7"], **options, **GERMAN)[0].value == pytest.approx(0.75)


class TestARubricOfOnesOwn:
    def asked(self, rubric, scripted, path, language, **options):
        judge = scripted(lambda ask: 2)
        found = rubric(
            "pointwise", judge, ["7"], rubric=str(path), strategy="tgt-eng", fields={"language": language}, **options
        )
        return found[0], [ask.messages[0]["content"] for ask in judge.asked]

    def test_is_taken_from_the_translation_beside_it(self, rubric, scripted, quality):
        for language, shown in (("de", ("Wie gut?", "2: gut")), ("English", ("How good?", "2: good"))):
            found, (system,) = self.asked(rubric, scripted, quality, language)
            assert found.value == 1.0
            assert all(one in system for one in shown)

    def test_is_never_english_in_silence(self, rubric, scripted, quality):
        found, asked = self.asked(rubric, scripted, quality, "fr-CA")
        assert (found.value, asked) == (None, [])
        told = (
            f"there is no rubric in French: write {quality.with_name('quality.fr.yaml')}, with the levels of the others"
        )
        assert found.info["reason"].endswith(told)

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("description: Wie gut?\nscoring:\n  1: schlecht\n  3: gut\n", r"quality.de.yaml:2: .* no level 2"),
            (
                "description: Wie gut?\nscoring:\n  2: schlecht\n  3: gut\n",
                r"quality.de.yaml: it has the levels 2, 3, and",
            ),
            ("1: schlecht\n2: gut\n", r"quality.de.yaml: it has no description, and .*quality.yaml has a"),
            (
                "- {description: x, scoring: {1: a, 2: b}}\n- {1: a, 2: b}\n",
                r"quality.de.yaml: it has 2 variants",
            ),
            ("description: [\n", r"quality.de.yaml:2"),
        ],
    )
    def test_has_translations_that_are_checked_before_a_run(self, quality, text, told):
        quality.with_name("quality.de.yaml").write_text(text, encoding="utf-8")
        with pytest.raises(ValidationError, match=told):
            options_of("pointwise", rubric=str(quality), strategy="tgt-eng")
        options_of("pointwise", rubric=str(quality))

    def test_is_a_rows_own_in_the_rows_language(self, rubric, scripted):
        judge = scripted(lambda ask: 2)
        fields = {"language": "fr", "rubric": {"1": "mauvais", "2": "bon"}}
        own = {"field": "rubric", "language": "row"}
        rubric("pointwise", judge, ["7"], rubric=own, strategy="tgt-eng", fields=fields)
        assert "2: bon" in judge.asked[0].messages[0]["content"]

    def test_in_the_recipe_itself_has_no_other_language(self):
        with pytest.raises(ValidationError, match=r"quality.yaml, quality.de.yaml"):
            options_of("pointwise", rubric={"1": "bad", "2": "good"}, strategy="tgt-tgt")


@each_case(
    "options, told",
    [
        ({"strategy": "en-de"}, "'eng-eng', 'tgt-eng' or 'tgt-tgt'"),
        ({"strategy": "tgt-eng", "layout": "r3"}, "layout r3 is in English alone"),
        ({"strategy": "tgt-eng", "template": "mine.txt"}, "a template is in one language"),
        ({"strategy": "tgt-eng", "texts": "nowhere"}, "nowhere is not a folder with files"),
        ({"texts": "languages"}, "texts of other languages serve strategy tgt-eng or tgt-tgt"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, told):
    with pytest.raises(ValidationError, match=told):
        options_of("binary", **options)


@pytest.mark.parametrize("name", ["binary", "pairwise"])
def test_a_row_whose_language_has_no_texts_is_not_asked_about(rubric, scripted, name):
    judge = scripted(lambda ask: True)
    for language in ("xh", "sr-Latn", "eu", "Klingon"):
        for found in rubric(name, judge, ["7", "8"], fields={"language": language}, strategy="tgt-eng"):
            assert (found.value, found.error, judge.asked) == (None, None, [])
            assert language in found.info["reason"]
            assert found.info["reason"].startswith("field 'language': ")
    for language in (3, None):
        fields = {} if language is None else {"language": language}
        for found in rubric(name, judge, ["7", "8"], fields=fields, strategy="tgt-eng"):
            assert (found.value, judge.asked) == (None, [])
            assert f"field 'language': {language} names no language" in found.error


def test_the_rows_must_have_the_language():
    spec = find("reward", "rubric/binary")
    assert spec.required_fields(options_of("binary")) == ()
    assert spec.required_fields(options_of("binary", strategy="tgt-eng", language="lang")) == ("lang",)


RECIPE = """\
version: 1
judges:
  main: {{use: {judge}}}
reward:
  components:
    quality: {{use: rubric/{name}, with: {{judge: main, {options}}}}}
  total: quality
"""


class TestARecipe:
    @pytest.fixture
    def recipe(self, tmp_path):
        def written(options, judge, name="binary"):
            path = tmp_path / "r.yaml"
            path.write_text(RECIPE.format(judge=judge, name=name, options=options), encoding="utf-8")
            return load(path)

        return written

    @pytest.mark.parametrize("name", ["binary", "pairwise"])
    def test_that_forces_thoughts_needs_a_judge_that_continues(self, recipe, name):
        with pytest.raises(UserError, match=r"r.yaml:\d+: .*begins the reply of judges.main.*`continues: true`"):
            check_recipe(recipe("strategy: tgt-tgt", "openai/chat, with: {model: m}", name), purpose="score")
        continuing = "openai/chat, with: {model: m, continues: true}"
        assert make_plan(recipe("strategy: tgt-tgt", continuing, name), purpose="score")
        assert make_plan(recipe("strategy: tgt-eng", "openai/chat, with: {model: m}", name), purpose="score")

    def test_with_rubrics_of_rows_is_checked_alike(self, recipe):
        with pytest.raises(UserError, match=r"begins the reply of judges.main"):
            own = "strategy: tgt-tgt, rubric: {field: rubric}"
            check_recipe(recipe(own, "openai/chat, with: {model: m}", "pointwise"), purpose="score")


def test_a_server_is_told_to_continue_and_its_reply_is_read_behind_the_thoughts(quality):
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    seen = []

    def answer(request):
        seen.append(request)
        return 'Die Antwort hat {"explanation": "?", "score": 1}.</think>{"explanation": "Sie stimmt.", "score": "2"}'

    registry = installed()
    chat, reward = registry.find("judge", "openai/chat"), registry.find("reward", "rubric/pointwise")
    config = reward.config(judge="main", rubric=str(quality), strategy="tgt-tgt")

    async def run(url):
        judge = chat.build(chat.config(model="m", base_url=url, continues=True), Context())
        judge.report_parsed = lambda reply, ok: None  # a host's
        row = Sample(id="s", prompt=({"role": "user", "content": "3 + 4?"},), fields={"language": "German"})
        try:
            return await reward.build(config, Context(judges={"main": judge})).score([(row, Completion(text="7"))])
        finally:
            await judge.aclose()

    with module.Serving(module.JudgeServer(answer=answer)) as server:
        (found,) = asyncio.run(run(server.url))
    assert (found.value, found.info["explanation"]) == (1.0, "Sie stimmt.")
    (sent,) = seen
    assert sent["continue_final_message"] is True
    assert sent["add_generation_prompt"] is False
    assert sent["messages"][-1]["content"] == f"<think>\n{packaged_texts()['de'].thinking}"
