"""Rows of short answers, for graders that read a number, a formula, a letter or a name out of a completion.

`python short_answers.py KIND STYLE` prints them, a JSON object a line. KIND says what is asked, STYLE in which form the
grader's own prompt wants the answer. The gold answer stands under each name that a grader may read it by.
"""

import json
import sys

WHOLE = [
    (
        "A baker packs 6 boxes with 12 rolls each. How many rolls are that?",
        "There are 6 boxes of 12, so I multiply.",
        "72",
        [],
    ),
    (
        "A farm has 1,000 hens and buys 250 more. How many hens has it then?",
        "It had 1000 and bought 250, so I add.",
        "1250",
        ["1,250"],
    ),
    ("Tom has 31 stamps and gives 14 away. How many has he left?", "He gives 14 of 31 away, so I subtract.", "17", []),
    (
        "A train drives 80 km an hour for 4 hours. How many km does it drive?",
        "Each of 4 hours has 80 km, so I multiply.",
        "320",
        [],
    ),
    ("45 pupils sit in rows of 9. How many rows are there?", "Each row takes 9 of 45, so I divide.", "5", []),
    ("A phone costs 640 euros and a case 36 euros. What do both cost together?", "I add 36 to 640.", "676", []),
]
FORMULAS = [
    (
        "What is one half plus one quarter, as a fraction?",
        "The sum is two quarters and one quarter.",
        r"\frac{3}{4}",
        [r"\dfrac{3}{4}", "3/4"],
    ),
    (
        "Simplify the square root of 12.",
        "12 is 4 times 3, and the root of 4 is 2.",
        r"2\sqrt{3}",
        [r"2 \sqrt{3}"],
    ),
    ("Solve x + 7 = 4 for x.", "Subtract 7 on both sides.", "-3", ["x = -3"]),
    ("Factor x^2 - 1.", "It is a difference of two squares.", "(x-1)(x+1)", ["(x+1)(x-1)", r"(x - 1)(x + 1)"]),
    (
        "In which point do y = x and y = 4 - x meet? Give the point as (x, y).",
        "I set x equal to 4 - x.",
        "(2,2)",
        ["(2, 2)"],
    ),
    (
        "What is 3 divided by 8, as a decimal number?",
        "3 / 8 is three times one eighth.",
        "0.375",
        [".375", r"\frac{3}{8}"],
    ),
]
LETTERS = [
    (
        "Which planet is nearest to the sun?\nA) Venus\nB) Mercury\nC) Mars\nD) Saturn",
        "The one with the smallest orbit.",
        "B",
        [],
    ),
    (
        "Which gas do plants take in?\nA) oxygen\nB) helium\nC) carbon dioxide\nD) neon",
        "Photosynthesis needs it.",
        "C",
        [],
    ),
    ("What is 7 * 8?\nA) 56\nB) 54\nC) 63\nD) 48", "I multiply.", "A", []),
    ("Which is a mammal?\nA) trout\nB) gecko\nC) raven\nD) whale", "One of them gives milk.", "D", []),
]
NAMES = [
    ("Which is the capital of Norway?", "It lies at a fjord and was once called Christiania.", "Oslo", ["oslo"]),
    ("Who wrote the novel Emma?", "It was published in 1815.", "Jane Austen", ["jane austen"]),
    (
        "Which ocean lies between Africa and Australia?",
        "It lies to the east of Madagascar.",
        "Indian Ocean",
        ["indian ocean"],
    ),
    ("Which metal has the symbol Fe?", "Its symbol comes from the Latin ferrum.", "iron", ["Iron"]),
]
KINDS = {
    "whole": WHOLE,
    "count": [row for row in WHOLE if not row[3]],
    "formula": FORMULAS,
    "letter": LETTERS,
    "name": NAMES,
}
STYLES = {
    "bare": "{answer}",
    "hash": "{why}\n#### {answer}",
    "box": "{why} The answer is $\\boxed{{{answer}}}$.",
    "line": "{why}\nAnswer: {answer}",
    "bracket": "{why} [{answer}]",
    "tags": "<think>\n{why}\n</think>\n<answer>\n{answer}\n</answer>",
    "flat_tags": "<think>{why}</think><answer>{answer}</answer>",
    "tags_box": "<think>\n{why}\n</think>\n<answer>\nThe answer is $\\boxed{{{answer}}}$.\n</answer>",
    "think_box": "<think>\n{why}\n</think>\nThe answer is $\\boxed{{{answer}}}$.",
    "is": "{why} The answer is {answer}",
    "chat": "<|im_start|>assistant\n<think>\n{why}\n</think>\n<answer>\n{answer}\n</answer>",
    "chat_box": "<|im_start|>assistant\n{why} The answer is $\\boxed{{{answer}}}$.",
    "equals": "{why} So the final answer is: {answer}",
    "spaced_tags": "<think>{why}</think> <answer>{answer}</answer>",
    "think_bare": "<think>{why}</think>{answer}",
    "target_tag": "{why}\n<answer>{answer}</answer>",
    "search": "<|im_start|>user\nFor example, <answer> Beijing </answer>.<|im_end|>\n"
    "<|im_start|>assistant\n{why}\n<answer> {answer} </answer>",
    "tagged_gold": "<think>{why}</think><answer>{answer}</answer>",
    "upper": "{why}\nANSWER: {answer}",
    "bbeh": "{why} The answer is: {answer}",
    "braces": "{why} The final answer is {{{answer}}}",
    "answer_tag": "{why}\n<answer>{answer}</answer>",
}
ASKS = {
    "bare": "Answer with the answer alone.",
    "hash": "End with a line of #### and the answer.",
    "box": "Put the answer into \\boxed{}.",
    "line": "End with a line 'Answer: ' and the answer.",
    "bracket": "Put the answer into square brackets at the end.",
}


def rows(kind: str, style: str) -> list[dict[str, object]]:
    """Return the rows of a kind in a style."""
    made = []
    for number, (question, why, answer, others) in enumerate(KINDS[kind]):
        form = STYLES[style]
        ask = ASKS.get(
            style,
            "Think in <think> tags, and put the answer into <answer> tags."
            if "tag" in style
            else "End with the answer.",
        )
        names: dict[str, object] = dict.fromkeys(
            ("answer", "ground_truth", "solution", "target", "reference", "gold", "label", "final_answer"), answer
        )
        if style in ("search", "target_tag"):
            names |= {"ground_truth": {"target": [answer]}}
        if kind == "formula":  # in the dollars that math_verify reads LaTeX in
            names |= {"solution": f"${answer}$"}
        if style == "tagged_gold":
            names |= {"solution": f"<answer>{answer}</answer>"}
        made.append({
            "id": f"{kind}-{number}",
            "prompt": f"{question} {ask}",
            "honest": form.format(why=why, answer=answer),
            "also_right": [form.format(why=why, answer=other) for other in others],
            **names,
        })  # fmt: skip
    return made


if __name__ == "__main__":
    for row in rows(*sys.argv[1:3]):
        print(json.dumps(row, ensure_ascii=False))
