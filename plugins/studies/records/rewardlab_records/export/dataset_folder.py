"""Scores as a folder of a dataset for the hub: a parquet file, and a card that says how the reward is composed."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml
from rewardlab.errors import JobError, UserError

from rewardlab_records.export.score_table import write_partitions, write_table
from rewardlab_records.export.scored_rows import ScoredRows

DATA = Path("data")
TABLE, PARTITIONS = DATA / "train.parquet", DATA / "train-*.parquet"


def write_folder(
    scored: ScoredRows, output: Path, rows_per_file: int | None, written: Callable[[Path, Path], None]
) -> int:
    """Write a new folder, whole or not at all; return how many rows its table has.

    Args:
        rows_per_file: divides the table; None: it is one file.
        written: called with each of several files once it is whole, and with its name in the folder; may move it away.

    Raises UserError if nothing says any more what made the scores.
    """
    if scored.origin is None:
        problem = "the folder .state beside it is gone, which says how the reward is composed; score the rows again"
        raise UserError(problem, where=scored.scored)
    try:
        with TemporaryDirectory(dir=output.parent, prefix=".rewardlab-", ignore_cleanup_errors=True) as scratch:
            made = Path(scratch, "folder")
            (made / DATA).mkdir(parents=True)
            if rows_per_file is None:
                count, files = write_table(scored, made / TABLE), TABLE
            else:
                count, files = _partitions(scored, made, rows_per_file, written), PARTITIONS
            (made / "README.md").write_text(_card(scored.origin, scored.components(), count, files), encoding="utf-8")
            made.rename(output)
    except OSError as error:
        raise JobError(f"{output} cannot be written: {error.strerror or error}") from error
    return count


def _partitions(scored: ScoredRows, made: Path, rows_per_file: int, written: Callable[[Path, Path], None]) -> int:
    return write_partitions(scored, made / DATA, rows_per_file, lambda file: written(file, file.relative_to(made)))


def _card(origin: Mapping[str, Any], components: list[str], count: int, files: Path) -> str:
    head = {"configs": [{"config_name": "default", "data_files": [{"split": "train", "path": str(files)}]}]}
    reward = origin["recipe"]["reward"]
    made_by = ", ".join(f"{name} {version}" for name, version in origin["plugins"].items())
    parts = {name: reward["components"][name] for name in components}
    rows = "\n".join(f"| {name} | {part['use']} | {_options(part)} |" for name, part in parts.items())
    return f"""---
{yaml.safe_dump(head, sort_keys=False)}tags: [rewardlab]
---

# Scored completions

{count:,} completions, each a row, scored by {made_by}.

## The reward

`total` is `{reward["total"]}`, of these components:

| component | reward | options |
|---|---|---|
{rows}

The recipe, as it was resolved:

```yaml
{yaml.safe_dump(dict(origin["recipe"]), sort_keys=False, allow_unicode=True)}```

## Columns

A row is a completion. `id` is its prompt's, `index` its number in the group, `fields` what else was known of the
prompt, as JSON, and `recorded` what the tool that made it had recorded. If completions are conversations, `completion`
is the last answer and `messages` all of it, as JSON. `total` is the reward, and `shaped` what a trainer gets.
`components.NAME.value` is what a component said: null if it abstained, or failed with what `components.NAME.error`
says. `components.NAME.info` is JSON.
"""


def _options(component: Mapping[str, Any]) -> str:
    rest = {key: value for key, value in component.items() if key != "use"}
    return f"`{json.dumps(rest, ensure_ascii=False)}`".replace("|", "\\|") if rest else ""
