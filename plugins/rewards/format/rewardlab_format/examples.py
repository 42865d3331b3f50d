"""Examples for the laws of the rewards: responses with and without the right form (rewardlab.laws)."""

from rewardlab import Completion, Sample
from rewardlab.laws import RewardExample

PENS = Sample(
    id="pens",
    prompt=({"role": "user", "content": "Ann has 3 red pens and 4 blue ones. How many pens does she have?"},),
    fields={"answer": "7"},
)


def boxed() -> list[RewardExample]:
    """Return examples of both profiles of format/boxed."""
    good = [r"So \boxed{7}.", r"<think>3 + 4</think>She has \boxed {7} pens.", r"\boxed{\frac{14}{2}}"]
    bad = ["So 7.", r"<think>It is \boxed{7}.</think>Seven.", r"\boxed{ }", r"\boxed{\text{ }}", r"\boxed{7"]
    as_published = ["So 7.", r"\boxed{7", "boxed 7"]
    official = {"profile": "sp3f_official"}
    quirk = {"padding": "the published code takes `\\boxed` with a space after it for a box"}
    return [
        RewardExample(title="default", sample=PENS, good=good, bad=bad),
        RewardExample(title="sp3f_official", sample=PENS, good=good, bad=as_published, options=official, off=quirk),
    ]


def tags() -> list[RewardExample]:
    """Return examples of format/tags, with the default tags and with others."""
    good = ["<think>3 + 4 = 7</think><answer>7</answer>", "\n<think>\nLet me see.\n</think>\n<answer>8</answer>\n"]
    bad = [
        "7",
        "<think></think><answer>7</answer>",
        "<think>3 + 4 = 7</think>7",
        "<answer>7</answer><think>3 + 4 = 7</think>",
        "Well: <think>3 + 4 = 7</think><answer>7</answer>",
        "<think>3 + 4</think><think>= 7</think><answer>7</answer>",
        "<think>3 + 4 = 7</think><answer>7",
    ]
    own = ["<plan>add</plan><do>3 + 4 = 7</do><check>7 - 4 = 3</check>"]
    options = {"tags": ["plan", "do", "check"]}
    return [
        RewardExample(title="think and answer", sample=PENS, good=good, bad=bad),
        RewardExample(title="other tags", sample=PENS, good=own, bad=[*good, "", "<plan>"], options=options),
    ]


PREMISE = Sample(
    id="premise",
    prompt=({"role": "user", "content": "Ann sleeps. Ann is awake. Does the first follow from, deny or allow that?"},),
    fields={"task": "NLI", "language": "en", "labels": ["entailment", "contradiction", "neutral"]},
)


def validity() -> list[RewardExample]:
    """Return examples of format/validity: with a row's labels, without, with the tags alone, and by violation."""
    good = [
        "<think>One denies the other.</think><answer>Contradiction.</answer>",
        "<think>Who sleeps is not awake.</think>\n<answer>Contradiction, since\nnobody does both.</answer>",
    ]
    malformed = [
        "",
        "Contradiction",
        "<think>Who sleeps is not awake.</think>Contradiction",
        "<think></think>" + good[0],
    ]
    no_label = ["<think>Hm.</think><answer>They do not fit.</answer>", "<think>Hm.</think><answer>neutral</answer>?"]
    no_trace = ["<think> </think><answer>neutral</answer>", "<answer>neutral</answer>"]
    each = {"per_violation": 0.25, "structure": "amro"}
    summary = Sample(id="summary", prompt=PREMISE.prompt, fields={"task": "Summarization", "subtask": "News"})
    long = "<think>Who, when, where.</think><answer>" + "The mayor opened the new bridge on Monday. " * 4 + "</answer>"
    short = "<think>What.</think><answer>A bridge was opened.</answer>"
    return [
        RewardExample(title="labels", sample=PREMISE, good=good, bad=[*malformed, *no_label, *no_trace]),
        RewardExample(title="no labels", sample=summary, good=[long, short, *good], bad=[*malformed, *no_trace]),
        RewardExample(title="tags alone", sample=PENS, good=[*good, long], bad=malformed, options={"structure": None}),
        RewardExample(
            title="each violation",
            sample=PREMISE,
            good=good,
            bad=no_label,
            ladder=["", *no_label[:1], good[0]],
            options=each,
        ),
    ]


def overlong() -> list[RewardExample]:
    """Return examples of format/overlong: completions whose tokens the engine counted, and texts that are estimated."""
    short, longer, cut = (Completion(text="7", token_count=tokens) for tokens in (60, 90, 120))
    full = [Completion(text="She has 7 pens. " * 10, token_count=100, truncated=True)]
    options = {"max_tokens": 100, "buffer": 40}
    texts = {**options, "characters_per_token": 4.0}
    return [
        RewardExample(
            title="tokens",
            sample=PENS,
            good=[short],
            bad=[longer, cut, *full],
            ladder=[cut, longer, short],
            options=options,
        ),
        RewardExample(title="characters", sample=PENS, good=["Seven."], bad=["She has 7 pens. " * 25], options=texts),
    ]
