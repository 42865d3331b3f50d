"""Rewards of length under `probe`: where a row counts its honest completion's tokens, every text has a count."""

import json

import pytest
from rewardlab import Completion, Sample
from rewardlab_probe.honest_row import HonestRow

PLUGIN = """
from rewardlab import RewardSpec, Score, hookimpl

class Within:
    "1 up to 20 tokens, 0 above"
    def score(self, items):
        counts = [completion.token_count for _, completion in items]
        return [Score(error="no token count") if n is None else Score(value=float(n <= 20)) for n in counts]

@hookimpl
def rewardlab_rewards():
    return [RewardSpec(name="within", summary="short", runs="inline", build=lambda options, context: Within())]
"""


@pytest.fixture
def probe(offer, write, main):
    """`probe(completion)`: (exit code, what is said) of two rows with this honest completion."""
    offer("tokens", PLUGIN)
    write("r.yaml", "version: 1\nreward: {components: {within: {use: tokens/within}}, total: within}")

    def run(completion):
        rows = [{"id": name, "prompt": "Why?", "completions": [completion]} for name in "ab"]
        write("rows.jsonl", rows)
        code, out, err = main("probe", "r.yaml", "rows.jsonl", "--json")
        return code, out + err

    return run


def test_a_text_has_tokens_for_its_bytes_as_the_honest_one_has():
    row = HonestRow(sample=Sample(id="a"), honest="zwölf", token_count=3)
    assert row.completion("zwölf") == Completion(text="zwölf", token_count=3)
    assert [row.completion(text).token_count for text in ("", "zwölf" * 100, "\ud800")] == [1, 300, 2]
    assert HonestRow(sample=Sample(id="a"), honest="zwölf").completion("x").token_count is None


def test_a_conversation_gets_another_last_answer_and_keeps_its_calls():
    said = [{"role": "assistant", "content": text} for text in ("I ask.", "zwölf")]
    row = HonestRow(sample=Sample(id="a"), honest="zwölf", token_count=6, messages=said)
    degenerate = row.completion("")
    assert (degenerate.text, degenerate.token_count) == ("", 1)
    assert [turn["content"] for turn in degenerate.messages] == ["I ask.", ""]
    assert row.completion("zwölf").messages == tuple(said)


def test_a_reward_of_tokens_is_probed_where_the_row_counts_them(probe):
    code, said = probe({"text": "Because it is so, and it was so before.", "token_count": 11})
    families = json.loads(said)["slices"]["all"]["completions"]
    assert code == 1, "what is short wins under it alone"
    assert families["empty"]["wins"]
    assert not families["very_long"]["wins"]


def test_without_a_count_it_says_nothing_of_them(probe):
    code, said = probe("Because it is so.")
    assert code == 1
    assert "within (tokens/within) has no value for 2 of 2 honest completions" in said
    assert "no token count" in said
