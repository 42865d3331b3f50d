"""Recipes as trees: YAML 1.2, lines, the environment, overrides, and writing them back."""

import math
import re
import subprocess
import sys
import textwrap
import time
from contextlib import suppress

import pytest
import yaml
from helpers.each_case import each_case
from hypothesis import example, given
from hypothesis import strategies as st
from rewardlab.errors import UserError
from rewardlab.recipe import yaml12
from rewardlab.recipe.loading import load
from rewardlab.recipe.yaml12 import dump, scalar


@pytest.fixture
def recipe(tmp_path, monkeypatch):
    """Loads a text as r.yaml in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def read(text, *overrides):
        data = textwrap.dedent(text).encode() if isinstance(text, str) else text
        (tmp_path / "r.yaml").write_bytes(data)
        return load("r.yaml", overrides)

    return read


@pytest.fixture
def errors(recipe):
    """The lines of the UserError for a text."""

    def read(text, *overrides):
        with pytest.raises(UserError) as caught:
            recipe(text, *overrides)
        assert caught.value.exit_code == 2
        return str(caught.value).split("\n")

    return read


# --- Scalars and keys


@each_case(
    "text, value",
    [
        *[("true", True), ("false", False), ("null", None), ("~", None), ("", None)],
        *[(word, word) for word in ("True", "TRUE", "False", "yes", "no", "on", "off", "y", "n", "Null", "NULL")],
        *[
            ("0", 0),
            ("-7", -7),
            ("+7", 7),
            ("0x1F", 31),
            ("0o17", 15),
            ("010", 10),
            ("9" * 30, int("9" * 30)),
        ],
        *[
            ("1e-5", 1e-5),
            ("1.0e-5", 1e-5),
            (".5", 0.5),
            ("-.5", -0.5),
            ("1.", 1.0),
            ("1E3", 1e3),
            ("+1.5", 1.5),
        ],
        *[(text, text) for text in ("1_000", "12:30", "190:20:30", "2020-01-01", "0b1", "1.2.3", "1e", "-", ".")],
        *[(text, text) for text in ("0x", "0o8", "１２", "inf", "nan", "1 2", "<<", "=", "--1", "-0x1")],
    ],
)
def test_plain_scalars_are_those_of_yaml_1_2(recipe, text, value):
    assert scalar(text) == value
    assert type(scalar(text)) is type(value)
    if text not in ("-", "."):  # a lone - opens a list
        loaded = recipe(f"a: {text}\n").tree["a"]
        assert (loaded, type(loaded)) == (value, type(value))


@each_case("text", [".inf", "-.Inf", "+.INF", ".nan", ".NaN", "1e999", "-1e999", "9" * 5000])
def test_numbers_that_are_not_finite_are_refused(errors, text):
    (error,) = errors(f"a:\n  b: {text}\n")
    assert re.match(r"r\.yaml:2: a\.b: .* is not a finite number; quote it if you mean the text$", error)


def test_quoted_and_block_scalars_are_texts(recipe):
    tree = recipe(
        """
        a: "true"
        b: '1'
        c: |
          no
          2
        d: >-
          folded
          text
        """
    ).tree
    assert tree == {"a": "true", "b": "1", "c": "no\n2\n", "d": "folded text"}


def test_keys_are_texts(recipe):
    tree = recipe("1: a\nno: b\ntrue: c\nnull: d\n1.50: e\n'q': f\n? g\n: h\n").tree
    assert tree == {"1": "a", "no": "b", "true": "c", "null": "d", "1.50": "e", "q": "f", "g": "h"}


def test_anchors_are_copied(recipe):
    document = recipe("a: &x {b: [1]}\nc: *x\nd: &y 5\ne: *y\n&k key: 1\nf: *k\n", "a.b.0=2")
    assert document.tree == {"a": {"b": [2]}, "c": {"b": [1]}, "d": 5, "e": 5, "key": 1, "f": "key"}


def test_a_byte_order_mark_windows_lines_and_document_marks_are_fine(recipe):
    assert recipe(b"\xef\xbb\xbf%YAML 1.2\r\n---\r\na: 1\r\nb:\r\n  - 2\r\n...\r\n").tree == {
        "a": 1,
        "b": [2],
    }


# --- What is refused


@each_case(
    "text, expected",
    [
        ("", "r.yaml: it is empty; a recipe starts with `version: 1`"),
        ("# nothing\n", "r.yaml: it is empty; a recipe starts with `version: 1`"),
        ("---\n", "r.yaml: it is empty; a recipe starts with `version: 1`"),
        ("\n- a\n- b\n", "r.yaml:2: a recipe is a mapping .*, not a list of 2"),
        ("hello\n", "r.yaml:1: a recipe is a mapping .*, not the value 'hello'"),
        ("a: 1\n---\nb: 2\n", "r.yaml:2: a second document starts here"),
        ("x:\n  a: 1\n  b: 2\n  a: 3\n", "r.yaml:4: x.a: duplicate key, line 2 has it too"),
        ("1: a\n'1': b\n", "r.yaml:2: 1: duplicate key, line 1 has it too"),
        ("a: [{b: 1, b: 2}]\n", "r.yaml:1: a.0.b: duplicate key, line 1 has it too"),
        ("? [a]\n: b\n", "r.yaml:1: a key must be text"),
        ("{{a}: b}\n", "r.yaml:1: a key must be text"),
        ("a: &x 1\n*x : 2\n", "r.yaml:2: a key must be text"),
        (
            "a: !!python/object:os.system {}\n",
            "r.yaml:1: a: the tag .*python/object:os.system is not allowed",
        ),
        ("a: !!int '3'\n", "r.yaml:1: a: the tag .*int is not allowed"),
        ("a: ! 3\n", "r.yaml:1: a: the tag ! is not allowed"),
        ("a: [!x b]\n", "r.yaml:1: a.0: the tag !x is not allowed"),
        ("!x a: 1\n", "r.yaml:1: the tag !x is not allowed"),
        ("a: &x {b: 1}\nc:\n  <<: *x\n", r"r.yaml:3: c: YAML 1.2 has no merge keys \(<<\); write out"),
        ("a: &x [*x]\n", "r.yaml:1: a.0: \\*x is inside &x itself"),
        ("abc: &abc 1\nb: *abd\n", "r.yaml:2: b: no anchor &abd above; did you mean 'abc'?"),
    ],
)
def test_refused(errors, text, expected):
    (error,) = errors(text)
    assert re.match(expected, error)


def test_quoted_merge_keys_are_keys(recipe):
    assert recipe('"<<": 1\n').tree == {"<<": 1}


def test_all_that_is_refused_is_told_at_once(errors):
    found = errors("a: .inf\nb: !x 1\na: 2\nc: {<<: 1}\nd: [\n")
    assert [error.split(":")[1] for error in found] == ["1", "2", "3", "4", "6"]


BOMB = "a: &a [1, 2, 3, 4, 5, 6, 7, 8, 9]\n" + "".join(
    f"{this}: &{this} [{', '.join([f'*{last}'] * 9)}]\n" for last, this in zip("abcdefgh", "bcdefghi", strict=True)
)
TOWER = "a: &a [[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]\n" + "".join(
    f"{this}: &{this} [[[[[[[[[[[[[[[[[[[[*{last}]]]]]]]]]]]]]]]]]]]]\n"
    for last, this in zip("abcdefgh", "bcdefghi", strict=True)
)


@pytest.mark.parametrize("text", [BOMB, TOWER])
def test_aliases_cannot_explode(errors, text):
    (error,) = errors(text)  # or the memory of no machine is enough
    assert "the aliases expand to too much" in error


@pytest.mark.parametrize("value", ["x" * 100_000, "{" + "k" * 1_000 + ": 1}", "[" + "y" * 100_000 + "]"])
def test_long_texts_that_aliases_repeat_are_refused_before_they_take_the_memory(errors, value):
    """A megabyte of aliases of one long text meant 8.6 GB."""
    aliases = "".join(f"k{number}: *a\n" for number in range(5_000))
    (error,) = errors(f"base: &a {value}\n{aliases}")
    assert "the aliases expand to too much" in error


@pytest.mark.parametrize(
    "text", ["a: " + "[" * 100_000, "a: " + "{a: " * 1_000, "\n".join(" " * i + "a:" for i in range(99))]
)
def test_depth_is_bounded(errors, text):
    (error,) = errors(text)
    assert "nested more than 64 deep" in error


# --- YAML that is none


@pytest.fixture(params=["libyaml", "python"])
def parser(request, monkeypatch):
    """The two parsers of PyYAML."""
    if request.param == "python":
        monkeypatch.setattr(yaml12, "_EVENTS", yaml.BaseLoader)
    elif not yaml.__with_libyaml__:
        pytest.skip("PyYAML without libyaml")


@pytest.mark.usefixtures("parser")
@each_case(
    "text, expected",
    [
        ("a:\n  b: c: d\n", "r.yaml:2: column 7: a ':' out of place; quote a value that contains ': '"),
        ("a: 1\n  b: 2\n", "r.yaml:2: column 4: a ':' out of place; .*fix the indentation"),
        ("a:\n\tb: 1\n", "r.yaml:2: column 1: a tab; YAML is indented with spaces"),
        ("a: @x\n", "r.yaml:1: column 4: a value cannot start with '@'; quote it"),
        ("a: `x`\n", "r.yaml:1: column 4: a value cannot start with '`'; quote it"),
        ("a: [1,\nb: 2\n", "r.yaml:3: column 1: .*begun in line 1"),
        ("a: 'x\nb: 1\n", "r.yaml:3: column 1: .*begun in line 1"),
        (
            'a: "\\boxed{}\\d"\n',
            r"r.yaml:1: column \d+: in double quotes a backslash starts an escape; use single",
        ),
        ('a: "\\ud83d\\ude42"\n', r"r.yaml:1: (a|column \d+): YAML has no pairs of \\u escapes, as JSON writes emoji"),
        ("a: 1\nb\n", "r.yaml:3: column 1: could not find expected ':'.*begun in line 2"),
        ("a: b\x07\n", r"r.yaml:1: YAML does not allow the character '\\x07'"),
        (b"a: 1\nb: \xff\n", "r.yaml:2: byte 0xff is not UTF-8; save the file as UTF-8"),
        ("a: 1\n".encode("utf-16"), "r.yaml:1: byte 0xff is not UTF-8"),
        ("]\n", "r.yaml:1: column 1: "),
        ("%YAML 3.0\n---\na: 1\n", "r.yaml:1: column 1: found incompatible YAML document"),
    ],
)
def test_syntax_errors_have_line_and_column_on_one_line(errors, text, expected):
    (error,) = errors(text)
    assert re.match(expected, error)


@given(
    text=st.text() | st.lists(st.sampled_from([*"ab1:-,[]{}&*!|>'\"%@#?~<=\n\t \\$", "${oc.env:", "- "])).map("".join)
)
def test_any_text_loads_or_is_a_user_error(tmp_path_factory, text):
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        document = load(path)
        places = []
    except UserError as error:
        document, places = None, [problem.where for problem in error.problems]
    assert all(place.startswith(str(path)) for place in places)
    assert bool(places) != isinstance(document and document.tree, dict)


# --- The file


def test_a_missing_file_names_its_nearest_neighbour(tmp_path):
    (tmp_path / "quickstart.yaml").touch()
    with pytest.raises(UserError, match=r"quikstart.yaml: no such file in .*; did you mean 'quickstart.yaml'?"):
        load(tmp_path / "quikstart.yaml")
    with pytest.raises(UserError, match=r"no such file; there is no folder .*recipez"):
        load(tmp_path / "recipez" / "quickstart.yaml")
    with pytest.raises(UserError, match="read from a file, not from an address; save it and name the file"):
        load("https://example.com/quickstart.yaml")


def test_a_folder_is_no_recipe(tmp_path):
    with pytest.raises(UserError, match=r"it is a folder; name a recipe in it; it holds no \.yaml file"):
        load(tmp_path)
    (tmp_path / "a.yaml").touch()
    with pytest.raises(UserError, match=r"it is a folder; name a recipe in it; there is 'a\.yaml'"):
        load(tmp_path)


def test_a_file_that_cannot_be_read_says_why(tmp_path):
    (tmp_path / "a.yaml").touch()
    with pytest.raises(UserError, match="it cannot be read: Not a directory"):
        load(tmp_path / "a.yaml" / "b.yaml")


# --- Places

PLACED = """\
version: 1
reward:
  components:
    accuracy: {use: math/accuracy, with: {extrct: boxed}}
    format:
      use: format/boxed
      with:
        profile: default
stages:
  - use: sft
  -
    use: rl
    clip: [0.2,
           0.28]
base: &base {learning_rate: 1,
  steps: 2}
copy:
  *base
"""


@pytest.mark.usefixtures("parser")
@each_case(
    "path, line",
    [
        ((), 1),
        (("version",), 1),
        (("reward",), 2),
        (("reward", "components", "accuracy", "with", "extrct"), 4),
        (("reward", "components", "format"), 5),
        (("reward", "components", "format", "with"), 7),
        (("reward", "components", "format", "with", "profile"), 8),
        (("stages",), 9),
        (("stages", 0), 10),
        (("stages", 1, "use"), 12),
        (("stages", 1, "clip"), 13),
        (("stages", 1, "clip", 1), 14),
        (("copy",), 17),
        (("copy", "steps"), 16),
        (("reward", "total"), 2),
        (("reward", "components", "format", "use", "deeper", 3), 6),
        (("stages", 7, "use"), 9),
        (("stages", "use"), 9),
        (("nothing", "here"), 1),
    ],
)
def test_lines(recipe, path, line):
    assert recipe(PLACED).line(path) == line


def test_where_names_file_line_and_path(recipe):
    document = recipe(PLACED, "stages.1.steps=50", "reward.normalize=[{use: normalize/std}]")
    assert document.where(()) == "r.yaml:1"
    assert document.where(("reward", "total")) == "r.yaml:2: reward.total"
    assert document.where(("stages", 1, "use")) == "r.yaml:12: stages.1.use"
    assert document.where(("stages", 1, "steps")) == "override 'stages.1.steps=50': stages.1.steps"
    assert document.line(("stages", 1, "steps")) is None
    inside = "override 'reward.normalize=[{use: normalize/std}]': reward.normalize.0.use"
    assert document.where(("reward", "normalize", 0, "use")) == inside


# --- The environment


@pytest.fixture
def environment(monkeypatch):
    for name in ("UNSET", "UNSET_2"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {
        "STEPS": "50",
        "KEY": "sk-1: x #y",
        "EMPTY": "",
        "WORD": "no",
        "LOOP": "${oc.env:KEY}",
    }.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("environment")
@each_case(
    "text, value",
    [
        ("${oc.env:STEPS}", 50),
        ("${oc.env:KEY}", "sk-1: x #y"),
        ("${ oc.env : STEPS }", 50),
        ("${oc.env:WORD}", "no"),
        ("${oc.env:EMPTY}", None),
        ("${oc.env:LOOP}", "${oc.env:KEY}"),
        ("x${oc.env:STEPS}", "x50"),
        ("${oc.env:STEPS}${oc.env:STEPS}", "5050"),
        ("http://${oc.env:UNSET,localhost}:${oc.env:STEPS}/v1", "http://localhost:50/v1"),
        ("${oc.env:UNSET,7}", 7),
        ("${oc.env:UNSET, true }", True),
        ("${oc.env:UNSET,null}", None),
        ("${oc.env:UNSET,}", None),
        ("a${oc.env:UNSET,null}", "anull"),
        ("${oc.env:UNSET,1e-5}", 1e-5),
        ("${oc.env:UNSET,http://h:1/a?b=(c)&d=é}", "http://h:1/a?b=(c)&d=é"),
        ("${oc.env:UNSET,'a, {b}'}", "a, {b}"),
        ("${oc.env:UNSET,${oc.env:STEPS}}", 50),
        ("${oc.env:UNSET,${oc.env:UNSET_2,true}}", True),
        ("${oc.env:STEPS,9}", 50),
        (r"\${oc.env:STEPS}", "${oc.env:STEPS}"),
        (r"\${foo} ${oc.env:STEPS}", "${foo} 50"),
        (r"\${oc.env:STEPS,x}", "${oc.env:STEPS,x}"),
        (r"$\boxed{x}$ {a} $x {oc.env:STEPS}", r"$\boxed{x}$ {a} $x {oc.env:STEPS}"),
    ],
)
def test_environment_values(recipe, text, value):
    document = recipe(f"a: ['{text.replace(chr(39), chr(39) * 2)}']\n")
    loaded = document.tree["a"][0]
    assert (loaded, type(loaded)) == (value, type(value))
    assert document.raw == {"a": [text]}


@pytest.mark.usefixtures("environment")
def test_secrets_are_the_values_that_came_from_the_environment(recipe):
    document = recipe(
        """
        a: x ${oc.env:KEY}
        b: ${oc.env:UNSET,default}
        c: ["${oc.env:UNSET,${oc.env:WORD}}", '\\${oc.env:LOOP}']
        d: ${oc.env:EMPTY}
        """,
        "e=${oc.env:STEPS,1}",
    )
    assert document.variables == {"KEY": "sk-1: x #y", "WORD": "no", "STEPS": "50"}
    assert "sk-1" not in repr(document)


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    "text",
    [
        *("${foo}", "${oc.env}", "${oc.decode:5}", "${oc.env:}", "${oc.env:A B}", "${.a}", "${", "${now:%Y}"),
        *("${oc.env:${oc.env:KEY}}", "${${oc.env:KEY}}", "${oc.env:STEPS", "a ${oc.env:STEPS} ${b}"),
        *("${oc.env:UNSET,${b}}", r"\\${b}"),
    ],
)
def test_nothing_else_resolves(errors, text):
    (error,) = errors(f"a:\n  - '{text}'\n")
    assert error.startswith("r.yaml:2: a.0: ")
    assert "only ${oc.env:NAME} and ${oc.env:NAME,default} resolve; write \\${" in error


@pytest.mark.usefixtures("environment")
def test_nothing_resolves_in_keys(errors):
    assert errors("a:\n  ${oc.env:KEY}: 1\n") == [
        "r.yaml:2: a.${oc.env:KEY}: a key cannot hold ${; only values resolve"
    ]


@pytest.mark.usefixtures("environment")
def test_all_missing_variables_are_named_with_their_places(errors):
    found = errors(
        "a: ${oc.env:UNSET}\nb:\n  - ${oc.env:KEY}\n  - x${oc.env:UNSET_2}${oc.env:UNSET}\n",
        "c=${oc.env:UNSET}",
    )
    assert [error.split(";")[0] for error in found] == [
        "r.yaml:1: a: no environment variable UNSET",
        "r.yaml:4: b.1: no environment variable UNSET_2 and no UNSET",
        "override 'c=${oc.env:UNSET}': c: no environment variable UNSET",
    ]
    assert found[0].endswith("; export it, or write ${oc.env:UNSET,default}")


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("text", ["${oc.env:STEPS,a\\b,{c}", "${oc.env:UNSET,'a}", "${oc.env:UNSET,a'b}"])
def test_what_omegaconf_cannot_read_is_an_error_of_one_line(errors, text):
    (error,) = errors("a: " + dump(text).split("\n")[0] + "\n")
    assert error.startswith("r.yaml:1: a: OmegaConf: ")


def test_omegaconf_is_imported_only_for_interpolations(tmp_path):
    (tmp_path / "r.yaml").write_text("a: $5 {b}\n")
    program = "import sys; from rewardlab.recipe.loading import load; load(sys.argv[1]); print(*sys.modules)"
    command = [sys.executable, "-c", program, str(tmp_path / "r.yaml")]
    modules = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "yaml" in modules
    assert not {"omegaconf", "pydantic"} & set(modules)


# --- Overrides

BASE = """\
seed: 0
dataset: {use: data/jsonl, with: {path: a.jsonl, limit: 5}, fields: {reference: solution}}
judges: {gpt-4.1: {use: openai/chat}, main: }
stages: [{use: sft, steps: 1}, {use: rl, steps: 2}]
"""


@each_case(
    "value, expected",
    [
        ("3", 3),
        ("1e-5", 1e-5),
        ("true", True),
        ("no", "no"),
        ("null", None),
        ("", None),
        ("'3'", "3"),
        ('"a\\n"', "a\n"),
        ("[0.2, 0.28]", [0.2, 0.28]),
        ("{use: x, with: {a: [no]}}", {"use": "x", "with": {"a": ["no"]}}),
        ("/path/with spaces", "/path/with spaces"),
        ("accuracy + format", "accuracy + format"),
        ("a=b", "a=b"),
        ("a: b", "a: b"),
        ("a #b", "a #b"),
        ("*a", "*a"),
        ("!!int 3", "!!int 3"),
        ("- a", "- a"),
        ("  3 ", 3),
        ("日本 é", "日本 é"),
    ],
)
def test_override_values(recipe, value, expected):
    document = recipe(BASE, f"seed={value}")
    assert document.tree["seed"] == document.raw["seed"] == expected
    assert type(document.tree["seed"]) is type(expected)
    assert document.overrides == (f"seed={value}",)


@each_case(
    "override, path, value",
    [
        ("stages.1.steps=50", ("stages", 1, "steps"), 50),
        ("stages.0=x", ("stages", 0), "x"),
        ("stages.1.clip=[1]", ("stages", 1, "clip"), [1]),
        ("dataset.with.limit=7", ("dataset", "with", "limit"), 7),
        ("new=1", ("new",), 1),
        ("reward.components.a.use=x", ("reward", "components", "a", "use"), "x"),
        ("judges.main.use=x", ("judges", "main", "use"), "x"),
        ("judges.gpt-4.1.with.model=x", ("judges", "gpt-4.1", "with", "model"), "x"),
        ("stages.1.rubric.1=bad", ("stages", 1, "rubric", "1"), "bad"),
    ],
)
def test_overrides_reach_into_mappings_and_lists(recipe, override, path, value):
    document = recipe(BASE, override)
    at = document.tree
    for key in path:
        at = at[key]
    assert at == value
    assert document.where(path) == f"override '{override}': {'.'.join(map(str, path))}"


def test_another_use_drops_the_options_of_the_old_one(recipe):
    overrides = ["dataset.with.split=train", "dataset.use=data/hub", "dataset.with.name=x"]
    for order in (overrides, overrides[::-1]):
        document = recipe(BASE, *order)
        expected = {
            "use": "data/hub",
            "with": {"split": "train", "name": "x"},
            "fields": {"reference": "solution"},
        }
        assert document.tree["dataset"] == expected


def test_options_given_with_another_use_are_those_of_the_new_one(recipe):
    for order in (
        ["dataset.with={name: x}", "dataset.use=data/hub"],
        ["dataset.use=data/hub", "dataset.with={name: x}"],
    ):
        assert recipe(BASE, *order).tree["dataset"]["with"] == {"name": "x"}


def test_the_same_use_keeps_its_options(recipe):
    assert recipe(BASE, "dataset.use=data/jsonl").tree["dataset"]["with"] == {"path": "a.jsonl", "limit": 5}


def test_options_that_a_use_dropped_are_placed_at_it(recipe):
    document = recipe(BASE, "dataset.use=data/hub")
    assert document.where(("dataset", "with", "name")) == "override 'dataset.use=data/hub': dataset.with.name"


def test_wholes_are_set_before_their_parts_and_the_last_of_equals_wins(recipe):
    document = recipe(BASE, "dataset.use=b", "dataset={use: a, with: {x: 1}}", "seed=1", "seed=2")
    assert document.tree["dataset"] == {"use": "b"}
    assert document.where(("dataset", "use")) == "override 'dataset.use=b': dataset.use"
    assert document.where(("dataset",)) == "override 'dataset={use: a, with: {x: 1}}': dataset"
    assert document.tree["seed"] == 2


def test_what_an_override_adds_is_placed_at_it(recipe):
    document = recipe(BASE, "stage.1.steps=50", "stage.2.steps=60", "dataset.with.limit=3")
    assert document.where(("stage",)) == "override 'stage.1.steps=50': stage"
    assert document.where(("stage", "2", "x")) == "override 'stage.2.steps=60': stage.2.x"
    assert document.where(("dataset",)).startswith("r.yaml:")


def test_overrides_that_lead_nowhere_say_what_is_there(errors):
    found = errors(BASE, "stages.2.steps=1", "stages.-1.steps=1", "stages.x=1", "seed.x=1", "dataset.use.x.y=1")
    assert sorted(found) == [
        "override 'dataset.use.x.y=1': dataset.use is the value 'data/jsonl', it has no 'x'",
        "override 'seed.x=1': seed is the value 0, it has no 'x'",
        "override 'stages.-1.steps=1': stages is a list of 2 (0 to 1), it has no '-1'",
        "override 'stages.2.steps=1': stages is a list of 2 (0 to 1), it has no '2'",
        "override 'stages.x=1': stages is a list of 2 (0 to 1), it has no 'x'; its items have numbers: stages.0.x",
    ]


@each_case(
    "override, form",
    [
        ("seed", "seed=VALUE"),
        ("seed:3", "seed=3"),
        ("seed 3", "seed=3"),
        ("seed: 3", "seed=3"),
        ("--seed=3", "seed=3"),
        (" seed =3", "seed=3"),
        ("stages[1].steps=50", "stages.1.steps=50"),
        ("a..b=1", "a.b=1"),
        (".a=1", "a=1"),
        ("=3", "KEY=3"),
        ("", "KEY=VALUE"),
        ("=", "KEY=VALUE"),
    ],
)
def test_malformed_overrides_get_the_form_that_was_meant(errors, override, form):
    assert errors(BASE, override) == [f"override {override!r}: an override is KEY=VALUE; write {form}"]


def test_values_are_refused_as_in_a_file_and_all_at_once(errors):
    found = errors(BASE, "a=[1", "b={c: 1, c: 2}", "d=.nan", "e={f: !x 1}", "g={", "h=\udcff")
    assert [error.split("': ", 1)[1].split(" ")[0] for error in found] == [
        "a:",
        "b.c:",
        "d:",
        "e.f:",
        "g:",
        "h:",
    ]
    assert found[1] == "override 'b={c: 1, c: 2}': b.c: duplicate key, line 1 has it too; keep one"


def test_a_long_override_is_cut_in_messages(recipe):
    document = recipe(BASE, "seed=" + "x" * 500)
    assert len(document.where(("seed",))) < 110


# --- Writing

texts = st.text(max_size=12).filter(lambda text: "${" not in text) | st.sampled_from(
    [
        *(
            "no",
            "Yes",
            "1",
            "1e5",
            ".5",
            "010",
            "0o7",
            "0x1f",
            "1_000",
            "12:30:45",
            "2020-01-01",
            "~",
            "",
            "null",
        ),
        *(
            "<<",
            "=",
            ".inf",
            "-.INF",
            "a: b",
            "a #b",
            "- a",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "| a",
            "#",
            "'",
            '"',
        ),
        *(
            "a\nb",
            "a\n\nb\n",
            "\n",
            " a\n b",
            "a \nb",
            "a\n ",
            "\ta\n\tb",
            "\t",
            "a\tb\nc",
            "a\r\nb",
            "{a}",
            "[a",
        ),
        *(
            "日本\nзначение",
            "é",
            "\u2028",
            "a\x85\nb",
            "\x7f",
            "\U0001f600",
            "\ufeff",
            "---",
            "...",
            "---\na",
            "a:",
        ),
    ]
)
leaves = texts | st.booleans() | st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
recipes = st.dictionaries(
    texts,
    st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=4,
)


def same(a, b):
    """Equal, with equal types: 1 is neither True nor 1.0."""
    if isinstance(a, dict):
        return isinstance(b, dict) and list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    return type(a) is type(b) and a == b


@example(tree={"a": 1e16, "b": 1e-7, "c": -0.0, "d": 10**40, "e": {"f": "x\n  y\n"}})
@given(tree=recipes)
def test_what_is_dumped_loads_as_the_same_tree(tmp_path_factory, tree):
    path = tmp_path_factory.getbasetemp() / "dumped.yaml"
    path.write_text(dump(tree), encoding="utf-8", newline="")
    loaded = load(path)
    assert same(loaded.raw, tree)
    assert same(loaded.tree, tree)


@given(text=texts)
def test_other_readers_of_yaml_take_texts_for_texts_too(text):
    assert yaml.safe_load(dump([text, {text: 1}])) == [text, {text: 1}]


@pytest.mark.usefixtures("environment")
def test_interpolations_survive_in_raw(recipe, tmp_path):
    document = recipe("a: ${oc.env:KEY}\nb: ['x ${oc.env:UNSET,d}']\n", "c=${oc.env:STEPS}")
    (tmp_path / "again.yaml").write_text(dump(document.raw))
    assert "sk-1" not in (tmp_path / "again.yaml").read_text()
    assert load(tmp_path / "again.yaml").tree == document.tree == {"a": "sk-1: x #y", "b": ["x d"], "c": 50}


def test_dumped_text_is_for_reading():
    text = dump({"name": "é 日本", "prompt": "First line.\nSecond line.\n", "long": "word " * 60, "same": [[1], [1]]})
    assert "name: é 日本\n" in text
    assert "prompt: |\n  First line.\n  Second line.\n" in text
    assert f"long: '{'word ' * 60}'\n" in text
    assert "&" not in text


@each_case("tree", [{"a": math.nan}, {"a": [math.inf]}, {"a": {1: 2}}, {None: 1}])
def test_what_no_recipe_can_hold_is_not_dumped(tree):
    with pytest.raises(ValueError, match=r"a recipe cannot hold|a key must be text"):
        dump(tree)


# --- Speed


def test_a_recipe_of_sixty_lines_loads_in_a_few_milliseconds(recipe):
    component = "    c{0}:\n      use: math/accuracy\n      with: {{a: 1, b: [1, 2, 3]}}\n      on_missing: 0.5\n"
    text = "version: 1\nreward:\n  components:\n" + "".join(component.format(i) for i in range(15))
    times = []
    for _ in range(5):
        started = time.process_time()
        assert len(recipe(text, "seed=3").tree["reward"]["components"]) == 15
        times.append(time.process_time() - started)
    assert min(times) < 0.1, "the fastest of five takes 2 ms of processor time"


def test_defaults_inside_each_other_without_end_are_an_error(errors):
    deep = "".join(f"${{oc.env:NO_SUCH_{number}," for number in range(300)) + "x" + "}" * 300
    (line,) = errors(f"name: '{deep}'\n")
    assert line == "r.yaml:1: name: its ${oc.env:...} are nested too deeply"


@each_case(
    "text, write",
    [
        ("a: {b: ${oc.env:URL}}", '"${oc.env:URL}"'),
        ("a: {b: ${oc.env:URL,http://x:1/v1}, c: 1}", '"${oc.env:URL,http://x:1/v1}"'),
        ("a: [1, ${oc.env:URL}]", '"${oc.env:URL}"'),
        ('a: {b: "${oc.env:A}", c: ${oc.env:URL}}', '"${oc.env:URL}"'),
        ("a: {b: ${oc.env:URL", '"${oc.env:NAME}"'),
    ],
)
def test_a_call_in_braces_needs_quotes(errors, text, write):
    (line,) = errors(f"version: 1\n{text}\n")
    assert line.startswith("r.yaml:2: column ")
    assert line.endswith(f": a value with ${{ inside of {{ }} or [ ] needs quotes; write {write}")


@pytest.mark.parametrize("text", ['a: {b: "${oc.env:URL}", c: {d}', "a: {b: 1  # ${oc.env:URL}\nc: 1"])
def test_other_mistakes_in_braces_are_told_as_they_are(errors, text):
    assert "${" not in errors(f"version: 1\n{text}\n")[0]


class TestHugeRecipes:
    """What a program hands over, or types, cannot fill the memory or the hour."""

    def test_overrides_reach_into_the_lists_of_a_dict_one_after_the_other(self):
        given = {"version": 1, "stages": [{"use": "rl"}], "dataset": {"use": "a"}}
        document = load(given, ["stages.0.steps=4", "dataset.holdout=0.5", "stages.0.eval={}", "dataset.seed=1"])
        assert document.tree["stages"] == [{"use": "rl", "steps": 4, "eval": {}}]
        assert document.tree["dataset"] == {"use": "a", "holdout": 0.5, "seed": 1}
        assert document.where(("stages", 0, "steps")) == "override 'stages.0.steps=4': stages.0.steps"

    def test_a_dict_that_holds_itself_is_refused(self):
        tree = {"version": 1}
        tree["reward"] = tree
        with pytest.raises(UserError, match="nested more than 64 deep"):
            load(tree)

    def test_a_dict_of_the_same_parts_again_and_again_is_refused(self):
        tree = {"a": 1}
        for _ in range(40):
            tree = {"a": tree, "b": tree}
        with pytest.raises(UserError, match="more than 100,000 values; does it hold itself"):
            load(tree)

    def test_an_override_of_many_parts_is_refused(self):
        with pytest.raises(UserError, match="its key has more than 64 parts"):
            load({"version": 1}, ["a." * 5000 + "b=1"])

    @pytest.mark.parametrize("text", ["\\" * 100_000 + "x ${oc.env:HOME}", '{a: "' + '\\"' * 100_000])
    def test_long_texts_are_read_once(self, tmp_path, text):
        (tmp_path / "r.yaml").write_text(f"name: {text}\n" if text[0] == "{" else f"name: '{text}'\n")
        with suppress(UserError):
            load(tmp_path / "r.yaml")


# --- Removal

NAMED = """
judges: {main: {use: a/b}, spare: {use: a/b}}
reward: {components: {a: {use: c/d}, b: {use: e/f}}, total: a + b}
"""


def test_an_override_removes_a_component_and_a_judge(recipe):
    document = recipe(NAMED, "reward.components.b=null", "judges.spare=~", "reward.total=a")
    assert document.tree["reward"] == {"components": {"a": {"use": "c/d"}}, "total": "a"}
    assert list(document.raw["judges"]) == ["main"]
    assert document.removed_by(("judges", "spare")) == "override 'judges.spare=~'"
    assert document.removed_by(("judges", "main")) is None


def test_an_override_cannot_remove_what_is_not_there(errors):
    assert errors(NAMED, "judges.spar=null") == [
        "override 'judges.spar=null': judges has no 'spar' to remove; did you mean 'spare'?"
    ]


def test_null_stays_a_value_elsewhere(recipe):
    assert recipe(NAMED, "reward.components.a.timeout=null").tree["reward"]["components"]["a"]["timeout"] is None
