"""Studies of rewards and runs, each behind a command; they come in by hooks.

In go plans, rows with completions and what runs and `score` wrote. Out come results that the commands print or write.

    causes           which components moved the reward: `rewardlab causes`, `rewardlab check`
    compare          two rewards on the same completions: `rewardlab compare`
    convert          logs of other evaluation tools as rows: `rewardlab convert`
    judge_agreement  judges measured on rows with gold: `rewardlab judge`
    judge_benchmarks judges measured on published benchmarks: `rewardlab judge --benchmark`
    ledger           every completion of a run as a row of a table: `rewardlab ledger`
    output_check     rows that `score` wrote, told from others
    probe            degenerate completions beside an honest one: `rewardlab probe`
    report           one page about a run: `rewardlab report`, `rewardlab run`
"""

from collections.abc import Sequence
from pathlib import Path

from rewardlab import CommandSpec, hookimpl

COMMANDS = {
    "causes": "show which components moved the reward",
    "compare": "compare what two rewards would teach",
    "tables": "write tables of evaluated models, with intervals",
    "winrates": "let a judge compare models, answer by answer",
    "convert": "convert logs of lm-evaluation-harness or inspect_ai to rows",
    "probe": "show that degenerate completions do not win",
    "judge": "measure judges against gold",
    "report": "write one page about a run",
    "ledger": "write every completion of a run as a table",
}


@hookimpl
def rewardlab_commands() -> list[CommandSpec]:
    return [CommandSpec.of_module(f"{__name__}.commands.{name}", summary) for name, summary in COMMANDS.items()]


@hookimpl
def rewardlab_run_finished(directory: Path) -> Sequence[str]:
    from .report.page import write_report

    return list(write_report(directory, directory / "report.html"))
