"""Examples for the laws: responses and prompts in the row's language and in others (rewardlab.laws)."""

from dataclasses import replace

from rewardlab import Sample
from rewardlab.laws import DatasetExample, RewardExample

GERMAN = Sample(
    id="books",
    prompt=({"role": "user", "content": "Im Regal stehen 48 Bücher. Die Hälfte wird verliehen. Wie viele bleiben?"},),
    fields={"language": "de", "answer": "24"},
)
IN_GERMAN = (
    "Zuerst standen dort achtundvierzig Bücher. Die Hälfte davon wurde verliehen, also bleiben noch viele übrig."
)
IN_ENGLISH = "At first there were forty-eight books on the shelf. Half of them were lent, so many of them are left."
IN_SPANISH = "Al principio había muchos libros en el estante. La mitad de ellos se prestó, así que quedan bastantes."
HALF_ENGLISH = f"{IN_GERMAN} {IN_ENGLISH}"
MOSTLY_GERMAN = f"{IN_GERMAN} Danach wurde nichts mehr verliehen, und niemand brachte etwas zurück. So many are left."


def fidelity() -> list[RewardExample]:
    """Return examples with a threshold, as a share, in parts of the response, among given languages, as published."""
    good = [IN_GERMAN, f"<think>{IN_ENGLISH}</think>{IN_GERMAN}", rf"{IN_GERMAN} $\frac{{48}}{{2}}$ \boxed{{24}}"]
    bad = [IN_ENGLISH, IN_SPANISH, "", "24", HALF_ENGLISH]
    ladder = [IN_ENGLISH, HALF_ENGLISH, MOSTLY_GERMAN, IN_GERMAN]
    thoughts = [f"<think>{IN_GERMAN}</think>{IN_ENGLISH}"]
    no_thoughts = [f"<think>{IN_ENGLISH}</think>{IN_GERMAN}", IN_GERMAN]
    among = {"languages": ["de", "es"], "threshold": 0.5}
    official = {"profile": "sp3f_official"}
    return [
        RewardExample(title="default", sample=GERMAN, good=good, bad=bad, ladder=ladder),
        RewardExample(title="share", sample=GERMAN, good=good, bad=bad, ladder=ladder, options={"threshold": None}),
        RewardExample(title="reasoning", sample=GERMAN, good=thoughts, bad=no_thoughts, options={"part": "reasoning"}),
        RewardExample(title="languages", sample=GERMAN, good=good, bad=[IN_SPANISH, "24"], options=among),
        RewardExample(title="sp3f_official", sample=GERMAN, good=good[:1], bad=[IN_ENGLISH, ""], options=official),
    ]


def consistency() -> list[RewardExample]:
    """Return examples with trace and answer apart, with the answer alone, pooled, and by the prompt's language."""
    good = [f"<think>{IN_GERMAN}</think><answer>{IN_GERMAN}</answer>", f"<think>{MOSTLY_GERMAN}</think>{IN_GERMAN}"]
    drifted = f"<think>{IN_ENGLISH}</think><answer>{IN_GERMAN}</answer>"
    bad = [drifted, f"<think>{IN_GERMAN}</think>{IN_ENGLISH}", f"<think>{IN_SPANISH}</think>{IN_SPANISH}", ""]
    of_answer = [IN_ENGLISH, f"<think>{IN_GERMAN}</think><answer>{IN_SPANISH}</answer>", ""]
    lingua = {"detectors": ["lingua"], "parts": "answer"}
    return [
        RewardExample(title="trace and answer", sample=GERMAN, good=good, bad=[*bad, IN_GERMAN]),
        RewardExample(title="answer", sample=GERMAN, good=[*good, drifted], bad=of_answer, options={"parts": "answer"}),
        RewardExample(title="prompt", sample=GERMAN, good=good, bad=bad, options={"language": "prompt"}),
        RewardExample(title="pooled", sample=GERMAN, good=good, bad=bad[2:], options={"pooled": True}),
        RewardExample(title="lingua alone", sample=GERMAN, good=[IN_GERMAN], bad=of_answer, options=lingua),
    ]


def language_filter() -> list[DatasetExample]:
    """Return examples of prompts, and of responses with a trace."""
    texts = [IN_GERMAN, IN_ENGLISH, MOSTLY_GERMAN, IN_SPANISH, "24"]
    asked = [
        Sample(id=f"asked-{at}", prompt=({"role": "user", "content": text},), fields={"language": "de"})
        for at, text in enumerate(texts)
    ]
    answered = [
        replace(GERMAN, id=f"said-{at}", fields={**GERMAN.fields, "response": f"<think>{IN_GERMAN}</think>{text}"})
        for at, text in enumerate(texts)
    ]
    return [
        DatasetExample(title="prompts", source=asked),
        DatasetExample(title="responses", source=answered, options={"fields": ["response"], "unsure": "drop"}),
    ]
