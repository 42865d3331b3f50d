"""rubric/translated_texts: texts of further languages and a rubric's translations, made by a judge and then used."""

import importlib.util
import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Context, Reply, Sample, installed
from rewardlab.errors import JobError, UserError
from rewardlab.recipe.loading import load
from rewardlab_rubric.data_steps.translated_texts_examples import MarkingTranslator
from rewardlab_rubric.strategies.language_file import script_of
from rewardlab_training import RunJob, check_recipe

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
REGISTRY = installed()
SPEC = REGISTRY.find("dataset", "rubric/translated_texts")
REWARD = REGISTRY.find("reward", "rubric/pointwise")


def rows_in(*languages):
    prompt = ({"role": "user", "content": "?"},)
    return [
        Sample(id=f"r{n}", prompt=prompt, fields={"language": one}, source=f"rows.jsonl:{n + 1}")
        for n, one in enumerate(languages)
    ]


class Scripted:
    """A translator whose reply to the n-th question is changed(text, n)."""

    def __init__(self, changed):
        self._changed, self.asked = changed, []

    async def ask(self, ask):
        self.asked.append(ask)
        right = await MarkingTranslator().ask(ask)
        made = self._changed(right.text, len(self.asked))
        return made if isinstance(made, Reply) else Reply(text=made, finish_reason="stop")

    def report_parsed(self, reply, ok):
        """Nobody counts here."""


def made(languages, changed=lambda text, number: text, **options):
    judge = Scripted(changed)
    config = SPEC.config.model_validate({"translator": "t", "least_share": 0, **options})
    rows = [one if isinstance(one, Sample) else rows_in(one)[0] for one in languages]
    rows = [replace(row, source=f"rows.jsonl:{n}") for n, row in enumerate(rows, 1)]
    context = Context(judges={"t": judge}, source=rows)
    return list(SPEC.build(config, context)), judge.asked


@pytest.fixture
def quality(tmp_path):
    path = tmp_path / "quality.yaml"
    path.write_text("description: How good?\nscoring:\n  1: bad\n  2: good\n", encoding="utf-8")
    return path


def test_each_language_without_texts_is_asked_about_once():
    rows, asked = made(["eu", "de", "en", "eu-ES", "Basque", "eu"], names={"eu": "Basque"})
    assert [(row.id, row.fields["language"]) for row in rows] == [("texts-eu", "eu")]
    (ask,) = asked
    assert "into Basque" in ask.messages[0]["content"]
    assert json.loads(ask.parts["texts"])["system"] == "You are a careful judge who thinks and answers in Basque."
    texts = rows[0].fields["texts"]
    assert texts["language"] == "Basque"
    assert texts["binary"]["scoring"]["true"].startswith("[ue] ")


def test_a_rubric_goes_into_packaged_languages_too(quality):
    rows, asked = made(["de", "eu", "en"], rubric=str(quality))
    assert [row.fields["texts"] is None for row in rows] == [True, False]
    assert [row.fields["rubric"][0]["scoring"]["2"] for row in rows] == ["[an] good", "[eu] good"]
    assert len(asked) == 3


BAD = {
    "keys": (lambda text: text.replace('"thinking"', '"denken"'), "must have the keys"),
    "levels": (lambda text: text.replace('"assistant_a"', '"pembantu_a"'), "must have the keys"),
    "placeholder": (lambda text: text.replace("$key", "kunci"), "must have"),
    "names": (lambda text: text.replace("Assistant A serves", "Pembantu A serves"), "must have Assistant A"),
    "blank": (lambda text: text.replace("[eu] Instruction", " "), "tags.instruction is not a text"),
    "English": (lambda text: text.replace("[eu] ", ""), "is not translated"),
    "no JSON": (lambda text: text[: len(text) // 2], "not a JSON value"),
    "cut off": (lambda text: Reply(text=text, finish_reason="length"), "cut off"),
}


@each_case("fault", BAD)
def test_a_translation_that_lost_something_is_never_taken(fault):
    change, told = BAD[fault]
    rows, asked = made(["eu"], lambda text, number: change(text) if number == 1 else text)
    assert (len(rows), [ask.draw for ask in asked]) == (1, [0, 1])
    with pytest.raises(JobError, match=rf"eu.*{told}"):
        made(["eu"], lambda text, number: change(text), tries=2)


def test_a_language_that_cannot_be_had_is_left_out(caplog):
    rows, _ = made(["eu", "xh"], lambda text, number: text.replace("[xh] ", ""))
    assert [row.id for row in rows] == ["texts-eu"]
    assert "1 of 2 rows dropped: 1 xh: no translation that is in the language and keeps keys" in caplog.text


def test_a_language_that_the_server_refuses_is_left_out(caplog):
    refused = Reply(error="HTTP 413: too large", refused=True)
    rows, asked = made(["eu", "xh"], lambda text, number: refused if "[xh]" in text else text)
    assert [row.id for row in rows] == ["texts-eu"]
    assert "1 xh: refused by the server; first: xh (xh): refused by the server: HTTP 413: too large" in caplog.text
    assert len(asked) == 2


def test_a_translator_that_never_answers_ends_the_job():
    with pytest.raises(JobError, match=r"translator 't' answered none of 3 questions about eu: HTTP 503"):
        made(["eu"], lambda text, number: Reply(error="HTTP 503"))


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("Klingon", "is not a language code; give `names: {eu: Klingon}`"),
        (None, "should name a language"),
        ("", "should name a language"),
    ],
)
def test_a_row_without_a_language_is_named(language, told):
    with pytest.raises(UserError, match=told) as raised:
        made(["eu", language])
    assert "rows.jsonl:2" in str(raised.value)


def test_a_field_with_something_else_is_found_out():
    with pytest.raises(UserError, match="more than 2 languages in field 'language'; raise `most`"):
        made(["aa", "ab", "ac"], most=2)


def test_names_have_codes():
    with pytest.raises(ValidationError, match="'Basque' is not a language code"):
        SPEC.config(translator="t", names={"Basque": "eu"})


@each_case("text, script", [("பா", "Taml"), ("Да, so is it", "Latn"), ("1 2", "Zyyy"), ("ქართული", "Geor")])
def test_the_script_is_that_of_most_letters(text, script):
    assert script_of(text) == script


@pytest.fixture
def written(tmp_path, quality):
    """A file of rows in Basque and German, as a recipe makes it with a real server."""
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)

    def answer(request):
        shown = module.FENCE.search(request["messages"][0]["content"])
        return "ready" if shown is None else json.dumps(marked(json.loads(shown["text"])))

    (tmp_path / "rows.jsonl").write_text(
        '{"prompt": "q", "language": "eu"}\n{"prompt": "r", "language": "de"}\n', encoding="utf-8"
    )
    with module.Serving(module.JudgeServer(answer=answer)) as server:
        recipe = {
            "version": 1,
            "judges": {"main": {"use": "openai/chat", "with": {"model": "m", "base_url": server.url}}},
            "stages": [
                {
                    "use": "data",
                    "to": str(tmp_path / "made.jsonl"),
                    "dataset": {
                        "use": "rubric/translated_texts",
                        "with": {"translator": "main", "rubric": str(quality), "least_share": 0},
                        "from": {"use": "data/jsonl", "with": {"path": str(tmp_path / "rows.jsonl")}},
                    },
                }
            ],
        }
        path = tmp_path / "r.yaml"
        path.write_text(json.dumps(recipe), encoding="utf-8")
        RunJob.load(path, folder=tmp_path / "run").run()
    return tmp_path / "made.jsonl"


def marked(value):
    if isinstance(value, dict):
        return {key: marked(one) for key, one in value.items()}
    return [marked(one) for one in value] if isinstance(value, list) else f"~{value}"


class TestTheFileThatAStageWrote:
    def shown(self, rubric, scripted, written, quality, language):
        judge = scripted(lambda ask: 2)
        options = {"rubric": str(quality), "strategy": "tgt-eng", "texts": str(written)}
        (found,) = rubric("pointwise", judge, ["7"], fields={"language": language}, **options)
        return found, [ask.messages[0]["content"] for ask in judge.asked]

    def test_has_the_texts_and_the_rubric(self, rubric, scripted, written, quality):
        found, (basque,) = self.shown(rubric, scripted, written, quality, "eu")
        assert found.value == 1.0
        assert "# ~Instruction\n~How good?\n" in basque
        assert "2: ~good" in basque
        _, (german,) = self.shown(rubric, scripted, written, quality, "de")
        assert "# Anweisung\n~How good?\n" in german

    def test_comes_after_a_translation_beside_the_rubric(self, rubric, scripted, written, quality):
        beside = quality.with_name("quality.de.yaml")
        beside.write_text("description: Wie gut?\nscoring:\n  1: schlecht\n  2: gut\n", encoding="utf-8")
        _, (german,) = self.shown(rubric, scripted, written, quality, "de")
        assert "# Anweisung\nWie gut?\n" in german

    def test_lacks_a_language_that_was_not_asked_for(self, rubric, scripted, written, quality):
        found, asked = self.shown(rubric, scripted, written, quality, "xh")
        assert (found.value, asked) == (None, [])
        assert "there are no texts in the language 'xh'" in found.info["reason"]
        assert "made.jsonl, which rubric/translated_texts made, has none" in found.info["reason"]

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            ('"language"', '"lang"', r"made.jsonl:1: this is not a row of rubric/translated_texts"),
            ("$key", "key", r"made.jsonl:1: texts.rules.fences: \$key must appear in it once"),
            ('"scoring": {"1"', '"scoring": {"0"', r"made.jsonl:1: rubric: the scale from 0 to 2 has no level 1"),
            ('"rubric_sha": "', '"rubric_sha": "0', r"made.jsonl:1: its rubric is a translation of another one"),
            ("{", "", r"made.jsonl:1: this is not a row"),
        ],
    )
    def test_is_checked_with_its_line_before_a_run(self, written, quality, old, new, told):
        text = written.read_text(encoding="utf-8")
        assert old in text
        written.write_text(text.replace(old, new, 1), encoding="utf-8")
        with pytest.raises(ValidationError, match=told):
            REWARD.config(judge="j", rubric=str(quality), strategy="tgt-eng", texts=str(written))

    def test_that_nothing_writes_is_named_by_check(self, tmp_path, quality):
        """With a stage that writes it before, test_row_translations.py runs the recipe."""
        options = {"judge": "main", "rubric": str(quality), "strategy": "tgt-eng", "texts": "nowhere.jsonl"}
        recipe = {
            "version": 1,
            "judges": {"main": {"use": "openai/chat", "with": {"model": "m"}}},
            "reward": {"components": {"quality": {"use": "rubric/pointwise", "with": options}}, "total": "quality"},
        }
        path = tmp_path / "r.yaml"
        path.write_text(json.dumps(recipe), encoding="utf-8")
        with pytest.raises(UserError, match=r"there is no file nowhere\.jsonl, and no earlier stage `data` writes it"):
            check_recipe(load(path), purpose="score")
