"""rubric/agreeing: which rows stay."""

import logging
from collections import Counter
from dataclasses import replace

import pytest
from rewardlab import Context, Reply, Sample, find
from rewardlab.errors import JobError, UserError

PROMPT = ({"role": "user", "content": "Score it from 1 to 5."},)


def row(name, **fields):
    return Sample(id=str(name), prompt=PROMPT, fields={"score": 2, "judged": "2", **fields}, source=f"r.jsonl:{name}")


@pytest.fixture
def agreeing(scripted):
    """`agreeing(rows, reply=None, **options)`: the rows that stay, and the small model."""

    def kept(source, reply=None, seed=0, **options):
        judge = scripted(reply)
        spec = find("dataset", "rubric/agreeing")
        config = spec.config(**({"judge": "small", **options} if reply else options))
        return list(spec.build(config, Context(seed=seed, judges={"small": judge}, source=source))), judge

    return kept


class TestScores:
    def test_that_are_not_the_gold_one_are_left_out_and_counted(self, agreeing, caplog):
        rows = [row(1), row(2, judged="3"), row(3, judged=2.0), row(4, judged="02")]
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            kept, _ = agreeing(rows)
        assert [one.id for one in kept] == ["1", "3", "4"]
        assert "3 of 4 rows kept; left out: 1 with a wrong judged" in caplog.text
        assert kept[0].fields == rows[0].fields

    def test_of_all_strategies_must_be_right(self, agreeing):
        rows = [row(1, eng="2", tgt="2"), row(2, eng="2", tgt="1")]
        kept, _ = agreeing(rows, scores=["eng", "tgt"])
        assert [one.id for one in kept] == ["1"]

    def test_that_are_all_wrong_are_an_error(self, agreeing):
        with pytest.raises(UserError, match="keeps none of 1 rows: 1 with a wrong judged"):
            agreeing([row(1, judged="true")])

    def test_that_a_row_lacks_are_an_error(self, agreeing):
        with pytest.raises(UserError, match=r"r.jsonl:1: field 'gold' should hold a score, not None"):
            agreeing([row(1)], gold="gold")


class TestSmallModel:
    @staticmethod
    def right_at(times):
        """A model that is right at its first so many draws."""
        return lambda ask: Reply(text=f'{{"score": {2 if ask.draw < times else 4}}}')

    @pytest.mark.parametrize(("times", "stays"), [(0, True), (4, True), (5, False)])
    def test_leaves_out_what_it_gets_right_at_every_draw(self, agreeing, times, stays):
        kept, judge = agreeing([row(1), row(2, judged="1")], self.right_at(times)) if stays else ([], None)
        if stays:
            assert [(one.id, one.fields["right"]) for one in kept] == [("1", times)]
            assert sorted(ask.draw for ask in judge.asked) == [0, 1, 2, 3, 4]  # a wrong row costs no question
        else:
            with pytest.raises(UserError, match="the small model got right 5 times of 5"):
                agreeing([row(1)], self.right_at(times))

    def test_is_asked_the_rows_own_prompt_with_the_recipes_parameters(self, agreeing):
        _, judge = agreeing([row(1)], self.right_at(1), draws=1, keep={1: 1}, params={"temperature": 0.7})
        assert judge.asked[0].messages == list(PROMPT)
        assert judge.asked[0].params == {"temperature": 0.7}

    def test_is_wrong_where_it_writes_no_score(self, agreeing):
        (kept,), judge = agreeing([row(1)], lambda ask: Reply(text="Well."))
        assert kept.fields["right"] == 0
        assert judge.understood_ == [False] * 5

    def test_whose_server_refuses_a_row_drops_it(self, agreeing, caplog):
        refused, long = Reply(error="HTTP 400: too long", refused=True), ({"role": "user", "content": "long"},)
        rows = [row(1), replace(row(2), prompt=long)]
        right = self.right_at(1)
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            kept, _ = agreeing(rows, lambda ask: refused if ask.messages == list(long) else right(ask))
        assert [one.id for one in kept] == ["1"]
        assert (
            "1 of 2 rows dropped: 1: refused by the server; first: r.jsonl:2: refused by the server: 'HTTP 400"
            in caplog.text
        )

    def test_whose_server_refuses_too_many_rows_stops_the_job(self, agreeing):
        refused = Reply(error="HTTP 400: too long", refused=True)
        rows = [replace(row(n), prompt=({"role": "user", "content": str(n % 2)},)) for n in range(60)]
        with pytest.raises(JobError, match=r"25 of 50 rows could not be asked about: .* max_dropped: 0.2 allows"):
            agreeing(rows, lambda ask: refused if ask.messages[0]["content"] == "1" else 1)

    def test_that_is_down_stops_the_job(self, agreeing):
        with pytest.raises(JobError, match=r"r.jsonl:1: judge 'small' gave no answer: HTTP 503"):
            agreeing([row(1)], lambda ask: Reply(error="HTTP 503"))


class TestShares:
    ROWS = tuple(row(number) for number in range(600))
    three = staticmethod(TestSmallModel.right_at(3))

    def test_of_the_rows_that_are_right_so_often_stay(self, agreeing):
        kept, _ = agreeing(self.ROWS, self.three, keep={3: 0.6, 4: 0.3, 5: 0})
        assert 0.55 < len(kept) / len(self.ROWS) < 0.65

    def test_follow_from_id_and_seed_alone(self, agreeing):
        names = {one.id for one in agreeing(self.ROWS, self.three, keep={3: 0.5})[0]}
        again = {one.id for one in agreeing(self.ROWS[::-1], self.three, keep={3: 0.5})[0]}
        other = {one.id for one in agreeing(self.ROWS, self.three, keep={3: 0.5}, seed=1)[0]}
        assert names == again != other

    @staticmethod
    def by_id(ask):
        """A model that gets a row right as often as its question says."""
        return Reply(text=f'{{"score": {2 if ask.draw < int(ask.messages[0]["content"]) else 4}}}')

    def test_fill_up_a_number_of_rows_by_weight(self, agreeing):
        asked = [replace(one, prompt=({"role": "user", "content": str(int(one.id) % 6)},)) for one in self.ROWS]
        keep = {3: 0.6, 4: 0.3, 5: 0}
        kept, _ = agreeing(asked, self.by_id, keep=keep, rows=420)
        counts = Counter(one.fields["right"] for one in kept)
        assert counts[0] + counts[1] + counts[2] == sum(int(one.id) % 6 < 3 for one in asked)  # all of these
        assert counts.total() == 420
        assert counts[5] == 0
        assert 1.2 < counts[3] / counts[4] < 1.8  # without replacement, of 100 each
        assert [one.id for one in kept] == sorted([one.id for one in kept], key=int)
        again, _ = agreeing(asked[::-1], self.by_id, keep=keep, rows=420)
        assert {one.id for one in again} == {one.id for one in kept}

    def test_do_not_count_for_sources_that_are_taken_whole(self, agreeing, caplog):
        """mR3 takes all of MATH and HumanEval but what the small model always gets right, and fills up with others."""
        asked = [row(n, source="MATH" if n % 2 else "PolyGuard") for n in range(200)]
        asked = [replace(one, prompt=({"role": "user", "content": str(2 + int(one.id) // 2 % 4)},)) for one in asked]
        whole = {"source": ["MATH", "HumanEval"]}
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            kept, _ = agreeing(asked, self.by_id, keep={3: 0.5, 4: 0.25, 5: 0}, rows=110, whole=whole)
        counts = Counter((one.fields["source"], one.fields["right"]) for one in kept)
        assert [counts["MATH", right] for right in (2, 3, 4, 5)] == [25, 25, 25, 0]
        assert counts["PolyGuard", 2] == 25
        assert counts["PolyGuard", 3] + counts["PolyGuard", 4] == 10
        assert "no row that may stay has ['HumanEval'] in field 'source'" in caplog.text

    def test_more_rows_than_there_are_is_told(self, agreeing, caplog):
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            kept, _ = agreeing([row(1), row(2, judged="1")], rows=3)
        assert [one.id for one in kept] == ["1"]
        assert "3 rows were wanted, and 1 are there" in caplog.text

    def test_a_number_of_rows_goes_without_a_small_model_too(self, agreeing, caplog):
        with caplog.at_level(logging.WARNING, "rewardlab.dropped"):
            kept, _ = agreeing(self.ROWS, rows=150)
        assert len(kept) == 150
        assert "150 of 600 rows kept; left out: 450 that others were drawn before" in caplog.text
        assert 60 < sum(int(one.id) < 300 for one in kept) < 90

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"scores": []}, "neither scores nor judge"),
            ({"keep": {5: 0}}, "name it as `judge`"),
            ({"judge": "small", "keep": {6: 0}}, "keep names 6 of 5 draws"),
            ({"whole": {"source": ["MATH"]}}, "whole goes with `rows`"),
        ],
    )
    def test_that_mean_nothing_are_refused(self, agreeing, options, message):
        with pytest.raises(ValueError, match=message):
            agreeing([row(1)], **options)
