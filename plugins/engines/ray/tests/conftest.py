"""What the tests of scorers share: the settings of a stage, and a scorer with its coordinator in this process."""

import asyncio
import json

import pytest
from helpers.group_members import RECIPE, InThisProcess
from rewardlab import Sample
from rewardlab_ray.rendered_rows import Row, write_rows
from rewardlab_ray.scoring.coordinator import Coordinator
from rewardlab_ray.scoring.scorer_actor import ScorerActor
from rewardlab_ray.scoring.service_settings import ServiceSettings


@pytest.fixture
def settings(tmp_path):
    folder = tmp_path / "run" / "engine" / "0-rl"
    folder.mkdir(parents=True)
    recipe = tmp_path / "run" / "recipe.resolved.yaml"
    recipe.write_text(RECIPE)
    samples = [Sample(id=str(n), prompt=({"role": "user", "content": f"{n} + 1?"},)) for n in range(8)]
    write_rows(folder / "samples.jsonl", (Row(sample=sample, prompt="?") for sample in samples))
    (folder / "order.json").write_text(json.dumps([3, 1]))
    given = {"job": "made", "run": tmp_path / "run", "recipe": recipe, "stage": 0, "attempt": 0}
    return ServiceSettings(**given, folder=folder, home=tmp_path)


@pytest.fixture
def scoring():
    """Run `work(scorer, coordinator)`; both are closed after it."""

    def run(settings, work):
        async def whole():
            coordinator = Coordinator(settings)
            scorer = ScorerActor(settings, coordinator=InThisProcess(coordinator))
            try:
                return await work(scorer, coordinator)
            finally:
                await scorer.close()
                await coordinator.close()

        return asyncio.run(asyncio.wait_for(whole(), 60))

    return run
