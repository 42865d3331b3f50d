"""A recipe's reward in people's own programs: at once, as a stream, awaited, one completion; and what it refuses."""

import asyncio
import json
import threading
import time
from pathlib import Path

import pytest
from rewardlab.errors import JobError, UserError
from rewardlab.scoring import recipe_reward
from rewardlab.scoring.recipe_reward import load_reward

RECIPE = {
    "version": 1,
    "reward": {
        "components": {"brief": {"use": "toy/brevity", "with": {"words": 2}}, "longest": {"use": "toy/longest"}},
        "total": "2 * brief + longest",
    },
}
FAULTY = {"use": "toy/faulty", "with": {"how": "fail"}}
HANGING = {"use": "toy/faulty_worker", "with": {"how": "hang", "seconds": 60}, "timeout": 0.5, "workers": 1}


ALONE = {
    "version": 1,
    "reward": {"components": {"brief": RECIPE["reward"]["components"]["brief"]}, "total": "2 * brief"},
}


def rows(count=3):
    return [{"id": f"r{number}", "prompt": "Why?", "completions": ["a", "a b c d"]} for number in range(count)]


def with_component(name, use, total=None, base=RECIPE):
    components = base["reward"]["components"] | {name: use}
    return base | {"reward": {"components": components, "total": total or f"{base['reward']['total']} + {name}"}}


@pytest.fixture
def reward(toy):
    with load_reward(RECIPE) as reward:
        yield reward


def test_scores_rows_of_a_program(reward):
    groups = reward.score(rows(2))
    assert [group.sample.id for group in groups] == ["r0", "r1"]
    assert groups[0].totals == groups[0].shaped == [2.0, 2.0]
    assert [score.value for score in groups[0].components["brief"]] == [1.0, 0.5]


def test_is_shown_in_a_line_and_in_a_notebook_as_a_table(reward):
    assert repr(reward) == "<RecipeReward 2 * brief + longest: brief (toy/brevity), longest (toy/longest)>"
    (group,) = reward.score([{"id": "r0", "prompt": "Why?", "completions": ["<b>", "a b c " * 1_000]}])
    assert repr(group) == "<ScoredGroup 'r0': 2 completions, totals 1.001 to 2>"
    shown = group._repr_html_()
    assert "<tr><td>completion</td><td>total</td><td>shaped</td><td>brief</td><td>longest</td></tr>" in shown
    assert "<tr><td>&lt;b&gt;</td><td>2</td><td>2</td><td>1</td><td>0</td></tr>" in shown
    assert len(shown) < 1_000


def test_rows_without_an_id_get_one(reward):
    made = reward.score([{"prompt": "Why?", "completions": ["a"]}, {"prompt": "Why?", "completions": ["b"]}])
    first, second = (group.sample.id for group in made)
    assert first.endswith("-0")
    assert second.endswith("-1")


def test_scores_what_the_command_scores(reward, main, tmp_path):
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows()))
    (tmp_path / "recipe.yaml").write_text(json.dumps(RECIPE))
    assert main("score", "recipe.yaml", "rows.jsonl", "-o", "out.jsonl")[0] == 0
    written = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    found = reward.score(tmp_path / "rows.jsonl")
    assert [(row["id"], row["total"], row["shaped"]) for row in written] == [
        (group.sample.id, group.totals, group.shaped) for group in found
    ]


class TestARecipe:
    """What `load_reward` reads."""

    def test_is_a_file_with_overrides(self, toy, tmp_path):
        (tmp_path / "recipe.yaml").write_text(json.dumps(RECIPE))
        with load_reward(tmp_path / "recipe.yaml", "reward.total=brief") as reward:
            assert reward.score(rows(1))[0].totals == [1.0, 0.5]

    def test_is_a_dict_which_stays_as_it_is(self, toy):
        before = json.dumps(RECIPE)
        with load_reward(RECIPE, "reward.total=brief", "reward.components.brief.with.words=1") as reward:
            assert reward.score(rows(1))[0].totals == [1.0, 0.25]
        assert json.dumps(RECIPE) == before

    def test_is_the_folder_of_a_run(self, toy, tmp_path):
        (tmp_path / "recipe.resolved.yaml").write_text(json.dumps(RECIPE))
        with load_reward(tmp_path) as reward:
            assert reward.score(rows(1))[0].totals == [2.0, 2.0]

    def test_that_is_wrong_is_told_whole(self, toy):
        wrong = with_component("typo", {"use": "toy/brevty"}, total="brif")
        with pytest.raises(UserError) as caught:
            load_reward(wrong)
        assert str(caught.value).splitlines() == [
            "recipe: reward.components.typo.use: plugin 'toy' has no reward 'brevty'; did you mean 'toy/brevity'?",
            "recipe: reward.total: no component 'brif'; did you mean 'brief'?",
        ]

    @pytest.mark.parametrize(
        ("value", "why"),
        [
            (Path("x"), "a recipe is made of dicts, lists, texts, numbers, booleans and None, not PosixPath('x')"),
            (float("nan"), "a recipe cannot hold nan"),
            ({1: 2}, "a key must be text, not 1"),
        ],
    )
    def test_holds_what_yaml_holds(self, toy, value, why):
        with pytest.raises(UserError) as caught:
            load_reward(RECIPE | {"name": value})
        assert str(caught.value) == f"recipe: {why}"

    def test_without_a_reward_scores_nothing(self, toy):
        with pytest.raises(UserError, match="reward"):
            load_reward({"version": 1})


class TestRows:
    """What is wrong with rows is told before anything is scored."""

    def test_are_all_checked(self, reward):
        bad = [{"prompt": "Why?"}, *rows(1), {"prompt": "", "completions": ["a"]}, "row", rows(1)[0]]
        with pytest.raises(UserError) as caught:
            reward.score(bad)
        assert str(caught.value).splitlines() == [
            "rows[0]: no completions: there is no column 'completions'; columns: none; "
            "map yours with `fields: {completions: <column>}`",
            "rows[2]: prompt is empty",
            'rows[3]: a row is a dict {"prompt", "completions", ...}, not a text',
            "rows[4]: the id 'r0' is already used by rows[1]",
            "rows: 4 bad rows; fix them; nothing was scored",
        ]

    @pytest.mark.slow
    @pytest.mark.parametrize("library", ["pandas", "polars", "datasets", "arrays"])
    def test_may_be_a_table_of_another_library(self, reward, library):
        given = [{**row, "level": level} for row, level in zip(rows(2), (1.5, None), strict=True)]
        if library == "datasets":
            table = pytest.importorskip("datasets").Dataset.from_list(given)
        elif library == "arrays":
            numpy = pytest.importorskip("numpy")
            table = [{**row, "completions": numpy.array(row["completions"])} for row in given]
        else:
            table = pytest.importorskip(library).DataFrame(given)
        if library == "pandas":
            numpy = pytest.importorskip("numpy")
            table["completions"] = [numpy.array(row["completions"]) for row in given]  # as read_parquet gives them
        found = reward.score(table)
        assert [group.totals for group in found] == [group.totals for group in reward.score(rows(2))]
        assert [group.sample.fields.get("level") for group in found] == [1.5, None]
        assert [group.totals for group in reward.stream(table)] == [group.totals for group in found]

    def test_are_no_single_row(self, reward):
        with pytest.raises(UserError, match="a list of dicts, a data frame, or the path of a file, not an object"):
            reward.score(rows(1)[0])


class TestAStream:
    """Groups as they are scored, in the rows' order."""

    def test_gives_groups_before_the_rows_are_read(self, reward):
        read = []

        def endless():
            for number in range(10**9):
                read.append(number)
                yield {"prompt": f"{number}?", "completions": ["a"]}

        stream = reward.stream(endless())
        assert [group.sample.prompt[0]["content"] for group, _ in zip(stream, range(3), strict=False)] == [
            "0?",
            "1?",
            "2?",
        ]
        stream.close()
        assert len(read) <= 256 + 4

    def test_ends_at_a_bad_row_after_the_good_ones(self, reward):
        seen = []
        with pytest.raises(UserError, match=r"rows\[2\]: prompt is empty"):
            for group in reward.stream([*rows(2), {"prompt": "", "completions": ["a"]}, {"prompt": "x"}]):
                seen.append(group.sample.id)
        assert seen == ["r0", "r1"]

    @pytest.mark.slow
    def test_that_is_left_cancels_what_is_under_way(self, toy):
        with load_reward(with_component("slow", HANGING)) as reward:
            stream = reward.stream([*rows(1), {"prompt": "?", "completions": ["BAD"]}])
            assert next(stream).sample.id == "r0"
            started = threading.active_count()
            stream.close()
            assert threading.active_count() <= started
            assert reward.score([{"id": "new", "prompt": "?", "completions": ["fine"]}])[0].totals == [3.5]


class TestAwaited:
    """On an event loop, which goes on meanwhile."""

    def test_gives_what_score_gives(self, reward):
        async def work():
            streamed = [group async for group in reward.astream(rows())]
            async with load_reward(ALONE) as alone:
                one = await alone.ascore_one(prompt="Why?", completion="a")
            return await reward.ascore(rows()), streamed, one

        found, streamed, one = asyncio.run(work())
        assert found == streamed == reward.score(rows())
        assert one.total == 2.0

    def test_does_not_block_the_loop(self, toy):
        async def work():
            async with load_reward(with_component("slow", HANGING | {"timeout": 60})) as reward:
                scoring = asyncio.ensure_future(reward.ascore([{"prompt": "?", "completions": ["BAD"]}]))
                for _ in range(3):
                    await asyncio.sleep(0.01)
                assert not scoring.done()
                scoring.cancel()

        asyncio.run(work())

    @pytest.mark.slow
    def test_that_is_cancelled_leaves_the_reward_of_use(self, toy):
        async def work():
            async with load_reward(with_component("slow", HANGING)) as reward:
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(reward.ascore([{"prompt": "?", "completions": ["BAD"]}]), 0.2)
                return await reward.ascore(rows(1))

        (group,) = asyncio.run(work())
        assert group.totals == [2.5, 2.5]

    def test_scores_inside_a_running_loop_without_await(self, reward):
        async def cell():
            return reward.score(rows(1))

        assert asyncio.run(cell())[0].totals == [2.0, 2.0]

    def test_ends_at_a_bad_row_too(self, reward):
        async def work():
            return [group async for group in reward.astream([{"prompt": ""}])]

        with pytest.raises(UserError, match="prompt is empty"):
            asyncio.run(work())


class TestOneCompletion:
    """A value, a reason and a contribution for each component."""

    def test_says_what_each_component_did(self, toy):
        with load_reward(ALONE) as reward:
            one = reward.score_one(prompt="Why?", completion={"text": "a b c d", "token_count": 4}, answer="x")
        assert (one.total, one.shaped, one.rest) == (1.0, 1.0, 0.0)
        assert one.completion.token_count == 4
        assert one.sample.fields == {"answer": "x"}
        assert {name: (part.value, part.contribution) for name, part in one.components.items()} == {"brief": (0.5, 1.0)}

    def test_has_no_number_where_it_would_be_compared_with_others(self, reward):
        told = r"longest: compares the completions of a prompt \(toy/longest\), and a lone completion has no others"
        with pytest.raises(UserError, match=told):
            reward.score_one(prompt="Why?", completion="a")
        with pytest.raises(UserError, match=told):
            asyncio.run(reward.ascore_one(prompt="Why?", completion="a"))

    def test_gives_the_reason_of_a_failure_and_never_a_zero(self, toy):
        with load_reward(
            with_component("faulty", FAULTY | {"on_missing": "zero_advantage", "max_missing": 1}, base=ALONE)
        ) as reward:
            one = reward.score_one(prompt="?", completion="BAD")
        part = one.components["faulty"]
        assert (part.value, part.failed, part.reason, one.total) == (None, True, "the toy failed", None)

    def test_gives_the_reason_of_a_component_that_abstains(self, toy):
        use = FAULTY | {"with": {"how": "abstain"}, "on_abstain": 0.25}
        with load_reward(with_component("faulty", use, base=ALONE)) as reward:
            one = reward.score_one(prompt="?", completion="BAD")
        part = one.components["faulty"]
        assert (part.value, part.failed, part.reason, part.contribution) == (None, False, "not for me", 0.25)

    def test_is_one_of_a_group(self, reward):
        (group,) = reward.score(rows(1))
        first, second = group.by_completion()
        assert [first.components["longest"].value, second.components["longest"].value] == [0.0, 1.0]


class TestPolicies:
    """The recipe's policies for missing values hold as in the command."""

    def test_fail_ends_it(self, toy):
        with load_reward(with_component("faulty", FAULTY)) as reward, pytest.raises(JobError, match="the toy failed"):
            reward.score([{"prompt": "?", "completions": ["BAD"]}])

    @pytest.mark.parametrize("way", ["at once", "in parts", "stream", "ascore", "astream"])
    @pytest.mark.parametrize(
        ("count", "told"), [(60, "50 of the last 50"), (6, "no value for any of 6")], ids=["many", "all of few"]
    )
    def test_too_many_failures_end_it(self, toy, monkeypatch, way, count, told):
        monkeypatch.setattr(recipe_reward, "AT_ONCE", 1 if way == "in parts" else 1024)
        use = FAULTY | {"on_missing": "zero_advantage", "max_missing": 0.5}
        bad = [{"prompt": f"{number}", "completions": ["BAD"]} for number in range(count)]
        with load_reward(with_component("faulty", use)) as reward, pytest.raises(JobError, match=told):
            scored_by(reward, way, bad)


def scored_by(reward, way, given):
    """The groups of the rows, by one of the ways to ask for them."""

    async def awaited():
        return await reward.ascore(given) if way == "ascore" else [group async for group in reward.astream(given)]

    if way in ("ascore", "astream"):
        return asyncio.run(awaited())
    return list(reward.stream(given)) if way == "stream" else reward.score(given)


def test_many_rows_score_as_few_do(reward, monkeypatch):
    few = reward.score(rows(20))
    monkeypatch.setattr(recipe_reward, "AT_ONCE", 3)
    assert reward.score(rows(20)) == few


def test_threads_score_at_the_same_time(reward):
    found = {}

    def score(name):
        found[name] = reward.score([{"id": f"{name}", "prompt": "?", "completions": ["a"] * (name + 1)}])

    threads = [threading.Thread(target=score, args=(name,)) for name in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {name: len(group.totals) for name, (group,) in found.items()} == {name: name + 1 for name in range(8)}


def test_closing_ends_threads_and_processes(toy):
    before = set(threading.enumerate())
    with load_reward(with_component("worker", {"use": "toy/worker", "with": {"words": 2}, "workers": 1})) as reward:
        assert reward.score(rows(1))[0].totals == [3.0, 2.5]
    deadline = time.monotonic() + 10
    while (left := set(threading.enumerate()) - before) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert left == set()
    reward.close()
    with pytest.raises(UserError, match="this reward is closed; load it again to score more"):
        reward.score(rows(1))


def test_usage_counts_what_judges_were_asked(toy):
    use = {"use": "toy/prefer", "with": {"judge": "main"}}
    with load_reward(with_component("judged", use) | {"judges": {"main": {"use": "toy/polite"}}}) as reward:
        (group,) = reward.score([{"prompt": "?", "completions": ["please", "now"]}])
        assert group.totals == [4.0, 2.0]
        assert list(reward.usage()) == []  # a judge in this process costs nothing


def test_usage_counts_what_a_server_was_asked(toy, judge_server):
    with judge_server.Serving(judge_server.JudgeServer()) as server:
        judge = {"use": "openai/chat", "with": {"model": "m", "base_url": server.url, "api_key_env": None}}
        component = {"use": "pairwise/win_rate", "with": {"judge": "main", "orders": "both"}}
        recipe = RECIPE | {"judges": {"main": judge}, "reward": {"components": {"wins": component}, "total": "wins"}}
        with load_reward(recipe) as reward:
            assert not reward.usage()
            reward.score([{"prompt": "1 + 1?", "completions": ["1", "2"]}])
            usage = reward.usage()["main"]
            assert (usage.calls, usage.answers) == (2, 2)
            assert usage.prompt_tokens + usage.completion_tokens == server.tokens > 0
            assert [line.split(":")[0] for line in reward.usage_lines()] == ["judge main"]


class TestATable:
    """A row for each completion, in pandas or polars."""

    def test_has_a_row_for_each_completion(self, reward):
        pytest.importorskip("pandas")
        given = [row | {"answer": 3, "tags": ["x"]} for row in rows(2)]
        table = reward.table(reward.score(given))
        assert list(table["completion"]) == ["a", "a b c d", "a", "a b c d"]
        assert list(table["index"]) == [0, 1, 0, 1]
        assert list(table["id"]) == ["r0", "r0", "r1", "r1"]
        assert table["components.brief.contribution"].sum() == 2 * table["components.brief.value"].sum() == 6.0
        assert table["total"].dtype == "float64"
        assert table["fields.answer"].sum() == 12
        assert set(table["fields.tags"]) == {'["x"]'}

    def test_has_the_messages_of_conversations(self, reward):
        pytest.importorskip("pandas")
        talk = [{"role": "tool", "content": "b"}, {"role": "assistant", "content": "a"}]
        table = reward.table(reward.score([{"prompt": "?", "completions": ["a", talk]}]))
        assert list(table["completion"]) == ["a", "a"]
        assert json.loads(table["messages"][1]) == talk
        assert "messages" not in reward.table(reward.score(rows(1)))

    def test_keeps_failures_apart_from_values(self, toy):
        pytest.importorskip("pandas")
        use = FAULTY | {"on_missing": "zero_advantage", "max_missing": 1}
        with load_reward(with_component("faulty", use)) as reward:
            table = reward.table(reward.score([{"prompt": "?", "completions": ["BAD", "a"]}]))
        assert table["components.faulty.value"].isna().tolist() == [True, False]
        assert table["components.faulty.error"].isna().tolist() == [False, True]
        assert table["total"].isna().tolist() == [True, False]

    def test_is_one_of_polars_where_that_is_wanted(self, reward):
        polars = pytest.importorskip("polars")
        table = reward.table(reward.score(rows(1)), "polars")
        assert isinstance(table, polars.DataFrame)
        assert table["components.brief.value"].to_list() == [1.0, 0.5]

    @pytest.mark.parametrize(
        ("library", "why"), [(None, "pandas or polars: pip install pandas"), ("polars", "polars: ")]
    )
    def test_says_what_to_install(self, reward, monkeypatch, library, why):
        monkeypatch.setattr("rewardlab_records.export.completion_table.find_spec", lambda name: None)
        with pytest.raises(UserError, match=f"no table without {why}"):
            reward.table([], library)
