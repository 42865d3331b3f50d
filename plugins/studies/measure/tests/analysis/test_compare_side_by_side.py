"""Texts and numbers of a group as a terminal shows them."""

from helpers.each_case import each_case
from rewardlab import Completion, Group, Sample
from rewardlab_measure.compare.measures import SideRewards, measure
from rewardlab_measure.compare.most_different import ComparedGroup
from rewardlab_measure.compare.rows import ComparedRow
from rewardlab_measure.compare.side_by_side import excerpt, format_group


def case(a, b, texts=(), prompt=(), source=""):
    """A group to which A and B gave totals and components: a and b are (totals, {name: (values, errors)})."""
    messages = tuple({"role": "user", "content": text} for text in prompt)
    completions = tuple(Completion(text=text) for text in texts)
    group = Group(sample=Sample(id="r1", prompt=messages, source=source), completions=completions)
    lines = [
        {"id": "r1", "total": total, "shaped": total, "components": {n: dict(zip(("value", "error"), c, strict=True))
                                                                    for n, c in components.items()}}
        for total, components in (a, b)
    ]  # fmt: skip
    sides = [SideRewards(total=total, shaped=[value or 0.0 for value in total]) for total, _ in (a, b)]
    row = ComparedRow(number=1, given_id="r1", group=group, groups=(group, group))
    return ComparedGroup(row=row, measures=measure(*sides), a=lines[0], b=lines[1])


GIVEN = case(
    ([1.0, 2.0, None], {"x": ([1.0, 2.0, None], [None, None, "no luck"]), "same": ([0.5, 0.5, None], [None] * 3)}),
    (
        [2.0, 1.0, 0.0],
        {"x": ([2.0, 1.0, 0.0], None), "same": ([0.5, 0.5, None], [None] * 3), "more": ([1.0] * 3, [None] * 3)},
    ),
    texts=["one", "two", "three"],
    prompt=["Be brief.", "How many?"],
    source="r.jsonl:3",
)


@each_case(
    "text, width, shown",
    [
        ("short", 10, "short"),
        ("two\n\tlines  here", 20, "two lines here"),
        ("the beginning and the end", 15, "the be...he end"),
        ("\x1b[31mred\x07", 20, "\N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}"),
        ("中文中文中文", 9, "中文...文"),
        ("می\u200cخواهم", 20, "می\u200cخواهم"),
        ("e\u0301e\u0301e\u0301", 3, "e\u0301e\u0301e\u0301"),
        ("ＡＢＣ", 5, "Ａ..."),
        ("", 10, ""),
    ],
)
def test_an_excerpt_has_both_ends_on_one_line(text, width, shown):
    assert excerpt(text, width) == shown


def test_a_group_has_a_line_a_completion_with_what_each_side_gave_and_why():
    assert format_group(GIVEN, 120).splitlines() == [
        "'r1' (r.jsonl:3): pearson -1.000, spearman -1.000, distance 2.000, 1 of 2 flip",
        "   How many?",
        "   #  flip  A total  B total  A shaped  B shaped    A x    B x      same  B more  text",
        "   1     x    1.000    2.000     1.000     2.000  1.000  2.000     0.500   1.000  one",
        "   2          2.000    1.000     2.000     1.000  2.000  1.000     0.500   1.000  two",
        "   3              -    0.000         -     0.000  fails  0.000  abstains   1.000  three",
    ]


def test_without_room_beside_the_numbers_texts_stand_below_them():
    assert format_group(GIVEN, 60).splitlines()[-8:] == [
        "   #    B x      same  B more",
        "   1  2.000     0.500   1.000",
        "   2  1.000     0.500   1.000",
        "   3  0.000  abstains   1.000",
        "   #  text",
        "   1  one",
        "   2  two",
        "   3  three",
    ]


def test_of_a_side_without_variance_nothing_flips():
    told = format_group(case(([1.0, 1.0], {}), ([2.0, 1.0], {})), 100).splitlines()
    assert told[0] == "'r1': pearson -, spearman -, distance 1.000, no variance in A"
    assert told[1] == "   #  A total  B total  A shaped  B shaped"
