"""The packaged checklists: what the paper prints, by name and scale, and what is said of a file that is wrong."""

import json
import re
from pathlib import Path

import pytest
from helpers.each_case import each_case
from rewardlab_checklist.checklist_choice import TaskChecklists
from rewardlab_checklist.checklist_file import ChecklistError, find_checklist, packaged_names, read_checklist
from rewardlab_format.tasks import TASKS, task_label

PRINTED = json.loads((Path(__file__).parent / "data" / "sgcm_dimensions.json").read_text(encoding="utf-8"))
OURS = {"critique", "safety"}
GOOD = """\
task: Haiku
subtask: Winter
dimensions:
  - name: Season
    asks: "Is it about winter?"
    weight: 0.75
  - name: Form
    asks: "Has it 5, 7 and 5 syllables?"
    weight: 0.25
    labels: {Yes: 1, No: 0}
"""


def section_of(name):
    text = (Path(__file__).parents[1] / "rewardlab_checklist" / "checklists" / f"{name}.yaml").read_text("utf-8")
    found = re.match(r"# SGCM, appendix ([\w.]+)", text)
    return found and found[1]


def scale_of(dimension):
    if dimension.recognises:
        return "labels"
    return "0-1" if list(dimension.labels.values()) == [0.0, 0.5, 1.0] else "/".join(dimension.labels)


class TestThePackagedOnes:
    def test_are_those_of_the_paper_and_two_of_our_own(self):
        found = {section_of(name) for name in packaged_names()} - {None}
        assert found == set(PRINTED["checklists"])
        assert sum(map(len, PRINTED["checklists"].values())) == 109
        assert {name for name in packaged_names() if find_checklist(name).source == "ours"} == OURS

    @each_case("name", sorted(set(packaged_names()) - OURS))
    def test_have_its_dimensions_scales_and_equal_weights(self, name):
        checklist = find_checklist(name)
        printed = PRINTED["checklists"][section_of(name)]
        assert [[one.name, scale_of(one)] for one in checklist.dimensions] == printed
        assert all(one.weight == pytest.approx(1 / len(checklist.scored)) for one in checklist.scored)
        assert all(one.asks.endswith((".", "?")) for one in checklist.dimensions)

    def test_the_best_and_the_worst_label_are_worth_1_and_0(self):
        for name in packaged_names():
            for one in find_checklist(name).scored:
                assert (min(one.labels.values()), max(one.labels.values())) == (0.0, 1.0)

    def test_of_one_printed_twice_the_first_is_a_tasks(self):
        assert TaskChecklists().of("text completion", "continuation").name == "completion_continuation"

    def test_every_task_has_one(self):
        subtasks = {"Summ": "news", "TC": "style transfer", "HTG": "story writing"}
        for task in TASKS:
            assert task_label(TaskChecklists().of(task, subtasks.get(task)).task) == task


class TestChoosing:
    @pytest.mark.parametrize(
        ("task", "subtask", "told"),
        [
            ("poems", None, "no checklist for the task 'poems'; there are some for CC, Chat, HTG, NLI, ODQA, Safety, "),
            ("Summ", None, "the task 'Summ' has several checklists, and no subtask is given; there are 'Academic Art"),
            ("summary", "diary", "several checklists, and none is for the subtask 'diary'; there are 'Academic Arti"),
        ],
    )
    def test_a_task_without_one_is_told_which_there_are(self, task, subtask, told):
        with pytest.raises(ChecklistError, match=re.escape(told)):
            TaskChecklists().of(task, subtask)

    def test_a_users_files_come_first(self, tmp_path):
        (tmp_path / "own.yaml").write_text(GOOD.replace("Haiku", "summary").replace("Winter", "News"))
        found = TaskChecklists((str(tmp_path / "own.yaml"),)).of("Summ", "news")
        assert [one.name for one in found.dimensions] == ["Season", "Form"]

    def test_two_files_for_one_task_are_refused(self, tmp_path):
        for name in ("a.yaml", "b.yaml"):
            (tmp_path / name).write_text(GOOD)
        with pytest.raises(ChecklistError, match=r"b\.yaml: .*a\.yaml is for the same task and subtask"):
            TaskChecklists((str(tmp_path / "a.yaml"), str(tmp_path / "b.yaml"))).of("Haiku", "Winter")


class TestAFile:
    def test_has_weights_and_labels_of_its_own(self, tmp_path):
        (tmp_path / "haiku.yaml").write_text(GOOD)
        season, form = find_checklist(str(tmp_path / "haiku.yaml")).dimensions
        assert (season.weight, form.weight) == (0.75, 0.25)
        assert [season.worth_of(raw) for raw in (0, 0.5, "1", 1.0, 0.7, True, None, "High")] == [
            *(0, 0.5, 1, 1),
            *(None, None, None, None),
        ]
        assert [form.worth_of(raw) for raw in ("yes", "No", "\u200fYES\u200f", 1)] == [1, 0, 1, None]

    def test_may_take_any_number(self, tmp_path):
        path = tmp_path / "any.yaml"
        path.write_text(GOOD.replace("dimensions:", "levels: continuous\ndimensions:"))
        season = read_checklist(path).dimensions[0]
        assert [season.worth_of(raw) for raw in (0.7, "0.31", 1.01, -0.1, "nan")] == [0.7, 0.31, None, None, None]
        assert [season.worth_of(raw) for raw in (1 / 3, "\u200f0,5\u200e", "inf")] == [1 / 3, 0.5, None]

    @pytest.mark.parametrize(
        ("old", "new", "told"),
        [
            ("weight: 0.75", "weight: 0.5", ":3: dimensions: the weights sum to 0.75, not to 1"),
            ("    weight: 0.25\n", "", ":3: dimensions: 'Form' has no weight, and others have"),
            ("name: Form", "name: season", ":7: dimensions.1: 'season' appears twice"),
            ("name: Form", "name: SEASON_", ":7: dimensions.1: 'SEASON_' appears twice"),  # as replies are read
            ("Yes: 1, No: 0", "Yes: 1, ＹＥＳ: 0", ":10: dimensions.1.labels: has a label twice"),
            ("Yes: 1, No: 0", "1: 1, 1.0: 0", ":10: dimensions.1.labels: has a label twice"),
            ("Yes: 1, No: 0", "Yes: 1, No:", ":10: dimensions.1.labels.No: is worth nothing yet"),
            ("Yes: 1, No: 0", "Yes: 2, No: 0", ":10: dimensions.1.labels.Yes: expected a number in [0, 1], found 2"),
            ("Yes: 1, No: 0", "Yes: 1", ":10: dimensions.1.labels: expected two or more labels"),
            ("asks:", "ask:", ":5: dimensions.0.ask: no such key; there are name, asks, weight, labels, recognises"),
            ("task: Haiku\n", "", ":1: task is missing"),
            ("weight: 0.75", "weight: most", ":6: dimensions.0.weight: expected a share in (0, 1], found 'most'"),
            ("subtask: Winter", "levels: [0, 3]", ":2: levels.1: expected a number in [0, 1], found 3"),
            ("subtask: Winter", "subtask: [Winter", ":3: "),
            ("subtask: Winter", "task: Winter", ":2: task: appears twice"),
        ],
    )
    def test_that_is_wrong_is_told_with_its_line(self, tmp_path, old, new, told):
        path = tmp_path / "haiku.yaml"
        assert GOOD.count(old) >= 1
        path.write_text(GOOD.replace(old, new, 1))
        with pytest.raises(ChecklistError) as error:
            read_checklist(path)
        assert f"{path}{told}" in str(error.value)

    def test_that_is_not_there_is_named(self):
        with pytest.raises(ChecklistError, match=r"cannot read the checklist nowhere\.yaml"):
            find_checklist("nowhere.yaml")
        with pytest.raises(ChecklistError, match=r"no checklist 'haiku'; name a \.yaml file, or one of chat, "):
            find_checklist("haiku")


def test_the_listing_of_plugins_names_every_packaged_checklist(capsys):
    from rewardlab.cli import main

    assert main(["plugins", "checklist/answer"]) == 0
    told = capsys.readouterr().out
    assert "summary_news" in told
    assert "Summ, News: 6 dimensions" in told
    assert "Safety: 5 dimensions, not the paper's" in told
    assert all(name in told for name in packaged_names())


class TestTheSchema:
    """checklist.schema.json, for editors: it takes what is read, and refuses what one can see without adding up."""

    @pytest.fixture
    def mistakes(self):
        import jsonschema

        path = Path(__file__).parents[1] / "rewardlab_checklist" / "checklists" / "checklist.schema.json"
        schema = json.loads(path.read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        return lambda text: [error.message for error in validator.iter_errors(_as_editors_read(text))]

    @each_case("name", packaged_names())
    def test_it_takes_every_packaged_file(self, name, mistakes):
        folder = Path(__file__).parents[1] / "rewardlab_checklist" / "checklists"
        text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
        assert "# yaml-language-server: $schema=checklist.schema.json" in text
        assert mistakes(text) == []

    def test_it_takes_what_is_good(self, mistakes):
        assert mistakes(GOOD) == []
        assert mistakes(GOOD.replace("dimensions:", "levels: continuous\ndimensions:")) == []

    @pytest.mark.parametrize(
        ("good", "bad"),
        [
            ("task: Haiku\n", ""),
            ("weight: 0.75", "weight: 2"),
            ("weight: 0.75", "weigth: 0.75"),
            ("{Yes: 1, No: 0}", "{Yes: 1}"),
            ("{Yes: 1, No: 0}", "{Yes: 7, No: 0}"),
            ("labels: {Yes: 1, No: 0}", "recognises: [NLI]"),
            ("dimensions:", "levels: [0]\ndimensions:"),
        ],
    )
    def test_it_refuses_what_reading_refuses(self, good, bad, mistakes, tmp_path):
        assert good in GOOD
        text = GOOD.replace(good, bad)
        assert mistakes(text)
        path = tmp_path / "bad.yaml"
        path.write_text(text)
        with pytest.raises(ChecklistError):
            read_checklist(path)


def _as_editors_read(text):
    """YAML 1.2, in which `Yes` is a text."""
    import yaml

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {  # noqa: RUF012
            first: [(tag, pattern) for tag, pattern in found if tag != "tag:yaml.org,2002:bool"]
            for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    return yaml.load(text, Loader=Loader)
