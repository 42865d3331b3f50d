"""Property tests of components: the laws that a reward, judge, dataset, curriculum or normalizer keeps.

    from rewardlab_testing import check_reward

    def test_laws():
        check_reward("my/brevity")  # an installed one, under the examples that its spec declares
        check_reward(spec, good=["Yes."], bad=["Er, yes, and ..."])  # or a spec, with completions of known rank

In go a spec and examples of it. Out come the outcomes of its laws, or LawsBroken with the smallest failing example of
each broken law. It needs hypothesis and pytest; as a pytest plugin it lists at the end of a session which
laws were off, and why.

    checks         the laws as assertions: check_reward and its like
    strategies     hypothesis strategies for texts, completions, samples and groups
    outcome        the outcome of a law, and the exceptions by which laws report theirs
    messages       outcomes and failing examples as text
    pytest_plugin  the summary at the end of a pytest session
    run_laws       all laws of a component, one after the other
    component_under_test          a component under the options of one example, ready to be built
    search         the search for the smallest failing example, within a time limit
    deadline       the time limit for plain functions that hang
    hang           the report of a reward that hangs, of which nothing more is asked
    default_examples, ranked_examples  examples for specs without any, and those made from a test's completions

    reward_laws/                          the laws of rewards; bench asks a built reward as a host does
    judge_laws, judge_secrets             the laws of judges; asking asks a judge as a host does
    dataset_laws, step_laws               the laws of datasets and of data steps; dataset_rows reads their rows
    curriculum_laws, sampler_laws         the laws of curricula: of an order, and of a group sampler
    normalizer_laws, normalizer_cases     the laws of normalizers, and the cases for them
    backend_laws/                         the laws of engines that train, on whole runs of a recipe
    other_process, in_other_process, reward_in_other_process, spec_location
                                          the same component in another process: the host's side, the other side,
                                          what is asked of rewards there, and how the spec is found again
    reward_in_environment                 a reward that runs in workers of an environment of its own, asked there
"""

from typing import TYPE_CHECKING, Any

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.workers import Workers as Workers

    from rewardlab_testing.backend_laws.check import check_backend as check_backend
    from rewardlab_testing.checks import check_curriculum as check_curriculum
    from rewardlab_testing.checks import check_dataset as check_dataset
    from rewardlab_testing.checks import check_judge as check_judge
    from rewardlab_testing.checks import check_normalizer as check_normalizer
    from rewardlab_testing.checks import check_reward as check_reward
    from rewardlab_testing.outcome import LawsBroken as LawsBroken
    from rewardlab_testing.strategies import completions as completions
    from rewardlab_testing.strategies import groups as groups
    from rewardlab_testing.strategies import samples as samples
    from rewardlab_testing.strategies import texts as texts

_get, __dir__, __all__ = lazy_names(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _get(name)
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise ImportError("rewardlab.testing needs hypothesis: pip install hypothesis pytest") from error
