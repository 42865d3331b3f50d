from rewardlab_embed.outage import LAST, RecentFailures


def test_a_server_that_never_answered_is_down_from_its_first_failure_on():
    outages = RecentFailures()
    assert [outages.note(True) for _ in range(6)] == [True] * 6


def test_one_failure_in_twenty_is_made_up_for_and_one_in_nineteen_is_not():
    for before, too_many in ((19, False), (18, True)):
        outages = RecentFailures()
        assert not any(outages.note(False) for _ in range(before))
        assert outages.note(True) is too_many


def test_a_few_failures_among_many_are_made_up_for():
    outages = RecentFailures()
    assert not any(outages.note(number % 25 == 24) for number in range(1000))  # 4%
    too_many = [outages.note(number % 10 == 9) for number in range(1000)]  # 10%, too many once they are more than 5%
    assert any(too_many)
    assert not any(too_many[:100])


def test_what_is_long_past_is_forgotten():
    outages = RecentFailures()
    for _ in range(500):
        outages.note(True)
    for _ in range(LAST):
        outages.note(False)
    assert not outages.note(True)
