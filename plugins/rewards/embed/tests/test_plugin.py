import re
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Context, find
from rewardlab.errors import UserError
from rewardlab_embed import LONGEST
from rewardlab_embed.model import locate_model

COSINE = find("reward", "embed/cosine")
TRANSLATED = find("reward", "embed/translated_cosine")
DISTINCT = find("dataset", "embed/distinct")


@pytest.mark.parametrize("spec", [COSINE, TRANSLATED])
def test_the_specs_tell_the_host_what_it_needs(spec):
    assert (spec.scope, spec.range, spec.runs, spec.environment) == ("batch", (-1.0, 1.0), "async", None)
    options = {"translator": "mt"} if spec is TRANSLATED else {}
    assert spec.required_fields(spec.config(**options)) == ("reference",)
    assert spec.required_fields(spec.config(against="gold", **options)) == ("gold",)


def test_the_translator_is_a_judge_asked_for_each_piece_of_the_longest_response():
    assert TRANSLATED.judges == ("translator",)
    assert TRANSLATED.calls(TRANSLATED.config(translator="mt"), 8) == 8 * 17
    assert TRANSLATED.calls(TRANSLATED.config(translator="mt", piece=LONGEST), 8) == 8
    assert DISTINCT.step


def test_what_became_of_a_text_is_counted():
    assert COSINE.counted_info == ("cut", "empty")
    assert TRANSLATED.counted_info == ("cut", "empty", "skipped", "untranslated")


def test_defaults():
    options = TRANSLATED.config(translator="mt")
    assert options.model == "Qwen/Qwen3-Embedding-8B"
    assert (options.part, options.against, options.clamp, options.empty) == ("reasoning", "reference", True, "zero")
    assert (options.piece, options.on_failure, options.template) == (4000, "untranslated", None)


@each_case(
    "wrong",
    [{"part": "both"}, {"max_tokens": 0}, {"batch_size": 0}, {"model": ""}, {"dtype": "int8"}, {"device": "cpu"}],
)
def test_options_are_checked(wrong):
    with pytest.raises(ValidationError):
        COSINE.config(**wrong)


def test_a_template_is_checked_with_the_options(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("Translate")
    with pytest.raises(ValidationError, match="must appear once"):
        TRANSLATED.config(translator="mt", template=str(path))


def test_a_path_without_a_model_is_told_at_once(tmp_path, opened):
    for model in ("./nowhere", "~/nowhere", str(tmp_path / "nowhere"), "runs/e5/checkpoint-3"):
        with pytest.raises(UserError, match="no folder"):
            COSINE.build(COSINE.config(model=model), Context(workers=opened))
    (tmp_path / "config.json").touch()  # as the policy itself has it
    with pytest.raises(UserError, match=r"holds no sentence-transformers model.*save_pretrained\(OTHER_FOLDER\)"):
        COSINE.build(COSINE.config(model=str(tmp_path)), Context(workers=opened))
    assert opened.opened == []


def test_a_folder_is_known_by_its_whole_path_and_a_name_stays(tmp_path, monkeypatch):
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "modules.json").touch()
    monkeypatch.chdir(tmp_path)
    assert locate_model("m") == locate_model("./m") == str(tmp_path / "m")
    assert locate_model("Qwen/Qwen3-Embedding-8B") == "Qwen/Qwen3-Embedding-8B"


@pytest.mark.slow
def test_importing_the_plugin_imports_no_model_library():
    heavy = "{'torch', 'sentence_transformers', 'numpy', 'lingua'}"
    code = f"import sys, rewardlab_embed; print(*({heavy} & set(sys.modules)))"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.split() == []


@pytest.mark.parametrize("spec", [COSINE, TRANSLATED, DISTINCT])
def test_the_readme_names_every_option(spec):
    readme = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8")
    section = readme.split(f"## embed/{spec.name}\n")[1].split("\n## ")[0]
    if spec is TRANSLATED:
        section += readme.split("## embed/cosine\n")[1].split("\n## ")[0]
    named = set(re.findall(r"`(\w+)[:`]", section + readme.split("## The model\n")[1].split("\n## ")[0]))
    assert set(spec.config.model_fields) <= named
