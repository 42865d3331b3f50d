import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
from rewardlab import Context, Sample, find

SPEC = find("curriculum", "curriculum/shuffle")
ids = st.lists(st.text(max_size=4), unique=True, max_size=12)
seeds = st.integers()


def order(ids, seed=0):
    samples = [Sample(id=name) for name in ids]
    return SPEC.build(SPEC.config(), Context()).order(samples, seed)


def ordered(ids, seed=0):
    return [ids[index] for index in order(ids, seed)]


@given(st.lists(st.text(max_size=2), max_size=12), seeds)
def test_it_is_a_permutation_even_with_repeated_ids(ids, seed):
    assert sorted(order(ids, seed)) == list(range(len(ids)))


@given(ids.filter(len), st.data(), seeds)
def test_a_row_more_or_less_leaves_the_others_in_their_order(ids, data, seed):
    gone = data.draw(st.sampled_from(ids))
    assert [name for name in ordered(ids, seed) if name != gone] == ordered(
        [name for name in ids if name != gone], seed
    )


@given(ids, st.randoms(use_true_random=False), seeds)
def test_the_order_of_the_file_does_not_matter(ids, random, seed):
    assert ordered(random.sample(ids, len(ids)), seed) == ordered(ids, seed)


def test_each_place_is_equally_likely():
    names = [f"row {i}" for i in range(4)]
    firsts = [ordered(names, seed)[0] for seed in range(2000)]
    assert all(400 < firsts.count(name) < 600 for name in names)


def test_another_process_with_another_hash_seed_gives_the_same_order():
    code = """
from rewardlab import Sample
from rewardlab_curriculum.shuffle import Shuffle
print(Shuffle().order([Sample(id=f"row {i}") for i in range(50)], 3))
"""
    shown = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONHASHSEED": "7"}, capture_output=True, text=True, check=True
    )
    assert shown.stdout.strip() == str(order([f"row {i}" for i in range(50)], 3))
