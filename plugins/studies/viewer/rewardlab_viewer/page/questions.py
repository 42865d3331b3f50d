"""The questions to judges with their replies, in packed parts beside the texts, which the browser unpacks when asked.

A question is mostly texts of its group: of these it has the places, and only what stands between them itself.
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from rewardlab_viewer.page.chunks import TextChunks, pack
from rewardlab_viewer.read.judge_questions import AskedQuestion, JudgeQuestions
from rewardlab_viewer.read.source import Source

MAX_PAGE_QUESTIONS = 1_500_000
"""bytes of packed questions in one page; of more, some chunks have none"""
MAX_BUNDLE_QUESTIONS = 200_000_000
MIN_TRIED = 8
"""chunks after which, if nothing is found, nothing will be"""
MIN_SHARED = 24
"""characters of a text that a question has by its place"""
Piece = str | int
"""a text of its own, or the place of one of the group's"""


@dataclass(frozen=True, kw_only=True)
class QuestionParts:
    """The questions of a source.

    Args:
        parts: base64 by the number of the chunk of texts that they belong to.
        why: what keeps questions of a component from being shown; of "", of all.
    """

    components: Sequence[str]
    parts: Mapping[int, str]
    why: Mapping[str, str]

    def data(self) -> dict[str, Any]:
        """Return what the page's script knows from the beginning."""
        return {"components": list(self.components), "chunks": sorted(self.parts), "why": dict(self.why)}


def question_parts(source: Source, chunks: TextChunks, kept: Sequence[int], most: int) -> QuestionParts:
    """Return the questions about these chunks of groups: the last and evenly others, until `most` bytes are full."""
    parts: dict[int, str] = {}
    with closing(JudgeQuestions(source)) as questions:
        for tried, number in enumerate(_evenly(kept) if questions.components else ()):
            if tried >= MIN_TRIED and not parts:
                break
            groups = [_of_group(texts, list(questions.of_group(texts))) for texts in chunks.texts(number)]
            if not any(group["asked"] for group in groups):
                continue
            part = _packed(groups)
            most -= len(part)
            if most < 0 and parts:
                break
            parts[number] = part
        return QuestionParts(components=questions.components, parts=parts, why=questions.why)


def asking_components(source: Source) -> QuestionParts:
    """Return which components ask judges, of a run that goes on: questions are made when somebody wants them."""
    with closing(JudgeQuestions(source)) as questions:
        asking = [*questions.components, *filter(None, questions.why)]
        return QuestionParts(components=asking, parts={}, why={"": questions.why[""]} if "" in questions.why else {})


def questions_of(source: Source, texts: Mapping[str, Any]) -> str:
    """Return the questions about one group in base64, and `why`: what keeps others from being shown by now."""
    with closing(JudgeQuestions(source)) as questions:
        return _packed({**_of_group(texts, list(questions.of_group(texts))), "why": questions.why})


def _packed(values: Any) -> str:
    return b64encode(pack(json.dumps(values, ensure_ascii=False, separators=(",", ":")))).decode()


def _evenly(numbers: Sequence[int]) -> list[int]:
    """Return the numbers so that each beginning of the list is spread over all of them, the last one first."""
    bits = max(1, len(numbers).bit_length())
    return [numbers[-1 - at] for at in sorted(range(len(numbers)), key=lambda at: int(f"{at:0{bits}b}"[::-1], 2))]


def _of_group(texts: Mapping[str, Any], asked: Sequence[AskedQuestion]) -> dict[str, Any]:
    """Return {"texts": what questions share, "asked": the questions}."""
    shared = _shared(texts) if asked else []
    places = {text: at for at, text in enumerate(shared)}
    return {
        "texts": shared,
        "asked": [
            {
                "component": question.component,
                "judge": question.judge,
                "about": question.about,
                "question": [
                    [message["role"], _pieces(message["content"], places)] for message in question.ask.messages
                ],
                "reply": question.reply.text,
                **({"reasoning": question.reply.reasoning} if question.reply.reasoning else {}),
            }
            for question in asked
        ],
    }


def _shared(texts: Mapping[str, Any]) -> list[str]:
    """Return the long texts of a group, the longest first: one may contain another."""
    fields = texts["fields"] if isinstance(texts["fields"], Mapping) else {}
    every = [
        *(message["content"] for message in texts["prompt"]),
        *fields.values(),
        *(row["text"] for row in texts["rows"]),
    ]
    return sorted({text for text in every if isinstance(text, str) and len(text) >= MIN_SHARED}, key=len, reverse=True)


def _pieces(content: Any, places: Mapping[str, int]) -> list[Piece]:
    content = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    pieces: list[Piece] = [content]
    for text, place in places.items():
        if text in content:
            pieces = [
                part for piece in pieces for part in (_split(piece, text, place) if isinstance(piece, str) else [piece])
            ]
    return pieces


def _split(piece: str, text: str, place: int) -> Iterator[Piece]:
    first, *others = piece.split(text)
    yield first
    for other in others:
        yield from (place, other)
