"""Examples for the laws of constraints/following: responses that follow instructions and such as do not."""

from rewardlab import Sample
from rewardlab.laws import RewardExample

POEM = Sample(
    id="poem",
    prompt=({"role": "user", "content": "Write a short poem about rain. Give it a title in <<>>, use no commas."},),
    fields={
        "instruction_id_list": ["detectable_format:title", "punctuation:no_comma", "keywords:existence"],
        "kwargs": [{}, {}, {"keywords": ["rain", "roof"]}],
    },
)
CHINESE = Sample(
    id="chinese",
    prompt=({"role": "user", "content": "用不超过三句话介绍杭州，不要使用逗号，并提到西湖。"},),
    fields={
        "language": "zh",
        "instruction_id_list": ["length_constraints:number_sentences", "punctuation:no_comma", "keywords:frequency"],
        "kwargs": [
            {"relation": "less than", "num_sentences": 4},
            {},
            {"keyword": "西湖", "frequency": 1, "relation": "at least"},
        ],
    },
)


def following() -> list[RewardExample]:
    """Return examples of both values and both modes, in English and in Chinese."""
    poem = "<<Rain>>\nIt falls on the roof\nand the rain sings low."
    good = [poem, f"<think>No commas, then.</think>{poem}"]
    bad = ["", "It pours, and pours.", f"<think>{poem}</think>It pours, and pours.", "<<>>, ok"]
    chinese = ["杭州有西湖。西湖很美。", "<think>要短，不用逗号。</think>杭州在浙江。那里有西湖！"]
    none = ["杭州，很美。", "杭州在浙江，很美。很大。很好。很老。"]
    return [
        RewardExample(
            title="mean",
            sample=POEM,
            good=good,
            bad=bad,
            ladder=["", "It pours, and pours.", "It pours and pours.", "<<Rain>>\nIt pours.", poem],
        ),
        RewardExample(
            title="all",
            sample=POEM,
            good=good,
            bad=[*bad, "<<Storm>>\nIt pours on the roof."],
            options={"value": "all"},
        ),
        RewardExample(
            title="loose",
            sample=POEM,
            good=[f"Here is your poem, as you wished:\n{poem}"],
            bad=bad,
            options={"value": "all", "mode": "loose"},
        ),
        RewardExample(title="Chinese", sample=CHINESE, good=chinese, bad=none),
    ]
