import re
from pathlib import Path

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import find

PLUGIN = Path(__file__).parents[1]
SPEC = find("reward", "comet/answer")


def test_the_spec_tells_the_host_what_it_needs():
    assert (SPEC.scope, SPEC.range, SPEC.runs) == ("batch", (0.0, 1.0), "async")
    assert SPEC.required_fields(SPEC.config()) == ("reference",)
    assert SPEC.required_fields(SPEC.config(against="solution")) == ("solution",)


def test_the_environment_is_one_of_its_own():
    lines = (PLUGIN / "rewardlab_comet" / SPEC.environment).read_text(encoding="utf-8").splitlines()
    assert {"torch==2.13.0", "unbabel-comet==2.2.7", "setuptools<82"} <= set(lines)


def test_defaults():
    assert SPEC.config().model_dump() == {
        "checkpoint": "Unbabel/wmt23-cometkiwi-da-xl",
        "environment": "managed",
        "against": "reference",
        "part": "answer",
        "empty": "zero",
        "exact_match": False,
        "batch_tokens": None,
    }


def test_the_environment_may_be_the_users():
    assert SPEC.config(environment={"python": "/opt/comet/bin/python"}).environment.python == "/opt/comet/bin/python"


@each_case(
    "options",
    [
        *({"batch_tokens": 0}, {"batch_tokens": 1.5}, {"batch_tokens": True}, {"part": "all"}, {"empty": "skip"}),
        *(
            {"checkpoint": ""},
            {"against": ""},
            {"environment": "mine"},
            {"environment": {"python": ""}},
            {"model": "x"},
        ),
    ],
)
def test_wrong_options_are_refused(options):
    with pytest.raises(ValidationError):
        SPEC.config(**options)


def test_the_files_of_the_worker_import_no_rewardlab():
    folder = PLUGIN / "rewardlab_comet"
    files = [folder / "comet_worker.py", *sorted((folder / "comet_scorer").glob("*.py"))]
    assert len(files) >= 7
    for file in files:
        assert not re.search(r"^\s*(import|from) rewardlab", file.read_text(encoding="utf-8"), re.MULTILINE), file


def test_the_readme_names_every_option_and_key_of_info():
    readme = (PLUGIN / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", readme))
    assert {*SPEC.config.model_fields, "raw", *SPEC.counted_info} <= named
