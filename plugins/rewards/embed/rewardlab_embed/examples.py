"""Examples for the laws of the rewards: responses that mean what a reference means, and others (rewardlab.laws)."""

from rewardlab import Ask, Reply, Sample
from rewardlab.laws import RewardExample

REASON = "Half of the 48 books were lent, so 24 of them are left on the shelf."
BOOKS = Sample(
    id="books",
    prompt=({"role": "user", "content": "Im Regal stehen 48 Bücher. Die Hälfte wird verliehen. Wie viele bleiben?"},),
    fields={"reference": f"<think>{REASON}</think><answer>24</answer>", "language": "de"},
)
GERMAN = {
    "Die Hälfte der 48 Bücher wurde verliehen, also bleiben 24 davon im Regal.": REASON,
    "Die Katze schläft seit gestern auf dem Dach.": "The cat has been sleeping on the roof since yesterday.",
}
GOOD, OTHER = (f"<think>{text}</think><answer>24</answer>" for text in GERMAN)
BAD = [OTHER, "<think> </think><answer>24</answer>", "24"]


class DictionaryTranslator:
    """A translator that knows two sentences; for anything else it says that the text is in German."""

    async def ask(self, ask: Ask) -> Reply:
        text = ask.parts["text"]
        return Reply(text=GERMAN.get(text, f"in German: {text}"), finish_reason="stop", completion_tokens=8)


def cosine() -> list[RewardExample]:
    """Return an example that needs the user's `model`."""
    return [RewardExample(title="reasoning", sample=BOOKS, good=[GOOD], bad=BAD, needs=["model"])]


def translated_cosine() -> list[RewardExample]:
    """Return an example that needs the user's `model`, with a translator that knows its texts."""
    return [
        RewardExample(
            title="reasoning",
            sample=BOOKS,
            good=[GOOD],
            bad=BAD,
            options={"translator": "dictionary"},
            needs=["model"],
            judges=lambda: {"dictionary": DictionaryTranslator()},
        )
    ]
