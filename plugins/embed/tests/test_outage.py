from rewardlab_embed.outage import LAST, Outages


def test_the_fifth_failure_in_a_row_is_too_many():
    outages = Outages()
    assert [outages.note(True) for _ in range(6)] == [False] * 4 + [True] * 2


def test_a_few_failures_among_many_are_made_up_for():
    outages = Outages()
    assert not any(outages.note(number % 25 == 0) for number in range(1000))  # 4%
    told = [outages.note(number % 10 == 0) for number in range(1000)]  # 10%, told once they are more than 5%
    assert any(told)
    assert not any(told[:100])


def test_what_is_long_past_is_forgotten():
    outages = Outages()
    for _ in range(500):
        outages.note(True)
    for _ in range(LAST):
        outages.note(False)
    assert not outages.note(True)
