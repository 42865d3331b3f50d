import pytest
from rewardlab import Completion, Context, Sample, find


@pytest.fixture(scope="session")
def spec():
    """The spec of math/accuracy, found as any plugin's."""
    return find("reward", "math/accuracy")


@pytest.fixture(scope="session")
def score(spec):
    """score(text, gold, **options) -> the Score of one completion; `language` goes to the row's field."""
    built = {}

    def score(text, gold, language=None, **options):
        key = tuple(sorted(options.items()))
        if key not in built:
            built[key] = spec.build(spec.config(**options), Context())
        fields = {options.get("field", "answer"): gold} | ({"language": language} if language else {})
        (result,) = built[key].score([(Sample(fields=fields), Completion(text=text))])
        return result

    return score
