"""docs/launch.md: each file that it shows is made by the command, from the site file that stands above it."""

import re

from helpers.paths import DOCS, ROOT

BLOCK = re.compile(r"^<!-- (site|made) (\w+)(?: (\S+))? -->\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)
RECIPE = ROOT / "recipes" / "sp3f_4_nodes.yaml"


def test_each_file_that_the_page_shows_is_made_by_the_command(main, write, tmp_path):
    text = (DOCS / "launch.md").read_text(encoding="utf-8")
    shown = BLOCK.findall(text)
    assert [(kind, scheduler) for kind, scheduler, *_ in shown] == [
        ("site", "slurm"), ("made", "slurm"), ("made", "slurm"),
        ("site", "kuberay"), ("made", "kuberay"),
        ("site", "skypilot"), ("made", "skypilot"),
    ]  # fmt: skip
    assert len(re.findall("^<!-- (?:site|made) ", text, re.MULTILINE)) == len(shown)
    for kind, scheduler, name, block in shown:
        if kind == "site":
            write(f"{scheduler}.yaml", block)
            words = ("launch", RECIPE, "--on", scheduler, "--site", f"{scheduler}.yaml")
            code, out, err = main(*words)
            assert code == 0, err
            assert "nothing is submitted" in out
            folder = (tmp_path / "launches" / "sp3f-qwen2-5-7b-4-nodes").rename(tmp_path / scheduler)
        else:
            assert block in (folder / name).read_text(encoding="utf-8"), (scheduler, name)
