"""What a search takes for wrong or right by the row's gold alone."""

from helpers.each_case import each_case
from rewardlab import Sample
from rewardlab_probe.attempts.degenerate import probe_rows
from rewardlab_probe.honest_row import HonestRow
from rewardlab_probe.search.wrong import surely_right, surely_wrong

LABEL, LINE = "It is cold.\nAnswer: -30", "Oslo"


def material(honest):
    sample = Sample(id="r", prompt=({"role": "user", "content": "How deep is he, or where?"},))
    return next(iter(probe_rows([HonestRow(sample=sample, honest=honest)]))).material


@each_case(
    "honest, text, right, wrong",
    [
        (LABEL, "Answer: -30", True, False),
        (LABEL, "Answer:\n\n-30", True, False),
        (LABEL, " Answer:\nAnswer:-30\n Answer:", True, False),
        (LABEL, "It is 7, surely.\nAnswer: -30", True, False),
        (LABEL, "Answer: 30", False, False),  # perhaps a depth
        (LABEL, "Answer: 7\nAnswer: -30", False, False),
        (LABEL, "Answer: 7", False, True),
        (LABEL, "It is -30.\nAnswer:", False, True),
        (LINE, "\n" * 3_000 + "Oslo", True, False),
        (LINE, "Rome", False, True),
    ],
)
def test_gold(honest, text, right, wrong):
    assert (surely_right(material(honest), text), surely_wrong(material(honest), text)) == (right, wrong)
