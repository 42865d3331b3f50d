"""data/benchmark: the published formats, few-shot examples, files of one's own, and what goes wrong."""

import json
import re
from typing import ClassVar

import pytest
import yaml
from helpers.each_case import each_case
from helpers.paths import ROOT
from rewardlab.errors import UserError
from rewardlab_data.benchmark import BenchmarkRows
from rewardlab_data.benchmark_format import BENCHMARKS
from rewardlab_data.instructions import native_instructions
from rewardlab_data.options import BenchmarkOptions

BOX = "\\boxed{}"


def read(**options):
    return list(BenchmarkRows(BenchmarkOptions(**options)))


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def lines(name, rows):
        text = "".join(row if isinstance(row, str) else f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
        (tmp_path / name).write_text(text, encoding="utf-8")

    return lines


def mgsm(number, answer="Schritt für Schritt: 7."):
    return {"question": f"Frage {number}?", "answer": answer, "answer_number": number, "equation_solution": None}


def belebele(number, **more):
    choices = {f"mc_answer{k}": f"Antwort {k}" for k in range(1, 5)}
    row = {"link": "https://l", "question_number": number, "flores_passage": "Ein Text.", "question": "Was?", **choices}
    return row | {"correct_answer_num": "3", "dialect": "deu_Latn", "ds": "2023-05-03"} | more


ROWS = {
    "global_mmlu_lite": {
        "sample_id": "law/1", "subject": "law", "question": "Was?", "option_a": "w", "option_b": "x", "option_c": "y",
        "option_d": "z", "answer": "B", "cultural_sensitivity_label": "CA",
    },
    "mmlu_prox": {
        "question_id": 7, "question": "Was?", "answer": "C", "category": "law", "src": "s", "cot_content": "",
        **{f"option_{k}": f"o{k}" if k < 4 else None for k in range(10)},
    },
    "include": {
        "question": "Was?", "option_a": "w", "option_b": "x", "option_c": "y", "option_d": "z", "answer": 3,
        "language": "German", "country": "Germany",
        "domain": "STEM", "subject": "Biology", "regional_feature": "agnostic", "level": "",
    },
    "mlogiqa": {"context": "Kontext.", "question": "Was?", "options": "['w', 'x', 'y', 'z']", "answer": 0},
}  # fmt: skip


INTO_ENGLISH = "Translate this sentence into English. Write the translation and nothing else."


class TestPublishedFormats:
    def test_each_that_comes_with_it_can_be_read_and_has_its_source(self):
        assert len(BENCHMARKS.packaged) >= 7
        for name in BENCHMARKS.packaged:
            found = BENCHMARKS.load(name)
            assert (found.task, found.source[:8], bool(found.hub)) == (name, "https://", True)

    def test_mgsm(self, write):
        write("de.jsonl", [mgsm(n) for n in range(3)])
        first, *_ = found = read(benchmark="mgsm", path="{language}.jsonl", languages=["de"])
        assert [row.id for row in found] == ["de/0", "de/1", "de/2"]
        assert first.prompt == ({"role": "user", "content": f"Frage 0?\n\nPut the final answer in {BOX}."},)
        assert first.fields == {"answer": "0", "language": "de", "task": "mgsm", "problem": "0"}

    def test_mgsm_as_its_authors_publish_it_without_a_line_of_names(self, write):
        write("mgsm_de.tsv", ['Er sagte: "Wie viele?"\t1,080\n', "Und nun?\t7\n"])
        found = read(benchmark="mgsm", path="mgsm_{language}.tsv", languages=["de"])
        assert [row.fields["answer"] for row in found] == ["1,080", "7"]
        assert 'Er sagte: "Wie viele?"' in found[0].prompt[0]["content"]

    def test_mt_aime2024_is_its_like_with_whole_numbers(self, write):
        write("aime.jsonl", [{"en": "What?", "de": "Was?", "zh-cn": "什么?", "answer": 204}])
        found = read(benchmark="mt_aime2024", path="aime.jsonl", languages=["de", "zh-cn"])
        assert [(row.id, row.fields["answer"], row.fields["task"]) for row in found] == [
            ("de/0", "204", "mt_aime2024"),
            ("zh-cn/0", "204", "mt_aime2024"),
        ]

    def test_mt_math100_has_a_column_for_each_language(self, write):
        write("math.jsonl", [{"en": "What?", "de": "Was?", "no": "Hva?", "zh-cn": "什么?", "answer": "\\frac{1}{2}"}])
        found = read(benchmark="mt_math100", path="math.jsonl", languages=["de", "no", "zh-cn"])
        assert [row.id for row in found] == ["de/0", "no/0", "zh-cn/0"]
        assert [row.prompt[0]["content"].split("\n")[0] for row in found] == ["Was?", "Hva?", "什么?"]
        assert {row.fields["answer"] for row in found} == {"\\frac{1}{2}"}

    def test_belebele(self, write):
        write("deu_Latn.jsonl", [belebele(1), belebele(2)])
        first, second = read(benchmark="belebele", path="{language}.jsonl", languages=["de"])
        lines = "A. Antwort 1\nB. Antwort 2\nC. Antwort 3\nD. Antwort 4"
        told = f"Ein Text.\n\nWas?\n\n{lines}\n\nWhich answer is right? Put its letter in {BOX}."
        assert first.prompt == ({"role": "user", "content": told},)
        assert (first.fields["answer"], first.fields["choices"]["C"]) == ("C", "Antwort 3")
        assert (first.fields["problem"], second.fields["problem"]) == ("https://l/1", "https://l/2")

    @each_case(
        "name, answer, choices, kept",
        [
            ("global_mmlu_lite", "B", 4, {"subject": "law", "cultural_sensitivity_label": "CA"}),
            ("mmlu_prox", "C", 4, {"category": "law"}),
            ("include", "D", 4, {"country": "Germany"}),
            ("mlogiqa", "A", 4, {}),
        ],
    )
    def test_the_others(self, write, name, answer, choices, kept):
        language = "fr" if name == "mlogiqa" else "de"
        write(f"{BENCHMARKS.load(name).languages[language]}.jsonl", [ROWS[name]])
        [found] = read(benchmark=name, path="{language}.jsonl", languages=[language])
        assert (found.fields["answer"], len(found.fields["choices"])) == (answer, choices)
        assert kept.items() <= found.fields.items()
        assert "Was?" in found.prompt[0]["content"]

    def test_indommlu_has_a_line_for_each_choice_and_rows_without_an_answer(self, write):
        options = "A. kasti\nB. rounders\nC. sepak bola\nseperti ini"
        row = {"question": "Apa?", "options": options, "answer": "C", "subject": "Sport", "level": "SD"}
        write("i.jsonl", [row, row | {"answer": "E"}, row | {"answer": "b"}])
        found = read(benchmark="indommlu", path="i.jsonl", languages=["id"])
        assert [one.fields["answer"] for one in found] == ["C", "B"]
        assert found[0].fields["choices"] == {"A": "kasti", "B": "rounders", "C": "sepak bola seperti ini"}
        assert "Tulis hurufnya" in found[0].prompt[0]["content"]

    def test_another_benchmark_refuses_an_answer_that_is_no_choice(self, write):
        write("German.jsonl", [ROWS["include"] | {"answer": 9}])
        with pytest.raises(UserError, match="not a choice"):
            read(benchmark="include", path="{language}.jsonl", languages=["de"])

    @each_case("text", ["no choices", "B. begins\nA. late", "A", "A. one alone", "A: w\nB: x"])
    def test_a_text_of_another_form_lists_no_choices(self, write, text):
        write("i.jsonl", [{"question": "Apa?", "options": text, "answer": "A"}])
        with pytest.raises(UserError, match="choices"):
            read(benchmark="indommlu", path="i.jsonl", languages=["id"])

    def test_flores_101_is_translated_into_english(self, write):
        rows = [{"id": n, "sentence_deu": f"Satz {n}.", "sentence_eng": f"Sentence {n}."} for n in range(3)]
        write("f.jsonl", rows)
        _, found = read(benchmark="flores_101", path="f.jsonl", languages=["de"], shots=1, shots_path="f.jsonl")
        assert [turn["content"] for turn in found.prompt][1:] == ["Sentence 0.", f"Satz 2.\n\n{INTO_ENGLISH}"]
        assert found.fields["answer"] == "Sentence 2."


class TestExamples:
    def test_stand_before_the_question_as_earlier_turns(self, write):
        write("de.jsonl", [mgsm(50)])
        worked = ("Schritt-für-Schritt-Antwort: Erst 3: dann 4.", "Schritt-für-Schritt-Antwort: \\boxed{8}", "Nichts")
        rows = [mgsm(n, text) for n, text in zip((7, 8, 9), worked, strict=True)]
        write("shots.jsonl", [{**row, "question": f"Frage: {row['question']}"} for row in rows])
        options = {"path": "{language}.jsonl", "languages": ["de"], "shots_path": "shots.jsonl", "shots": 2}
        [found] = read(benchmark="mgsm", **options)
        assert [turn["role"] for turn in found.prompt] == ["user", "assistant"] * 2 + ["user"]
        assert [turn["content"] for turn in found.prompt if turn["role"] == "assistant"] == [
            "Erst 3: dann 4.\n\n\\boxed{7}",
            "\\boxed{8}",
        ]
        assert [found.prompt[at]["content"].split("\n")[0] for at in (0, 2, 4)] == ["Frage 7?", "Frage 8?", "Frage 50?"]

    def test_without_a_worked_solution_are_the_answer_alone(self, write):
        write("deu_Latn.jsonl", [belebele(0)])
        write("shots.jsonl", [belebele(1)])
        options = {"path": "{language}.jsonl", "shots_path": "shots.jsonl", "languages": ["de"], "shots": 1}
        [found] = read(benchmark="belebele", **options)
        assert found.prompt[1] == {"role": "assistant", "content": "\\boxed{C}"}

    def test_of_a_subject_are_those_of_the_questions_own(self, write):
        row = ROWS["mmlu_prox"]
        write("de.jsonl", [row, row | {"question_id": 8, "category": "business"}])
        shots = [{**row, "category": c, "question": f"Wie, {c} {n}?"} for c in ("business", "law") for n in range(3)]
        write("shots.jsonl", shots)
        options = {"path": "{language}.jsonl", "shots_path": "shots.jsonl", "languages": ["de"]}
        law, business = read(benchmark="mmlu_prox", **options, shots=2)
        assert [turn["content"].split("\n")[0] for turn in law.prompt[::2]] == ["Wie, law 0?", "Wie, law 1?", "Was?"]
        assert business.prompt[0]["content"].startswith("Wie, business 0?")
        with pytest.raises(UserError, match="3 examples in de of category 'law'; `shots` asks for 5"):
            read(benchmark="mmlu_prox", **options, shots=5)

    def test_of_the_same_rows_are_not_evaluated(self, write):
        write("de.jsonl", [mgsm(n) for n in range(5)])
        same = {"path": "{language}.jsonl", "shots_path": "{language}.jsonl", "languages": ["de"], "shots": 2}
        found = read(benchmark="mgsm", **same, rows=2)
        assert [row.id for row in found] == ["de/2", "de/3"]
        assert found[0].prompt[0]["content"].startswith("Frage 0?")
        assert [row.id for row in read(benchmark="mgsm", **same)] == ["de/2", "de/3", "de/4"]

    def test_that_are_too_few_are_an_error(self, write):
        write("de.jsonl", [mgsm(1)])
        options = {"path": "{language}.jsonl", "shots_path": "{language}.jsonl", "languages": ["de"], "shots": 8}
        with pytest.raises(UserError, match="1 examples in de; `shots` asks for 8"):
            read(benchmark="mgsm", **options)
        with pytest.raises(UserError, match="`shots` needs `shots_path`"):
            read(benchmark="mgsm", path="{language}.jsonl", languages=["de"], shots=8)


class TestAFileOfOnesOwn:
    OWN: ClassVar = {
        "version": 1,
        "task": "riddles",
        "languages": {"no": "norsk", "sv": "svensk"},
        "question": "$spørsmål",
        "choices": "valg",
        "answer": "svar",
        "answer_is": "text",
        "instruction": {"no": "Svar med bokstaven i \\boxed{}.", "default": "Letter in \\boxed{}."},
    }

    def own(self, tmp_path, **changes):
        path = tmp_path / "riddles.yaml"
        path.write_text(yaml.safe_dump({**self.OWN, **changes}, allow_unicode=True), encoding="utf-8")
        return str(path)

    def test_is_data_alone(self, write, tmp_path):
        write("norsk.jsonl", [{"spørsmål": "Hva koster $5?", "valg": ["en", "to"], "svar": "to"}])
        [found] = read(benchmark=self.own(tmp_path), path="{language}.jsonl", languages=["no"])
        assert found.prompt[0]["content"] == "Hva koster $5?\n\nA. en\nB. to\n\nSvar med bokstaven i \\boxed{}."
        assert found.fields["answer"] == "B"

    @pytest.mark.parametrize(
        ("changes", "told"),
        [
            ({"questions": "x"}, "questions: no such option; did you mean 'question'?"),
            ({"question": "a $ b"}, "question: a $ stands before no name"),
            ({"prompt": "$text"}, "prompt: $text is not known"),
            ({"prompt": "$choices"}, "prompt: $question is missing"),
            ({"answer_is": "value"}, "answer_is: value and number are for free answers"),
            ({"instruction": {"no": "x"}}, "instruction: none for sv, and no default"),
            ({"languages": {}}, "languages: "),
            ({"version": 2}, "version: "),
        ],
    )
    def test_that_is_wrong_is_told_with_its_key(self, tmp_path, changes, told):
        path = self.own(tmp_path, **changes)
        with pytest.raises(UserError, match=rf"{re.escape(path)}:\d+: {re.escape(told)}"):
            BENCHMARKS.load(path)

    def test_that_is_no_yaml_or_not_there(self, tmp_path):
        broken = tmp_path / "broken.yaml"
        broken.write_text("task: [a\nb: c\n")
        with pytest.raises(UserError, match=r"broken\.yaml:2"):
            BENCHMARKS.load(str(broken))
        broken.write_text(f"task: {'[' * 1000}")
        with pytest.raises(UserError, match=r"broken\.yaml:1: it is nested more than 64 deep"):
            BENCHMARKS.load(str(broken))
        with pytest.raises(UserError, match=r"none\.yaml: cannot be read: No such file"):
            BENCHMARKS.load(str(tmp_path / "none.yaml"))
        with pytest.raises(UserError, match="no benchmark 'mgms'; did you mean 'mgsm'"):
            BENCHMARKS.load("mgms")


class TestBadInput:
    def test_rows_of_another_form_are_told_with_their_columns(self, write):
        write("de.jsonl", [mgsm(1), {"problem": "?", "answer_number": 2}, mgsm(3)])
        rows = iter(BenchmarkRows(BenchmarkOptions(benchmark="mgsm", path="{language}.jsonl", languages=["de"])))
        assert next(rows).id == "de/0"
        with pytest.raises(UserError) as raised:
            list(rows)
        told = str(raised.value)
        assert "de.jsonl:2: no column 'question'; there are 'answer_number', 'problem'" in told
        assert "1 bad row; the form of mgsm is that of https://" in told

    @each_case(
        "row, told",
        [
            (belebele(1, correct_answer_num="5"), "column 'correct_answer_num', is '5', not a choice of A, B, C, D"),
            (belebele(1, correct_answer_num=None), "column 'correct_answer_num' is empty"),
            (belebele(1, question=" "), "column 'question' is empty"),
            (belebele(1, question=7), "column 'question' should hold text, not 7"),
            (belebele(1, mc_answer2=None, mc_answer3=None, mc_answer4=""), "1 choices; at least two are needed"),
        ],
    )
    def test_rows_without_a_right_choice(self, write, row, told):
        write("deu_Latn.jsonl", [row])
        with pytest.raises(UserError) as raised:
            read(benchmark="belebele", path="{language}.jsonl", languages=["de"])
        assert f"deu_Latn.jsonl:1: {told}" in str(raised.value) or told in str(raised.value)

    @each_case("answer", ["seven", "answer_number", "", " ", None, True, {"x": 1}, [1]])
    def test_an_answer_that_is_none(self, write, answer):
        write("de.jsonl", [mgsm(1) | {"answer_number": answer}])
        with pytest.raises(UserError, match=r"de\.jsonl:1: (the right answer, |column )"):
            read(benchmark="mgsm", path="{language}.jsonl", languages=["de"])

    @each_case("answer", [7, 7.0, 2.5, "7", "-1,080", "1 080", "3/4", "12%"])
    def test_a_number_in_any_notation_is_one(self, write, answer):
        write("de.jsonl", [mgsm(1) | {"answer_number": answer}])
        assert len(read(benchmark="mgsm", path="{language}.jsonl", languages=["de"])) == 1

    def test_one_file_is_not_that_of_several_languages(self, write):
        write("one.jsonl", [mgsm(1)])
        with pytest.raises(UserError, match=r"path: one file cannot be that of 2 languages; put \{language\} into it"):
            read(benchmark="mgsm", path="one.jsonl", languages=["de", "fr"])
        assert len(read(benchmark="mgsm", path="one.jsonl", languages=["de"])) == 1
        with pytest.raises(ValueError, match="a language is named twice"):
            BenchmarkOptions(benchmark="mgsm", languages=["de", "de"])

    def test_questions_of_a_benchmark_that_is_not_parallel_are_none_of_each_other(self, write):
        for name in ("German", "French"):
            write(f"{name}.jsonl", [ROWS["include"]])
        found = read(benchmark="include", path="{language}.jsonl", languages=["de", "fr"])
        assert [row.fields["problem"] for row in found] == ["de/0", "fr/0"]

    def test_a_language_that_it_lacks(self):
        with pytest.raises(UserError, match="no language 'ar'; there are 'bn', 'de', 'en'"):
            read(benchmark="mgsm", languages=["de", "ar"])

    def test_a_file_that_lacks_the_language(self, write):
        write("math.jsonl", [{"en": "What?", "answer": "1"}])
        with pytest.raises(UserError, match=r"math\.jsonl:1: no column 'de'; there are 'answer', 'en'"):
            read(benchmark="mt_math100", path="math.jsonl", languages=["de"])
        with pytest.raises(UserError, match=r"de\.jsonl"):
            read(benchmark="mgsm", path="{language}.jsonl", languages=["de"])

    def test_a_table_of_another_form(self, write):
        write("mgsm_de.tsv", ["Frage?\t1\n", "Frage ohne Zahl?\n"])
        with pytest.raises(UserError, match=r"mgsm_de\.tsv:2: 1 cells; 2 are question, answer_number"):
            read(benchmark="mgsm", path="mgsm_{language}.tsv", languages=["de"])

    def test_an_empty_file(self, write):
        write("mgsm_de.tsv", [])
        with pytest.raises(UserError, match="no rows in de"):
            read(benchmark="mgsm", path="mgsm_{language}.tsv", languages=["de"])


def test_the_most_rows_of_each_language(write):
    for language in ("de", "fr"):
        write(f"{language}.jsonl", [mgsm(n) for n in range(5)])
    found = read(benchmark="mgsm", path="{language}.jsonl", languages=["de", "fr"], rows=2)
    assert [row.id for row in found] == ["de/0", "de/1", "fr/0", "fr/1"]


@pytest.mark.slow
def test_a_folder_of_the_hubs_form_is_read_as_the_hub_is(tmp_path, monkeypatch):
    """No network: `datasets` reads a folder as it reads a dataset there."""
    folder = tmp_path / "set"
    folder.mkdir()
    for split, row in (
        ("test", {"id": "x", "question": "Was?", "answer": "7"}),
        ("train", {"id": "y", "question": "Wie?", "answer": "5"}),
    ):
        (folder / f"{split}.jsonl").write_text(json.dumps(row) + "\n")
    own = tmp_path / "own.yaml"
    own.write_text(f"version: 1\ntask: own\nlanguages: {{de: default}}\nquestion: $question\nanswer: answer\nid: [id]\n"
                   f"hub: {{path: {folder}, split: test, shots: train}}\n")  # fmt: skip
    [found] = read(benchmark=str(own), shots=1)
    assert (found.id, found.fields["answer"]) == ("de/x", "7")
    assert [turn["content"][:4] for turn in found.prompt] == ["Wie?", r"\box", "Was?"]


class TestInstructions:
    def test_in_the_language_of_the_row_are_those_of_training_rows(self, write):
        from rewardlab_language.wording import wordings

        assert native_instructions() == {code: wording.system for code, wording in wordings().items()}

    def test_may_stand_in_a_system_message(self, write):
        write("de.jsonl", [mgsm(50)])
        write("shots.jsonl", [mgsm(7)])
        options = {"path": "{language}.jsonl", "shots_path": "shots.jsonl", "languages": ["de"], "shots": 1}
        [found] = read(benchmark="mgsm", **options, native_instruction=True, instruction_in="system")
        assert [turn["role"] for turn in found.prompt] == ["system", "user", "assistant", "user"]
        assert found.prompt[0]["content"] == native_instructions()["de"]
        assert (found.prompt[1]["content"], found.prompt[3]["content"]) == ("Frage 7?", "Frage 50?")

    def test_may_be_ones_own(self, write):
        write("de.jsonl", [mgsm(50)])
        [found] = read(benchmark="mgsm", path="{language}.jsonl", languages=["de"], instruction="Nur die Zahl.")
        assert found.prompt[0]["content"] == "Frage 50?\n\nNur die Zahl."

    def test_variants_of_a_language_share_them(self, write):
        write("math.jsonl", [{"zh-cn": "什么?", "zh-tw": "什麼?", "answer": "1"}])
        options = {"path": "math.jsonl", "languages": ["zh-cn", "zh-tw"], "native_instruction": True}
        assert all(
            native_instructions()["zh"] in row.prompt[0]["content"] for row in read(benchmark="mt_math100", **options)
        )

    def test_that_there_are_none_of_is_told_before_anything_is_read(self):
        with pytest.raises(UserError, match="mt_math100: native_instruction: none in 'cy'"):
            read(benchmark="mt_math100", path="none.jsonl", languages=["de", "cy"], native_instruction=True)
        with pytest.raises(ValueError, match="exclude each other"):
            BenchmarkOptions(benchmark="mgsm", instruction="x", native_instruction=True)


class TestAFileOfInstructions:
    OPTIONS: ClassVar = {"benchmark": "mt_math100", "path": "math.jsonl", "instruction_in": "system"}

    @pytest.fixture(autouse=True)
    def rows(self, write):
        write("math.jsonl", [{"de": "Was?", "zh-cn": "什么?", "zh-tw": "什麼?", "no": "Hva?", "answer": "1"}])

    def told(self, *languages, file="own.json"):
        return [
            row.prompt[0]["content"] for row in read(**self.OPTIONS, languages=languages, instruction={"file": file})
        ]

    @pytest.mark.parametrize("file", ["own.json", "own.yaml"])
    def test_is_said_in_the_language_of_each_row_word_for_word(self, tmp_path, file):
        own = {"de": "Denk, $x, und \\boxed{}\\n!", "zh": "想 \\boxed{}", "zh-tw": "想想 \\boxed{}", "no": "Tenk."}
        (tmp_path / file).write_text(json.dumps(own, ensure_ascii=file == "own.json"), encoding="utf-8")
        expected = [own["de"], own["zh"], own["zh-tw"], own["no"]]
        assert self.told("de", "zh-cn", "zh-tw", "no", file=file) == expected

    @pytest.mark.parametrize(
        ("text", "complaint"),
        [
            ('{"de": "x"}', "own.json: instruction: none in 'zh-cn'"),
            ("[1]", "own.json: must be a mapping of language code -> text"),
            ("{}", "own.json: must be a mapping of language code -> text"),
            ('{"de": " "}', "own.json: de: must be a text"),
            ('{"de": ["x"]}', "own.json: de: must be a text"),
            ("{", "own.json: is neither YAML nor JSON"),
            ("[" * 100_000, "own.json: is neither YAML nor JSON"),
            (f'{{"de": "{"x" * 1_000_000}"}}', "own.json: larger than 1,000,000 bytes"),
            (None, "own.json: cannot be read: No such file"),
        ],
    )
    def test_that_cannot_be_used_is_told(self, tmp_path, text, complaint):
        if text is not None:
            (tmp_path / "own.json").write_text(text)
        with pytest.raises(UserError, match=re.escape(complaint)):
            self.told("de", "zh-cn")

    def test_excludes_the_words_of_training_rows(self):
        with pytest.raises(ValueError, match="exclude each other"):
            BenchmarkOptions(benchmark="mgsm", instruction={"file": "own.json"}, native_instruction=True)


class TestThePage:
    PAGE = ROOT / "docs" / "benchmark_data.md"

    def test_counts_the_languages_of_each(self):
        rows = re.findall(r"^\| `(\w+)` \| [^|]* \| (\d+)", self.PAGE.read_text(encoding="utf-8"), re.MULTILINE)
        told = {name: int(count) for name, count in rows if name in BENCHMARKS.packaged}
        assert told == {name: len(BENCHMARKS.load(name).languages) for name in BENCHMARKS.packaged}

    def test_shows_a_file_that_is_right(self, write, tmp_path):
        blocks = re.findall(r"```yaml\n(.*?)```", self.PAGE.read_text(encoding="utf-8"), re.DOTALL)
        [shown] = [block for block in blocks if "riddles" in block]
        (tmp_path / "riddles.yaml").write_text(shown, encoding="utf-8")
        row = {"context": "En by.", "question": "Hvor?", "a": "der", "b": "her", "solution": 2, "number": 7}
        write("norsk.jsonl", [row])
        [found] = read(benchmark=str(tmp_path / "riddles.yaml"), path="{language}.jsonl", languages=["nb"])
        assert (found.id, found.fields["answer"]) == ("nb/7", "B")
        asked = "En by.\n\nHvor?\n\nA. der\nB. her\n\nSett bokstaven for riktig svar i \\boxed{}."
        assert found.prompt[0]["content"] == asked
