"""The eleven instructions of IFBench that are a whole task each (`custom:`)."""

import csv
import re
import unicodedata

from rewardlab_constraints.instruction_check import check
from rewardlab_constraints.judged_text import JudgedText
from rewardlab_constraints.sentences import sentences
from rewardlab_constraints.words import bare, stripped

CAPITALS = (
    "Reykjavik Helsinki Oslo Tallinn Stockholm Riga Moscow Copenhagen Vilnius Minsk Dublin Berlin Amsterdam Warsaw "
    "London Brussels Prague Luxembourg Paris Vienna Bratislava Budapest Vaduz Chisinau Bern Ljubljana Zagreb"
)
"""capitals of Europe north of 45 degrees, from north to south"""
AFRICA = 52
"""lines from Zimbabwe on, at least"""
BORN, DIED = 1769, 1821
DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_CITY = ["ID", "Country", "City", "Year", "Count"]
_PRODUCT = ["ProductID", "Category", "Brand", "Price", "Stock"]
_STUDENT = ["StudentID", "Subject", "Grade", "Semester", "Score"]


@check("custom:multiples")
def multiples(answer: JudgedText) -> bool:
    """Return whether the numbers are the multiples of 7 from 14 to 49."""
    return [int(number) for number in re.findall(r"\d{1,9}", answer.text)] == list(range(14, 50, 7))


@check("custom:mcq_count_length", needs="english")
def mcq_count_length(answer: JudgedText) -> bool:
    """Return whether four questions, each longer than the one before, have five options, and nothing else is there."""
    parts = re.split(r"Question \d+[.|):;]?", answer.text)
    if len(parts) != 5 or parts[0].strip():
        return False
    lengths = [_length_of_question(part) for part in parts[1:]]
    there = [length for length in lengths if length is not None]
    return len(there) == len(lengths) and there == sorted(set(there))


def _length_of_question(text: str) -> int | None:
    """Return the characters of a question before its options; None if they are not five."""
    lines = [line.strip() for line in text.strip().split("\n")]
    options = [bool(re.match(r"[A-Ea-e][.|)]\s*\w", line)) for line in lines]
    return len(" ".join(lines[: options.index(True)]).strip()) if sum(options) == 5 else None


@check("custom:reverse_newline", needs="english")
def reverse_newline(answer: JudgedText) -> bool:
    """Return whether the lines from Zimbabwe on are in reverse alphabetical order, and enough for Africa."""
    lines = [name for line in answer.text.split("\n") if (name := stripped(line.strip()).strip())]
    first = next((number for number, line in enumerate(lines) if "Zimbabwe" in line), len(lines))
    names = [_ascii(line) for line in lines[first:]]
    return len(names) >= AFRICA and names == sorted(names, reverse=True)


@check("custom:word_reverse", needs="english")
def word_reverse(answer: JudgedText) -> bool:
    """Return whether the words in reverse order are one sentence about the bald eagle."""
    said = " ".join(reversed(bare(answer.folded)))
    return "bald eagle" in said and len(sentences(answer.text)) == 1


@check("custom:character_reverse", needs="english")
def character_reverse(answer: JudgedText) -> bool:
    """Return whether the bald eagle is there backwards."""
    return "elgae dlab" in answer.folded


@check("custom:sentence_alphabet", needs="english")
def sentence_alphabet(answer: JudgedText) -> bool:
    """Return whether 26 sentences begin with the letters from A to Z."""
    firsts = "".join(stripped(sentence)[:1].lower() for sentence in answer.sentences)
    return firsts == answer.language.alphabet


@check("custom:european_capitals_sort", needs="english")
def european_capitals_sort(answer: JudgedText) -> bool:
    """Return whether the capitals of Europe north of 45 degrees stand from north to south, with commas between."""
    return [name.strip() for name in _ascii(answer.text).split(",") if name.strip()] == CAPITALS.split()


@check("custom:csv_city")
def csv_city(answer: JudgedText) -> bool:
    """Return whether the text is a header and seven rows of CSV."""
    rows = _rows(answer.text, ",")
    return len(rows) == 8 and rows[0] == _CITY and all(len(row) == len(_CITY) for row in rows)


@check("custom:csv_special_character")
def csv_special_character(answer: JudgedText) -> bool:
    """Return whether fourteen rows of CSV have a quoted field with a special character."""
    rows = _rows(answer.text, ",")
    quoted = re.findall(r'"([^"\n]*)"', answer.text.partition("\n")[2])
    return _has(rows, _PRODUCT, 14) and any(re.search(r"[^\w\s]", field) for field in quoted)


@check("custom:csv_quotes")
def csv_quotes(answer: JudgedText) -> bool:
    """Return whether each field of three rows, parted by tabs, is quoted."""
    rows = _rows(answer.text, "\t")
    fields = (field for line in answer.text.split("\n") for field in line.split("\t"))
    return _has(rows, _STUDENT, 3) and all(re.fullmatch(r'\s*"[^"]*"\s*', field) for field in fields)


def _has(rows: list[list[str]], header: list[str], number: int) -> bool:
    names = [name.strip() for name in rows[0]] if rows else []
    return names == header and len(rows) == number + 1 and all(len(row) == len(header) for row in rows)


def _rows(text: str, delimiter: str) -> list[list[str]]:
    """Return the rows of CSV; none if it cannot be read, as with a field of more than 131,072 characters."""
    try:
        return list(csv.reader(text.split("\n"), delimiter=delimiter, skipinitialspace=True))
    except csv.Error:
        return []


@check("custom:date_format_list")
def date_format_list(answer: JudgedText) -> bool:
    """Return whether commas part dates of Napoleon's life, YYYY-MM-DD."""
    return all(_is_date(date.strip()) for date in answer.text.split(","))


def _is_date(text: str) -> bool:
    found = re.fullmatch(r"(\d{4})-(\d{2})-(\d{2})", text)
    if not found:
        return False
    year, month, day = map(int, found.groups())
    return BORN <= year <= DIED and 1 <= month <= 12 and 1 <= day <= DAYS[month - 1]


def _ascii(text: str) -> str:
    """Return a text without accents."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")
