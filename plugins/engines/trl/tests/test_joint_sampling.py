"""Each of several processes samples its rows of what one process would sample, and leaves with its random state."""

import pytest
from helpers.each_case import each_case
from rewardlab_trl.processes import Processes

DRAWS, ROWS, TOKENS = 5, 6, 40
pytestmark = pytest.mark.slow  # torch is loaded


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch")


class Beside(Processes):
    """A process whose neighbours draw as often as the whole batch does, and begin with its random state."""

    def gathered(self, part):
        return [part, DRAWS]

    def from_first(self, make):
        return make()


@each_case("number, draws", [(0, 5), (1, 5), (2, 5), (0, 3), (1, 1)])
def test_the_rows_of_one_process(torch, number, draws):
    """A part whose rows have ended draws less often."""
    from rewardlab_trl.joint_sampling import sampled_as_one, state_behind_shuffle

    probabilities = torch.rand(DRAWS, ROWS, TOKENS, generator=torch.Generator().manual_seed(1)).softmax(-1)
    torch.manual_seed(7)
    wanted = [torch.multinomial(one, num_samples=1) for one in probabilities]
    after = torch.rand(1)
    torch.randperm(ROWS)
    shuffled = torch.rand(1)

    torch.manual_seed(7)
    rows, processes = slice(number * 2, number * 2 + 2), Beside(number, 3)
    with sampled_as_one(processes, torch.device("cpu")):
        found = [torch.multinomial(one[rows], num_samples=1) for one in probabilities[:draws]]
    assert [one.tolist() for one in found] == [one[rows].tolist() for one in wanted[:draws]]
    assert torch.rand(1) == after
    torch.set_rng_state(state_behind_shuffle(processes, 2))
    assert torch.rand(1) == shuffled


def test_one_process_is_left_alone(torch):
    from rewardlab_trl.joint_sampling import sampled_as_one, state_behind_shuffle

    torch.manual_seed(7)
    wanted = torch.rand(1)
    torch.manual_seed(7)
    with sampled_as_one(Processes(), torch.device("cpu")):
        assert torch.rand(1) == wanted
    assert state_behind_shuffle(Processes(), 2) is None
