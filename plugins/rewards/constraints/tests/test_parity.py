"""constraints/following beside the checkers of the benchmarks: all 541 rows of IFEval and 294 of IFBench.

The first line of each file in data/ says where its rows, answers and verdicts come from. Where the verdicts differ, the
difference stands below with its reason. The answers that GPT-4 gave to IFEval, whose licence keeps them elsewhere, are
compared by benchmarks/constraints_parity.py.
"""

import json
from collections import Counter
from pathlib import Path

import pytest
from rewardlab import Completion, Sample
from rewardlab_constraints.following import Following
from rewardlab_constraints.options import FollowingOptions

DATA = Path(__file__).parent / "data"


def rows(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()][1:]


def verdicts(row, text, mode):
    fields = {key: row[key] for key in ("instruction_id_list", "kwargs")}
    [score] = Following(FollowingOptions(mode=mode)).score([(Sample(id="s", fields=fields), Completion(text=text))])
    assert score.error is None, (row["key"], score.error)
    return score.info["instructions"]


def differences(pairs):
    """Return how many verdicts there are, and (mode, instruction, ours) -> how many are not theirs."""
    compared, differ = 0, Counter()
    for row, text, answer in pairs:
        for mode in ("strict", "loose"):
            for ours, theirs in zip(verdicts(row, text, mode), answer[mode], strict=True):
                if theirs is not None:
                    compared += 1
                    differ.update([(mode, ours["id"], ours["followed"])] * (ours["followed"] is not theirs))
    return compared, dict(differ)


@pytest.mark.slow
def test_all_rows_of_ifeval_get_googles_verdicts_but_for_some_with_a_reason():
    answers = {row["key"]: row["answer"] for row in rows("ifbench.jsonl")}
    pairs = [
        (row, answer["text"] if "text" in answer else answers[answer["of"]], answer)
        for row in rows("ifeval.jsonl")
        for answer in row["answers"]
    ]
    assert len({row["key"] for row, *_ in pairs}) == 541
    compared, differ = differences(pairs)
    assert compared == 8016
    assert differ == {
        # langdetect takes "yes", and English that goes on and on, for other languages
        ("strict", "change_case:english_capital", True): 2,
        ("strict", "change_case:english_lowercase", True): 3,
        ("loose", "change_case:english_capital", True): 2,
        ("loose", "change_case:english_lowercase", True): 7,
        # Google's checker draws another letter for "#" and "!"
        ("strict", "keywords:letter_frequency", True): 4,
        ("strict", "keywords:letter_frequency", False): 4,
        ("loose", "keywords:letter_frequency", True): 4,
        ("loose", "keywords:letter_frequency", False): 4,
        # one word that may be German or Finnish is; nothing here tells Nepali; a divider alone is in no language
        ("strict", "language:response_language", True): 3,
        ("strict", "language:response_language", None): 3,
        ("loose", "language:response_language", True): 3,
        ("loose", "language:response_language", None): 3,
        ("loose", "language:response_language", False): 10,
        # "1." begins an item and is no sentence, and 。 ends one
        ("strict", "length_constraints:number_sentences", True): 2,
        ("strict", "length_constraints:number_sentences", False): 1,
        ("loose", "length_constraints:number_sentences", True): 3,
        ("loose", "length_constraints:number_sentences", False): 1,
    }


@pytest.mark.slow
def test_all_rows_of_ifbench_get_its_verdicts_but_for_some_with_a_reason():
    table = rows("ifbench.jsonl")
    assert len(table) == 294
    compared, differ = differences((row, row["answer"], row) for row in table)
    assert compared == 658
    assert differ == {
        # a line end behind the last row is none more
        ("strict", "custom:csv_city", True): 1,
        # "1." begins an item and is no sentence
        ("strict", "format:emoji", True): 1,
        ("loose", "format:emoji", True): 1,
        # a single line is no stair, a single sentence no chain, and who quotes nothing has explained no quotation
        ("strict", "format:line_indent", False): 1,
        ("loose", "format:line_indent", False): 2,
        ("strict", "words:last_first", False): 4,
        ("loose", "words:last_first", False): 4,
        ("loose", "format:quote_unquote", False): 1,
        # without its asterisks a text has no bullets
        ("loose", "format:sub-bullets", False): 5,
        # a blank line may stand between bullets
        ("loose", "format:no_bullets_bullets", True): 1,
    }


def test_every_instruction_of_both_is_known_and_there_are_as_many_as_told():
    from rewardlab_constraints.instruction_check import CHECKS

    named = {
        name
        for table in ("ifeval.jsonl", "ifbench.jsonl")
        for row in rows(table)
        for name in row["instruction_id_list"]
    }
    assert len(CHECKS) == 25 + 58
    assert CHECKS.keys() - named == {"custom:character_reverse"}  # of the six rows that IFBench got later
    assert named <= CHECKS.keys()
