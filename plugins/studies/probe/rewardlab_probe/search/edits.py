"""The edits that a search makes: dress, compose, cut, splice, repeat, delete, and edits of the answer."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from rewardlab_probe.attempts.dressings import DRESSINGS
from rewardlab_probe.attempts.material import Material
from rewardlab_probe.search.answers import NUMBER, AnswerEdit, answer_edits
from rewardlab_probe.search.program_edits import PROGRAMS

Edit = Callable[[Material, str], str | None]
MAX_TEXT = 40_000
"""Characters of a text that is edited further."""
MAX_TAKEN = 12
"""Numbers and words of a prompt that are tried as the answer."""

WHOLE: Mapping[str, Edit] = {
    "honest_before": lambda m, t: f"{m.row.honest}\n{t}",
    "honest_behind": lambda m, t: f"{t}\n{m.row.honest}",
    "answer_before": lambda m, t: f"{m.answer}\n{t}",
    "answer_behind": lambda m, t: f"{t}\n{m.answer}",
    "guess_before": lambda m, t: f"{m.answered(m.guess)}\n{t}",
    "guess_behind": lambda m, t: f"{t}\n{m.answered(m.guess)}",
    "prompt_before": lambda m, t: f"{m.prompt}\n{t}",
    "prompt_behind": lambda m, t: f"{t}\n{m.prompt}",
    "reasoned": lambda m, t: f"{m.reasoning}\n{t}",
    "twice": lambda m, t: f"{t}\n{t}",
    "ten_times": lambda m, t: "\n".join([t] * 10),
    "hundred_times": lambda m, t: " ".join([t] * 100),
    "first_half": lambda m, t: t[: len(t) // 2],
    "second_half": lambda m, t: t[len(t) // 2 :],
    "honest_then_half": lambda m, t: m.row.honest[: len(m.row.honest) // 2] + t[len(t) // 2 :],
    "half_then_honest": lambda m, t: t[: len(t) // 2] + m.row.honest[len(m.row.honest) // 2 :],
    "last_line": lambda m, t: t.rstrip().rpartition("\n")[2],
    "first_line": lambda m, t: t.partition("\n")[0],
    "without_last_line": lambda m, t: t.rstrip().rpartition("\n")[0],
    "without_first_line": lambda m, t: t.partition("\n")[2],
    "lines_reversed": lambda m, t: "\n".join(t.splitlines()[::-1]),
    "without_end": lambda m, t: re.sub(r"(?:</\w+>|```|\})\s*$", "", t),
    "without_tags": lambda m, t: re.sub(r"</?\w+>", "", t),
    "without_box": lambda m, t: re.sub(r"\\boxed\{([^{}]*)\}", r"\1", t),
    "without_digits": lambda m, t: re.sub(r"\d", "", t),
    "one_line": lambda m, t: " ".join(t.split()),
    "capitals": lambda m, t: t.upper(),
    "small_letters": lambda m, t: t.lower(),
    "bullets": lambda m, t: "\n".join(f"- {line}" for line in t.splitlines()),
    "numbered": lambda m, t: "\n".join(f"{n}. {line}" for n, line in enumerate(t.splitlines(), 1)),
    "bold": lambda m, t: f"**{t}**",
    "fenced": lambda m, t: f"```\n{t}\n```",
    "commented": lambda m, t: f"<!-- {t} -->",
    "spaces": lambda m, t: t.replace(" ", "  "),
    "exclaimed": lambda m, t: t.replace(".", "!"),
    "asked": lambda m, t: t.replace(".", "?"),
}
"""edits of a whole completion"""


def all_edits(looked_for: Sequence[str]) -> dict[str, Edit]:
    """Return the edits by name. looked_for: words of the reward's own code, which are put in."""
    edits: dict[str, Edit] = dict(WHOLE)
    edits |= {f"dress_{name or 'praise'}": _dress(name) for name in DRESSINGS}
    edits |= {f"answer_{name}": _of_answer(change) for name, change in answer_edits().items()}
    edits |= {f"program_{name}": _of_program(change) for name, change in PROGRAMS.items()}
    edits |= {f"prompt_word_{place}": _from_prompt(place, r"\w[\w'-]*") for place in range(-MAX_TAKEN, 0)}
    edits |= {f"prompt_number_{place}": _from_prompt(place, NUMBER.pattern) for place in range(MAX_TAKEN)}
    edits |= {"answer_of_another": _of_another, "prompt_as_answer": lambda m, t: _answered(m, t, m.prompt)}
    for word in looked_for:
        edits |= {f"word_before:{word}": _put(word, before=True), f"word_behind:{word}": _put(word, before=False)}
        edits[f"word_as_answer:{word}"] = _word_as_answer(word)
    return edits


def _dress(name: str) -> Edit:
    return lambda material, text: DRESSINGS[name].around(text)


def _put(word: str, before: bool) -> Edit:
    return lambda material, text: f"{word}\n{text}" if before else f"{text}\n{word}"


def _word_as_answer(word: str) -> Edit:
    return lambda material, text: _answered(material, text, word)


def _of_answer(change: AnswerEdit) -> Edit:
    def edit(material: Material, text: str) -> str | None:
        parts = replace(material.row, honest=text).parts
        if not parts.answer or len(parts.answer) > MAX_TEXT or parts.form.code is not None:
            return None
        changed = change(parts.answer)
        return None if changed is None or changed == parts.answer else parts.form.write(parts.reasoning, changed)

    return edit


def _of_program(change: Callable[[str], str | None]) -> Edit:
    def edit(material: Material, text: str) -> str | None:
        parts = replace(material.row, honest=text).parts
        changed = change(parts.answer) if material.is_python and parts.form.code is not None else None
        return parts.form.write(parts.reasoning, changed) if changed else None

    return edit


def _from_prompt(place: int, pattern: str) -> Edit:
    def edit(material: Material, text: str) -> str | None:
        taken = re.findall(pattern, material.prompt)
        return _answered(material, text, taken[place]) if -len(taken) <= place < len(taken) else None

    return edit


def _of_another(material: Material, text: str) -> str | None:
    others = [answer for answer in material.other_answers if answer and answer != material.answer]
    return _answered(material, text, others[0]) if others else None


def _answered(material: Material, text: str, answer: str) -> str | None:
    if material.form.code is not None or not material.answer:
        return None
    return material.form.write(replace(material.row, honest=text).parts.reasoning, answer)
