"""Property tests of components: the laws that a reward, judge, dataset, curriculum or normalizer keeps.

    from rewardlab_testing import check_reward

    def test_laws():
        check_reward("my/brevity")  # an installed one, under the examples that its spec declares
        check_reward(spec, good=["Yes."], bad=["Er, yes, and ..."])  # or a spec, with completions of known rank

In go a spec and examples of it. Out come the outcomes of its laws, or LawsBroken with the smallest failing example of
each broken law. It needs hypothesis and pytest; as a pytest plugin it lists at the end of a session which
laws were off, and why.

    assertions/    the laws as assertions: check_reward and its like
    backend_laws/  the laws of engines that train, on whole runs of a recipe: check_backend
    laws/          the laws of each kind of component, and what tries all of one component
    harness/       a component, built and asked as a host does it, in this process and in others
    examples/      texts, completions, samples and groups for the laws, and the search for the smallest that breaks one
    outcomes/      what came of a law, as values and in words, and what each law demands
    pytest_plugin  the summary at the end of a pytest session

    hook, commands/           the commands `plugins`, `new` and `schema`, whose work is done in the rooms below
    check/, listing/          plugins checked and listed, and the keys of recipes
    scaffold/, new_recipe/    new plugins, and new recipes
    schemas/                  JSON schemas, for editors
"""

from typing import TYPE_CHECKING, Any

from rewardlab.lazy import lazy_names

if TYPE_CHECKING:
    from rewardlab.workers import Workers as Workers

    from rewardlab_testing.assertions.checks import check_curriculum as check_curriculum
    from rewardlab_testing.assertions.checks import check_dataset as check_dataset
    from rewardlab_testing.assertions.checks import check_judge as check_judge
    from rewardlab_testing.assertions.checks import check_normalizer as check_normalizer
    from rewardlab_testing.assertions.checks import check_reward as check_reward
    from rewardlab_testing.backend_laws.check import check_backend as check_backend
    from rewardlab_testing.examples.strategies import completions as completions
    from rewardlab_testing.examples.strategies import groups as groups
    from rewardlab_testing.examples.strategies import samples as samples
    from rewardlab_testing.examples.strategies import texts as texts
    from rewardlab_testing.outcomes.outcome import LawsBroken as LawsBroken

_get, __dir__, __all__ = lazy_names(__name__, __file__)


def __getattr__(name: str) -> Any:
    try:
        return _get(name)
    except ModuleNotFoundError as error:
        if error.name != "hypothesis":
            raise
        raise ImportError("rewardlab.testing needs hypothesis: pip install hypothesis pytest") from error
