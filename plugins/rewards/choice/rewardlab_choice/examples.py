"""Examples for the laws of choice/accuracy: right and wrong choices (rewardlab.laws)."""

from rewardlab import Sample
from rewardlab.laws import RewardExample

CAPITAL = Sample(
    id="capital",
    prompt=({"role": "user", "content": "Which city is the capital of Kenya?\nA. Lagos\nB. Nairobi\nC. Accra"},),
    fields={"answer": "B", "choices": {"A": "Lagos", "B": "Nairobi", "C": "Accra"}, "language": "en"},
)
LISTED = Sample(
    id="listed",
    prompt=({"role": "user", "content": "Welche Farbe hat der Himmel? A. rot B. grün C. blau"},),
    fields={"answer": "blau", "choices": ["rot", "grün", "blau"], "language": "de"},
)


def accuracy() -> list[RewardExample]:
    """Return examples of every way to find a choice, in both profiles."""
    boxes = [r"It is \boxed{B}.", r"<think>\boxed{A}? No.</think>\boxed{(b)}", r"\boxed{\text{B. Nairobi}}"]
    no_boxes = [r"\boxed{A}", "It is B.", r"\boxed{B. Accra}", r"\boxed{}", r"\boxed{because}"]
    hedges = [r"\boxed{A or B}", r"\boxed{A} or \boxed{B}", r"\boxed{A}\boxed{B}\boxed{C}", r"\boxed{B}, or rather C"]
    texts = [r"Er ist \boxed{blau}.", r"\boxed{C}", r"\boxed{c) Blau}"]
    tags = ["<answer>B</answer>", r"<think><answer>A</answer></think><answer>\boxed{Nairobi}</answer>"]
    labels = [
        "<think>(A)?</think>The answer is (B).",
        "**B**",
        "So:\nB",
        "Die Antwort ist B.",
        "答案是B。",
        "الإجابة: ب",
    ]
    no_labels = ["A bear.", "Be it (A).", "(B), or rather (C).", "The answer is B or C.", "The answer is not B."]
    return [
        RewardExample(title="boxed", sample=CAPITAL, good=boxes, bad=[*no_boxes, *hedges]),
        RewardExample(title="boxed, German list", sample=LISTED, good=texts, bad=[r"\boxed{rot}", r"\boxed{D}", "C"]),
        RewardExample(
            title="tag", sample=CAPITAL, good=tags, bad=["B", "<answer>C</answer>"], options={"extract": "tag"}
        ),
        RewardExample(
            title="last_label",
            sample=CAPITAL,
            good=labels,
            bad=no_labels,
            options={"extract": "last_label"},
        ),
        RewardExample(
            title="answer_line",
            sample=CAPITAL,
            good=["So it is.\nANSWER: B", "ANSWER: A\nanswer: (b)"],
            bad=["ANSWER: A", "B", "ANSWER: B, C", "ANSWER: B or C"],
            options={"extract": "answer_line"},
        ),
        RewardExample(
            title="sp3f_official",
            sample=CAPITAL,
            good=[r"\boxed{B}", r"\boxed{\text{b}}", r"\boxed{because}"],
            bad=[r"\boxed{A}", r"\boxed{(B)}", "B"],
            options={"profile": "sp3f_official"},
        ),
    ]
