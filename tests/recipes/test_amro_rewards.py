"""What groups earn under recipes/amro.yaml, with a critic behind a real server: totals, at the end of the chain."""

import json
import re

import pytest
from helpers.paths import RECIPES

FORM = re.compile(r"\{.*\}", re.S)
TASK = re.compile(r"^\[(.*)\]")
MOON = "Why does the moon show us always the same side?"
TRACE = "The question asks for the reason of the bound rotation of the moon, so I name the tides."
SHORT = "The tides of the earth slowed the moon until one turn of it took just as long as one orbit around the earth."
GERMAN = "Aus der Voraussetzung folgt das nicht, denn sie sagt nichts darüber, wann der Zug ankommt."
LABELS = ["Folgerung", "Widerspruch", "neutral"]
NUOSU = "ꊿꂷꃅꄿꐨꐥ，ꌅꅍꀂꏽꐯꒈꃅꐥꌐ。ꊿꊇꉪꍆꌋꆀꁨꉌꑌꐥ，ꄷꀋꁨꂛꊨꅫꃀꃅꐥꄡꑟ。"
ZHUANG = "Boux boux ma daengz lajmbwn couh miz cwyouz, cinhyenz caeuq genzli bouxboux Bingzdaengj."
ODQA, NLI = {"task": "ODQA", "language": "en"}, {"task": "NLI", "language": "de"}

GROUPS = {
    # the 500 words of the paper's appendix I.1 are a part of one graded dimension, which the critic judges
    "a short answer to an open question": (ODQA, [(TRACE, SHORT), (TRACE, SHORT * 25)], [1, 1]),
    "a german label": (NLI, [(GERMAN, f"Widerspruch. {GERMAN}"), (GERMAN, GERMAN)], [1, 1]),
    "labels of the row": (
        {**NLI, "labels": LABELS},
        [(GERMAN, f"Kein Widerspruch, sondern neutral. {GERMAN}"), (GERMAN, GERMAN)],
        [1, 0],
    ),
    # every name of a task is one to all components
    "safety": ({"task": "Safety", "language": "en"}, [(TRACE, SHORT)], [1]),
    "conversation": ({"task": "conversation", "language": "en"}, [(TRACE, SHORT)], [1]),
    "completion": ({"task": "completion", "subtask": "Continuation", "language": "en"}, [(TRACE, SHORT)], [1]),
    "writing": ({"task": "creative writing", "subtask": "Story Writing", "language": "en"}, [(TRACE, SHORT)], [1]),
    # English earns .8 where no detector knows the language, too
    "zhuang": ({"task": "Chat", "language": "za"}, [(ZHUANG, ZHUANG), (TRACE, SHORT)], [1, 0.8]),
    "nuosu": ({"task": "Chat", "language": "ii"}, [(NUOSU, NUOSU), (TRACE, SHORT)], [1, 0.8]),
}


class Critic:
    """A critic that gives each dimension the best score, quotes the question, and recognises the task that it names."""

    def __init__(self, fence):
        self._fence = fence

    def __call__(self, request):
        asked = request["messages"][-1]["content"]
        shown = {found["label"]: found["text"] for found in self._fence.finditer(asked)}
        form = json.loads(FORM.search(self._fence.sub("", asked))[0])
        entry = {"evidence": [MOON], "why": "It is asked for.", "score": "1"}
        task = TASK.search(shown["QUESTION"])[1]
        return json.dumps(
            {
                part: {name: entry if isinstance(one, dict) else task for name, one in form[part].items()}
                for part in form
            }
        )


@pytest.mark.slow  # processes with the detectors of languages
def test_every_group_earns_what_it_should(judge_server, command, tmp_path, monkeypatch):
    """The critic's evidence is the question's, which the paper's section 3.2 allows and `missing` would punish."""
    rows, out = tmp_path / "rows.jsonl", tmp_path / "scores.jsonl"
    with rows.open("w", encoding="utf-8") as file:
        for name, (fields, completions, _) in GROUPS.items():
            texts = [f"<think>{trace}</think><answer>{answer}</answer>" for trace, answer in completions]
            row = {"id": name, "prompt": f"[{fields['task']}] {MOON}", **fields, "completions": texts}
            file.write(json.dumps(row) + "\n")
    strict = [f"reward.components.{name}.with.on_unsupported=missing" for name in ("reasoning", "answer", "task")]
    with judge_server.Serving(judge_server.JudgeServer(answer=Critic(judge_server.FENCE))) as server:
        monkeypatch.setenv("CRITIC_URL", server.url)
        recipe = [RECIPES / "amro.yaml", "reward.normalize=[]", *strict]
        code, said, err = command(tmp_path, "score", *recipe, rows, "-o", out)
    assert code == 0, said + err
    scored = map(json.loads, out.read_text(encoding="utf-8").splitlines())
    totals = {row["id"]: row["total"] for row in scored}
    assert totals == {name: pytest.approx(expected) for name, (_, _, expected) in GROUPS.items()}
