from collections import Counter
from itertools import combinations, permutations

from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab_pairwise.schedule import one_order, schedule

texts = st.lists(st.text(max_size=3), min_size=1, max_size=12)
opponents = st.one_of(st.just("all"), st.integers(1, 13))
orders = st.sampled_from(["both", "balanced", "a_only"])


def group(size: int) -> list[str]:
    return [f"answer {i}" for i in range(size)]


@each_case("size", range(1, 13))
def test_both_and_a_only_ask_every_ordered_pair_once(size):
    for order in ("both", "a_only"):
        assert sorted(schedule("s", group(size), order).asks) == sorted(permutations(group(size), 2))


@each_case("size", range(1, 13))
def test_balanced_asks_every_pair_once(size):
    asks = schedule("s", group(size), "balanced").asks
    assert sorted(map(frozenset, asks), key=sorted) == sorted(map(frozenset, combinations(group(size), 2)), key=sorted)


@given(st.text(), texts, opponents)
def test_balanced_puts_every_answer_first_in_half_of_its_comparisons(sample_id, texts, opponents):
    asks = schedule(sample_id, texts, "balanced", opponents).asks
    assert len(set(map(frozenset, asks))) == len(asks)
    first, second = Counter(a for a, _ in asks), Counter(b for _, b in asks)
    assert all(abs(first[text] - second[text]) <= 1 for text in texts)


@given(st.sets(st.frozensets(st.integers(0, 8).map(str), min_size=2, max_size=2)).map(sorted))
def test_any_set_of_pairs_can_be_ordered_evenly(pairs):
    asks = one_order([tuple(sorted(pair)) for pair in pairs])
    assert sorted(map(sorted, asks)) == sorted(map(sorted, pairs))
    first, second = Counter(a for a, _ in asks), Counter(b for _, b in asks)
    assert all(abs(first[text] - second[text]) <= 1 for text in first | second)


def test_every_answer_meets_k_others():
    for size in range(2, 13):
        for k in range(1, 12):
            others = min(k, size - 1)
            odd = size % 2 == 1 and others % 2 == 1
            for order, expected in (("both", others + odd), ("balanced", others + odd), ("a_only", others)):
                meetings = schedule("s", group(size), order, k).meetings
                assert {met.total() for met in meetings.values()} == {expected}, (size, k)
                assert all(text not in met for text, met in meetings.items()), (size, k)


@given(st.text(), texts, opponents)
def test_meeting_is_mutual_where_win_rates_must_sum_to_half_the_group(sample_id, texts, opponents):
    planned = schedule(sample_id, texts, "both", opponents)
    for one, met in planned.meetings.items():
        assert all(planned.meetings[other][one] == times for other, times in met.items())
    each = {met.total() / planned.copies[text] for text, met in planned.meetings.items()}
    assert len(each) == 1


@given(st.text(), texts, orders, opponents, st.randoms(use_true_random=False))
def test_the_order_of_the_answers_changes_nothing(sample_id, texts, orders, opponents, random):
    shuffled = random.sample(texts, len(texts))
    assert schedule(sample_id, texts, orders, opponents) == schedule(sample_id, shuffled, orders, opponents)


def test_who_stands_first_depends_on_the_sample():
    of = {tuple(sorted(schedule(f"s{i}", group(4), "balanced").asks)) for i in range(20)}
    assert len(of) > 1
