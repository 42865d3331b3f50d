"""A worker file in the place of COMET, where COMET is not the point: what it answers is said by mt."""

SAID = {
    "blank for COMET": {"empty": "mt"},
    "blank reference": {"empty": "src"},
    "too large": {"error": "out of memory on this pair alone"},
    "long": {"score": 0.5, "chunks": 3},
}


def build(settings, context):
    return StandIn()


class StandIn:
    def answer(self, questions):
        if any(question["mt"] == "raise" for question in questions):
            raise ValueError("the stand-in raises")
        return [SAID.get(question["mt"]) or self._score(question) for question in questions]

    def _score(self, question):
        """The number in mt, or 0.5 plus a hundredth a letter of src."""
        try:
            return {"score": float(question["mt"]), "chunks": 1}
        except ValueError:
            return {"score": 0.5 + 0.01 * len(question["src"]), "chunks": 1}
