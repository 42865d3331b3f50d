"""Labels of people: what a file of them says of a run's components, and what is wrong with it."""

import json
import random
import re
from itertools import chain, combinations

import pytest
from helpers.synthetic_run import GROUP, write_run
from rewardlab.errors import UserError
from rewardlab_measure.judge_agreement import cohen_kappa, kappa_average
from rewardlab_viewer.page.page import write_report
from rewardlab_viewer.page.run_view import view_of
from rewardlab_viewer.read.labels import LabelFinder, read_labels
from rewardlab_viewer.read.run_folder import RunFolder


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return write_run(tmp_path_factory.mktemp("labelled") / "run", 400)


def groups_of(run):
    lines = [json.loads(line) for line in (run / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]
    return [lines[at : at + GROUP] for at in range(0, len(lines), GROUP)]


def told(lines, better, worse, by="Ann", **more):
    """A row as the page downloads it."""
    made = {"by": by, "group": lines[0]["group"], "chosen": better, "rejected": worse}
    texts = {"chosen": lines[better]["completion"], "rejected": lines[worse]["completion"]}
    return {"prompt": lines[0]["prompt"], **texts, "labelled": made, **more}


def written(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def read(run, *paths):
    """(the section, the notes)"""
    notes = []
    finder = LabelFinder(read_labels(paths, notes))
    view = view_of(RunFolder(run), finder)
    view.chunks.close()
    return view.people, notes


def value(lines, at, name="preference"):
    found = lines[at]["components"][name]["value"]
    return found if found is not None else float("nan")


def test_components_are_held_against_people_and_people_against_each_other(run, tmp_path):
    groups = groups_of(run)
    right = [told(lines, *sorted((0, 1), key=lambda at: -value(lines, at))) for lines in groups]
    of_ben = [told(lines, 1, 0, by="Ben") for lines in groups[:20]]
    of_cleo = [told(lines, 1, 0, by="Cleo") for lines in groups[:9]]
    paths = [written(tmp_path / f"{at}.jsonl", rows) for at, rows in enumerate((right, of_ben + of_cleo))]
    section, notes = read(run, *paths)
    assert notes == []
    by = {(one.rater, one.other): one for one in section.components}
    known = [lines for lines in groups if value(lines, 0) != value(lines, 1)]
    ann = by["preference", "Ann"]
    told_apart = [lines for lines in known if value(lines, 0) == value(lines, 0) and value(lines, 1) == value(lines, 1)]
    assert (ann.pairs, ann.undecided, ann.agreement.mean) == (len(told_apart), 50 - len(told_apart), 1.0)
    assert ann.kappa.mean == 1.0
    assert by["fluency", "Ann"].pairs == 0, "it gives all the same"
    assert by["preference", "all people"].pairs == sum(by["preference", one].pairs for one in ("Ann", "Ben", "Cleo"))
    between = section.people[0]
    agreed = [right[at]["chosen"] == of_ben[at]["chosen"] for at in range(20)]
    assert (between.rater, between.other, between.pairs) == ("Ann", "Ben", 20)
    assert between.agreement.mean == pytest.approx(sum(agreed) / 20)
    assert [(one.rater, one.other) for one in section.people] == [("Ann", "Ben"), ("Ann", "Cleo"), ("Ben", "Cleo")]
    assert section.people[2].agreement.mean == 1.0
    most = [one.people for one in section.disagreements if one.component == "preference"]
    assert set(most) == {(2, 1)}, "one against one is no majority"
    leads = [one.people[0] - one.people[1] for one in section.disagreements]
    assert leads == sorted(leads, reverse=True)


def test_verdicts_about_the_two_count_before_values(tmp_path):
    def compared(lines):
        lines[2]["components"]["preference"]["info"]["verdicts"] = {"3": "B"}
        lines[3]["components"]["preference"]["info"]["verdicts"] = {"2": "A"}
        lines[2]["components"]["preference"]["value"], lines[3]["components"]["preference"]["value"] = 1.0, 0.0
        return lines

    folder = write_run(tmp_path / "run", 80, lines_of=compared)
    rows = [told(lines, 3, 2) for lines in groups_of(folder)]
    section, _ = read(folder, written(tmp_path / "a.jsonl", rows))
    [preference] = [one for one in section.components if one.rater == "preference"]
    assert (preference.pairs, preference.agreement.mean) == (10, 1.0)


def test_what_is_wrong_with_labels_is_said_and_the_others_count(run, tmp_path):
    groups = groups_of(run)
    rows = [told(lines, 0, 1) for lines in groups[:6]]
    rows += [rows[0], told(groups[1], 1, 0), told(groups[6], 0, 1, prompt="another prompt")]
    rows += [told(groups[7], 0, 1) | {"chosen": "a text that has changed"}, {"id": 1, "score": 0.5}]
    rows += [told(groups[8], 0, 1) | {"rejected": "another text that has changed"}]
    path = written(tmp_path / "labels.jsonl", rows)
    path.write_text(path.read_text(encoding="utf-8") + '{"prompt": "torn', encoding="utf-8")
    target = tmp_path / "page.html"
    earlier, other = (written(tmp_path / f"{at}.jsonl", [told(groups[2], at, 1 - at)]) for at in (0, 1))
    again = write_report([run], target, labels=[path, earlier, other]).notes
    assert "Left out: 2 pairs marked both ways by the same person." in again
    notes = write_report([run], target, labels=[path]).notes
    assert any(
        note.startswith("labels.jsonl: left out 2 lines without a label (line 11: a label has a prompt")
        for note in notes
    )
    assert "Left out: 1 pair marked both ways by the same person." in notes
    assert any(note.startswith("3 of 8 labels are about prompts or texts that are not here") for note in notes)
    section, _ = read(run, path)
    assert sum(one.pairs + one.undecided for one in section.components if one.rater == "accuracy") == 5


def test_labels_of_another_run_are_all_said_to_be(run, tmp_path):
    other = write_run(tmp_path / "other", 80, seed=7)
    path = written(tmp_path / "labels.jsonl", [told(lines, 0, 1) for lines in groups_of(other)])
    notes = write_report([run], tmp_path / "page.html", labels=[path]).notes
    assert any(note.startswith("10 of 10 labels are about prompts or texts that are not here") for note in notes)
    assert "Against people" not in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["", "not json\n", '{"prompt": "a", "chosen": "b", "rejected": "b"}\n', "[]\n"])
def test_a_file_without_labels_is_refused(run, tmp_path, text):
    path = tmp_path / "labels.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match=r"labels\.jsonl: has no labels; a label has a prompt"):
        write_report([run], tmp_path / "page.html", labels=[path])
    with pytest.raises(UserError, match=r"gone\.jsonl"):
        write_report([run], tmp_path / "page.html", labels=[tmp_path / "gone.jsonl"])


def test_names_in_labels_are_no_markup(run, tmp_path):
    hostile = "</table><img src=x onerror=alert(1)><script>alert(1)</script>"
    rows = [told(lines, 0, 1, by=by) for lines in groups_of(run)[:9] for by in (hostile, "Ben")]
    write_report([run], tmp_path / "page.html", labels=[written(tmp_path / f"a{hostile[9:12]}.jsonl", rows)])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<img") == page.count("<script>alert") == 0
    assert page.count("&lt;/table&gt;&lt;img src=x") > 3


@pytest.mark.slow
def test_ten_thousand_labels_are_read(run, tmp_path):
    pairs = list(combinations(range(GROUP), 2))
    rows = [told(lines, *pair, by=f"person {at}") for lines in groups_of(run) for pair in pairs for at in range(8)]
    assert len(rows) > 10_000
    section, notes = read(run, written(tmp_path / "labels.jsonl", rows))
    assert notes == []
    [accuracy] = [one for one in section.components if (one.rater, one.other) == ("accuracy", "all people")]
    assert accuracy.pairs + accuracy.undecided == len(rows)
    assert accuracy.agreement.clusters <= 16, "groups of a problem count together"
    assert -0.5 < accuracy.kappa.low < 0 < accuracy.kappa.high < 0.5, "though people always chose the first"
    assert len(section.disagreements) == 200


def test_kappa_is_cohens_and_varies_as_draws_of_problems_do():
    draw = random.Random(5)
    by_problem = []
    for _ in range(150):
        liked = draw.random() < 0.88  # rare marks come together
        by_problem.append([(liked, liked == (draw.random() < 0.85)) for _ in range(draw.randint(1, 5))])
    marks = [*chain.from_iterable(by_problem)]
    found = kappa_average(marks, [at for at, of in enumerate(by_problem) for _ in of])
    assert found.mean == pytest.approx(cohen_kappa(marks))
    drawn = sorted(cohen_kappa([*chain.from_iterable(draw.choices(by_problem, k=150))]) for _ in range(1_000))
    assert found.high - found.low == pytest.approx(drawn[975] - drawn[25], rel=0.1)
    few = kappa_average([(True, True)] * 5 + [(False, False)] * 5, range(10))
    assert (few.mean, few.high) == (1, 1), "kappa's interval ends where kappa does"
    assert few.low == pytest.approx(1 - 2 * 0.2775, abs=1e-3), "ten that agree do not prove that all do"
    assert kappa_average([], []) is None
    assert kappa_average([(True, True)] * 3, [0, 1, 2]) is None, "chance alone agrees fully"


def test_the_command_takes_a_file_a_person(run, tmp_path, main):
    groups = groups_of(run)
    for name in ("ann", "ben"):
        rows = [told(lines, 0, 1) for lines in groups[:5]]
        for row in rows:
            del row["labelled"]
        written(tmp_path / f"{name}.jsonl", rows)
    code, out, err = main("report", run, "-o", "page.html", "--labels", "ann.jsonl", "--labels", "ben.jsonl")
    assert (code, out, err) == (0, "wrote page.html\n", "")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    caption = re.search(r"People against each other</caption>.*?<tbody>\s*<tr>(.*?)</tr>", page, re.DOTALL)
    assert re.findall(r">([a-z]+|[\d.]+)</t[hd]>", caption[1])[:4] == ["ann", "ben", "5", "0"]
