"""Examples for the laws of math/accuracy: right and wrong answers to a few problems (rewardlab.laws)."""

from rewardlab import Sample
from rewardlab.laws import RewardExample

PENS = Sample(
    id="pens",
    prompt=({"role": "user", "content": "Ann has 3 red pens and 4 blue ones. How many pens does she have?"},),
    fields={"answer": "7", "language": "en"},
)
RENT = Sample(
    id="rent",
    prompt=({"role": "user", "content": "Die Miete beträgt 617,25 Euro im Monat. Was kosten zwei Monate?"},),
    fields={"answer": "1234.5", "language": "de"},
)


def accuracy() -> list[RewardExample]:
    """Return examples of every way to find an answer, in both profiles."""
    boxes = [
        r"3 + 4 = 7, so the answer is \boxed{7}.",
        r"<think>First I had \boxed{8}, but 3 + 4 = 7.</think>She has \boxed{7} pens.",
    ]
    no_boxes = [r"\boxed{8}", "She has 7 pens.", r"At first \boxed{7}, no: \boxed{12}.", r"\boxed{}", r"\boxed{7"]
    hedges = [r"\boxed{7} or \boxed{8}", r"\boxed{8}, or maybe \boxed{7}", r"\boxed{8 \text{ or } 7}", r"\boxed{7, 8}"]
    hedges += [r"\boxed{$7$ or $8$}", r"\boxed{\text{8 or } \boxed{7}}"]
    formulas = [r"\boxed{x^2+2x+1}", r"So it is \boxed{(x+1)^2}."]
    square = Sample(id="square", prompt=_prompt("Expand or not: (x+1)(x+1)"), fields={"answer": "(x+1)^2"})
    locales = [r"Zwei Monate kosten \boxed{1.234,5} Euro.", r"\boxed{1 234,50 €}", r"\boxed{\frac{2469}{2}}"]
    tags = ["<think>3 + 4</think><answer>7</answer>", r"<answer>8</answer> No: <answer>\boxed{7}</answer>"]
    no_tags = ["<answer>8</answer>", r"\boxed{7}", "<answer>7</answer> No: <answer>12</answer>", "<answer></answer>"]
    numbers = ["<think>8?</think>3 red ones and 4 blue ones make 7.", "Not 8 but 7"]
    no_numbers = ["7 of them, or was it 12", "<think>It is 7.</think>Many.", "Many.", "8 or 7", "It is 7^2."]
    return [
        RewardExample(
            title="boxed", sample=PENS, good=boxes, bad=[*no_boxes, *hedges], hedge=(r"\boxed{7}", r"\boxed{8}")
        ),
        RewardExample(
            title="boxed, formulas",
            sample=square,
            good=formulas,
            bad=[r"\boxed{x^2+1}", r"\boxed{4}"],
            hedge=(r"\boxed{(x+1)^2}", r"\boxed{x^2+1}"),
        ),
        RewardExample(
            title="boxed, German",
            sample=RENT,
            good=locales,
            bad=[r"\boxed{12345}", r"\boxed{1,23}"],
            hedge=(r"\boxed{1.234,5}", r"\boxed{1.234}"),
        ),
        RewardExample(
            title="tag",
            sample=PENS,
            good=tags,
            bad=no_tags,
            options={"extract": "tag"},
            hedge=("<answer>7</answer>", "<answer>8</answer>"),
        ),
        RewardExample(
            title="last_number",
            sample=PENS,
            good=numbers,
            bad=no_numbers,
            hedge=("$7$", "$8$"),
            options={"extract": "last_number"},
        ),
        RewardExample(
            title="sp3f_official", sample=PENS, good=boxes, bad=no_boxes, options={"profile": "sp3f_official"}
        ),
    ]


def _prompt(text: str) -> tuple[dict[str, str], ...]:
    return ({"role": "user", "content": text},)
