"""verl's replay buffer finds equal what is equal, and our part of it what is alone; its own part is a stand-in."""

import sys
from collections import Counter, defaultdict
from types import ModuleType

import pytest

OUTCOMES = {"flat_0": 0.0, "flat_1": 0.0, "alone_0": 1.0, "taught_0": 0.0, "taught_1": 1.0, "waits_0": 0.0}


class Buffer:
    """What ours uses of verl's: of finished groups of two or more it names those whose outcomes are equal."""

    def _dapo_filtered_keys(self, partition_id):
        groups = defaultdict(list)
        for key in self.partitions[partition_id]:
            groups[key.split("_")[0]].append(OUTCOMES[key])
        finished = self.finished_keys[partition_id]
        return {uid for uid in finished if len(groups[uid]) > 1 and len({*groups[uid]}) == 1}, Counter()


@pytest.fixture
def buffer(monkeypatch):
    """A buffer with a group that lost a completion, in the training and in a validation."""
    name = "rewardlab_verl.outcome_buffer"
    parts = ["verl", "trainer", "ppo", "v1", "replay_buffer"]
    for end in range(1, len(parts) + 1):
        monkeypatch.setitem(sys.modules, ".".join(parts[:end]), ModuleType(parts[end - 1]))
    sys.modules[".".join(parts)].ReplayBuffer = Buffer
    monkeypatch.delitem(sys.modules, name, raising=False)
    from rewardlab_verl.outcome_buffer import OutcomeBuffer

    monkeypatch.setitem(sys.modules, name, sys.modules[name])  # so that the end of the test takes it out
    made = object.__new__(OutcomeBuffer)
    made.finished_keys, made.failure_keys = defaultdict(set), defaultdict(set)
    made.partitions = {part: {key: {} for key in OUTCOMES} for part in ("train", "val")}
    for part in made.partitions:
        made.finished_keys[part], made.failure_keys[part] = {"flat", "taught"}, {"alone", "gone"}
    return made


@pytest.mark.parametrize(("part", "cleared"), [("train", {"flat", "alone"}), ("val", {"flat"})])
def test_a_group_of_which_one_is_left_is_flat(buffer, part, cleared):
    assert buffer._dapo_filtered_keys(part)[0] == cleared
    assert buffer.finished_keys[part] == {"flat", "taught"}, "verl's own list is as it was"
