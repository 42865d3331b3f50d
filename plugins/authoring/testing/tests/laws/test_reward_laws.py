"""Each law of rewards is held by what keeps it and broken, with a readable example, by what does not."""

import re
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest
from rewardlab import Ask, Completion, Reply, RewardSpec, Sample, Score
from rewardlab.errors import UserError
from rewardlab.laws import JudgeExample, Laws, RewardExample
from rewardlab_testing.laws.reward_laws import independence
from rewardlab_testing.laws.run_laws import laws_of, try_laws
from rewardlab_testing.outcomes.law_words import REWARD

TRIES = 3
ELSEWHERE = ("worker", "ray")
JUDGED = ("unanswered", "unreadable", "fence", "markers")
HERE = [law for law in REWARD if law not in ELSEWHERE]


@pytest.fixture(scope="module")
def rewards(module_of):
    return module_of("law_rewards.py")


@pytest.fixture
def one(rewards):
    """A reward of tests/law_rewards.py that breaks a law, by its name."""
    return {spec.name: spec for listed in rewards.BROKEN.values() for spec in listed}.__getitem__


def outcomes(spec, *laws, tries=TRIES):
    """law -> its outcome, under the spec's only example."""
    [tried] = try_laws(spec, tries=tries, only=laws or None)
    return {outcome.law: outcome for outcome in tried.outcomes}


def why(spec, law, **how):
    outcome = outcomes(spec, law, **how)[law]
    assert outcome.state == "broken", outcome
    return outcome.why


def said(spec, law, state):
    """Why a law is in this state."""
    outcome = outcomes(spec, law)[law]
    assert outcome.state == state, outcome
    return outcome.why


def test_every_law_has_words_and_a_function_in_the_same_order():
    assert list(laws_of("reward")) == list(REWARD)


@pytest.mark.parametrize(
    ("name", "not_for_it"),
    [
        ("KEPT", {"arrival", *JUDGED, "antisymmetry"}),
        ("ABSTAINING", {"arrival", *JUDGED, "antisymmetry"}),
        ("AWAITED", {"arrival", *JUDGED, "antisymmetry"}),
        ("JUDGED", {"arrival", "required", "fence", "antisymmetry"}),
        ("WON", {"required", *JUDGED}),
        ("NAMING_PLACES", {"required", *JUDGED, "antisymmetry"}),
    ],
)
def test_what_keeps_the_laws_holds_each_that_is_for_it(rewards, name, not_for_it):
    found = outcomes(getattr(rewards, name), *HERE)
    assert {law: one.why for law, one in found.items() if one.state not in ("held", "nothing")} == {}
    assert {law for law, one in found.items() if one.state == "nothing"} == not_for_it | {"hedge"}
    assert all(one.tries > 0 for one in found.values() if one.state == "held")


@pytest.mark.parametrize("law", HERE)
def test_what_breaks_a_law_is_told_with_what_was_asked_what_came_and_what_was_expected(rewards, law):
    for spec in rewards.BROKEN[law]:
        asked, *_, came, expected = why(spec, law).splitlines()
        assert asked.startswith("asked: ")
        assert came.startswith("got: ")
        assert expected.startswith("expected: ")


@pytest.mark.slow
def test_another_process_answers_the_same(rewards):
    assert outcomes(rewards.WON, "worker")["worker"].state == "held"


def test_a_salt_shows_in_another_process(one):
    assert "in another process\ngot: " in why(one("salted"), "worker")


@pytest.mark.slow
def test_a_memory_shows_in_another_process(one, rewards, monkeypatch):
    monkeypatch.setattr(rewards, "REMEMBERED", ["an earlier call"])
    assert why(one("by-module"), "worker").endswith("got: 0.0\nexpected: 1.0, as here")


def test_where_ray_is_not_installed_there_is_nothing_to_try(rewards, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    assert said(rewards.KEPT, "ray", "nothing") == said(of(share), "ray", "nothing") == "Ray is not installed here"


# --- The smallest failing examples


def test_a_failing_text_is_made_small(one):
    assert why(one("nan-for-blank"), "range") == (
        "asked: ''\ngot: a failure: value nan is not finite\nexpected: a number in [0, 1], or an abstention"
    )
    assert why(one("no-surrogates"), "range").startswith("asked: '\\ud800'\ngot: a failure: UnicodeEncodeError: ")
    assert "(at law_rewards.py:" in why(one("no-surrogates"), "range")


def test_a_wrong_order_names_both(one):
    assert why(one("inverted"), "order") == (
        "asked: good 'It is \\\\boxed{4}'\n  bad '\\\\boxed{5}'\n"
        "got: 0.0 for the good one, 1.0 for the bad one\nexpected: more for the good one"
    )


def test_a_window_is_found_whatever_stands_in_it(one):
    assert why(one("beyond-the-window"), "batch").endswith("got: 0.0\nexpected: 1.0, as alone")


def test_what_is_remembered_by_text_alone_is_found_with_a_sample_that_says_something_else(one):
    assert why(one("kept-by-text"), "batch").endswith("expected: 1.0, as alone")


def test_a_field_that_is_missing_is_named(one):
    example = why(one("does-without"), "required")
    assert "of a sample without 'answer'\ngot: 0.0\nexpected: an error that says that 'answer' is missing" in example


def test_a_judge_that_has_no_answer_is_told():
    def build(options, context):
        async def score(stream):
            whole = await stream.group()
            replies = [await context.judges["main"].ask(Ask(parts={"text": one.text})) for one in whole.completions]
            return [Score(value=float(reply.text == "yes")) for reply in replies]

        return SimpleNamespace(score=score)

    class Red:
        async def ask(self, ask):
            return Reply(text="yes" if "red" in ask.parts["text"] else "no")

    ranked = replace(RANKED, judges=lambda: {"main": Red()})
    group = RewardSpec(name="made", summary="", scope="group", build=build, laws=Laws(examples=lambda: [ranked]))
    assert why(group, "unanswered") == (
        "asked: 'red and green ones'\n  in a group at place 0, beside 'mauve'\n  where each judge fails\n"
        "got: 0.0\nexpected: an error or an abstention: no answer is not a low score"
    )


def test_an_option_that_json_does_not_carry_shows(one):
    assert why(one("gifted"), "rebuild") == (
        "asked: '' of one built from the options as JSON\ngot: 0.0\nexpected: 0.5, as of the one built from the options"
    )


# --- Faults that only some texts show, and what is none


LISTED = Sample(id="s", prompt=({"role": "user", "content": "Three colours?"},), fields={"gold": ["red", "green"]})
RANKED = RewardExample(sample=LISTED, good=["red and green ones"], bad=["mauve"])


def of(score):
    """A reward that is `score(sample, completion, items, kept)` of each item; `kept` lives as long as it."""

    def build(options, context):
        kept = {}
        return SimpleNamespace(score=lambda items: [score(sample, one, items, kept) for sample, one in items])

    laws = Laws(examples=lambda: [RANKED])
    return RewardSpec(name="made", summary="", runs="inline", requires=["gold"], build=build, laws=laws)


def share(sample, one):
    return sum(gold in one.text.split() for gold in sample.fields["gold"]) / len(sample.fields["gold"])


def test_the_best_of_a_call_is_no_measure():
    def score(sample, one, items, kept):
        return Score(value=share(sample, one) / (max(share(*item) for item in items) or 1.0))

    assert "in one call of" in why(of(score), "batch")
    assert why(of(score), "batch").splitlines()[1].startswith("  beside '"), "what stood in the call with it"


@pytest.mark.parametrize("law", ["batch", "permutation"])
def test_what_is_slow_is_asked_in_fewer_ways_and_its_faults_are_found_all_the_same(law, monkeypatch):
    asked = []

    def score(sample, one, items, kept):
        asked.append(one)
        return Score(value=share(sample, one))

    def of_the_call(sample, one, items, kept):
        return Score(value=share(sample, one) * (items[0][1] is one))

    assert outcomes(of(score), law, tries=1)[law].state == "held"
    quick, asked = len(asked), []
    monkeypatch.setattr(independence, "SLOW_S", 0.0)
    assert outcomes(of(score), law, tries=1)[law].state == "held"
    assert 0 < len(asked) < 0.7 * quick
    assert outcomes(of(of_the_call), law)[law].state == "broken"


def test_texts_that_begin_and_end_alike_are_told_apart(monkeypatch):
    monkeypatch.setattr(independence, "QUICK_S", float("inf"))  # a machine that stalls would take it for slow

    def score(sample, one, items, kept):
        return Score(value=kept.setdefault((sample.id, len(one.text), one.text[:5]), share(sample, one)))

    assert "after those that follow it" in why(of(score), "batch")


def test_a_text_that_fails_its_call_is_no_matter_of_the_others_in_it():
    def score(sample, one, items, kept):
        one.text.encode()
        return Score(value=share(sample, one))

    found = outcomes(of(score), "range", "batch")
    assert [outcome.state for outcome in found.values()] == ["broken", "held"]


@pytest.mark.parametrize(
    ("law", "hard", "of_what"),
    [
        ("padding", "\n\n", "' {}' with blank space"),
        ("repetition", "mauve mauve", "'mauve' 100 times over"),
        ("prompt_copy", "Three", "'Three colours?', with the prompt in it"),
    ],
)
def test_what_fails_only_where_it_is_repeated_padded_or_copied_is_told(law, hard, of_what):
    def score(sample, one, items, kept):
        if hard in one.text.replace("\r", ""):
            raise TimeoutError("not done within 10 s")
        return Score(value=share(sample, one))

    asked, came, expected = why(of(score), law).splitlines()
    assert of_what.split("{}")[-1] in asked
    assert came.startswith("got: a failure: TimeoutError: not done within 10 s")
    assert expected == "expected: a value or an abstention, no failure"


def test_what_counts_tokens_is_asked_with_token_counts_that_grow_with_the_text():
    def score(sample, one, items, kept):
        return Score(value=None if one.token_count is None else min(1.0, one.token_count / 1000))

    assert "'yes' (token_count=1) 100 times over" in why(of(score), "repetition", tries=25)
    spec = of(score)
    ranked = replace(RANKED, bad=[Completion(text="mauve", token_count=2)])
    counted = replace(spec, laws=Laws(examples=lambda: [ranked]))
    assert "'Three colours?' (token_count=4), with the prompt in it\ngot: 0.004\n" in why(counted, "prompt_copy")
    assert "with blank space around it" in why(counted, "padding")


def test_a_law_that_saw_abstentions_alone_has_not_held():
    def score(sample, one, items, kept):
        return Score(value=share(sample, one)) if one.text == "red and green ones" else Score()

    found = outcomes(of(score), "prompt_copy", "repetition")
    assert [outcome.state for outcome in found.values()] == ["nothing", "nothing"]


def test_the_others_of_a_group_are_told(rewards):
    async def score(stream):
        whole = await stream.group()
        return [Score(value=min(1.0, len(one.text) / 1000)) for one in whole.completions]

    long = replace(rewards.WON, build=lambda options, context: SimpleNamespace(score=score))
    assert "\n  in a group, beside 'It is \\\\boxed{4}', " in why(long, "repetition")
    assert "\n  in a group, beside 'It is \\\\boxed{4}', " in why(long, "prompt_copy")


def test_an_empty_text_that_was_cut_is_empty():
    def score(sample, one, items, kept):
        return Score(value=1.0 if one.truncated and not one.text.split() else share(sample, one))

    assert why(of(score), "empty").startswith("asked: '' (token_count=0, truncated)\n")


def test_an_abstention_that_has_nothing_to_do_with_the_field_is_no_fault():
    def score(sample, one, items, kept):
        return Score(value=share(sample, one)) if one.text.split() else Score()

    assert outcomes(of(score), "required")["required"].state == "held"


def test_what_is_wrong_whatever_the_field_says_need_not_look_at_it():
    def score(sample, one, items, kept):
        return Score(value=share(sample, one) if " and " in one.text else 0.0)

    assert outcomes(of(score), "required")["required"].state == "held"


def test_a_field_that_nothing_looks_at_is_not_required():
    assert "'red and green ones' of a sample without 'gold'" in why(of(lambda *_: Score(value=0.0)), "required")


def test_of_info_only_what_differs_is_told():
    def score(sample, one, items, kept):
        kept["n"] = kept.get("n", 0) + 1
        return Score(value=0.5, info={"call": kept["n"], "text": one.text})

    number = re.compile(r"'call': \d+")
    assert number.sub("'call': N", why(of(score), "repeat")) == (
        "asked: '' a second time\ngot: 0.5 with info {'call': N}\n"
        "expected: 0.5 with info {'call': N}, as the first time"
    )


# --- What is declared


def test_a_tolerance_forgives_as_much_and_no_more(one):
    def with_tolerance(tolerance):
        spec = one("by-length")
        return replace(spec, laws=replace(spec.laws, tolerance=tolerance))

    assert outcomes(with_tolerance(0.011), "padding")["padding"].state == "held"
    assert "a tolerance of 0.005 is declared" in why(with_tolerance(0.005), "padding")


def test_rounding_makes_near_values_the_same_and_leaves_info_out():
    def build(options, context):
        calls = []

        def score(items):
            calls.append(items)
            return [Score(value=0.5 + 1e-4 * (len(calls) % 2), info={"call": len(calls)}) for _ in items]

        return SimpleNamespace(score=score)

    def spec(**laws):
        example = RewardExample(sample=Sample(id="s"), good=(), bad=())
        return RewardSpec(
            name="near", summary="", runs="inline", build=build, laws=Laws(examples=lambda: [example], **laws)
        )

    assert outcomes(spec(rounding=1e-3), "repeat")["repeat"].state == "held"
    assert outcomes(spec(rounding=1e-5), "repeat")["repeat"].state == "broken"


def test_a_law_that_is_off_is_not_tried(one):
    spec = one("full-for-empty")
    off = replace(spec, laws=replace(spec.laws, off={"empty": "silence is golden"}))
    outcome = outcomes(off, "empty")["empty"]
    assert (outcome.state, outcome.why) == ("off", "silence is golden")


def test_an_example_may_switch_a_law_off_for_itself(one):
    spec = one("full-for-empty")
    [example] = spec.laws.examples()
    silent = replace(example, title="silent", off={"empty": "silence is asked for"}, needs=["words"])
    both = replace(spec, laws=replace(spec.laws, examples=lambda: [silent, replace(silent, needs=()), example]))
    found = [tried.outcomes[0] for tried in try_laws(both, tries=TRIES, only=["empty"])]
    assert [outcome.state for outcome in found] == ["off", "off", "broken"]
    assert found[0].why == "silence is asked for"


@pytest.mark.parametrize(
    ("examples", "says"),
    [
        (lambda: [RewardExample(sample=Sample(), good=(), bad=(), off={"emty": "so"})], "did you mean 'empty'"),
        (lambda: [JudgeExample(asks=())], r"TypeError: Laws\(examples=...\) gives RewardExamples, not JudgeExample"),
        (lambda: 1 / 0, "full-for-empty: its examples cannot be made: ZeroDivisionError: division by zero"),
    ],
)
def test_examples_that_cannot_be_had_say_why(one, examples, says):
    with pytest.raises(UserError, match=says):
        try_laws(replace(one("full-for-empty"), laws=Laws(examples=examples)))


def test_a_law_that_there_is_not_and_no_tries_are_mistakes(one):
    with pytest.raises(UserError, match="full-for-empty: no law 'emty' of a reward; did you mean 'empty'"):
        try_laws(replace(one("full-for-empty"), laws=Laws(off={"emty": "so"})))
    with pytest.raises(ValueError, match="no law 'pading' of a reward; did you mean 'padding'"):
        try_laws(one("full-for-empty"), only=["pading"])
    with pytest.raises(ValueError, match="tries is a whole number from 1 on, not 0"):
        try_laws(one("full-for-empty"), tries=0)


# --- What a law needs


def test_without_ranks_the_laws_that_need_them_say_what_to_declare(rewards):
    plain = replace(rewards.WON, laws=Laws())
    for law in ("order", "prompt_copy"):
        needed = "no example says which completions are good and bad; declare Laws(examples=...)"
        assert said(plain, law, "untried") == needed
    assert "RewardExample(ladder=...)" in said(plain, "monotone", "nothing")
    assert "Laws(pairwise=True)" in said(plain, "antisymmetry", "nothing")
    assert "RewardExample(hedge=...)" in said(plain, "hedge", "nothing")


def test_a_hedge_is_tried_as_two_answers_and_as_one_in_either_order(rewards):
    asked = []

    def cautious(sample, one):
        asked.append(one.text)
        return rewards.right(sample, one) if one.text.count("boxed") == 1 else 0.0

    [example] = rewards.example()
    hedged = [
        replace(example, hedge=("It is \\boxed{14}.", "It is \\boxed{15}."), sample=Sample(fields={"answer": "14"}))
    ]
    found = outcomes(rewards.spec("cautious", cautious, examples=lambda: hedged), "hedge")["hedge"]
    assert found.state == "held", found.why
    for text in ("It is \\boxed{14}. or It is \\boxed{15}.", "It is \\boxed{15 or 14}.", "It is \\boxed{14, 15}."):
        assert text in asked


def test_a_worker_is_never_asked_in_a_thread(rewards):
    assert "runs='worker'" in said(replace(rewards.KEPT, runs="worker"), "thread", "nothing")


def test_what_a_worker_is_killed_for_costs_its_timeout_once_and_has_the_value_that_the_spec_says():
    asked = []

    def score(sample, one, items, kept):
        asked.append(one.text)
        if one.text == "endless":
            time.sleep(60)
        return Score(value=share(sample, one))

    ranked = replace(RANKED, bad=["mauve", "endless"])
    killed = replace(of(score), runs="worker", timeout=0.1, laws=Laws(examples=lambda: [ranked]))
    found = outcomes(replace(killed, on_timeout=0.0), "range", "order", "repeat", "batch", "info")
    assert [outcome.state for outcome in found.values()] == ["held"] * 5
    assert asked.count("endless") < 10, "once of each sample and token count"
    example = why(killed, "range")
    assert example.startswith("asked: 'endless'\ngot: a failure: not done within 0.1 s, its `timeout`\n")


def test_failures_alone_keep_no_law(rewards):
    def build(options, context):
        return SimpleNamespace(score=lambda items: None)

    found = outcomes(replace(rewards.KEPT, build=build), *(law for law in HERE if law not in ("info", "required")))
    states = {law: one.state for law, one in found.items() if one.state != "nothing"}
    assert [law for law, state in states.items() if state == "broken"] == ["range", "order", "monotone"]
    assert {state for law, state in states.items() if law not in ("range", "order", "monotone")} == {"untried"}
    assert found["batch"].why == "needs an answer; each was a failure, which `range` reports"


def test_what_cannot_be_built_breaks_no_law_and_is_not_built_again():
    built = []

    def build(options, context):
        built.append(options)
        raise OSError("no such model")

    found = outcomes(RewardSpec(name="unbuilt", summary="", build=build), "range", "info", "empty")
    assert {one.state for one in found.values()} == {"unbuilt"}
    assert len(built) == 1
    assert found["empty"].why.startswith("test/unbuilt could not be built: OSError: no such model (")
