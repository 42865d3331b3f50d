"""What the page says of what is broken or unfinished, and what else it takes than one run."""

import gzip
import html
import json
import re
from base64 import b64decode, b64encode
from hashlib import sha256

import pytest
from helpers.each_case import each_case
from helpers.synthetic_run import GROUP, write_run
from rewardlab.files import FileLock
from rewardlab_viewer.page import chunks
from rewardlab_viewer.page.page import write_report
from rewardlab_viewer.read.run_folder import RunFolder


@pytest.fixture
def run(tmp_path):
    return write_run(tmp_path / "run", 30 * GROUP)


def notes(*sources, target):
    write_report(sources, target)
    return re.findall(r'<p class="note"><b>Note</b> (.*?)</p>', target.read_text(encoding="utf-8"))


def test_a_whole_run_has_no_notes(run, tmp_path):
    assert notes(run, target=tmp_path / "page.html") == []


def lacking(line, name):
    """A line that lacks something which figures can do without."""
    row = json.loads(line)
    (row["components"]["accuracy"] if name == "components" else row).pop(
        "contribution" if name == "components" else name
    )
    return row


def test_what_is_torn_damaged_or_replaced_is_said_and_the_rest_is_shown(run, tmp_path):
    ledger = run / "ledger.jsonl"
    lines = ledger.read_text(encoding="utf-8").splitlines()
    lines[3] = lines[3][:-20]
    odd = json.dumps(json.loads(lines[0]) | {"components": {"accuracy": 1}})
    first = json.loads(lines[0])
    wrong = [{"tokens": "x"}, {"tokens": 2**40}, {"step": "x"}, {"stage": None}]
    wrong += [{"phase": [1]}, {"total": 10**400}, {"rest": "x"}, {"shaped": 1e200}, {"completion": 5}, {"messages": 5}]
    accuracy = first["components"]["accuracy"]
    wrong += [{"components": {"accuracy": accuracy | one}} for one in ({"info": 5}, {"weight": "x"}, {"value": "x"})]
    odd = "\n".join([odd, *(json.dumps(first | one) for one in wrong)])
    lines[9:12] = [
        json.dumps(lacking(lines[at], name)) for at, name in ((9, "rest"), (10, "total"), (11, "components"))
    ]
    said = json.loads(lines[16])
    said["components"]["preference"]["info"] = {"group": {"calls": 1, "unparsable": 0, "position_bias": 10**400}}
    lines[16] = json.dumps(said)
    again = [json.dumps(json.loads(line) | {"attempt": 1, "group": 0, "step": 13}) for line in lines[:3]]
    ledger.write_text("\n".join([*lines, '{"no": "line"}', odd, *again, '{"version": 2, "attem']), encoding="utf-8")
    (run / "evaluation" / "0-rl-after.json").write_text('{"name": "after"')
    (run / "logs" / "0-rl.jsonl").write_text(f'{{"step": 1, "loss": {10**400}}}\n{{"step": 2, "lo')
    (run / "state.json").write_text('{"attempt": 0, "done": []}')
    found = notes(run, target=tmp_path / "page.html")
    assert found[0].startswith("evaluation/0-rl-after.json is damaged (")
    assert found[1] == "Left out: 1 line of logs/0-rl.jsonl that cannot be read."
    assert found[2].startswith("Not all stages are done: the run was stopped or killed")
    assert found[3] == "The ledger ends in the middle of a line, as a run leaves it that goes on or was killed."
    assert found[4] == "Left out: 16 lines of the ledger that cannot be read."
    assert re.fullmatch(r"Left out: \d+ completions, behind which a resume went back\.", found[5])
    assert len(found) == 6


def test_each_field_of_few_values_has_a_table(tmp_path):
    def with_kinds(lines):
        lines[0]["fields"] |= {f"kind{at}": lines[0]["group"] // 2 % 2 for at in range(10)}
        return lines

    write_report([write_run(tmp_path / "run", 10 * GROUP, lines_of=with_kinds)], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(f'training, stage 0, by <b dir="auto">kind{at}</b>' in text for at in range(10))


USAGE = {"judge": "main", "calls": 3, "answers": 2, "reused": 0, "retries": 0, "failed": 1, "prompt_tokens": 9}
USAGE |= {"completion_tokens": 1, "usd": 0.5, "seconds": 1.0}
BAD_USAGE = [USAGE, USAGE | {"judge": None}, USAGE | {"usd": 10**400}, USAGE | {"answers": None}, 5]
UNKNOWN = "Whether the run goes on or has ended is not known."
NO_RECIPE = "The recipe cannot be read: "


@each_case(
    "name, text, expected",
    [
        (
            "usage.jsonl",
            "".join(json.dumps(row) + "\n" for row in BAD_USAGE) + '{"judge": "ma',
            ["5 lines of usage.jsonl cannot be read: judges were asked more than is counted here."],
        ),
        ("state.json", '{"done": 5}', ["state.json cannot be read.", UNKNOWN]),
        ("state.json", "{", ["state.json cannot be read.", UNKNOWN]),
        ("manifest.json", '{"counted_info": 5}', ["What rewards count, in manifest.json, cannot be read"]),
        ("manifest.json", '{"counted_info": {"a": 5}, "commands": 5, "earlier_recipes": 5}', ["What rewards"]),
        ("recipe.resolved.yaml", "stages: [3]", [f"{NO_RECIPE}its stages are not a list of mappings.", UNKNOWN]),
        ("recipe.resolved.yaml", "stages: 3", [f"{NO_RECIPE}its stages", UNKNOWN]),
        ("recipe.resolved.yaml", "reward: [a]", [f"{NO_RECIPE}its reward is not a mapping", UNKNOWN]),
        ("recipe.resolved.yaml", "reward: {correctness: [a]}", [f"{NO_RECIPE}its reward", UNKNOWN]),
        ("recipe.resolved.yaml", "stages: [", [f"{NO_RECIPE}recipe.resolved.yaml", UNKNOWN]),
    ],
)
def test_a_damaged_record_is_said_and_the_page_is_there(run, tmp_path, name, text, expected):
    before = (run / name).read_bytes() if (run / name).exists() else None
    (run / name).write_text(text)
    found = notes(run, target=tmp_path / "page.html")
    (run / name).unlink() if before is None else (run / name).write_bytes(before)
    assert len(found) == len(expected), found
    assert all(note.startswith(start) for note, start in zip(found, expected, strict=True)), found


def test_steps_of_an_attempt_that_a_resume_went_back_behind_are_not_expected(run):
    log = run / "logs" / "0-rl.jsonl"
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    again = [row | {"attempt": 1} for row in rows[10:12]]
    log.write_text("".join(json.dumps(row) + "\n" for row in [*rows[:18], *again, {"attempt": 1, "step": 12}]))
    source = RunFolder(run)
    assert source.logs[0].steps == list(range(1, 13))
    assert source.expected == {(0, "training"): 12 * GROUP}


def test_a_file_in_logs_without_numbers_by_step_is_no_log(run):
    """As verl's own, from which the stage's log is made."""
    names = [log.name for log in RunFolder(run).logs]
    (run / "logs" / "0-rl.steps-0.jsonl").write_text('{"step": 1, "data": {"loss": 1}}\n')
    assert [log.name for log in RunFolder(run).logs] == names


def test_a_run_that_goes_on_is_said_to(run, tmp_path):
    (run / "state.json").write_text('{"attempt": 0, "done": []}')
    lock = FileLock(run / "lock")
    assert notes(run, target=tmp_path / "page.html") == [
        "The run goes on; this page shows what there was when it was written."
    ]
    lock.close()
    (run / "lock").unlink()
    (run / "lock").mkdir()  # which nobody can look at
    assert notes(run, target=tmp_path / "page.html") == [UNKNOWN]


def scored(path, groups=3):
    rows = [
        {"id": number, "total": [1.0, 0.5], "shaped": [1.0, 0.5]}
        | {"components": {"right": {"value": [1.0, None], "error": [None, "no answer"], "info": [{}, {}]}}}
        for number in range(groups)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_scored_file_is_shown_as_a_run_is(tmp_path, main):
    code, _, err = main("report", scored(tmp_path / "scored.jsonl"))
    assert (code, err) == (0, "")
    text = (tmp_path / "scored.html").read_text(encoding="utf-8")
    assert '<th scope="row">scored rows</th><td>6</td><td>6 <small>100.0%</small></td>' in text
    assert '<th scope="row" dir="auto">right</th><td>3 <small>50.0%</small></td><td>0</td><td>3' in text


def test_lines_that_score_did_not_write_are_left_out_and_a_state_may_hold_anything(tmp_path):
    right = {"value": [1.0, 0.0], "error": [None, None], "info": [{"extracted": "\ud800"}, {}]}
    wrong = [{"info": [5, {}]}, {"contribution": ["x", None]}, {"value": [1e200, 0.0]}, {"info": []}]
    rows = [
        {"id": 0, "total": [1.0, 0.5], "shaped": [1.0, 0.5], "components": {"right": right | one}}
        for one in [{}, *wrong]
    ]
    path = tmp_path / "scored.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "scored.jsonl.state").mkdir()
    for reward in ([1], "x", {"correctness": ["right"]}):
        state = {"format": 1, "recipe": {"reward": reward}, "components": [], "rows": {}, "plugins": {}}
        (tmp_path / "scored.jsonl.state" / "state.json").write_text(json.dumps(state))
        assert notes(path, target=tmp_path / "page.html") == [
            "Left out: 3 lines of scored.jsonl that `score` did not write."
        ]


def test_a_scored_file_has_the_texts_of_the_rows_that_are_named_and_its_recipes_correctness(tmp_path, main):
    recipe = tmp_path / "recipe.yaml"
    recipe.write_text(
        "version: 1\nreward:\n  components: {boxed: {use: format/boxed}, right: {use: math/accuracy, workers: 1}}\n"
        "  total: boxed + right\n  correctness: right\n"
    )
    rows = tmp_path / "rows.jsonl"
    answers = ["\\boxed{4}", "four", [{"role": "assistant", "content": "It is \\boxed{5}"}]]
    given = {"prompt": "2 + 2?", "answer": "4", "completions": answers}
    rows.write_text("".join(json.dumps(given | {"id": one, "language": one}) + "\n" for one in ("am", "en")))
    assert main("score", recipe, rows, "-o", tmp_path / "scored.jsonl")[0] == 0
    code, _, err = main("report", tmp_path / "scored.jsonl", "--rows", rows)
    assert (code, err) == (0, "")
    text = (tmp_path / "scored.html").read_text(encoding="utf-8")
    [packed] = re.findall(r'id="texts-0-0">([^<]*)<', text)
    [first, _] = json.loads(gzip.decompress(b64decode(packed)))
    assert first["fields"] == {"answer": "4", "language": "am"}
    assert [row["text"] for row in first["rows"]] == ["\\boxed{4}", "four", "It is \\boxed{5}"]
    assert first["rows"][2]["messages"][0]["role"] == "assistant"
    assert "differ in right" in text, "the recipe beside the scores says what is correct"
    code, _, err = main("report", write_run(tmp_path / "run"), "--rows", rows)
    assert code == 2
    assert "--rows belongs to a file that `score` wrote" in err


def test_a_file_that_score_did_not_write_and_several_runs_without_a_name_are_refused(run, tmp_path, main):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"prompt": "a", "completions": ["b"]}\n')
    code, _, err = main("report", rows)
    assert code == 2
    assert "line that `rewardlab score` wrote: no id; name a file of `rewardlab score`, or the folder of a run" in err
    code, _, err = main("report", run, scored(tmp_path / "scored.jsonl"))
    assert code == 2
    assert "name it: -o PAGE" in err
    assert main("report", run, tmp_path / "scored.jsonl", "-o", tmp_path / "both.html")[0] == 0
    text = (tmp_path / "both.html").read_text(encoding="utf-8")
    assert "run and scored.jsonl</title>" in text
    assert "These have different rewards" in text
    assert "These have different rewards" not in notes(run, run, target=tmp_path / "twice.html")
    assert "run (1) and run (2)</title>" in (tmp_path / "twice.html").read_text(encoding="utf-8")


def test_a_ledger_that_is_too_large_for_a_page_is_thinned_and_said_and_a_bundle_has_all(run, tmp_path, monkeypatch):
    monkeypatch.setattr(chunks, "MAX_GROUPS", 4)
    monkeypatch.setattr("rewardlab_viewer.page.page.MAX_PAGE_BYTES", 40_000)
    [note] = notes(run, target=tmp_path / "page.html")
    shown = int(re.match(r"This page has (\d+) of the 30 groups of run, evenly chosen", note)[1])
    assert 4 < shown < 30
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(text.encode()) < 240_000
    assert "<dd>240</dd>" in text, "figures are of everything"
    write_report([run], tmp_path / "bundle", bundle=True)
    assert len(list((tmp_path / "bundle").glob("texts-0-*.js"))) == 8


def test_nothing_but_an_earlier_page_is_replaced(run, tmp_path, main):
    (tmp_path / "lnk").symlink_to(run)
    (tmp_path / "empty").mkdir()
    (tmp_path / "site").mkdir()
    for name in ("index.html", "numbers-0.js", "mine.css"):
        (tmp_path / "site" / name).touch()
    before = sorted(tmp_path.rglob("*"))
    data = run / "ledger.jsonl"
    content = data.read_bytes()
    for target in (run, tmp_path, tmp_path / "lnk", tmp_path / "site", data, tmp_path / "empty" / "..", ".", "/"):
        code, _, err = main("report", run, "--bundle", target)
        assert (code, err.count("--bundle takes a new or empty folder")) == (2, 1), target
    for target, why in (
        (data, "exists already and is not a page (.html)"),
        (run, "this is a folder; name a file"),
        (tmp_path / "no" / "such.html", "there is no folder"),
    ):
        code, _, err = main("report", run, "-o", target)
        assert (code, why in err, ".writing" in err) == (2, True, False), err
    code, _, err = main("report", run, "--bundle", tmp_path / "new", "-o", tmp_path / "page.html")
    assert (code, "leave out one of the two" in err) == (2, True)
    assert (sorted(tmp_path.rglob("*")), data.read_bytes()) == (before, content)
    for target in ("new/one", "empty", "empty"):
        assert main("report", run, "--bundle", tmp_path / target)[0] == 0
    for _ in range(2):
        assert main("report", run, "-o", tmp_path / "page.html")[0] == 0


def test_scripts_make_text_nodes_only():
    from rewardlab_viewer.page.page import HERE, SCRIPTS

    files = sorted((HERE / "assets").glob("*.js"))
    assert sorted(SCRIPTS) == [file.stem for file in files]
    ways = r"innerHTML|outerHTML|insertAdjacent|document\.write|createContextual|DOMParser|setHTML|\beval\b|Function\("
    for file in [*files, HERE / "vendor" / "uPlot.iife.min.js"]:
        text = file.read_text(encoding="utf-8")
        assert re.findall(ways, text) == [], file.name
        assert "</script" not in text.lower()
        assert not re.search(r"srcdoc|\son\w+=", text) or file.name.startswith("uPlot"), file.name
    template = (HERE / "templates" / "report.html.j2").read_text(encoding="utf-8")
    assert "|safe" not in template.replace(" ", "")


@pytest.mark.slow
def test_the_policy_allows_the_scripts_of_the_page_and_nothing_else(run, tmp_path):
    write_report([run], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    policy = html.unescape(re.search(r'Content-Security-Policy" content="(.*?)">', text)[1])
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split("; ")}
    scripts = re.findall(r"<script(?: type=\"module\")?>(.*?)</script>", text, re.DOTALL)
    assert len(scripts) == 2
    digests = [b64encode(sha256(script.encode()).digest()).decode() for script in scripts]
    assert rules.pop("script-src") == [f"'sha256-{digest}'" for digest in digests]
    assert len(rules.pop("style-src")) == 1
    nothing = {name: ["'none'"] for name in ("default-src", "base-uri", "form-action", "trusted-types")}
    assert rules == {**nothing, "img-src": ["data:"], "require-trusted-types-for": ["'script'"]}
