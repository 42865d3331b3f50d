"""Settings that do nothing are warned of: judges that nothing asks, epochs beside steps."""

import pytest

RECIPE = """
version: 1
model: {use: tiny}
dataset: {use: data/jsonl, with: {path: rows.jsonl}}
judges:
  main: {use: pairwise/overlap}
  spare: {use: pairwise/overlap}
reward:
  components:
    wins: {use: pairwise/win_rate, with: {judge: main}}
  total: wins
stages:
  - {use: rl, algorithm: dr_grpo, group_size: 2, batch_size: 2, steps: 5, epochs: 3}
  - {use: rl, algorithm: dr_grpo, group_size: 2, batch_size: 2, epochs: 3}
  - {use: rl, algorithm: dr_grpo, group_size: 2, batch_size: 2, steps: 5}
"""


@pytest.fixture
def warnings(main, write):
    def warned(*overrides, command=("check",)):
        write("r.yaml", RECIPE)
        write("rows.jsonl", [{"prompt": f"{n}?"} for n in range(8)])
        code, _, err = main(command[0], "r.yaml", *command[1:], *overrides)
        assert code == 0
        return err.splitlines()

    return warned


def test_check_and_run_warn_of_both(warnings):
    expected = [
        "warning: r.yaml:7: judges.spare: nothing asks this judge; name it in reward.components.wins.with.judge, or "
        "leave it out",
        "warning: r.yaml:13: stages.0.epochs: has no effect beside `steps: 5`; leave one of them out",
    ]
    assert warnings() == expected
    assert warnings(command=("run", "--dry-run")) == expected


def test_a_stop_at_hacking_without_a_correctness_does_nothing(warnings):
    found = [line for line in warnings("alarms.stop=[reward_hacking]") if "alarms" in line]
    assert len(found) == 1
    assert "alarms.stop: reward_hacking never goes off without reward.correctness" in found[0]
    assert not any("alarms" in line for line in warnings("alarms.stop=[reward_hacking]", "reward.correctness=wins"))


def test_a_recipe_in_which_nothing_could_ask_says_only_that(warnings):
    without = "reward={components: {a: {use: format/boxed}}, total: a}"
    assert warnings(without)[0] == "warning: r.yaml:6: judges.main: nothing asks this judge; leave it out"


def test_a_total_of_0_for_what_is_cut_may_be_the_best_one(warnings):
    def said(total):
        found = warnings(f"reward.total={total}", "stages.1.on_truncated=zero")
        return [line.partition("stages.1.on_truncated: ")[2] for line in found if "it pays" in line]

    assert said("wins") == []
    assert said("wins - 0.5") == [
        "a completion that is cut has a total of 0, and others can have -0.5: it pays to be cut; take `keep`, or a "
        "total that is never below 0"
    ]


def test_a_total_that_is_always_the_same_teaches_nothing(warnings):
    (said,) = [line for line in warnings("reward.total=2 + 0 * wins") if "every completion" in line]
    assert said.endswith("reward.total: is 2 for every completion: nothing is learned from it")
    assert not any("every completion" in line for line in warnings("reward.total=2 + 0.1 * wins"))


def test_a_judge_that_a_data_step_asks_is_asked(warnings):
    stage = (
        "stages.1={use: data, to: out.jsonl, dataset: {use: data/expert, with: {expert: spare, field: null}, "
        "from: {use: data/jsonl, with: {path: rows.jsonl}}}}"
    )
    assert [line for line in warnings(stage) if "judge" in line] == []


def test_a_step_that_overrides_its_judges_option_is_told(main, write):
    write("rows.jsonl", [{"prompt": f"{n}?", "answer": "1", "reference": "1"} for n in range(8)])
    write(
        "t.yaml",
        """
version: 1
judges:
  teacher: {use: openai/chat, with: {model: m, base_url: "http://127.0.0.1:9/v1", temperature: 0.3, top_p: 0.9}}
reward: {components: {a: {use: format/boxed}}, total: a}
stages:
  - use: data
    to: out.jsonl
    dataset:
      use: language/translated
      with: {translator: teacher, sampling: {temperature: 1.0}}
      from: {use: data/jsonl, with: {path: rows.jsonl}}
""",
    )
    code, _, err = main("check", "t.yaml")
    assert code == 0
    (line,) = [line for line in err.splitlines() if "overrides" in line]
    assert line == (
        "warning: t.yaml:9: stages.0.dataset: its questions say temperature 1.0, which overrides "
        "judges.teacher.with.temperature: 0.3; change `sampling.temperature` or leave out the judge's"
    )
    for same in (
        "stages.0.dataset.with.sampling={}",
        "judges.teacher.with.temperature=1",
        "judges.teacher.with.temperature=null",
    ):
        _, _, err = main("check", "t.yaml", same)
        assert "overrides" not in err


PAID = "and `total` does not name it: it is paid for, and only logged; remove it with reward.components.wins=null"


def test_a_component_that_asks_a_judge_and_does_not_count_is_told(warnings):
    outside = ("reward.components.box={use: format/boxed}", "reward.total=box")
    told = [line for line in warnings(*outside) if "reward.components" in line and "total" in line]
    place = "warning: r.yaml:10: reward.components.wins: asks main for every group, "
    assert told == [place + PAID + " if that is not meant"]
    removed = warnings(*outside, "reward.components.wins=null")
    assert not any("total" in line for line in removed)


def test_what_a_stage_needs_or_costs_nothing_may_stay_outside_of_total(warnings):
    free = ("reward.components.box={use: format/boxed}",)
    correct = ("reward.components.box={use: format/boxed}", "reward.total=box", "reward.correctness=wins")
    for overrides in (free, correct):
        assert not any("is paid for" in line for line in warnings(*overrides))


def test_a_model_that_does_not_count_is_told(warnings):
    scored = "reward.components.scored={use: reward_model/score, with: {model: m}}"
    assert any("scored: loads a model for every group" in line for line in warnings(scored))
