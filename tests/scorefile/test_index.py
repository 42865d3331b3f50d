"""The index of rows: ids, occurrences, places; on disk, of a fixed size in memory."""

import subprocess
import sys

import pytest
from rewardlab.scorefile.index import RowIndex


@pytest.fixture
def index():
    index = RowIndex()
    yield index
    index.close()


def test_rows_keep_their_order_and_an_id_its_first_line(index):
    assert index.add(1, "b") is None
    assert index.add(4, "a") is None
    assert index.add(6, "b") == 1
    assert index.add(7, "\0 ü") is None
    assert len(index) == 3
    assert list(index.rows()) == [(1, "b", False), (4, "a", False), (7, "\0 ü", False)]


def test_occurrences_count_from_0_by_prompt(index):
    assert [index.occurrence(prompt) for prompt in "ppqpq"] == [0, 1, 0, 2, 1]


def test_places_are_in_the_order_of_the_rows(index):
    for line, row_id in enumerate("bac", 1):
        index.add(line, row_id)
    assert index.place("c", 0, 10) == 2
    assert index.place("b", 10, 20) == 0
    assert index.place("c", 30, 10) is None
    with pytest.raises(KeyError):
        index.place("x", 0, 1)
    assert list(index.places()) == [(10, 20), (0, 10)]
    assert [placed for _, _, placed in index.rows()] == [True, False, True]
    index.forget_places()
    assert list(index.places()) == []


@pytest.mark.slow
def test_many_rows_do_not_fill_the_memory():
    program = """if True:
        import resource
        from rewardlab.scorefile.index import RowIndex
        index = RowIndex()
        def grow(first, last):
            for number in range(first, last):
                index.add(number, f"{hash((number, 1)):064x}")
                index.occurrence(f"{hash((number, 2)):064x}")
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(-grow(0, 12_000) + grow(12_000, 36_000))
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 3000  # kB, for what takes some 8 MB on the disk
