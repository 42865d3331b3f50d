"""Notes at the end of `score` about responses without an answer where `extract` looks for it."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from rewardlab.plan import Plan

USE, LAST_NUMBER = "math/accuracy", "last_number"
LOOKED_FOR = {"boxed": r"\boxed{...}", "tag": "<answer>...</answer>"}


class AnswerFindings:
    """Counts of the responses that hold no answer for a math/accuracy, and of those that another `extract` reads."""

    def __init__(self, plan: Plan) -> None:
        extracts = {
            name: component.options.extract for name, component in plan.components.items() if component.use.use == USE
        }
        self._looked_for = {name: LOOKED_FOR[how] for name, how in extracts.items() if how in LOOKED_FOR}
        self._counts: dict[str, Counter[str]] = {name: Counter() for name in self._looked_for}

    def add(self, row: Mapping[str, Any]) -> None:
        """Take a row of the output."""
        for name, counts in self._counts.items():
            infos = [info or {} for info in row["components"][name]["info"]]
            counts.update({"responses": len(infos)})
            counts.update(key for info in infos for key in ("no_answer", "last_number_reads") if info.get(key))

    def findings(self) -> list[dict[str, Any]]:
        """Return a finding for each component of which more than half of the responses hold no answer."""
        return [
            {
                "component": name,
                "what": f"{name}: {counts['no_answer']} of {counts['responses']} responses have no "
                f"{self._looked_for[name]}, so they are worth 0; `extract: {LAST_NUMBER}` would read "
                f"{counts['last_number_reads']} of them",
                **counts,
            }
            for name, counts in self._counts.items()
            if counts["no_answer"] * 2 > counts["responses"]
        ]
