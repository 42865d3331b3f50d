import re
from pathlib import Path

import pytest
from helpers.each_case import each_case
from pydantic import ValidationError
from rewardlab import Reply, find

SPEC = find("reward", "pairwise/win_rate")


def test_the_spec_tells_the_host_what_it_needs():
    assert (SPEC.scope, SPEC.range, SPEC.runs, SPEC.judges) == ("group", (0.0, 1.0), "async", ("judge",))
    assert SPEC.required_fields(SPEC.config(judge="j")) == ()
    assert SPEC.required_fields(SPEC.config(judge="j", privileged="solution")) == ("solution",)


def test_defaults():
    options = SPEC.config(judge="j")
    assert (options.privileged, options.orders, options.on_unparsable, options.opponents) == (
        None, "both", "half", "all",
    )  # fmt: skip


def test_the_official_profile_fixes_orders_and_policy():
    options = SPEC.config(judge="j", profile="sp3f_official")
    assert (options.orders, options.on_unparsable) == ("a_only", "loss")
    assert SPEC.config.model_validate(options.model_dump()) == options
    with pytest.raises(ValidationError, match="fixes orders to a_only"):
        SPEC.config(judge="j", profile="sp3f_official", orders="both")


@each_case("opponents", [0, -1, True, "some", 2.5])
def test_opponents_are_all_or_a_number(opponents):
    with pytest.raises(ValidationError):
        SPEC.config(judge="j", opponents=opponents)


def test_a_template_is_checked_with_the_options(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_text("$query $a", encoding="utf-8")
    with pytest.raises(ValidationError, match=r"\$b is missing"):
        SPEC.config(judge="j", template=str(path))


def test_the_readme_names_every_key_of_info(scripted, win_rate):
    down = Reply(error="HTTP 503")
    score = win_rate(scripted(lambda a, b: down), ["x", "y"])[0]
    fitted = win_rate(scripted(lambda a, b: r"\boxed{A}"), ["x", "y"], design="swiss")[0]
    keys = {*score.info, *score.info["group"], *fitted.info, *fitted.info["group"]}
    section = Path(__file__).parents[1].joinpath("README.md").read_text(encoding="utf-8").split("### What `info` holds")
    assert keys >= {"judge_error", "strength", "position_bias_interval"}
    assert keys <= set(re.findall(r"`(\w+)`", section[1].split("\n#")[0]))
