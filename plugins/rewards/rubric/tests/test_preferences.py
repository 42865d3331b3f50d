"""rubric/preferences: pairs for dpo from a judge's preference among answers."""

import logging
from collections import Counter

import pytest
from rewardlab import Context, Reply, Sample, find
from rewardlab.errors import JobError, UserError

SCALE = {"1": "bad", "2": "fair", "3": "good"}


def row(name="a", **fields):
    fields = {"completions": ["bad", "good", "fair"], **fields}
    return Sample(id=name, prompt=({"role": "user", "content": "Say it."},), fields=fields, source=f"r.jsonl:{name}")


def by_word(ask):
    """A judge that scores the word that it is shown; of two it prefers the one with the higher score."""
    scores = {"bad": 1, "fair": 2, "good": 3}
    if "response" in ask.parts:
        return scores[ask.parts["response"]]
    a, b = (scores[ask.parts[side]] for side in "ab")
    return "Response 1" if a > b else "Response 2"


@pytest.fixture
def prefer(scripted):
    """`prefer(*rows, **options)`: the pairs, and the judges that were asked."""

    def made(*rows, judge=by_word, policy=None, seed=0, **options):
        judges = {"j": scripted(judge), "p": scripted(policy)}
        named = {"judge": "j", "asks": "pointwise", **({"policy": "p"} if policy else {}), **options}
        if named["asks"] == "pointwise":
            named.setdefault("options", {"rubric": SCALE})
        spec = find("dataset", "rubric/preferences")
        context = Context(seed=seed, judges=judges, source=list(rows or [row()]))
        return list(spec.build(spec.config(**named), context)), judges

    return made


class TestPair:
    @pytest.mark.parametrize(("asks", "rewards"), [("pointwise", [0, 1, 0.5]), ("pairwise", [0, 1, 0.5])])
    def test_is_the_best_and_the_worst_answer(self, prefer, asks, rewards):
        (made,), _ = prefer(asks=asks)
        assert made.fields == {"chosen": "good", "rejected": "bad", "margin": 1, "rewards": rewards}
        assert made.prompt == row().prompt

    def test_is_made_of_a_policys_answers(self, prefer):
        answers = ["fair", "bad", "good", "fair"]
        (made,), judges = prefer(policy=lambda ask: Reply(text=answers[ask.draw]), params={"temperature": 1.0})
        assert (made.fields["chosen"], made.fields["rejected"]) == ("good", "bad")
        assert [ask.draw for ask in judges["p"].asked] == [0, 1, 2, 3]
        assert judges["p"].asked[0].params == {"temperature": 1.0}

    def test_needs_a_margin(self, prefer, caplog):
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, _ = prefer(
                row("a"), row("b", completions=["fair", "fair"]), row("c", completions=["fair", "good"]), margin=0.6
            )
        assert [one.id for one in made] == ["a"]
        assert "2 of 3 rows dropped: 2: no answer is preferred" in caplog.text


class TestParallelPrompts:
    ROWS = tuple(row(f"{topic}-{language}", topic=topic) for topic in range(6) for language in "abcde")

    def test_are_taken_in_so_many_languages_at_random(self, prefer):
        made, judges = prefer(*self.ROWS, parallel="topic", most_parallel=2)
        names = [one.id for one in made]
        assert Counter(one.fields["topic"] for one in made) == dict.fromkeys(range(6), 2)
        assert {name[-1] for name in names} == set("abcde"), "not the first ones of the source"
        assert names == [one.id for one in self.ROWS if one.id in names]
        assert len(judges["j"].asked) == 12 * 3, "the others cost nothing"

        def again(rows=self.ROWS, **seed):
            return {one.id for one in prefer(*rows, parallel="topic", most_parallel=2, **seed)[0]}

        assert again(self.ROWS[::-1]) == set(names) != again(seed=1)

    def test_that_are_not_taken_have_what_each_row_needs(self, prefer):
        lacking = Sample(id="c", prompt=row().prompt, fields={"topic": 1}, source="r.jsonl:c")
        with pytest.raises(UserError, match=r"r.jsonl:c: no field 'completions', which each row needs"):
            prefer(row("a", topic=1), row("b", topic=1), lacking, parallel="topic", most_parallel=1)

    def test_must_be_known_by_a_field(self, prefer):
        with pytest.raises(UserError, match=r"r.jsonl:a: no field 'topic', which each row needs"):
            prefer(parallel="topic")


class TestFailures:
    def test_an_answer_that_could_not_be_scored_leaves_its_row_out(self, prefer, caplog):
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, _ = prefer(
                row("a"),
                row("b", completions=["odd", "good"]),
                judge=lambda ask: "{}" if ask.parts["response"] == "odd" else by_word(ask),
            )
        assert [one.id for one in made] == ["a"]
        assert "an answer could not be scored" in caplog.text

    def test_a_prompt_that_the_server_refuses_leaves_its_row_out(self, prefer, caplog):
        refused, long = Reply(error="HTTP 400: too long", refused=True), ({"role": "user", "content": "long"},)
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            made, _ = prefer(
                row("a"),
                Sample(id="b", prompt=long, fields={}, source="r.jsonl:b"),
                policy=lambda ask: (
                    refused if ask.messages == list(long) else Reply(text=["good", "fair"][ask.draw % 2])
                ),
            )
        assert [one.id for one in made] == ["a"]
        assert (
            "1 of 2 rows dropped: 1: refused by the server; first: r.jsonl:b: refused by the server: 'HTTP 400"
            in caplog.text
        )

    def test_a_policy_that_is_down_stops_the_job(self, prefer):
        with pytest.raises(JobError, match=r"r.jsonl:a: policy 'p' gave no answer: HTTP 503"):
            prefer(policy=lambda ask: Reply(error="HTTP 503"))

    @pytest.mark.parametrize("completions", [None, "good", ["good"], [1, 2]])
    def test_a_row_without_answers_is_named(self, prefer, completions):
        with pytest.raises(UserError, match=r"r.jsonl:a: 'completions' must be a list of two texts"):
            prefer(row(completions=completions))

    def test_a_design_that_the_candidates_are_too_few_for_is_refused(self, prefer):
        options = {"design": "anchor", "anchors": 3}
        with pytest.raises(
            ValueError, match=r"options: design anchor has at most 2 anchors in a group of 3.*candidates"
        ):
            prefer(asks="pairwise", policy=by_word, candidates=3, options=options)

    def test_a_second_judge_among_the_options_is_refused(self, prefer):
        with pytest.raises(ValueError, match="options has a judge"):
            prefer(options={"judge": "x", "rubric": SCALE})
