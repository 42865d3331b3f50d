"""For how long one side has been scoring."""

from rewardlab_measure.compare import side
from rewardlab_measure.compare.side import BusyClock


def test_time_counts_while_any_row_is_under_way(monkeypatch):
    times = iter([0.0, 2.0, 5.0, 6.0, 7.0, 9.0])
    monkeypatch.setattr(side.time, "perf_counter", lambda: next(times))
    busy = BusyClock()
    for step in (busy.begin, busy.end, busy.begin, busy.begin, busy.end, busy.end):
        step()
    assert busy.seconds == 2.0 + 4.0
