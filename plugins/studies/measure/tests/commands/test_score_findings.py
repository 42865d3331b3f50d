"""The findings that `rewardlab score` ends with: components that do not do their part."""

import json

from rewardlab.scorefile import summary

RECIPE = "version: 1\nreward: {components: {boxed: {use: format/boxed}}, total: boxed}\n"
ROWS = "".join(json.dumps({"prompt": f"{n}?", "completions": ["\\boxed{1}", "\\boxed{2}"]}) + "\n" for n in range(8))


def test_a_dead_component_is_a_note_and_a_finding(main, write, monkeypatch):
    write("r.yaml", RECIPE)
    write("rows.jsonl", ROWS)
    code, out, err = main("score", "r.yaml", "rows.jsonl", "-o", "out.jsonl", "--json")
    assert code == 0, err
    [finding] = json.loads(out)["findings"]
    assert (finding["kind"], finding["components"]) == ("dead", ["boxed"])
    assert f"note: {finding['what']}" in err.splitlines()

    monkeypatch.setattr(summary, "entry_points_of", lambda group: ())
    code, out, err = main("score", "r.yaml", "rows.jsonl", "-o", "again.jsonl", "--json")
    assert (code, json.loads(out)["findings"]) == (0, [])
