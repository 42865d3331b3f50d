"""Instructions about bullets and lists."""

from rewardlab_constraints.arguments import text, whole
from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.sentences import sentences


@check("detectable_format:number_bullet_lists", num_bullets=whole)
def number_bullet_lists(answer: JudgedText, num_bullets: int) -> bool:
    """Return whether so many lines begin with * or -."""
    return sum(map(_is_bullet, answer.text.split("\n"))) == num_bullets


def _is_bullet(line: str) -> bool:
    line = line.strip()
    return line[:1] == "-" or (line[:1] == "*" and line[1:2] not in ("*", ""))


@check("format:list", sep=text)
def separated_list(answer: JudgedText, sep: str) -> bool:
    """Return whether a separator is there twice or more."""
    return answer.text.count(sep) >= 2


@check("format:sub-bullets")
def sub_bullets(answer: JudgedText) -> bool:
    """Return whether each bullet * has a sub-bullet - below it."""
    bullets = answer.text.split("*")[1:]
    return bool(bullets) and all("-" in bullet for bullet in bullets)


@check("format:no_bullets_bullets", needs="sentences")
def sentences_then_bullets(answer: JudgedText) -> bool:
    """Return whether two sentences or more are followed by two bullets * or more, and by nothing else."""
    lines = [line.strip() for line in answer.text.split("\n") if line.strip()]
    first = next((number for number, line in enumerate(lines) if line.startswith("*")), len(lines))
    said, bullets = sentences(" ".join(lines[:first])), lines[first:]
    return len(said) >= 2 and len(bullets) >= 2 and all(line.startswith("*") for line in bullets)
