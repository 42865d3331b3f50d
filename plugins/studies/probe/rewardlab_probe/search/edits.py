"""The edits that a search makes: dress, compose, cut, splice, repeat, delete, and edits of the answer."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from rewardlab_probe.attempts.dressings import DRESSINGS
from rewardlab_probe.attempts.material import Material
from rewardlab_probe.edits.answers import AnswerEdit, answer_edits
from rewardlab_probe.edits.program_edits import PROGRAMS
from rewardlab_probe.search.other_values import value_edits
from rewardlab_probe.search.program_makers import MADE
from rewardlab_probe.search.prompt_edits import Taken, taken_answers

Edit = Callable[[Material, str], str | None]
MAX_TEXT = 40_000
"""Characters of a text that is edited further."""

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
    "a_word_a_line": lambda m, t: "\n".join(t.split()),
    "joined_by_bars": lambda m, t: "_".join(t.split()),
    "bound_words": lambda m, t: "\u00a0".join(t.split()),
    "words_once": lambda m, t: " ".join(dict.fromkeys(t.split())),
    "words_reversed": lambda m, t: " ".join(t.split()[::-1]),
    "first_words": lambda m, t: " ".join(t.split()[:2]),
    "few_words": lambda m, t: " ".join(t.split()[:4]),
    "last_words": lambda m, t: " ".join(t.split()[-2:]),
    "half_of_words": lambda m, t: " ".join(t.split()[: len(t.split()) // 2]),
    "every_second_word": lambda m, t: " ".join(t.split()[::2]),
    "first_sentence": lambda m, t: re.split(r"(?<=[.!?])\s", t)[0],
    "first_word_many_times": lambda m, t: " ".join(t.split()[:1] * max(len(t.split()), 20)),
    "each_word_short": lambda m, t: " ".join(word[:2] for word in t.split()),
    "each_word_initial": lambda m, t: re.sub(r"\B\w+", "zz", t),
    "other_words": lambda m, t: re.sub(r"[^\W\d_]{3,}", "other", t),
    "filler_behind": lambda m, t: f"{t} {'well ' * 200}",
    "short_sentences": lambda m, t: "So it is. We go. It is so.",
}
"""edits of a whole completion"""

FORMS: Mapping[str, Edit] = {
    "marks_in_capitals": lambda m, t: re.sub(r"</?\w+>|\\\w+(?=\{)", lambda mark: mark[0].upper(), t),
    "marks_in_other_case": lambda m, t: re.sub(
        r"<(/?)(\w)(\w*)>", lambda mark: f"<{mark[1]}{mark[2].upper()}{mark[3]}>", t
    ),
    "marks_spaced": lambda m, t: re.sub(r"<(/?\w+)>", r"< \1 >", t),
    "marks_with_more": lambda m, t: re.sub(r"<(\w+)>", r'<\1 id="1">', t),
    "marks_twice": lambda m, t: re.sub(r"</?\w+>", lambda mark: mark[0] * 2, t),
    "empty_three_times": lambda m, t: m.form.several([""] * 3),
    "empty_ten_times": lambda m, t: m.form.several([""] * 10),
    "whole_empty_five_times": lambda m, t: "".join([*re.findall(r"</?\w+>", m.row.honest)] * 5) or None,
    "labels_alone": lambda m, t: "\n".join(re.findall(r"(?m)^.{1,40}?:", t)) or None,
    "labels_many_times": lambda m, t: "\n".join(re.findall(r"(?m)^.{1,40}?:", t)[:1] * 12) or None,
    "first_line_many_times": lambda m, t: "\n".join([t.partition("\n")[0]] * 12) + "\n" + t.rpartition("\n")[2],
    "guess_in_form_first": lambda m, t: m.form.several([m.guess, *([m.answer] if m.answer else [])]),
    "guess_in_form_last": lambda m, t: m.form.several([*([m.answer] if m.answer else []), m.guess]),
    "others_in_form": lambda m, t: m.form.several(list(dict.fromkeys([*m.other_answers, m.guess]))),
    "form_within": lambda m, t: m.form.write(m.no_thought, m.form.write("", m.guess)),
    "answer_hidden": lambda m, t: f"<!-- {m.row.honest} -->\n{m.answered(m.guess)}",
    "no_form": lambda m, t: m.answer or None,
    "other_fence": lambda m, t: f"```json\n{m.answer}\n```" if m.answer else None,
    "as_json": lambda m, t: f'{{"answer": "{m.guess}"}}',
}
"""edits of the marks, tags and labels that an answer stands in"""


def all_edits(looked_for: Sequence[str]) -> dict[str, dict[str, Edit]]:
    """Return the edits by kind and name. looked_for: words of the reward's own code, which are put in."""
    kinds = {
        kind: {f"answer_{name}": _of_answer(change) for name, change in some.items()}
        for kind, some in answer_edits().items()
    }
    kinds |= {kind: {name: _taken(taken) for name, taken in some.items()} for kind, some in taken_answers().items()}
    kinds |= {
        "value": value_edits(),
        "whole": dict(WHOLE),
        "form": dict(FORMS),
        "program": {f"program_{name}": _of_program(change) for name, change in PROGRAMS.items()}
        | {f"program_{name}": _made_program(made) for name, made in MADE.items()},
        "own": _own(looked_for),
        "dress": {f"dress_{name or 'praise'}": _dress(name) for name in DRESSINGS},
    }
    return kinds


def _own(looked_for: Sequence[str]) -> dict[str, Edit]:
    edits: dict[str, Edit] = {}
    for word in looked_for:
        edits |= {f"word_before:{word}": _put(word, before=True), f"word_behind:{word}": _put(word, before=False)}
        edits[f"word_as_answer:{word}"] = partial(_answered, answer=word)
    return edits


def _dress(name: str) -> Edit:
    return lambda material, text: DRESSINGS[name].around(text)


def _put(word: str, before: bool) -> Edit:
    return lambda material, text: f"{word}\n{text}" if before else f"{text}\n{word}"


def _of_answer(change: AnswerEdit) -> Edit:
    def edit(material: Material, text: str) -> str | None:
        parts = replace(material.row, honest=text).parts
        if len(text) > MAX_TEXT or material.is_python:
            return None
        before, mark, line = ("", "", parts.answer) if parts.answer else text.rstrip().rpartition("\n")
        changed = change(line)
        if changed is None or changed == line:
            return None
        return parts.form.write(parts.reasoning, changed) if parts.answer else f"{before}{mark}{changed}"

    return edit


def _of_program(change: Callable[[str], str | None]) -> Edit:
    def edit(material: Material, text: str) -> str | None:
        parts = replace(material.row, honest=text).parts
        changed = change(parts.answer) if material.is_python and parts.form.code is not None else None
        return parts.form.write(parts.reasoning, changed) if changed else None

    return edit


def _made_program(made: Callable[[Material], str | None]) -> Edit:
    def edit(material: Material, text: str) -> str | None:
        program = made(material) if material.is_python else None
        return material.form.write(replace(material.row, honest=text).parts.reasoning, program) if program else None

    return edit


def _taken(taken: Taken) -> Edit:
    def edit(material: Material, text: str) -> str | None:
        answer = taken(material)
        return None if answer is None else _answered(material, text, answer)

    return edit


def _answered(material: Material, text: str, answer: str) -> str | None:
    if material.is_python or not material.answer:
        before, mark, _ = text.rstrip().rpartition("\n")
        return None if material.is_python else f"{before}{mark}{answer}"
    return material.form.write(replace(material.row, honest=text).parts.reasoning, answer)
