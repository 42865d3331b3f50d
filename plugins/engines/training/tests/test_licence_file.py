"""The file of a judge's licences, which several measurements may write."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from rewardlab_training.licences import Labels, Licence, keep_licence, read_licences

AT_ONCE = 16


def licence(component, **changes):
    labels = Labels(path="labels.jsonl", sha256="of the labels", rows=40)
    known = {"component": component, "asked": {"judges": "main"}, "labels": labels, "level": 0.98, "measures": {}}
    return Licence(**{**known, "at": "2026-11-28T00:00:00+00:00", **changes})


def test_measurements_that_end_in_the_same_moment_are_all_kept(tmp_path):
    path, ready = tmp_path / "main.licence.json", Barrier(AT_ONCE)

    def measured(number):
        ready.wait(60)
        keep_licence(path, "main", licence(f"component {number}"))

    with ThreadPoolExecutor(AT_ONCE) as threads:
        list(threads.map(measured, range(AT_ONCE)))
    kept = {one.component for one in read_licences(path, "main").licences}
    assert kept == {f"component {number}" for number in range(AT_ONCE)}


def test_the_one_with_more_answers_stays_unless_labels_or_their_split_are_others(tmp_path):
    path = tmp_path / "main.licence.json"
    before = licence("quality", unanswered=1)
    keep_licence(path, "main", before)
    assert keep_licence(path, "main", licence("quality", unanswered=2)) == before
    for other in (
        licence("quality", unanswered=1, at="later"),
        licence("quality", unanswered=0),
        licence("quality", unanswered=2, by="language"),
        licence("quality", unanswered=3, labels=Labels(path="labels.jsonl", sha256="of others", rows=50)),
    ):
        assert keep_licence(path, "main", other) == other
        assert read_licences(path, "main").licences == [other]
