"""Members of groups that come one by one, from many callers: each group is scored once, and all get its answer."""

import asyncio
import pickle
from dataclasses import dataclass, replace

import pytest
from rewardlab import Completion, CurriculumSpec, Sample
from rewardlab.errors import JobError
from rewardlab.plan import make_plan
from rewardlab.plan.component import Component
from rewardlab.recipe.loading import load
from rewardlab.recipe.use import Use
from rewardlab.scoring.host import MissingMembersError, OtherMemberError, ScoringHost
from rewardlab.scoring.scorer import Scorer

RECIPE = {
    "version": 1,
    "reward": {
        "components": {"brief": {"use": "toy/brevity", "with": {"words": 1}}, "longest": {"use": "toy/longest"}},
        "total": "brief + longest",
    },
}
TEXTS = [Completion(text=text) for text in ("one", "one two", "one two three")]


@dataclass(frozen=True)
class Place:
    key: str = "g"
    size: int = 3


class Latest:
    """A group sampler that wants so many further completions, and keeps those that came last."""

    def __init__(self, wanted):
        self.wanted, self.sizes = wanted, []

    def more(self, pool):
        self.sizes.append((pool.size, len(pool)))
        return self.wanted if len(pool) == pool.size else 0

    def select(self, pool, size):
        return range(len(pool) - size, len(pool))


def _sampling(plan, sampler):
    built, most = (lambda options, context: sampler), (lambda options, size: 5)
    spec = CurriculumSpec(name="latest", summary="made", build=built, most=most)
    return replace(plan, sampler=Component(use=Use(use="test/latest"), spec=spec, options=spec.config()))


@pytest.fixture
def hosting(toy):
    """Run `work(host)` on an event loop; `host.finished` has the groups that were finished, each time."""

    def run(work, finish=None, sampler=None, **settings):
        async def whole():
            plan = make_plan(load(RECIPE), purpose="score")
            with Scorer(plan if sampler is None else _sampling(plan, sampler)) as scorer:
                finished = []

                async def written(place, met):
                    finished.append((place.key, met.members, [c.text for c in met.pooled.group.completions]))
                    return dict(zip(met.members, met.pooled.group.totals, strict=True))

                host = ScoringHost(
                    open_pool=lambda place, size: scorer.collect(Sample(id=place.key), size, sampled=True),
                    finish=finish or written,
                    **settings,
                )
                host.finished = finished
                return await work(host)

        return asyncio.run(asyncio.wait_for(whole(), 60))

    return run


def test_all_who_ask_get_the_one_answer_whatever_the_order_of_members(hosting):
    async def work(host):
        asked = []
        for slot in (2, 0, 1, 0):
            host.put(Place(), slot, TEXTS[slot])
            asked.append(asyncio.ensure_future(host.group("g")))
        answers = await asyncio.gather(*asked)
        assert await host.group("g") is answers[0], "it is kept"
        assert len(host) == 0, "and nothing else of the group"
        return answers, host.finished

    answers, finished = hosting(work)
    assert finished == [("g", (0, 1, 2), ["one", "one two", "one two three"])]
    assert all(answer is answers[0] for answer in answers)
    assert answers[0][0] > answers[0][1]


def test_a_slot_has_one_completion(hosting):
    async def work(host):
        host.put(Place(), 0, TEXTS[0])
        host.put(Place(), 0, TEXTS[0])
        with pytest.raises(OtherMemberError, match="slot 0 has another completion already"):
            host.put(Place(), 0, TEXTS[1])
        for slot in (1, 2):
            host.put(Place(), slot, TEXTS[slot])
        return await host.group("g")

    assert len(hosting(work)) == 3


class TestALostMember:
    def test_fails_its_group(self, hosting):
        async def work(host):
            host.put(Place(), 1, TEXTS[1])
            host.lost(Place(), 0, "the engine died")
            host.lost(Place(), 2)
            with pytest.raises(MissingMembersError) as raised:
                await host.group("g")
            with pytest.raises(MissingMembersError):
                await host.group("g")
            return raised.value, host.finished

        error, finished = hosting(work)
        assert str(error) == (
            "2 of 3 completions were lost; the last of them: the engine died; `on_partial: score` scores the others"
        )
        assert (error.missing, finished) == ((0, 2), [])
        elsewhere = pickle.loads(pickle.dumps(error))
        assert (str(elsewhere), elsewhere.missing) == (str(error), (0, 2)), "who waits may be another process"

    def test_leaves_a_group_of_the_others_where_that_is_wanted(self, hosting):
        async def work(host):
            host.put(Place(), 2, TEXTS[2])
            host.lost(Place(), 1)
            host.put(Place(), 0, TEXTS[0])
            return await host.group("g"), host.finished

        answer, finished = hosting(work, on_partial="score")
        assert finished == [("g", (0, 2), ["one", "one two three"])]
        assert answer.keys() == {0, 2}

    def test_that_comes_after_all_is_none(self, hosting):
        async def work(host):
            host.lost(Place(), 1, "no answer")
            host.put(Place(), 1, TEXTS[1])
            host.lost(Place(), 1, "no second answer")
            for slot in (0, 2):
                host.put(Place(), slot, TEXTS[slot])
            return await host.group("g")

        assert len(hosting(work)) == 3

    def test_with_all_others_leaves_no_group(self, hosting):
        async def work(host):
            for slot in range(3):
                assert not host.is_lost("g")
                host.lost(Place(), slot)
            assert host.is_lost("g")
            with pytest.raises(MissingMembersError, match=r"^3 of 3 completions were lost$"):
                await host.group("g")

        hosting(work, on_partial="score")

    @pytest.mark.parametrize("on_partial", ["fail", "score"])
    def test_is_one_that_does_not_come_in_time(self, hosting, on_partial):
        async def work(host):
            for slot in (0, 1):
                host.put(Place(), slot, TEXTS[slot])
            if on_partial == "fail":
                with pytest.raises(MissingMembersError, match=r"or not there after 0.1 s \(completion_timeout\)"):
                    await host.group("g")
                return
            asked = asyncio.ensure_future(host.group("g"))
            assert (await asked).keys() == {0, 1}
            host.put(Place(), 2, TEXTS[2])  # too late, and the group is over: nothing begins anew
            assert len(host) == 0

        hosting(work, on_partial=on_partial, deadline=0.1)


class TestAGroupSampler:
    """It may want more of a group once that has met: also of one that lost a member, and of one that is put again."""

    @pytest.mark.parametrize("again", [False, True])
    def test_wants_more_of_a_group_that_is_smaller_by_those_it_lost(self, hosting, again):
        sampler = Latest(2)

        async def work(host):
            host.put(Place(), 0, TEXTS[0])
            host.lost(Place(), 1)
            if again:  # by a caller whose host was restarted
                for slot in (4, 3):
                    host.put(Place(), slot, Completion(text=f"further {slot}"))
            host.put(Place(), 2, TEXTS[2])
            if not again:
                assert await host.more("g") == 2
                for slot in (3, 4):
                    host.put(Place(), slot, Completion(text=f"further {slot}"))
            assert await host.more("g") == 0
            await host.group("g")
            return host.finished

        assert hosting(work, sampler=sampler, on_partial="score") == [("g", (0, 2), ["further 3", "further 4"])]
        assert sampler.sizes == ([(2, 4)] if again else [(2, 2), (2, 4)])

    def test_is_not_asked_about_a_group_that_may_not_lose_one(self, hosting):
        sampler = Latest(2)

        async def work(host):
            for slot in (0, 1):
                host.put(Place(), slot, TEXTS[slot])
            host.lost(Place(), 2, "the engine died")
            for wanted in (host.more("g"), host.group("g")):
                with pytest.raises(
                    MissingMembersError, match="1 of 3 completions were lost; the last of them: the engi"
                ):
                    await wanted
            return sampler.sizes

        assert hosting(work, sampler=sampler) == []


class TestAnAnswer:
    def test_is_not_taken_from_others_by_one_who_stops_waiting(self, hosting):
        async def work(host):
            host.put(Place(), 0, TEXTS[0])
            first, second = asyncio.ensure_future(host.group("g")), asyncio.ensure_future(host.group("g"))
            await asyncio.sleep(0)
            first.cancel()
            for slot in (1, 2):
                host.put(Place(), slot, TEXTS[slot])
            return await second

        assert len(hosting(work)) == 3

    def test_of_a_group_that_was_given_up_is_an_error(self, hosting):
        async def work(host):
            host.put(Place(), 0, TEXTS[0])
            asked = asyncio.ensure_future(host.group("g"))
            await asyncio.sleep(0)
            host.drop("g")
            host.put(Place(), 1, TEXTS[1])  # was on its way
            for wanted in (asked, host.group("g"), host.more("g")):
                with pytest.raises(JobError, match="group 'g' is over"):
                    await wanted
            return len(host)

        assert hosting(work) == 0

    def test_nobody_gets_of_a_group_that_is_not_known(self, hosting):
        async def work(host):
            with pytest.raises(JobError, match="group 'other' is over"):
                await host.group("other")

        hosting(work)

    def test_that_cannot_be_written_is_the_error_of_all_and_is_not_written_again(self, hosting):
        times = []

        async def full(place, met):
            times.append(place.key)
            raise JobError("the disk is full")

        async def work(host):
            for slot in range(3):
                host.put(Place(), slot, TEXTS[slot])
            found = await asyncio.gather(host.group("g"), host.group("g"), return_exceptions=True)
            return [str(error) for error in found]

        assert (hosting(work, full), times) == (["the disk is full"] * 2, ["g"])

    def test_is_kept_for_so_many_groups(self, hosting):
        async def work(host):
            for number in range(5):
                place = Place(key=f"{number}", size=1)
                host.put(place, 0, TEXTS[0])
                await host.group(place.key)
            await host.group("4")
            with pytest.raises(JobError, match="group '2' is over"):
                await host.group("2")
            host.put(Place(key="2", size=1), 0, TEXTS[1])  # another group of that name
            await host.group("2")
            return [key for key, *_ in host.finished]

        assert hosting(work, kept=2) == ["0", "1", "2", "3", "4", "2"]

    @pytest.mark.parametrize("kept", [0, 2])
    def test_is_kept_no_longer_while_an_earlier_group_is_under_way(self, hosting, kept):
        async def work(host):
            host.put(Place(key="slow"), 0, TEXTS[0])
            slow = asyncio.ensure_future(host.group("slow"))
            await asyncio.sleep(0)
            for key in ("again", "1", "2", "again"):
                host.put(Place(key=key, size=1), 0, TEXTS[0])
                await host.group(key)
            for slot in (1, 2):
                host.put(Place(key="slow"), slot, TEXTS[slot])
            assert len(await slow) == 3
            return [key for key, *_ in host.finished]

        assert hosting(work, kept=kept) == ["again", "1", "2", "again", "slow"]

    def test_of_groups_that_were_given_up_is_kept_for_as_many(self, hosting):
        async def work(host):
            for number in range(3):
                host.drop(f"{number}")
                await asyncio.sleep(0)
            for number in range(3):
                host.put(Place(key=f"{number}", size=1), 0, TEXTS[0])
            return len(host)

        assert hosting(work, kept=2) == 1, "one was forgotten, and is another group"

    def test_that_is_forgotten_while_its_group_is_given_up_is_that_of_the_next_group(self, hosting):
        async def work(host):
            host.put(Place(size=2), 0, TEXTS[0])
            given_up = asyncio.ensure_future(host.group("g"))
            await asyncio.sleep(0)
            host.drop("g")
            host.forget("g")
            for slot in (0, 1):
                host.put(Place(size=2), slot, TEXTS[slot])
            answer = await host.group("g")
            assert await host.group("g") is answer
            with pytest.raises(JobError, match="group 'g' is over"):
                await given_up
            return len(answer)

        assert hosting(work) == 2
