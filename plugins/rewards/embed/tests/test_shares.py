"""How many rows each group gives."""

from hypothesis import given
from hypothesis import strategies as st
from rewardlab_embed.shares import share_out

groups = st.lists(st.tuples(st.floats(0.01, 100), st.integers(0, 40)), min_size=1, max_size=8)


@given(st.integers(0, 200), groups, st.integers(0, 12))
def test_the_total_is_shared_out_within_sizes_and_with_the_least(total, groups, least):
    weights, sizes = [weight for weight, _ in groups], [size for _, size in groups]
    shares = share_out(total, weights, sizes, least)
    assert sum(shares) == min(total, sum(sizes))
    assert all(0 <= share <= size for share, size in zip(shares, sizes, strict=True))
    if sum(min(least, size) for size in sizes) <= total:
        assert all(share >= min(least, size) for share, size in zip(shares, sizes, strict=True))


@given(st.integers(0, 200), st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_where_all_have_enough_each_is_within_one_row_of_its_share(total, weights):
    shares = share_out(total, weights, [1000] * len(weights))
    assert all(abs(share - total * w / sum(weights)) < 1 for share, w in zip(shares, weights, strict=True))


def test_what_a_small_group_lacks_the_others_give():
    assert share_out(30, [1, 1, 1], [2, 50, 50]) == [2, 14, 14]
    assert share_out(40, [1, 1, 2], [100, 5, 100]) == [12, 5, 23]


def test_small_clusters_give_their_least():
    assert share_out(50, [900, 90, 10], [900, 90, 10], least=10) == [30, 10, 10]
    assert share_out(5, [900, 90, 10], [900, 90, 10], least=10) == [2, 2, 1]
