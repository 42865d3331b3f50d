"""A component in another process: found again, built from JSON, with another salt; or untried, with what it takes."""

import os
from contextlib import contextmanager
from dataclasses import replace

import pytest
from rewardlab import CurriculumSpec, installed
from rewardlab.errors import JobError
from rewardlab_testing.harness.component_under_test import open_trial
from rewardlab_testing.harness.other_process import call_in_process
from rewardlab_testing.harness.spec_location import location_of, spec_at
from rewardlab_testing.laws.run_laws import examples_of
from rewardlab_testing.outcomes.outcome import UnmetNeed

HERE = os.getpid()


@pytest.fixture(scope="module")
def there(module_of):
    return module_of("law_there.py")


@contextmanager
def tried(spec, index=0, **how):
    """The trial of a spec under one of its examples."""
    with open_trial(spec, examples_of(spec)[index], tries=1, example_index=index, **how) as tested:
        yield tested


def test_it_is_built_there_as_here_with_another_salt_of_hashes(there, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    with tried(there.SPEC, given={"factor": 3}) as tested:
        said = call_in_process(tested, there.CALL, ["\ud800", None])
    assert said["asked"] == ["\ud800", None]
    assert said["factor"] == 3
    assert said["process"] != HERE
    assert said["salt"] == "2"
    assert not said["hypothesis"], "it takes half a second to import"
    assert said["judge"] == "the judge of an example"
    assert said["cache"] == str(tested.folder / "cache")


def test_what_goes_wrong_there_is_told(there):
    with tried(there.SPEC) as tested, pytest.raises(JobError, match=r"ZeroDivisionError: .* \(at .*law_there.py:\d+\)"):
        call_in_process(tested, there.CALL, 0)


@pytest.mark.slow
def test_what_cannot_be_built_there_is_told(there):
    with tried(there.SPEC, given={"factor": 13}) as tested, pytest.raises(JobError, match="no factor of 13"):
        call_in_process(tested, there.CALL, 1)


def test_an_installed_plugin_is_found_by_its_name():
    registry = installed()
    spec = registry.find("curriculum", "curriculum/shuffle")
    place = location_of(spec, "curriculum/shuffle", installed=True)
    assert place == {"kind": "curriculum", "name": "shuffle", "use": "curriculum/shuffle"}
    assert isinstance(spec_at(place), CurriculumSpec)


def test_a_spec_is_found_by_a_hook_a_name_or_a_list_of_its_module(there):
    for spec in (there.SPEC, there.LISTED[0], there.rewardlab_rewards()[0]):
        place = location_of(spec, "test/x", installed=False)
        assert place["file"] == there.__file__
        assert spec_at(place).name == spec.name


def test_one_of_another_making_is_not_taken_for_it(there):
    for other in (replace(there.SPEC, build=lambda options, context: None), replace(there.SPEC, name="another")):
        with pytest.raises(UnmetNeed, match="offer it by an installed plugin, or by a hook or a name at the top level"):
            location_of(other, "test/other", installed=False)


def test_what_a_function_made_is_found_again_only_if_it_is_the_same(there):
    assert location_of(there.BY_CLOSURE, "test/by-closure", installed=False)["module"] == there.__name__
    with pytest.raises(UnmetNeed):
        location_of(there.by_closure(2), "test/by-closure", installed=False)


def test_a_module_that_no_longer_offers_it_leaves_the_law_untried(there, tmp_path):
    file = tmp_path / "empty.py"
    file.write_text("")
    place = location_of(there.SPEC, "test/x", installed=False)
    with pytest.raises(LookupError, match="offers no reward 'there' when it is loaded again"):
        spec_at(place | {"module": "empty_there", "file": str(file)})
    file = tmp_path / "torn.py"
    file.write_text("import no_such_module")
    with pytest.raises(LookupError, match="cannot be loaded again: ModuleNotFoundError"):
        spec_at(place | {"module": "empty_there", "file": str(file)})
    file.write_text("raise SystemExit(3)")
    with pytest.raises(LookupError, match="cannot be loaded again: SystemExit: 3"):
        spec_at(place | {"module": "empty_there", "file": str(file)})


def test_a_script_that_tries_laws_as_it_is_loaded_does_so_once(there, tmp_path):
    """Else each process would start another one, without end."""
    file = tmp_path / "script.py"
    file.write_text("from rewardlab_testing.laws.run_laws import try_laws\ntry_laws(None)")
    place = location_of(there.SPEC, "test/x", installed=False) | {"module": "__main__", "file": str(file)}
    with pytest.raises(LookupError, match="under `if __name__ == '__main__':`"):
        spec_at(place)


def test_judges_that_only_a_test_has_leave_the_law_untried(there):
    example = replace(examples_of(there.SPEC)[0], judges=lambda: {"main": object()})
    with open_trial(there.SPEC, example, tries=1) as tested, pytest.raises(UnmetNeed, match=r"Laws\(examples=\.\.\.\)"):
        call_in_process(tested, there.CALL, 1)
