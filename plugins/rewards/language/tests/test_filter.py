"""language/filter: which rows stay, and what is said of the others."""

import pytest
from helpers.each_case import each_case
from rewardlab import Context, Sample, find
from rewardlab.errors import UserError
from rewardlab_language.examples import IN_ENGLISH, IN_GERMAN, IN_SPANISH
from rewardlab_language.options import FilterOptions

SPEC = find("dataset", "language/filter")


def kept(*rows, **options):
    """The ids of the rows that stay."""
    made = SPEC.build(FilterOptions(**options), Context(source=list(rows)))
    return [row.id for row in made]


ZHUANG = "Boux boux ma daengz lajmbwn couh miz cwyouz, cinhyenz caeuq genzli bouxboux Bingzdaengj."


def row(name, prompt, language="de", **fields):
    turns = ({"role": "system", "content": "Answer briefly."}, {"role": "user", "content": prompt})
    own = {} if language is None else {"language": language}
    return Sample(id=name, prompt=turns, fields={**own, **fields}, source=f"rows.jsonl:{name}")


def test_rows_in_another_language_are_left_out_and_counted_by_language(caplog):
    rows = [row("1", IN_GERMAN), row("2", IN_ENGLISH), row("3", IN_GERMAN, "es"), row("4", IN_SPANISH, "es")]
    assert kept(*rows, row("5", "24"), row("6", IN_GERMAN, "xx")) == ["1", "4", "5"]
    assert "3 of 6 rows dropped: 1 de: prompt in another language; 1 es: prompt in another language" in caplog.text


def test_what_cannot_be_told_may_go(caplog):
    assert kept(row("1", "24"), row("2", ZHUANG, "za"), row("3", IN_GERMAN), unsure="drop") == ["3"]
    assert "1 de: prompt without a detectable language" in caplog.text


@each_case(
    "response, stays",
    [
        (IN_GERMAN, True),
        (IN_ENGLISH, False),
        (f"<think>{IN_GERMAN}</think><answer>{IN_GERMAN}</answer>", True),
        (f"<think>{IN_ENGLISH}</think><answer>{IN_GERMAN}</answer>", False),
        (f"<think>{IN_GERMAN}</think>{IN_ENGLISH}", False),
    ],
)
def test_a_response_is_judged_with_its_trace(response, stays):
    found = kept(row("1", IN_GERMAN, response=response), fields=["prompt", "response"])
    assert found == (["1"] if stays else [])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (row("7", IN_GERMAN, None), "rows.jsonl:7: language/filter: field 'language': missing"),
        (row("7", IN_GERMAN, response=3), "rows.jsonl:7: language/filter: field 'response' must be a text, not 3"),
    ],
)
def test_a_row_that_cannot_be_judged_is_named(wrong, says):
    with pytest.raises(UserError) as caught:
        kept(wrong, fields=["response"] if "response" in wrong.fields else ["prompt"])
    assert says in str(caught.value)
