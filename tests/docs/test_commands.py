"""The commands that documentation and recipes show are true: all can be read, and what can run on data at hand runs."""

import csv
import json
import shlex
import shutil
import tomllib

import pytest
from helpers.our_commands import NAMES, command_named
from helpers.paths import RECIPES, ROOT, TESTS
from helpers.shown_commands import FOLDERS, block_of, in_prose, shown_commands, shown_runs
from rewardlab import Completion
from rewardlab.commands.parsing import parser_of
from rewardlab.recipe.loading import load
from rewardlab.recipe.shipped import shipped_recipes
from setuptools import Distribution

COMMANDS_SHOWN = list(shown_commands())
RUNS = list(shown_runs())
READING = ("causes", "check", "compare", "convert", "judge", "probe", "score", "tables")
"""commands that only read what is there, and ask nobody outside of this machine"""
WANTING = {"$HONEST", "--callable", "--licence", "--max-bias", "--next", "--on", "--truth"}
"""words of commands that take completions, a module, labels, a cluster, a component or rows that are not there"""
RECIPE = """
version: 1
dataset: {use: data/jsonl, with: {path: rows.jsonl}}
judges: {main: {use: pairwise/overlap}}
reward:
  correctness: accuracy
  components:
    accuracy: {use: choice/accuracy}
    box: {use: format/boxed}
    liked: {use: pairwise/win_rate, with: {judge: main, privileged: reference}}
  total: accuracy + 0.5 * box
"""
ROWS = [
    {"id": f"q{n}", "prompt": f"Is {n} even?", "answer": "AB"[n % 2], "choices": ["yes", "no"], "language": "en"}
    | {"completions": [rf"I look at {n}. \boxed{{A}}", rf"It ends in {n}. \boxed{{B}}"], "task": "sums"}
    | {"reference": "It is.", "chosen": "It is.", "rejected": "a dog"}
    for n in range(3)
]


def test_there_are_as_many_as_there_were():
    """A page whose blocks the tests no longer find would pass all of them."""
    assert len(COMMANDS_SHOWN) >= 170
    assert {"run", "eval", "tables", "score", "probe", "judge"} <= {command.name for command in COMMANDS_SHOWN}
    assert len(RUNS) >= 1


def test_a_command_can_be_read_and_its_files_and_recipes_are_here(capsys):
    for command in COMMANDS_SHOWN:
        try:
            options = parser_of(command_named(command.name)).parse_intermixed_args(command.words[1:])
        except SystemExit:
            pytest.fail(f"{command.where}: {command.text}\n{capsys.readouterr().err}")
        shell = [*shlex.shlex(command.text.partition(" #")[0], posix=True, punctuation_chars=True)]
        assert not {">", "<", "&", ";", "|"} & {*shell}, "the shell takes a part of it for its own; quote that"
        for word in command.words:
            folder, _, rest = word.partition("/")
            if folder in FOLDERS and rest:
                assert (ROOT / word).exists(), f"{command.where}: no {word}"
        recipe, overrides = _recipe_of(command)
        if recipe is not None:
            stages = load(recipe, overrides).tree.get("stages", ()) if recipe.is_relative_to(RECIPES) else []
            assert getattr(options, "stage", None) in (None, *range(len(stages))), command.where


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [command for command in COMMANDS_SHOWN if any("=" in word for word in command.words) and command.name != "tables"],
    ids=lambda command: command.where,
)
def test_the_overrides_of_a_recipe_that_is_here_pass_check(command, main, offer):
    recipe, overrides = _recipe_of(command)
    if command.where.startswith("README.md"):
        project, reward = (block_of(name, ROOT / "README.md") for name in ("pyproject", "reward"))
        [(plugin, module)] = tomllib.loads(project)["project"]["entry-points"]["rewardlab"].items()
        offer(plugin, reward, module=module)
    if recipe is not None:
        code, out, err = main("check", recipe, *overrides)
        assert code == 0, out + err


def test_the_readmes_reward_is_installed_though_another_folder_lies_beside_it(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    for block, file in (("pyproject", "pyproject.toml"), ("reward", "my_rewards.py")):
        (tmp_path / file).write_text(block_of(block, ROOT / "README.md"))
    monkeypatch.chdir(tmp_path)
    found = Distribution()
    found.parse_config_files(["pyproject.toml"])
    found.set_defaults()  # as a build does: it looks for modules and packages that pyproject.toml does not name
    assert (found.py_modules, found.packages) == (["my_rewards"], None)


def test_the_readmes_reward_is_right_in_every_script():
    scope = {}
    exec(block_of("reward", ROOT / "README.md"), scope)
    for sentence in (
        "Half of the 48 clips is 24, and with the first it is 72.",
        "四月に四十八個、五月にその半分の二十四個を売ったので、合計は七十二個です。",
        "四月份卖出四十八个，五月份卖出一半即二十四个，一共卖出七十二个。",
        "เดือนเมษายนขายได้สี่สิบแปดชิ้น เดือนพฤษภาคมขายได้ครึ่งหนึ่ง",
        "باعت في أبريل ثمانية وأربعين وفي مايو نصفها، والمجموع اثنان وسبعون.",
        "अप्रैल में अड़तालीस और मई में उसका आधा, कुल बहत्तर।",
    ):
        honest, loop, none = (scope["varied"](None, Completion(text=text)) for text in (sentence, sentence * 20, " \n"))
        assert honest > 0.9, sentence
        assert loop < 0.2, sentence
        assert none == 0


def test_the_first_recipe_of_the_recipes_page_passes_check(main, write):
    write("mine.yaml", block_of("first recipe", ROOT / "docs" / "recipes.md"))
    write("mine.jsonl", "".join(json.dumps({"prompt": f"{n}+1?", "answer": str(n + 1)}) + "\n" for n in range(40)))
    code, out, err = main("check", "mine.yaml")
    assert code == 0, out + err
    assert "warning" not in err


@pytest.mark.slow
def test_commands_in_prose_are_commands_and_have_these_options():
    known = {name: parser_of(command_named(name))._option_string_actions for name in NAMES}
    wrong = [
        (where, name, *(option for option in options if option not in known.get(name, ())))
        for where, name, options in in_prose()
        if name not in known or not known[name].keys() >= {*options}
    ]
    assert wrong == []


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.where)
def test_what_a_page_shows_is_what_its_commands_print(run, main, tmp_path):
    shutil.copytree(ROOT / run.folder, tmp_path, dirs_exist_ok=True)
    told = []
    for command in run.commands:
        code, out, err = main(*command.words)
        assert code == 0, err
        told.append(out)
    assert run.printed in "".join(told)


@pytest.mark.slow
def test_what_reads_files_runs_on_files_of_these_names(main, tmp_path):
    """Recipes and rows in the place of the reader's own; a command whose other files are not there is left out.

    So is a probe, which takes seconds, whose words are all in another's.
    """
    for name in ("recipe.yaml", "r.yaml", "a.yaml", "b.yaml", "other.yaml"):
        (tmp_path / name).write_text(RECIPE)
    (tmp_path / "translators.yaml").write_text(RECIPE.replace("accuracy:", "comet:").replace(": accuracy", ": comet"))
    rows = "".join(json.dumps(row) + "\n" for row in ROWS)
    for name in ("rows", "mine", "rollouts", "pairs", "tower.rows"):
        (tmp_path / f"{name}.jsonl").write_text(rows)
    for folder in ("recipes", "tests", "docs"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    for scores in ("a.jsonl", "b.jsonl", "sft.scores.jsonl", "sp3f.scores.jsonl"):
        assert main("score", "recipe.yaml", "rows.jsonl", "-o", scores)[0] == 0
    assert main("score", "translators.yaml", "rows.jsonl", "-o", "gpt.scores.jsonl")[0] == 0
    probes = [command for command in COMMANDS_SHOWN if command.name == "probe" and _is_at_hand(command, tmp_path)]
    ran = []
    for command in COMMANDS_SHOWN:
        if command.name in READING and _is_at_hand(command, tmp_path) and not _does_less_than_another(command, probes):
            _clear(command, tmp_path)
            code, out, err = main(*command.words)
            assert code in ((0, 1) if command.name == "probe" else (0,)), f"{command.where}: {command.text}\n{out}{err}"
            ran.append(command.text)
    print(f"{len(ran)} of {len(COMMANDS_SHOWN)} commands ran")
    assert len(ran) >= 15, ran


class TestEvaluationOfSP3F:
    """The command in the head of evaluate_sp3f.yaml, with what the paper prints of each language in place of runs."""

    MODELS = ("Qwen2.5-7B", "+ SFT", "+ RLVR", "SP3F-7B", "Qwen2.5-7B-Instruct")

    @pytest.fixture
    def command(self):
        [command] = [c for c in COMMANDS_SHOWN if c.where.startswith("recipes/evaluate_sp3f") and c.name == "tables"]
        return command

    @pytest.mark.parametrize("model", MODELS)
    def test_gives_the_papers_averages(self, command, main, tmp_path, model):
        names = {"MGSM": "mgsm", "MT Math100": "mt_math100", "Belebele": "belebele"}
        names["Global MMLU Lite"] = "global_mmlu_lite"
        data = TESTS.parent / "plugins/studies/measure/tests/analysis/paper_tables"
        with (data / "sp3f_languages.csv").open(newline="") as file:
            rows = [row | {"task": names[row["task"]]} for row in csv.DictReader(file) if row["model"] == model]
        with (tmp_path / "printed.csv").open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0])
            writer.writeheader()
            writer.writerows(rows)
        options = [word for word in command.words[1:] if not word.startswith(("sft=", "rl="))]
        code, out, err = main("tables", f"{model}=printed.csv", *options, "--json")
        assert code == 0, err
        found = {(a["measure"], a["task"]): a["mean"] for a in json.loads(out)["averages"] if a["language"] is None}
        with (data / "sp3f_averages.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                if row["model"] == model:
                    for measure in ("accuracy", "fidelity"):
                        mean = found[measure, names.get(row["task"])] * 100
                        assert mean == pytest.approx(float(row[measure]), abs=0.025), (row, measure)

    def test_names_what_the_recipe_has(self, command):
        tree = load(RECIPES / "evaluate_sp3f.yaml").tree
        sets = {name: use["with"]["languages"] for name, use in tree["stages"][0]["sets"].items()}
        options = parser_of(command_named("tables")).parse_intermixed_args(command.words[1:])
        assert {m.partition("=")[2] for m in options.measures} <= {"total", *tree["reward"]["components"]}
        for merge in options.merges:
            task, _, languages = merge.removesuffix(":each").partition("/")
            assert {*languages.partition("=")[2].split("+")} <= {*sets[task]}


def _recipe_of(command):
    """(the recipe of this repository that a command names, its overrides); (None, ()) where it names none."""
    if command.name not in ("run", "check", "eval", "score", "causes", "probe", "judge"):
        return None, ()
    first = command.words[1] if len(command.words) > 1 else ""
    recipe = shipped_recipes().get(first, ROOT / first)
    there = recipe.suffix == ".yaml" and recipe.is_file()
    overrides = [word for word in command.words[2:] if "=" in word and not word.startswith("-")]
    return (recipe, overrides) if there and not any("..." in word for word in overrides) else (None, ())


def _outputs(command):
    return {after for option, after in zip(command.words, command.words[1:], strict=False) if option == "-o"}


def _is_at_hand(command, folder):
    """Whether a folder has all files that a command reads, and these ask no real judge and need no other plugin."""
    apart = any(word.startswith(("recipes/", "docs/examples/")) for word in command.words)
    if "--benchmark" in command.words or apart:
        return command.name == "check"
    files = {word.rpartition("=")[2] for word in command.words if word.endswith((".yaml", ".jsonl", ".csv"))}
    read = files - _outputs(command)
    elsewhere = any(word.partition("=")[2].startswith("runs/") or word.startswith("runs/") for word in command.words)
    return not elsewhere and all((folder / file).is_file() for file in read) and not WANTING & {*command.words}


def _does_less_than_another(command, others):
    return any({*command.words} < {*other.words} for other in others)


def _clear(command, folder):
    for name in _outputs(command):
        (folder / name).unlink(missing_ok=True)
