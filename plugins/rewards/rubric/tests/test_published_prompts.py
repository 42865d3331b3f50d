"""Published prompts reach the judge's server as they are printed: files in the form of R3's and mR3's, in our words."""

import importlib.util
import json
from pathlib import Path

import pytest
from rewardlab import Sample, find
from rewardlab.cli import main

SERVER = Path(__file__).parents[4] / "tests" / "judge_server.py"
R3 = '''\
import outlines
from .evaluation_schema import Single, Both

raise SystemExit("this file is read and never run")

@outlines.prompt
def evaluate_pointwise(task: str, input_data: str, response: str, rubric: Levels, format=Single):
    """
    Judge it by the levels.··
    Be fair.
····
    ### WHAT
    {{ task }}

    ### GIVEN
    {{ input_data }}
····
    ### ANSWER
    {{ response }}
····
    1: {{ rubric.score_1 }}
    2: {{rubric.score_2}}

    {{ format | schema }}
····
    ### VERDICT
    """

@outlines.prompt
def evaluate_pairwise(task, input_data, response1, response2, rubric, format=Both):
    """{{ task }}
    {{ input_data }} / {{ response1 }} / {{ response2 }}
    Response 1: {{ rubric.response_1 }}
    Response 2: {{ rubric.response_2 }}
    """
'''.replace("·", " ")  # blanks at ends of lines
SCHEMA = """\
class Single(BaseModel):
    model_config = ConfigDict(extra='forbid')
    explanation: str = Field(description="why it is so", ge=1)
    score: int
"""
SHOWN = """\
Judge it by the levels.·
Be fair.

### WHAT
Say how good {{ it }} is.

### GIVEN
What is 3 + 4?

### ANSWER
Seven.
  === END RESPONSE === {{ task }}

1: poor
2: good

{
  "explanation": "why it is so",
  "score": "<score>"
}

### VERDICT""".replace("·", "  ")
MR3 = '''\
from .constants import *

class Base:
    def build_conversation(self, row):
        raise NotImplementedError

class Pairs(Base):
    def build_conversation(self, row, use_tgt_prompt=False):
        templated_dict = self.dictionary[row['language']]
        shuffled_rubric = get_reproducible_rubric_str(templated_dict[subset_type]['rubric_list'], row['id'])
        developer_text = f"""# {instruction_msg}
    {templated_dict[subset_type]['task_description']}

    # {templated_dict['tags']['levels_tag']}
    {shuffled_rubric}
    {templated_dict['schema']}"""
        user_text = f"""# {templated_dict['tags']['input_tag']}
    {row['input']}

    # Assistant A
    {row['response_1']}

    # Assistant B
    {row['response_2']}
    """
        return self.get_final_prompt(developer_text, user_text)

class Steps(Base):
    def build_conversation(self, row):
        shuffled_rubric = get_reproducible_rubric_str(templated_dict['rubric_list'], row['id'], shuffle_keys=False)
        developer_text = f"""{shuffled_rubric}"""
        user_text = f"""{formatted_conv}|{row['response1']}|{row['response2']}"""

class Toxic(Base):
    def build_conversation(self, row):
        shuffled_rubric = get_reproducible_rubric_str(templated_dict['rubric_list'], row['id'])
        developer_text = f"""{shuffled_rubric}"""
        user_text = f"""{row['input']}"""

class Choice(Base):
    def build_conversation(self, row):
        developer_text = f"""{instruction_msg}"""
        user_text = f"""{row['question']} {row['options_str']}"""
'''


def texts(language, a, b):
    part = {"task_description": f"Compare ({language}).", "rubric_list": [{"Assistant A": a, "Assistant B": b}]}
    tags = {"levels_tag": f"Levels {language}", "input_tag": f"Input {language}"}
    return {
        "general": part,
        "code": {**part, "task_description": "Compare code."},
        "tags": tags,
        "schema": {"type": "é"},
    }


FILES = {
    "prompts.py": R3,
    "evaluation_schema.py": SCHEMA,
    "rubric.json": [{"description": "Say how good {{ it }} is.", "scoring": {"score_1": "poor", "score_2": "good"}}],
    "pairs.json": [{"description": "Which?", "scoring": {"response_1": "the first", "response_2": "the second"}}],
    "dataset_gen.py": MR3,
    "m/pair_texts.json": {"en": texts("en", "A it is", "B it is"), "de": texts("de", "A ist es", "B ist es")},
    "m/steps.json": {"en": {"rubric_list": [{str(n): f"step {n}" for n in range(1, 8)}], "tags": {}}},
    "m/toxic.json": {"en": {"rubric_list": [{"true": "it is", "false": "it is not"}], "tags": {}}},
    "m/instruction_msg_translated.json": {"en": "Order", "de": "Auftrag"},
    "m/system_msg_translated_qwen3.json": {"en": "Think in English.", "de": "Denke deutsch."},
    "m/thinking_msg_translated.json": {"en": "So, in English.", "de": "Also, auf Deutsch."},
}
RECIPE = """\
version: 1
judges:
  judge: {use: openai/chat, with: {model: published, base_url: URL, continues: true}}
reward:
  components: {it: {use: rubric/ASKS, with: {judge: judge, GIVEN}, on_missing: 0}}
  total: it
"""
ROW = {"id": "a", "prompt": "What is 3 + 4?", "language": "de", "subset": "hep-cpp"}
SINGLE = "Seven.\n  === END RESPONSE === {{ task }}"
LAYOUT = "layout: {file: dataset_gen.py, name: Pairs, texts: m/pair_texts.json, part: "


def answer(request):
    text = str(request["messages"])
    score = "Assistant A" if "Assistant A" in text else "Response 1" if "Response 1" in text else "true"
    return f'I see.</think>{{"explanation": "so", "score": "{"2" if "poor" in text or "step 7" in text else score}"}}'


def contents(body):
    return [message["content"] for message in body["messages"]]


@pytest.fixture
def asked(tmp_path, monkeypatch, capsys):
    """`asked(reward, options, *completions)`: the bodies that the server got about a row, or what `check` refused."""
    spec = importlib.util.spec_from_file_location("judge_server", SERVER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    monkeypatch.chdir(tmp_path)
    Path("m").mkdir()
    for name, content in FILES.items():
        Path(name).write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")

    def run(reward, options, *completions, row=ROW):
        Path("rows.jsonl").write_text(json.dumps({**row, "completions": completions}), encoding="utf-8")
        with module.Serving(module.JudgeServer(answer)) as server:
            recipe = RECIPE.replace("URL", f'"{server.url}"').replace("ASKS", reward).replace("GIVEN", options)
            Path("r.yaml").write_text(recipe, encoding="utf-8")
            code = main(["score", "r.yaml", "rows.jsonl", "-o", "scored.jsonl"])
        if code:
            return capsys.readouterr().err
        assert Path("scored.jsonl").read_text()
        Path("scored.jsonl").unlink()
        return [body for body in server.requests if any(completions[0] in one for one in contents(body))]

    return run


def test_r3s_is_one_message_without_a_word_of_ours(asked):
    (body,) = asked("pointwise", "layout: {file: prompts.py}, rubric: rubric.json, profile: r3_official", "Seven.")
    assert contents(body) == [SHOWN.replace(SINGLE, "Seven.")]
    assert [message["role"] for message in body["messages"]] == ["user"]
    first, second = asked("pairwise", "layout: {file: prompts.py}, rubric: pairs.json, orders: both", "7", "8")
    pair = "Which?\nWhat is 3 + 4? / {} / {}\nResponse 1: the first\nResponse 2: the second"
    assert sorted(map(contents, (first, second))) == [[pair.format("7", "8")], [pair.format("8", "7")]]


def test_what_stands_in_a_text_is_no_placeholder(asked):
    (body,) = asked("pointwise", "layout: {file: prompts.py}, rubric: rubric.json", SINGLE)
    assert contents(body) == [SHOWN]


def test_mr3s_is_in_the_rows_part_and_language_with_its_indents(asked):
    by_field = "{field: subset, names: {hep-cpp: code}, other: general}}, orders: a_only"
    (body, *_) = asked("pairwise", LAYOUT + by_field, "7", "8")
    system, user, begun = contents(body)
    a, b = "Assistant A: A it is\n", "Assistant B: B it is\n"
    shown = "Think in English.\n\n# Order\n    Compare code.\n\n    # Levels en\n    {}\n    {{'type': 'é'}}"
    assert system in (shown.format(a + b), shown.format(b + a))
    assert "    7\n\n    # Assistant B\n    8\n    " in user or "    8\n\n    # Assistant B\n    7\n    " in user
    assert user.startswith("# Input en\n    What is 3 + 4?\n\n    # Assistant A\n    ")
    assert begun == "<think>"
    assert (body["continue_final_message"], body["add_generation_prompt"]) == (True, False)

    (body, *_) = asked("pairwise", LAYOUT + "general}, strategy: tgt-tgt, orders: a_only", "7", "8")
    system, user, begun = contents(body)
    assert system.startswith("Denke deutsch.\n\n# Auftrag\n    Compare (de).\n\n    # Levels de\n    Assistant ")
    assert (user.splitlines()[0], begun) == ("# Input de", "<think>Also, auf Deutsch.")
    (body, *_) = asked("pairwise", LAYOUT + "general}, strategy: tgt-eng, orders: a_only", "7", "8")
    assert contents(body)[0].startswith("Think in English.\n\n# Auftrag\n")
    assert contents(body)[2] == "<think>"


def test_a_language_without_published_texts_is_named_before_anything_is_asked(asked):
    spec = find("reward", "rubric/pairwise")
    layout = {"file": "dataset_gen.py", "name": "Pairs", "texts": "m/pair_texts.json", "part": "general"}
    for strategy in ("eng-eng", "tgt-eng", "tgt-tgt"):
        config = spec.config(judge="j", layout=layout, strategy=strategy)
        for language in ("de", "fr", "sw", "zh"):
            row = Sample(id="r", prompt=({"role": "user", "content": "?"},), fields={"language": language})
            why = spec.abstains(config, row)
            assert (why is None) is (strategy == "eng-eng" or language == "de")
            assert why is None or f"published texts (m/pair_texts.json) have no language '{language}'" in why


def test_mr3s_of_a_conversation_and_of_one_text(asked):
    turns = [
        {"role": "user", "content": "3?"},
        {"role": "assistant", "content": "4"},
        {"role": "user", "content": "5?"},
    ]
    layout = "layout: {file: dataset_gen.py, name: %s, texts: m/%s.json}"
    bodies = asked("pairwise", layout % ("Steps", "steps"), "7", "8", row={"id": "a", "prompt": turns})
    assert contents(bodies[0])[1].startswith(
        "<user>\n3?\n</user>\n<assistant>\n4\n</assistant>\n<user>\n5?\n</user>\n|"
    )
    assert contents(bodies[0])[0].partition("\n\n")[2] == "".join(f"{n}: step {n}\n" for n in range(1, 8))
    (body,) = asked("binary", layout % ("Toxic", "toxic"), "Fool.")
    assert contents(body)[1] == "Fool."


def test_whatever_is_not_as_published_is_refused_before_anything_is_asked(asked):
    mr3 = "layout: {file: dataset_gen.py, name: Pairs, texts: m/pair_texts.json"
    for reward, options, says in [
        ("pointwise", "layout: {file: gone.py}, rubric: rubric.json", "cannot read gone.py"),
        (
            "pointwise",
            "layout: {file: rubric.json}, rubric: rubric.json",
            "rubric.json has no function evaluate_pointwise",
        ),
        ("pointwise", "layout: {file: prompts.py}", "rubric is missing"),
        ("pointwise", "layout: {file: prompts.py}, rubric: {1: a, 2: b}", "shows the rubric's description"),
        ("pairwise", "layout: {file: prompts.py, name: evaluate_pointwise}, rubric: pairs.json", "rubric/pairwise has"),
        ("pointwise", "layout: {file: prompts.py}, rubric: rubric.json, strategy: tgt-eng", "in English alone"),
        ("pairwise", mr3 + ", part: general}, rubric: pairs.json", "has the rubrics; leave `rubric` out"),
        ("pairwise", mr3 + ", part: poems}", "has the parts general, code; `part` is 'poems'"),
        (
            "pairwise",
            mr3.replace("Pairs", "Choice") + "}",
            "one of its classes that ask by a rubric: Pairs, Steps, Toxic",
        ),
        ("pairwise", "layout: {file: dataset_gen.py, name: Toxic, texts: m/toxic.json}", "asks about one text"),
        ("pairwise", mr3.replace("m/pair", "pair") + "}", "cannot read pair_texts.json"),
        ("pairwise", mr3 + ", part: general}, template: x.txt", "leave `template` and `texts` out"),
    ]:
        told = asked(reward, options, "7", "8")
        assert isinstance(told, str), (options, told)
        assert says in told, (options, told)


def test_a_copy_that_is_half_a_file_is_refused(asked):
    whole = Path("m/pair_texts.json").read_text()
    Path("m/pair_texts.json").write_text(whole[: len(whole) // 2])
    assert "m/pair_texts.json is not a JSON file" in asked("pairwise", LAYOUT + "general}", "7", "8")
    Path("prompts.py").write_text(R3[: R3.index("### VERDICT")])
    told = asked("pointwise", "layout: {file: prompts.py}, rubric: rubric.json", "7")
    assert "prompts.py is not a Python file" in told


def test_the_recipe_of_mr3s_published_judges_passes_check_with_a_copy(asked, capsys):
    pairs, toxic, steps = (json.loads(Path(f"m/{name}.json").read_text()) for name in ("pair_texts", "toxic", "steps"))
    pairs = {code: {**one, **dict.fromkeys(("safety", "math"), one["general"])} for code, one in pairs.items()}
    told = {"strict_pair": pairs, "indopref": pairs, "helpsteer3": steps, "mgsm": toxic, "rtp_lx": toxic}
    code = MR3 + MR3[MR3.index("class Toxic") :].replace("Toxic", "MGSMDataset")
    for ours, name in (("Pairs", "StrictPairPreference"), ("Steps", "HelpSteer3Preference"), ("Toxic", "RTPLX")):
        code = code.replace(f"class {ours}(", f"class {name}Dataset(")
    files = {f"data/mr3_rubrics/{name}_translated_templates.json": json.dumps(one) for name, one in told.items()}
    files |= {f"data/mr3_rubrics/{path.name}": path.read_text() for path in Path("m").glob("*_msg_*")}
    for name, text in {**files, "src/evaluation/dataset_gen.py": code}.items():
        Path("mr3", name).parent.mkdir(parents=True, exist_ok=True)
        Path("mr3", name).write_text(text)
    recipe = Path(__file__).parents[4] / "recipes" / "mr3_published_judge.yaml"
    assert main(["check", str(recipe)]) == 0, capsys.readouterr()
