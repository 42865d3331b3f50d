"""A shard of a command whose result needs the groups of all shards: it scores its own, and keeps their scores."""

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rewardlab import CommandResult
from rewardlab.commands import command_line, share_of
from rewardlab.errors import JobError, StoppedError, UserError
from rewardlab.files import LineAppender, cut_torn_line, write_text
from rewardlab.judging import JudgingSettings, Share
from rewardlab.plan import Plan
from rewardlab.scorefile import StateFolder, changes, origin, output_path_problem
from rewardlab.scoring import InputRow, MissingGuard, RecipeReward
from rewardlab.text import Progress, counted, shell_command

from rewardlab_shards.elsewhere import WITHOUT_ON
from rewardlab_shards.kept_scores import all_keys, group_key, is_complete, read_scores, score_line


@dataclass(frozen=True)
class KeptShard:
    """A shard to score.

    Args:
        name, options: of the command.
        plan: as the command scores by it.
        rows: the groups of all shards.
        guard: stops the shard if too many scores are missing; None as `score` does.
    """

    name: str
    options: Any
    plan: Plan
    rows: Sequence[InputRow]
    guard: MissingGuard | None = None

    def run(self) -> CommandResult:
        """Score the groups of the shard that have no scores yet; say what comes next."""
        options, share = self.options, share_of(self.options.shard)
        assert share is not None
        if options.on is not None:
            raise UserError(WITHOUT_ON, where="--on")
        path = share.path(options.output)
        # identical groups, as of two attempts that come to the same, once: their scores are found by what they are
        own = [*{group_key(row.group): row for row in self.rows if share.has(row.group.sample.id)}.values()]
        with closing(StateFolder(path)) as state:
            kept = self._kept(state, path, share, len(own))
            rest = [row for row in own if group_key(row.group) not in kept]
            judging = JudgingSettings(folder=state.judges, say=options.say, share=share)
            with RecipeReward(self.plan, judging=judging) as reward, closing(LineAppender(path)) as file:
                try:
                    with Progress(f"shard {share}", total=len(own), initial=len(own) - len(rest)) as bar:
                        for row, scored in reward.in_order(rest, self.guard):
                            file.write(score_line(row.group, scored.components))
                            bar.update()
                except (JobError, KeyboardInterrupt) as error:
                    kind, text = (JobError, str(error)) if isinstance(error, JobError) else (StoppedError, "stopped")
                    again = command_line(self.name, options.model_copy(update={"resume": True}))
                    raise kind(f"{text}\nto go on: {shell_command(again)}") from error
                for line in reward.usage_lines():
                    options.say(line)
        text = f"shard {share}: {counted(len(own), 'group')} of {len(self.rows)}, with their scores in {path}"
        merge = shell_command(["rewardlab", "merge", str(options.output)])
        data = {"shard": str(share), "rows": len(own), "of": len(self.rows), "output": str(path)}
        return CommandResult(text=f"{text}\nonce all shards are done: {merge}", data=data)

    def _kept(self, state: StateFolder, path: Path, share: Share, own: int) -> set[str]:
        """Return the keys of the groups with scores, of a shard that is begun or goes on."""
        if problem := output_path_problem(path):
            raise UserError(problem)
        now = self._origin(share, own)
        if self.options.resume and state.path.is_dir():
            state.hold()
            then = state.read()
            if then is not None:
                if problems := changes(then, now, self.plan, "the rows"):
                    raise UserError(problems)
                return _complete(path)
        if path.exists():
            raise UserError("exists already; --resume continues it, or give -o another name", where=str(path))
        state.hold()
        state.write(now)
        return set()

    def _origin(self, share: Share, own: int) -> dict[str, Any]:
        given = self.options.model_dump(
            mode="json", exclude_defaults=True, exclude={"shard", "resume", "say", "output"}
        )
        for name in ("recipe", "rows"):
            if isinstance(given.get(name), str) and os.path.exists(given[name]):
                given[name] = os.path.abspath(given[name])
        rows = {"sha256": all_keys([row.group for row in self.rows])}
        command = {"name": self.name, "options": given, "writes": self.name != "probe"}
        numbers = {"all_rows": len(self.rows), "own_rows": own}
        return origin(self.plan, rows) | {"shard": str(share), "command": command} | numbers


def _complete(path: Path) -> set[str]:
    """Return the keys of a shard's complete lines, and leave the others out of its file."""
    if not path.exists():
        return set()
    cut_torn_line(path)
    kept: dict[str, bytes] = {}
    with open(path, "rb") as lines:
        for line in lines:
            scores = read_scores(line)
            if scores is not None and is_complete(scores[1]):
                kept[scores[0]] = line
    write_text(path, (line.decode("utf-8") for line in kept.values()))
    return set(kept)
