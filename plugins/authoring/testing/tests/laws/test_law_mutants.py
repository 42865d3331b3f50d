"""The laws of rewardlab.testing find the faults of evidence/law_mutants, and none where there is none."""

import sys
from collections.abc import Iterator

import pytest
from helpers.paths import ROOT
from rewardlab_testing.laws.run_laws import EXAMPLE_OF_KIND, try_laws
from rewardlab_testing.outcomes.law_words import LAWS_OF_KIND
from rewardlab_testing.outcomes.messages import broken_text

EVIDENCE = ROOT / "evidence"
ELSEWHERE = ("worker", "ray")
"""laws that start processes; tried last, and `ray` not at all"""
TRIES = (4, 25)
"""generated cases a law: few for most mutants, as many as by default for those that few do not find"""
LEAST = 80


@pytest.fixture(scope="module")
def law_mutants() -> Iterator[object]:
    """The package, which other processes import from the same place."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EVIDENCE))
        import law_mutants

        yield law_mutants
        for name in [name for name in sys.modules if name.partition(".")[0] == "law_mutants"]:
            del sys.modules[name]


def found(spec) -> bool:
    """Whether a law of its kind is broken; no further one is tried then."""
    own = LAWS_OF_KIND[spec.kind]
    laws = [law for law in own if law not in ELSEWHERE] + [law for law in ("worker",) if law in own]
    return any(one.of("broken") for tries in TRIES for law in laws for one in try_laws(spec, tries=tries, only=[law]))


@pytest.mark.nightly
def test_no_mutant_survives(law_mutants):
    """Every third one: evidence/laws.py tries them all."""
    mutants = [spec for spec in law_mutants.specs() if not law_mutants.is_control(spec)][::3]
    assert len(mutants) > LEAST
    assert {spec.kind for spec in mutants} == set(EXAMPLE_OF_KIND)
    assert [f"{spec.name}: {spec.summary}" for spec in mutants if not found(spec)] == []


@pytest.mark.nightly
def test_what_has_no_fault_keeps_every_law(law_mutants):
    controls = [spec for spec in law_mutants.specs() if law_mutants.is_control(spec)]
    assert {spec.kind for spec in controls} == set(EXAMPLE_OF_KIND)
    first = {spec.kind: spec.name for spec in reversed(controls)}
    for spec in controls:
        laws = [law for law in LAWS_OF_KIND[spec.kind] if law not in ELSEWHERE]
        laws += ["worker"] if first[spec.kind] == spec.name and "worker" in LAWS_OF_KIND[spec.kind] else []
        assert broken_text(try_laws(spec, tries=2, only=laws)) == ""


def test_names_are_told_apart_and_every_module_has_a_control(law_mutants):
    specs = list(law_mutants.specs())
    assert len({spec.name for spec in specs}) == len(specs)
    modules = {spec.build.__module__ for spec in specs}
    assert modules == {spec.build.__module__ for spec in specs if law_mutants.is_control(spec)}
    assert all(spec.summary and spec.laws.examples() for spec in specs)
