"""The choice of the checklist that a row's answer is judged by: one for all, or that of the row's task."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from rewardlab_format.tasks import task_label

from rewardlab_checklist.checklist import Checklist
from rewardlab_checklist.checklist_file import ChecklistError, find_checklist, packaged_names

REASONING = "reasoning"
NOT_CANONICAL = "_i6"
"""ends the names of lists that the paper prints twice, with other dimensions"""


@dataclass(frozen=True)
class TaskChecklists:
    """The checklists of tasks: a user's files come before the packaged ones.

    Raises ChecklistError if two files are for one task and subtask.
    """

    files: tuple[str, ...] = ()

    def of(self, task: str, subtask: str | None) -> Checklist:
        """Return the checklist of a task. Raises ChecklistError that lists those there are.

        Without a subtask it is the one list of the task; a task of several needs one.
        """
        checklists = self._all()
        label = task_label(task) or task.strip()
        able = {key: checklist for key, checklist in checklists.items() if key[0] == label.casefold()}
        wanted = (label.casefold(), "" if subtask is None else subtask.strip().casefold())
        if wanted in able:
            return able[wanted]
        if len(able) == 1 and subtask is None:
            return next(iter(able.values()))
        if not able:
            names = ", ".join(sorted({checklist.task for checklist in checklists.values()}))
            raise ChecklistError(f"no checklist for the task {task!r}; there are some for {names}")
        names = ", ".join(repr(checklist.subtask) for checklist in able.values())
        given = "no subtask is given" if subtask is None else f"none is for the subtask {subtask!r}"
        raise ChecklistError(f"the task {task!r} has several checklists, and {given}; there are {names}")

    def _all(self) -> Mapping[tuple[str, str], Checklist]:
        return _lists(self.files)


@cache
def _lists(paths: tuple[str, ...]) -> Mapping[tuple[str, str], Checklist]:
    packaged = [name for name in packaged_names() if name != REASONING and not name.endswith(NOT_CANONICAL)]
    lists = {_key(checklist): checklist for checklist in map(find_checklist, packaged)}
    own: dict[tuple[str, str], str] = {}
    for path in paths:
        checklist = find_checklist(path)
        if (key := _key(checklist)) in own:
            raise ChecklistError(f"{path}: {own[key]} is for the same task and subtask")
        own[key], lists[key] = path, checklist
    return lists


def _key(checklist: Checklist) -> tuple[str, str]:
    return (
        task_label(checklist.task) or checklist.task
    ).casefold(), "" if checklist.subtask is None else checklist.subtask.casefold()
