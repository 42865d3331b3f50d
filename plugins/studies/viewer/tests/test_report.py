import builtins
import gzip
import json
import os
import re
import resource
import tracemalloc
from base64 import b64decode
from collections import Counter

import pytest
import rewardlab
from rewardlab.errors import UserError
from rewardlab_training import Results
from rewardlab_training.results import Slice
from rewardlab_viewer.page.page import write_report


@pytest.fixture
def run(tmp_path):
    """A run directory as `rewardlab run` leaves it, with a hostile completion."""
    (tmp_path / "manifest.json").write_text(json.dumps({"rewardlab": "0.1.0", "seed": 0}))
    (tmp_path / "recipe.resolved.yaml").write_text("version: 1\nname: a & b\n")
    (tmp_path / "logs").mkdir()
    steps = [
        {"attempt": 0, "step": 1, "reward/total": 0.25, "loss": 0.5},
        {"attempt": 0, "step": 2, "reward/total": 0.75},
    ]
    (tmp_path / "logs" / "1-rl.jsonl").write_text("".join(json.dumps(row) + "\n" for row in steps))
    (tmp_path / "evaluation").mkdir()
    for when, value in (("before", 0.25), ("after", 0.75)):
        part = Slice(name="all", prompts=1, completions=2, means={"total": value, "short": None})
        Results(name=when, slices=[part]).save(tmp_path / "evaluation" / f"1-rl-{when}.json")
    rows = [_row(0, "<script>alert(1)</script>", 1.0), _row(1, "second best", 0.5), _row(2, "worst", None)]
    (tmp_path / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def _row(index, text, value):
    score = {"value": value, "error": None if value is not None else "the judge is down", "info": {}}
    return {
        "attempt": 0,
        "stage": 1,
        "step": None,
        "group": 0,
        "index": index,
        "trained": "no",
        "id": "s1",
        "completion": text,
        "components": {"short": score},
        "total": value,
    }


def page(run):
    write_report([run], run / "report.html")
    return (run / "report.html").read_text(encoding="utf-8")


def texts(run):
    """The texts of all groups, as the page's script unpacks them."""
    parts = re.findall(r'id="texts-\d+-\d+">([^<]*)<', page(run))
    return "".join(gzip.decompress(b64decode(part)).decode() for part in parts)


def data(run):
    """What the page's script knows from the beginning."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page(run))[1])


def test_the_page_shows_results_curves_and_completions(run):
    text = page(run)
    assert "0.25 → 0.75" in text
    assert data(run)["runs"][0]["charts"]["logs"][0]["numbers"]["reward/total"] == [0.25, 0.75]
    assert "name: a &amp; b" in text
    assert "worst" in texts(run)
    assert "the judge is down" in texts(run)


def test_nothing_that_a_policy_or_a_recipe_wrote_is_markup(run):
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    row = _row(0, hostile, 1.0) | {"id": hostile, "fields": {hostile: "a"}, "components": {hostile: {"value": 1.0}}}
    other = row | {"group": 1, "fields": {hostile: hostile}}
    rows = [row, other, *(line | {"group": number} for number in (2, 3) for line in (row, other))]
    (run / "ledger.jsonl").write_text("".join(json.dumps(line) + "\n" for line in rows))
    (run / "recipe.resolved.yaml").write_text(hostile)
    text = page(run)
    assert text.count("<img") == 0
    assert text.count("alert(1)</script>") == 0
    assert hostile in json.loads(f"[{texts(run)[1:-1]}]")[0]["rows"][0]["text"]


def test_the_page_needs_no_other_file_or_host(run):
    text = page(run)
    assert "src=" not in text
    assert set(re.findall(r"https?://[^ )\"]*", text)) == {"https://github.com/leeoniya/uPlot"}, (
        "a remark in its licence"
    )


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(UserError, match=r"is not the folder of a run: it has no manifest\.json$"):
        write_report([tmp_path], tmp_path / "report.html")


def test_a_folder_of_runs_lists_them(main, tmp_path):
    """The newest first, with what began each; what is no run stands beside them in peace."""
    for number in range(14):
        folder = tmp_path / "runs" / f"toy-{number}"
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text(json.dumps({"commands": [f"rewardlab run r.yaml seed={number}"]}))
        (folder / "recipe.resolved.yaml").write_text("version: 1\n")
        os.utime(folder / "recipe.resolved.yaml", (number, number))
    (tmp_path / "runs" / "notes").mkdir()
    (tmp_path / "runs" / "notes.txt").write_text("mine")
    for arguments, told in (
        (["runs"], "runs: this is a folder of runs; name one of them, or several with -o PAGE"),
        (["runs", "--follow"], "runs: this is a folder of runs; name one of them, or several with -o PAGE"),
        ([], "it takes either --demo or a RUN: a run directory, or a file that `score` wrote"),
    ):
        code, out, err = main("report", *arguments)
        assert (code, out) == (2, "")
        lines = err.splitlines()
        assert lines[:2] == [f"error: {told}", "error: runs/toy-13: rewardlab run r.yaml seed=13"]
        assert lines[12:] == ["error: runs/toy-2: rewardlab run r.yaml seed=2", "error: runs: and 2 older"]


@pytest.mark.parametrize("manifest", ["", "[]", "[" * 200_000])
def test_a_run_with_a_corrupt_manifest_is_refused(run, manifest):
    (run / "manifest.json").write_text(manifest)
    with pytest.raises(UserError, match="is not the folder of a run: "):
        write_report([run], run / "report.html")


def test_a_page_that_cannot_be_written_leaves_the_one_before_and_is_named(run):
    before, limits = page(run), resource.getrlimit(resource.RLIMIT_FSIZE)
    for target in (run / "report.html", run.parent / "bundle"):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
        try:
            with pytest.raises(OSError, match="File too large") as full:
                write_report([run], target, bundle=target.name == "bundle")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert full.value.filename == str(target)
    assert (run / "report.html").read_text(encoding="utf-8") == before
    assert not [*run.glob(".*.writing"), *run.parent.glob(".*.writing")]


def test_half_a_character_in_a_completion_is_shown_as_its_escape(run):
    row = _row(3, "half \ud83d of one", 0.1)
    (run / "ledger.jsonl").write_text(json.dumps(row) + "\n")
    assert "half \\ud83d of one" in texts(run)


def test_the_command_writes_into_the_run(run, main):
    code, _, err = main("report", run)
    assert code == 0, err
    assert (run / "report.html").is_file()


def test_what_judges_were_asked_and_how_consistent_they_were(run):
    def asked(step, judge, calls, usd, **more):
        counts = {"calls": calls, "answers": calls, "retries": 1, "failed": 0, "reused": 2}
        tokens = {"prompt_tokens": 1000, "completion_tokens": 10, "usd": usd}
        return {"attempt": 0, "stage": 1, "step": step, "judge": judge} | counts | tokens | more

    rows = [asked(1, "main", 28, 0.5), asked(2, "main", 30, 0.25, seconds=9.0), asked(2, "<b>", 1, 0)]
    (run / "usage.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    group = {"calls": 12, "tokens": 9, "comparisons": 6, "ties": 3, "missing": 0, "unparsable": 3, "failed": 0}
    bias = {"position_bias": 0.5, "order_agreement": None, "triples": 4, "intransitive": 1, "intransitivity": 0.25}
    scored = _row(0, "first", 1.0)
    scored["components"]["short"]["info"] = {"group": group | bias}
    (run / "ledger.jsonl").write_text(json.dumps(scored) + "\n")
    text = page(run)
    assert _cells("main", "58", "4", "2", "0", "2,000", "20", "0.7500", "0.30") in text
    assert "&lt;b&gt;</th>" in text
    (run / "judges").mkdir()
    kept = {"calls": 70, "answers": 60, "retries": 3, "failed": 0, "reused": 2, "prompt_tokens": 2500} | {
        "seconds": 30.0
    }
    (run / "judges" / "main.usage.json").write_text(json.dumps(kept | {"completion_tokens": 25, "usd": 1.0}))
    (run / "judges" / "%3Cb%3E.usage.json").write_text("{")
    killed = page(run)
    assert _cells("main", "70", "2", "3", "0", "2,500", "25", "1.0000", "0.50") in killed, "by a step that was killed"
    assert "judges/%3Cb%3E.usage.json cannot be read" in killed
    part = dict.fromkeys(("answers", "retries", "failed", "reused", "prompt_tokens", "completion_tokens", "usd"), 0)
    for number, calls in enumerate((5, 40), 1):
        path = run / "judges" / f"main.usage.{number}-of-2.json"
        path.write_text(json.dumps(part | {"calls": calls, "seconds": 0.0}))
    kept |= {"completion_tokens": 25, "usd": 1.0, "settled": ["main.usage.2-of-2.json"]}
    (run / "judges" / "main.usage.json").write_text(json.dumps(kept))
    divided = _cells("main", "75", "2", "3", "0", "2,500", "25", "1.0000", "0.50")
    assert divided in page(run), "with what scorers with a share have asked that nobody has added up"
    assert _cells("short", "all", "1", "+0.50", *"–––", "25.0%", "50.0%", "25.0%", "0.0%") in text
    assert "<td>de</td>" not in text, "one language is not told apart"
    rows = [scored | {"group": group, "fields": {"language": name}} for group, name in enumerate(("de", "am"))]
    rows[1]["components"] = json.loads(json.dumps(rows[1]["components"]).replace("0.5", "0.25"))
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert _cells("short", "am", "1", "+0.25", *"–––", "25.0%", "50.0%", "25.0%", "0.0%") in page(run)
    rows = [
        json.loads(json.dumps(scored | {"group": group, "id": f"s{group // of}"}).replace("0.5", str(group % 5 / 10)))
        for of in (1, 10)
        for group in range(40)
    ]
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[:40]))
    assert "<td>+0.20 (+0.15 to +0.25)</td>" in page(run)
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[40:]))
    assert "<td>+0.20 (+0.04 to +0.36)</td>" in page(run), "of four problems"


def _cells(head, *cells):
    kind = [' class="text"' if cell[:1].isalpha() else "" for cell in cells]
    row = [f"<td{one}>{cell}</td>" for one, cell in zip(kind, cells, strict=True)]
    return f'<th scope="row" dir="auto">{head}</th>' + "".join(row)


def test_a_run_without_judges_says_nothing_of_them(run):
    assert "No judge was asked over a network" in page(run)


def test_what_rewards_count_is_shown(run):
    (run / "manifest.json").write_text(json.dumps({"seed": 0, "counted_info": {"short": ["cut", "not_there"]}}))
    rows = [_row(index, "text", 1.0) for index in range(4)]
    rows[1]["components"]["short"] = {"value": 1.0, "error": None, "info": {"cut": 12, "not_there": 0}}
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert _cells("short", "cut", "1", "25.0%") in page(run)
    assert "not there" not in page(run)


def test_a_run_whose_rewards_count_nothing_says_nothing_of_them(run):
    assert "What rewards counted" not in page(run)


def _caused(group, trained, rest=0.0, **contributions):
    """Two completions of a group: of the first each component gave so much, of the second nothing."""
    for index in (0, 1):
        row = _row(index, f"text {group}", 1.0) | {"group": group, "trained": trained}
        row |= {"step": None if trained == "no" else group, "shaped": 1.25, "rest": rest}
        row["components"] = {
            name: {"value": given * (index == 0), "error": None, "info": {}, "weight": 1}
            | {"contribution": given * (index == 0)}
            for name, given in contributions.items()
        } | {"seen": {"value": 0.5, "error": None, "info": {}}}
        yield row


def test_what_moved_the_reward_and_what_is_odd_about_it(run):
    groups = [_caused(group, "yes", short=0.75 + group, polite=0.0) for group in range(9)]
    rows = [*(row for group in groups for row in group), *_caused(9, "no", short=0.25, polite=-0.5)]
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = page(run)
    assert '<p class="about">9 groups that were trained on. The share says how much of the variance' in text
    assert "nothing was learned from a component where it is constant" in text
    assert _cells("short", "weight 1", "100.0%", "0 of 9 groups") in text
    assert _cells("polite", "weight 1", "0.0%", "9 of 9 groups") in text
    assert _cells("seen", "no, only logged") in text
    dead = "polite is the same for all completions of a prompt in every one of 9 groups: it is dead"
    assert f'<ul class="findings"><li>{dead}' in text
    [finding] = write_report([run], run / "report.html").findings
    assert finding.startswith(dead)


def test_an_evaluation_learns_nothing_and_the_page_does_not_say_so(run):
    groups = [_caused(group, "no", short=0.75 + group, polite=0.0) for group in range(9)]
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for rows in groups for row in rows))
    text = page(run)
    assert '<p class="about">9 groups of evaluations. The share says' in text
    assert "polite is the same for all completions of a prompt in every one of 9 groups: it is dead<" in text
    assert "learned from" not in text


def test_what_no_component_gave_is_shown(run):
    rows = [*_caused(0, "yes", rest=0.5, short=0.5), *_caused(1, "no", rest=0.5, short=0.5)]
    rows[0]["rest"] = 1.0  # the rest of the first completion differs from that of the second
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = page(run)
    assert "<p>beside the components, 50.0% of the variance is the rest: what normalizers add of their own.</p>" in text


def test_what_an_evaluation_lacks_stands_below_its_table(run):
    part = Slice(name="all", prompts=4, completions=6, means={"total": 0.5}, missing=2, truncated=3)
    Results(name="results", slices=[part]).save(run / "evaluation" / "2-eval-results.json")
    text = page(run)
    assert "<p>2 of 8 completions are missing: the server gave none, and no mean counts them</p>" in text
    assert "<p>3 of 8 completions were cut at the length limit (max_new_tokens)</p>" in text


def test_evaluations_are_shown_where_nothing_was_trained_on_and_of_a_resumed_run_what_stands(run):
    evaluated = list(_caused(0, "no", short=0.5))
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in evaluated))
    assert '<p class="about">1 group of evaluations. The share' in page(run)
    trained = [row for step in (1, 2) for row in _caused(step, "yes", short=0.5)]
    again = [row | {"attempt": 1} for row in _caused(2, "yes", short=0.5)]
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in [*trained, *again]) + '{"attempt')
    assert '<p class="about">2 groups that were trained on. The share' in page(run), "cut off or not"


def test_what_was_discarded_is_counted_and_neither_moved_the_reward_nor_is_an_evaluation(run):
    groups = [*_caused(0, "yes", short=0.75), *_caused(1, "no", short=0.25)]
    rows = [row | {"phase": "training", "step": 1} for row in groups]
    unchosen = rows[1] | {"index": 2, "trained": "no", "total": None, "shaped": None, "components": {}}
    rows.insert(2, unchosen)
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    text = page(run)
    assert '<p class="about">1 group that were trained on. The share' in text
    assert "3 of 5 completions (60.0%) were made to be trained on and were not" in text
    (run / "ledger.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows[2:]))
    assert "The share says" not in page(run), "discarded groups stand for no evaluation where nothing was trained on"


def test_what_a_resumed_run_replaced_is_known_of_lines_that_others_wrote_and_not_of_torn_ones(run):
    rows = [row for step in (1, 2, 3) for row in _caused(step, "yes", short=0.5)]
    again = [row | {"attempt": 1} for row in _caused(2, "yes", short=0.5)]
    torn = json.dumps(rows[0] | {"attempt": 2, "step": 1})[:-1]
    for sort_keys in (False, True):
        whole = [json.dumps(row, sort_keys=sort_keys) for row in [*rows, *again]]
        (run / "ledger.jsonl").write_text("\n".join([*whole, torn]))
        assert '<p class="about">2 groups that were trained on. The share' in page(run)


def test_a_ledger_that_tells_of_no_contributions_has_no_such_part(run):
    assert "The share says" not in page(run)
    assert list(write_report([run], run / "report.html").findings) == []
    (run / "ledger.jsonl").unlink()
    assert "The share says" not in page(run)


def _write_long_ledger(run, lines, text=None):
    """Write a ledger of a resumed run, in groups of two: every other group is an evaluation, and all compare."""
    compared = {"calls": 2, "comparisons": 1, "ties": 0, "unparsable": 0, "failed": 0, "triples": 0, "intransitive": 0}
    with open(run / "ledger.jsonl", "w") as file:
        for group in range(lines // 2):
            info = {"cut": 1, "group": compared | {"position_bias": group / lines, "order_agreement": 0.5}}
            for row in _caused(group, "no" if group % 2 else "yes", short=0.5 + group, polite=0.25):
                row["components"]["short"]["info"] = info
                row["completion"] = text or row["completion"]
                file.write(json.dumps(row | {"attempt": group * 2 // lines}) + "\n")


def test_the_ledger_is_read_once_after_a_first_look_for_replaced_steps(run, monkeypatch):
    (run / "manifest.json").write_text(json.dumps({"seed": 0, "counted_info": {"short": ["cut"]}}))
    _write_long_ledger(run, 100)
    opened = Counter()
    real = builtins.open

    def counting(file, *arguments, **options):
        opened[str(file)] += 1
        return real(file, *arguments, **options)

    monkeypatch.setattr(builtins, "open", counting)
    page(run)
    assert opened[str(run / "ledger.jsonl")] == 2


@pytest.mark.slow
def test_memory_holds_numbers_of_completions_and_no_texts(run):
    def peak(lines):
        _write_long_ledger(run, lines, text="".join(map(chr, range(0x4E00, 0x5600))))
        tracemalloc.start()
        page(run)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(100)  # imports what a report needs
    assert peak(2_500) < peak(500) + 2_000 * 800  # of 4,600 bytes each


@pytest.mark.slow
def test_the_demo_is_a_whole_run_of_the_quickstart(tmp_path):
    result = rewardlab.report(demo=True, output=tmp_path / "demo.html")
    assert result.warnings == []  # nothing torn, damaged or left out
    text = (tmp_path / "demo.html").read_text(encoding="utf-8")
    assert "1-rl: before → after" in text
    assert "What rewards counted" in text
    assert "accuracy, of 768 completions: no answer 24, last number reads 23" in text
    assert len(text) > 200_000
    assert rewardlab.report(demo=True).data["output"].endswith("report.html")
    for wrong in ({}, {"demo": True, "run": [tmp_path]}):
        with pytest.raises(UserError, match="either --demo or a RUN"):
            rewardlab.report(**wrong)
