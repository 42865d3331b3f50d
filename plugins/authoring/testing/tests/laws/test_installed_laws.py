"""Every component that is installed from this repository keeps the laws of its kind, but for those listed here.

Components that need a model or a server are tried with one beside their plugins: comet, embed, reward_model, openai.
"""

from dataclasses import replace

import pytest
from helpers.each_case import each_case
from rewardlab import installed
from rewardlab_testing.laws.run_laws import EXAMPLE_OF_KIND, try_laws
from rewardlab_testing.outcomes.law_words import REWARD
from rewardlab_testing.outcomes.messages import broken_text

QUICK = ("order", "hedge", "antisymmetry", "unanswered", "required", "empty", "prompt_copy")
OF_REPLIES = ("padding", "info")
IN_PROCESSES = {"worker", "ray"}
LOADS_MODELS = {"language/fidelity", "language/consistency", "language/filter"}
LIKENESS = {"prompt_copy", "repetition"}
ORDERED = {"streaming", "going_on"}
OFF = {
    "comet/answer": LIKENESS,
    "embed/cosine": LIKENESS,
    "embed/translated_cosine": LIKENESS | {"unreadable"},
    "embed/distinct (nearest)": ORDERED,
    "embed/diverse": ORDERED,
    "format/boxed (sp3f_official)": {"padding"},
    "format/overlong": {"empty", "prompt_copy"},
    "language/consistency": LIKENESS,
    "language/fidelity": LIKENESS,
    "openai/reward_model": LIKENESS,
    "reward_model/score": LIKENESS,
    "rollout/seconds": {"empty", "prompt_copy"},
    "rollout/tokens": {"empty", "prompt_copy"},
    "rollout/tool_calls": {"empty", "prompt_copy"},
    "rubric/appeal (backward)": {"unanswered"},
    "rubric/appeal (forward)": {"unanswered"},
    "rubric/agreeing (so many rows)": ORDERED,
    "rubric/pairwise (both bad)": {"antisymmetry"},
    "rubric/preferences (one of parallel rows)": ORDERED,
    "rubric/translated_texts (rows' rubrics)": {"streaming"},
    "rubric/translated_texts (rubric)": {"streaming"},
    "rubric/translated_texts (texts)": {"streaming"},
    "rubric/verdict (mr3_official)": {"prompt_copy"},
    "rubric/verdict (r3_official)": {"prompt_copy"},
    "measure/benchmark_questions": {"streaming"},
}
"""component, or component (example) -> the laws that are off"""
OF_SAMPLERS, OF_ORDERS = {"more", "select", "arrival"}, {"order", "repeat", "untouched"}
NO_CASE = {
    "curriculum/balanced": OF_ORDERS,
    "curriculum/difficulty": OF_SAMPLERS,
    "curriculum/shuffle": OF_SAMPLERS,
    "language/translated": set(),
    "pairwise/overlap": {"secrets", "close"},
}
"""component -> the laws of which its first example has no case: all others are tried"""
PLUGINS = [plugin for plugin in installed() if plugin.distribution.startswith("rewardlab-")]
TRIED = {
    plugin.use(spec): (plugin, spec)
    for plugin in PLUGINS
    for spec in plugin.specs.values()
    if spec.kind in EXAMPLE_OF_KIND
}
REWARDS = {use: spec for use, (_, spec) in TRIED.items() if spec.kind == "reward"}
READY = [use for use, (_, spec) in TRIED.items() if not any(example.needs for example in spec.laws.examples())]


def test_the_laws_that_are_off():
    found = {use: {*spec.laws.off} for use, (_, spec) in TRIED.items()}
    for use, (_, spec) in TRIED.items():
        found |= {f"{use} ({example.title})": {*example.off} for example in spec.laws.examples()}
    assert {use: laws for use, laws in found.items() if laws} == OFF


@each_case("use", sorted(TRIED.keys() - {*READY}))
def test_what_needs_something_says_so(use):
    plugin, spec = TRIED[use]
    tried = try_laws(spec, plugin=plugin)
    needs = ", ".join(f"{name}=..." for name in spec.laws.examples()[0].needs)
    assert {outcome.why for one in tried for outcome in one.of("untried")} == {f"needs {needs}"}


@pytest.mark.parametrize("use", sorted({*REWARDS} & {*READY} - LOADS_MODELS))
@pytest.mark.slow
def test_the_quick_laws_of_rewards_hold(use):
    spec = REWARDS[use]
    examples = [one for one in spec.laws.examples() if "formulas" not in one.title]
    tried = try_laws(spec, examples=examples, tries=1, only=(*QUICK, *OF_REPLIES) if spec.judges else QUICK)
    assert broken_text(tried) == ""
    assert all(len(one.of("held")) + len(one.of("off")) >= 3 for one in tried)


@pytest.mark.slow
@pytest.mark.nightly
@pytest.mark.parametrize("use", READY)
def test_every_law_holds(use, monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    plugin, spec = TRIED[use]
    if spec.kind != "reward":
        tried = try_laws(spec, plugin=plugin)
        wanting = {
            one.law: one.why for result in tried for one in result.outcomes if one.state in ("untried", "unbuilt")
        }
        assert wanting == {}
        idle = {outcome.law for outcome in tried[0].outcomes if not outcome.tries}
        assert idle == NO_CASE.get(use, idle)
    else:  # other processes are started under the first example alone
        first, *others = spec.laws.examples()
        here = [law for law in REWARD if law not in IN_PROCESSES]
        tried = [
            one for example in others for one in try_laws(spec, plugin=plugin, examples=[example], tries=2, only=here)
        ]
        tried += try_laws(replace(spec, laws=replace(spec.laws, examples=lambda: [first])), plugin=plugin, tries=5)
        assert "worker" in {outcome.law for outcome in tried[-1].of("held")}
    assert broken_text(tried) == ""
