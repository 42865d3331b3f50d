"""The ledger's lines: what each component said, and what it contributed."""

import json

from rewardlab import Score
from rewardlab.recipe.expression import parse
from rewardlab.recipe.use import ComponentUse
from rewardlab.scoring.composition import Composition
from rewardlab.scoring.decomposition import Decomposition
from rewardlab_training.ledger import Ledger


def test_the_ledger_says_what_each_component_caused(tmp_path, group_of):
    expression, uses = parse("2 * a * f"), ComponentUse.model_validate({"use": "test/made", "on_missing": 0.5})
    made = Composition(
        expression=expression,
        uses=dict.fromkeys("af", uses),
        decomposition=Decomposition(expression, {"a": 1.0, "f": 1.0}),
    )
    said = {"a": [Score(value=0.5), Score(value=1.0)], "f": [Score(value=1.0), Score(error="no luck")]}
    logged = {"seen": [Score(value=1.0)] * 2}
    book = Ledger(tmp_path / "ledger.jsonl", attempt=0)
    book.write(0, 1, [made.compose(group_of("x", "y"), said | logged)], trained="yes")
    book.close()
    first, second = map(json.loads, (tmp_path / "ledger.jsonl").read_text().splitlines())
    assert first["components"]["a"] == {"value": 0.5, "error": None, "info": {}, "gate": 0.5, "contribution": -1.0}
    assert second["components"]["f"] == {
        "value": None,
        "error": "no luck",
        "info": {},
        "gate": 0.5,
        "stand_in": 0.5,
        "contribution": -1.0,
    }
    assert second["components"]["seen"] == {"value": 1.0, "error": None, "info": {}}
    assert [(row["shaped"], row["rest"]) for row in (first, second)] == [(1.0, 2.0), (1.0, 2.0)]
