"""Statistics of a group's verdicts, by example and against the definitions written out."""

import hashlib
from itertools import combinations, permutations

from helpers.each_case import each_case
from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Reply
from rewardlab_pairwise.consistency import consistency
from rewardlab_pairwise.tally import PairVerdict

WORTH = {"A": 1.0, "B": 0.0, "unparsable": 0.5, "failed": None}


def group(**verdicts: str):
    """group(xy="A", yx="failed"): the statistics of the verdicts on x before y, and on y before x."""
    calls = {(a, b): PairVerdict(verdict=v, first_wins=WORTH[v], tokens=5) for (a, b), v in verdicts.items()}
    return consistency(calls)


def test_no_comparison_has_no_shares():
    assert group() == {
        "calls": 0, "tokens": 0, "comparisons": 0, "ties": 0, "missing": 0, "unparsable": 0, "failed": 0,
        "position_bias": None, "order_agreement": None, "triples": 0, "intransitive": 0, "intransitivity": None,
    }  # fmt: skip


def test_calls_count_once_and_comparisons_by_pair():
    found = group(xy="A", yx="B", xz="failed", zx="failed", yz="unparsable", zy="unparsable", xw="A")
    names = ("calls", "tokens", "comparisons", "ties", "missing", "unparsable", "failed")
    assert [found[name] for name in names] == [7, 35, 4, 1, 1, 2, 2]


@each_case(
    "verdicts, bias, agreement",
    [
        ({"xy": "A", "yx": "B"}, 0.0, 1.0),  # x wins wherever it stands
        ({"xy": "A", "yx": "A"}, 1.0, 0.0),  # the first wins
        ({"xy": "B", "yx": "B"}, -1.0, 0.0),  # the second wins
        ({"xy": "A", "yx": "A", "xz": "A", "zx": "B"}, 0.5, 0.5),
        ({"xy": "A", "xz": "A", "yz": "A", "xw": "B"}, 0.5, None),  # balanced: one order each
        ({"xy": "A", "yx": "failed", "xz": "A", "zx": "unparsable"}, None, None),  # x may just be the better one
        ({"xy": "A", "yx": "failed", "xz": "B"}, -1.0, None),
    ],
)
def test_position_bias_and_agreement_of_orders(verdicts, bias, agreement):
    found = group(**verdicts)
    assert (found["position_bias"], found["order_agreement"]) == (bias, agreement)


@each_case(
    "verdicts, triples, intransitive",
    [
        ({"xy": "A", "yz": "A", "zx": "A"}, 1, 1),  # x > y > z > x
        ({"xy": "A", "yz": "A", "zx": "B"}, 1, 0),  # x > y > z, x > z
        ({"xy": "A", "yz": "A", "zx": "unparsable"}, 1, 0),  # a tie breaks the circle
        ({"xy": "A", "yz": "A", "zx": "failed"}, 0, 0),  # no triple without all three
        ({"xy": "A", "yx": "A", "yz": "A", "zx": "A"}, 1, 0),  # the two orders of x and y make a tie
        ({"xy": "A", "yx": "unparsable", "yz": "A", "zy": "failed", "zx": "A"}, 1, 1),
    ],
)
def test_a_triple_is_intransitive_where_each_beats_the_next(verdicts, triples, intransitive):
    found = group(**verdicts)
    assert (found["triples"], found["intransitive"]) == (triples, intransitive)
    assert found["intransitivity"] == (intransitive / triples if triples else None)


def test_a_large_circle_has_as_many_cyclic_triples_as_a_regular_tournament():
    size = 63  # each beats the next 31: n (n^2 - 1) / 24 of n (n - 1) (n - 2) / 6 triples are cyclic
    won = PairVerdict(verdict="A", first_wins=1.0)
    found = consistency({(str(i), str((i + d) % size)): won for i in range(size) for d in range(1, 32)})
    assert (found["triples"], found["intransitive"]) == (39711, 10416)


def written_out(verdicts, policy):
    """Return the statistics by their definitions, from {(first, second): verdict}."""
    worth = {**WORTH, "unparsable": {"half": 0.5, "loss": 0.0, "drop": None}[policy]}

    def share(a, b):
        orders = [worth[verdicts[a, b]]] if (a, b) in verdicts else []
        if (b, a) in verdicts and worth[verdicts[b, a]] is not None:
            orders.append(1 - worth[verdicts[b, a]])
        known = [order for order in orders if order is not None]
        return sum(known) / len(known) if known else None

    texts = sorted({text for pair in verdicts for text in pair})
    shares = {(a, b): share(a, b) for a, b in combinations(texts, 2) if (a, b) in verdicts or (b, a) in verdicts}
    votes = [v for (a, b), v in verdicts.items() if v in "AB" and verdicts.get((b, a), v) in "AB"]
    twice = [(verdicts[p], verdicts[p[::-1]]) for p in shares if p in verdicts and p[::-1] in verdicts]
    agreed = [one != other for one, other in twice if one in "AB" and other in "AB"]
    known = {pair for pair, value in shares.items() if value is not None}
    triples = [three for three in combinations(texts, 3) if known.issuperset(combinations(three, 2))]
    cyclic = [
        t for t in triples if any(min(share(a, b), share(b, c), share(c, a)) > 0.5 for a, b, c in permutations(t))
    ]
    return {
        "calls": len(verdicts),
        "tokens": 12 * sum(verdict != "failed" for verdict in verdicts.values()),
        "comparisons": len(shares),
        "ties": list(shares.values()).count(0.5),
        "missing": list(shares.values()).count(None),
        "unparsable": list(verdicts.values()).count("unparsable"),
        "failed": list(verdicts.values()).count("failed"),
        "position_bias": 2 * votes.count("A") / len(votes) - 1 if votes else None,
        "order_agreement": sum(agreed) / len(agreed) if agreed else None,
        "triples": len(triples),
        "intransitive": len(cyclic),
        "intransitivity": len(cyclic) / len(triples) if triples else None,
    }


@given(
    st.lists(st.text("abc", max_size=2), min_size=1, max_size=8),
    st.sampled_from(["both", "balanced", "a_only"]),
    st.one_of(st.just("all"), st.integers(1, 8)),
    st.sampled_from(["half", "loss", "drop"]),
    st.integers(0, 999),
)
def test_every_member_carries_the_statistics_of_the_verdicts(
    scripted, win_rate, texts, orders, opponents, policy, seed
):
    def reply(a, b):
        draw = hashlib.sha256(f"{seed}|{a}|{b}".encode()).digest()[0] % 8
        return r"\boxed{A}" if draw < 3 else r"\boxed{B}" if draw < 6 else "?" if draw < 7 else Reply(error="down")

    scores = win_rate(scripted(reply), texts, orders=orders, opponents=opponents, on_unparsable=policy)
    rows = [score.info["verdicts"].items() for score in scores]
    verdicts = {(texts[i], texts[int(j)]): verdict for i, row in enumerate(rows) for j, verdict in row}
    assert all(score.info["group"] == written_out(verdicts, policy) for score in scores)
