"""The fields of TRL's configurations are those that it has, and each is passed on, said by the recipe, or refused.

`python plugins/engines/trl/tests/test_trl_arguments.py` writes trl_arguments.yaml from the installed TRL; a field that
a new version adds is passed on until owned_arguments.yaml says otherwise.
"""

import dataclasses
import re
import types
import typing
from enum import Enum
from pathlib import Path

import pytest
import yaml
from rewardlab.recipe import RlStage
from rewardlab_trl.arguments import CONFIGS, TYPES, argument_findings, owned_fields, passed_fields
from rewardlab_trl.generation_options import RatioCorrection, VllmGeneration
from rewardlab_trl.rl_arguments import rl_arguments

HERE = Path(__file__)
LIST = HERE.parents[1] / "rewardlab_trl" / "trl_arguments.yaml"
COMMAND = f"python {HERE.relative_to(HERE.parents[4])}"
WORDS = {bool: "true | false", int: "integer", float: "number", str: "text", type(None): "null"}


def takes(annotation):
    """What a field takes, in the words of TYPES, and the values of an enumeration."""
    args = typing.get_args(annotation)
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        found = [takes(one) for one in args]
        return [word for words, _ in found for word in words], [value for _, values in found for value in values]
    if typing.get_origin(annotation) is list or annotation is list:
        return [f"[{WORDS[args[0]]}]"], []
    if typing.get_origin(annotation) is dict or annotation is dict:
        return ["mapping"], []
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return ["text"], sorted(str(one.value) for one in annotation)
    return [WORDS[annotation]], []


def first_sentence(text):
    """The beginning of a help text: one plain sentence on one line."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(text.split())).replace("`", "").replace("%%", "%")
    return re.split(r"(?<=[a-z)0-9])\. (?=[A-Z])", plain)[0].rstrip(".")


def fields():
    """kind of a stage -> name -> the field's row, of the installed TRL."""
    import trl

    made = {}
    for kind, config in CONFIGS.items():
        made[kind] = {}
        for field in dataclasses.fields(getattr(trl, config)):
            if field.name in owned_fields(kind, "recipe") or field.name in owned_fields(kind, "not"):
                continue
            words, values = takes(field.type)
            row = {"takes": list(dict.fromkeys(words)), "does": first_sentence(field.metadata["help"])}
            made[kind][field.name] = row | ({"one_of": values} if values else {})
    return made


def table():
    """The whole of trl_arguments.yaml: what all kinds have alike, and the rest by kind."""
    import trl

    by_kind = fields()
    alike = {
        name: row for name, row in by_kind["sft"].items() if all(rows.get(name) == row for rows in by_kind.values())
    }
    rest = {kind: {name: row for name, row in rows.items() if name not in alike} for kind, rows in by_kind.items()}
    return {"version": trl.__version__, "fields": {"all": alike, **rest}}


def text():
    """The file's text."""
    made = yaml.safe_dump(table(), sort_keys=False, width=1000, allow_unicode=True)
    return f"# Written by {COMMAND}: the fields that `arguments` passes on, as TRL has them.\n{made}"


def test_the_list_is_that_of_the_installed_trl():
    pytest.importorskip("trl")
    assert LIST.read_text(encoding="utf-8") == text(), f"run: {COMMAND}"


def test_what_is_not_passed_on_is_a_field_of_trl_for_one_reason():
    trl = pytest.importorskip("trl")
    for kind, config in CONFIGS.items():
        names = {field.name for field in dataclasses.fields(getattr(trl, config))}
        keys, reasons = owned_fields(kind, "recipe").keys(), owned_fields(kind, "not").keys()
        assert keys | reasons <= names, config
        assert not keys & reasons, config
        assert owned_fields(kind, "needs").keys() <= passed_fields(kind).keys(), config


def test_what_the_stages_set_is_not_passed_on():
    source = (HERE.parents[1] / "rewardlab_trl" / "trainer_arguments.py").read_text(encoding="utf-8")
    everywhere = set(re.findall(r'(?m)^        "(\w+)":', source)) - {"dataloader_pin_memory"}  # as a machine is
    stage = RlStage(use="rl", algorithm="grpo", stop=["#"])
    generation = VllmGeneration(engine="vllm", correction=RatioCorrection())
    assert len(everywhere) > 20
    for kind, names in (
        ("sft", everywhere),
        ("dpo", everywhere),
        ("rl", everywhere | {*rl_arguments(stage, generation, 1)}),
    ):
        assert not names & passed_fields(kind).keys()


@pytest.mark.parametrize("kind", CONFIGS)
def test_each_field_takes_what_its_dataclass_has_without_it(kind):
    trl = pytest.importorskip("trl")
    config = getattr(trl, CONFIGS[kind])
    for name, row in passed_fields(kind).items():
        default = next(field for field in dataclasses.fields(config) if field.name == name).default
        if default is not dataclasses.MISSING:
            value = default.value if isinstance(default, Enum) else default
            assert any(TYPES[one](value) for one in row["takes"]), name
            assert not list(argument_findings(kind, {name: value}, {"generation": True})), name


if __name__ == "__main__":
    LIST.write_text(text(), encoding="utf-8")
