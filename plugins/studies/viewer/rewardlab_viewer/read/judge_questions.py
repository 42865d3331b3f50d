"""The questions that a source's rewards asked judges about a group, and the replies that its files keep.

A job keeps replies, by the hash of what was asked, and no question: these are made of texts that stand in the ledger.
So the components that ask judges are built once more and ask judges that know kept replies and nothing else. A reply
that is found shows that the very same question was asked. Nobody else is asked, and no model is loaded.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rewardlab import Ask, Completion, Group, Reply, Sample
from rewardlab.concurrency import LoopThread
from rewardlab.errors import RewardlabError, UserError
from rewardlab.judging import judge_identity, question_key
from rewardlab.plan import Component, Plan
from rewardlab.scoring import Scorer
from rewardlab_training import measured_plan

from rewardlab_viewer.read.recorded_replies import RecordedReplies
from rewardlab_viewer.read.source import Source

POLICY = "policy/self"
Texts = Mapping[str, Any]
"""a group as a chunk of the page has it: prompt, fields, and rows with texts"""


@dataclass(frozen=True, kw_only=True)
class AskedQuestion:
    """A question with its reply.

    Of a comparison these are two lists, equal texts together: those that stood first, and those that stood second.

    Args:
        about: places of the completions that it is about; empty for a whole group.
    """

    component: str
    judge: str
    about: Sequence[Sequence[int]]
    ask: Ask
    reply: Reply


class JudgeQuestions:
    """The questions of one source. why: what keeps them from being shown, by component, in words."""

    def __init__(self, source: Source) -> None:
        """Build the components that ask judges; one that cannot be built is in `why`."""
        self.why: dict[str, str] = {}
        self._closing = ExitStack()
        self._askers: dict[str, _Asker] = {}
        home: LoopThread | None = None
        for name, plan in self._plans(source):
            home = home or self._home()
            try:
                self._askers[name] = self._closing.enter_context(_Asker(name, plan, source, home))
            except (RewardlabError, OSError) as error:
                self.why[name] = str(error)

    def _home(self) -> LoopThread:
        home = LoopThread("rewardlab-report")
        self._closing.callback(home.close)
        return home

    def _plans(self, source: Source) -> Iterator[tuple[str, Plan]]:
        plan, why = source.planned
        if plan is None:
            self.why |= {"": f"the recipe cannot be read here: {why}"} if why else {}
            return
        for name, planned in plan.components.items():
            if planned.judges() and (unasked := _unasked(plan, planned)):
                self.why[name] = unasked
            elif planned.judges():
                yield name, measured_plan(plan, [name])

    @property
    def components(self) -> list[str]:
        """The components whose questions can be shown."""
        return list(self._askers)

    def of_group(self, texts: Texts) -> Iterator[AskedQuestion]:
        """Yield the questions about a group whose replies are kept."""
        if not isinstance(texts.get("prompt"), list) or not all(isinstance(row["text"], str) for row in texts["rows"]):
            return
        fields = texts["fields"] if isinstance(texts["fields"], Mapping) else {}
        sample = Sample(id=str(texts["id"]), prompt=texts["prompt"], fields=fields)
        answers = [Completion(text=row["text"], messages=tuple(row.get("messages") or ())) for row in texts["rows"]]
        for name, asker in list(self._askers.items()):
            try:
                yield from asker.questions(sample, answers)
            except RewardlabError as error:
                self.why[name] = str(error)
                del self._askers[name]

    def close(self) -> None:
        """Close the files and the loop."""
        self._closing.close()


def _unasked(plan: Plan, planned: Component) -> str | None:
    """Return why the questions of a component cannot be made again or have no kept replies."""
    judges = [plan.judges[name] for name in planned.judges()]
    if any(judge.use.use == POLICY for judge in judges):
        return "the policy is its own judge, whose replies are not kept"
    if all(judge.spec.local for judge in judges):
        return "its judge is no model behind a server: it has no question and no reply in words"
    if planned.spec.runs != "async" or planned.spec.environment is not None or planned.spec.opens_workers:
        return "what it asks follows from a model of its own, which a report does not load"
    return None


def _elsewhere(source: Source) -> str:
    """Return what to say of replies that may stand in a recipe's cassette: `score` notes no cassettes."""
    return "" if isinstance(source.scored_by, Path) else "; nor is it known whether its recipe named a cassette"


class _Asker:
    """A component that asks judges who know kept replies and nothing else."""

    def __init__(self, name: str, plan: Plan, source: Source, home: LoopThread) -> None:
        self._name, self._in_group = name, plan.components[name].spec.scope == "group"
        self._asked: list[tuple[str, Ask, Reply]] = []
        self._closing = ExitStack()
        try:
            served = {judge_name: judge for judge_name, judge in plan.judges.items() if not judge.spec.local}
            judges = {judge_name: self._judge(judge_name, judge, source) for judge_name, judge in served.items()}
            if not any(judge.recorded.files for judge in judges.values()):  # of a panel, not all need be asked
                raise UserError(f"{source.name} keeps no replies of judge {next(iter(judges))!r}{_elsewhere(source)}")
            self._scorer = self._closing.enter_context(Scorer(replace(plan, sampler=None), judges=judges, home=home))
        except BaseException:
            self._closing.close()
            raise

    def _judge(self, name: str, planned: Component, source: Source) -> "_RecordedJudge":
        assert source.replies is not None
        cassette = planned.use.cassette
        recorded = RecordedReplies(source.replies, name, None if cassette is None else cassette.path)
        self._closing.callback(recorded.close)
        return _RecordedJudge(name, recorded, judge_identity(planned.spec, planned.use, planned.options), self._asked)

    def __enter__(self) -> "_Asker":
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()

    def questions(self, sample: Sample, answers: Sequence[Completion]) -> Iterator[AskedQuestion]:
        texts = [answer.text for answer in answers]
        for places in [range(len(answers))] if self._in_group else [[at] for at in range(len(answers))]:
            self._asked.clear()
            self._scorer.score_groups([Group(sample=sample, completions=[answers[at] for at in places])])
            for judge, ask, reply in self._asked:
                about = _places(texts, ask) if self._in_group else [places]
                yield AskedQuestion(component=self._name, judge=judge, about=about, ask=ask, reply=reply)


def _places(texts: Sequence[str], ask: Ask) -> list[list[int]]:
    sides = [[at for at, text in enumerate(texts) if text == ask.parts.get(side)] for side in ("a", "b")]
    return sides if all(sides) else []


@dataclass
class _RecordedJudge:
    """A judge that gives the replies that are kept, and notes what was asked."""

    name: str
    recorded: RecordedReplies
    identity: Mapping[str, Any]
    asked: list[tuple[str, Ask, Reply]]
    most_tokens: int | None = None

    async def ask(self, ask: Ask) -> Reply:
        reply = self.recorded.find(question_key(self.identity, ask))
        if reply is None:
            return Reply(error="no reply to this question is kept")
        self.asked.append((self.name, ask, reply))
        return reply

    def report_parsed(self, reply: Reply, ok: bool) -> None:
        """Hear nothing: this was counted when the question was asked."""
