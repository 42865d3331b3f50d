"""The probe of a callable: from its name and rows to a report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from rewardlab.commands import file_of
from rewardlab.errors import JobError, UserError, nearest
from rewardlab.recipe import FAMILIES
from rewardlab.text import Progress, counted

from rewardlab_probe.attempts.degenerate import LONG, ProbeRow, probe_rows
from rewardlab_probe.attempts.reward_words import words_among
from rewardlab_probe.callables.behaviour import CHECKS_OF_BEHAVIOUR, behaviour
from rewardlab_probe.callables.further_checks import CHECKS_OF_GRADERS, CheckedGrader, tried, unpaid
from rewardlab_probe.callables.grader_process import Behaviour, GraderProcess
from rewardlab_probe.callables.reproduction import Reproducer, line_of_winner
from rewardlab_probe.callables.scored_rows import ScoredTexts, measured_groups
from rewardlab_probe.callables.signatures import SIGNATURES, CallPlan, Parameters, SignatureName, seen_signature
from rewardlab_probe.callables.troubles import TROUBLE_CHECKS, troubles
from rewardlab_probe.checks import Status, floor_of
from rewardlab_probe.findings import FLOOR_CHECK, Finding, Level, floor_finding, winners
from rewardlab_probe.honest_row import HonestRow
from rewardlab_probe.job import ROWS, THOROUGH, ProbeResult, ProbeSlice
from rewardlab_probe.measure import ProbeGroup, probe_groups
from rewardlab_probe.response_form import response_parts
from rewardlab_probe.rows import RowRequirements, choose_rows, read_rows
from rewardlab_probe.verdicts import WinRule, slices, verdicts

DEADLINE, MEMORY, SLOW = 10.0, 4.0, 2.0
"""Seconds for a call, GB that it may add, and seconds of processor time that it may take for 100 kB."""

CHECKS = (*CHECKS_OF_GRADERS, *TROUBLE_CHECKS, *CHECKS_OF_BEHAVIOUR)
"""The checks of graders, beside the families of degenerate completions."""

GraderStatus = Literal[Status, "note"]
"""The status of a check of graders: a note fails nothing."""


@dataclass(frozen=True, kw_only=True)
class CallableReport:
    """The report on a callable.

    Args:
        seen: whether its signature was seen from the names of its parameters, and not said.
        checks: check of graders -> its status; those of RFC 008 are in `probed`.
    """

    target: str
    signature: SignatureName
    seen: bool
    parameters: Parameters
    probed: ProbeResult
    findings: Sequence[Finding]
    checks: Mapping[str, GraderStatus]
    behaviour: Behaviour

    @property
    def ok(self) -> bool:
        """Whether no finding fails the probe."""
        return not any(finding.fails for finding in self.findings)


@dataclass(frozen=True, kw_only=True)
class CallableProbe:
    """A probe of a callable to run.

    Args:
        target: "package.module:function" or "file.py:function"; `.attribute` and `()` may stand behind the name.
        rows: a file of rows, each with an honest completion.
        signature: None to see it from the names of the parameters.
        python: the interpreter of another environment. path: folders that its modules may be in.
        deadline, memory, network: the bounds of a call (see `GraderProcess`).
        slow: seconds of processor time that it may take for a long text.
        known: family or check -> why it is so on purpose.
        most, honest, reference, by, rule, thorough, long, margin, skip_bad, say: as of `ProbeJob`.
    """

    target: str
    rows: str
    signature: SignatureName | None = None
    python: str | None = None
    path: Sequence[str] = (".",)
    deadline: float = DEADLINE
    memory: float = MEMORY
    network: bool = False
    slow: float = SLOW
    known: Mapping[str, str] = field(default_factory=dict)
    most: int = ROWS
    honest: str | None = None
    reference: str = "reference"
    by: Sequence[str] = ()
    rule: WinRule = field(default_factory=WinRule)
    thorough: int = THOROUGH
    long: int = LONG
    margin: float = 0.0
    skip_bad: bool = False
    say: Callable[[str], None] = lambda text: None

    def run(self) -> CallableReport:
        """Run the probe.

        A UserError if the callable cannot be imported or the rows lack what it needs, a JobError if it scores none of
        their honest completions.
        """
        if self.signature is not None and self.signature not in SIGNATURES:
            raise UserError(f"no signature {self.signature!r}; there are {', '.join(SIGNATURES)}")
        names = (*FAMILIES, FLOOR_CHECK, *CHECKS)
        for name in self.known:
            if name not in names:
                raise UserError(f"no family or check {name!r}{nearest(name, names)}", where="known")
        _refuse_target(self.target)
        rows = self._rows()
        with self._opened() as grader:
            plan = self._call_plan(grader, rows)
            made = probe_rows(rows, self.long, looked_for=words_among(grader.texts))
            return self._report(grader, plan, [_without_right_ones(probe) for probe in made])

    def _rows(self) -> list[HonestRow]:
        read = read_rows(self.rows, RowRequirements(honest=self.honest, reference=self.reference))
        read.bad.refuse(read.place, len(read.rows), "to probe with", self.skip_bad, self.say)
        return choose_rows(read.rows, self.most)

    def _opened(self, salt: str = "") -> GraderProcess:
        return GraderProcess(
            self.target,
            python=self.python,
            path=self.path,
            deadline=self.deadline,
            memory=self.memory,
            network=self.network,
            salt=salt,
        )

    def _call_plan(self, grader: GraderProcess, rows: Sequence[HonestRow]) -> CallPlan:
        """Return how it is called. A UserError if no signature is seen, or rows lack an argument."""
        messages = all(row.sample.fields.get("messages") is not None or len(row.sample.prompt) > 1 for row in rows)
        signature = self.signature or seen_signature(grader.parameters, messages)
        plan = CallPlan(signature=signature, parameters=grader.parameters)
        for row in rows:
            if not plan.arguments(row.sample, [""]):
                raise UserError("it takes nothing by name; wrap it in a function that does", where=self.target)
            if lacking := plan.lacking(row.sample):
                needed = f"it needs {', '.join(lacking)}, and the row {row.sample.id!r} has no such column"
                called = f"called as {signature}: {grader.parameters}"
                raise UserError(f"{needed}; {called}", where=self.target)
        return plan

    def _report(self, grader: GraderProcess, plan: CallPlan, probes: Sequence[ProbeRow]) -> CallableReport:
        scored = ScoredTexts(grader, plan)
        _refuse_unscored(scored, [probe.row for probe in probes])
        reproducer = Reproducer(target=self.target, plan=plan, path=self.path)
        groups = list(probe_groups(probes, self.thorough))
        asked = CheckedGrader(
            scored=scored,
            rows=[probe.row for probe in probes],
            wrong={probe.row.sample.id: probe.texts["bare_guess"] for probe in probes if "bare_guess" in probe.texts},
            reproducer=reproducer,
            tolerance=self.rule.tolerance,
            slow=self.slow,
            other=partial(self._opened, salt="1"),
        )
        probed, further, skipped = self._measured(asked, groups)
        every = [
            *winners(probed, partial(line_of_winner, reproducer, groups)),
            *([] if probed.failing else floor_finding(probed)),
            *troubles(scored, reproducer),
            *further,
            *behaviour(grader, self.network),
        ]
        findings = [replace(finding, known=self.known.get(finding.check, "")) for finding in every]
        levels: Mapping[Level, GraderStatus] = {"note": "note", "error": "fail"}
        failed = {finding.check: levels[finding.level] for finding in findings}
        return CallableReport(
            target=self.target,
            signature=plan.signature,
            seen=self.signature is None,
            parameters=grader.parameters,
            probed=probed,
            findings=findings,
            checks={name: "skip" if name in skipped else failed.get(name, "pass") for name in CHECKS},
            behaviour=grader.behaviour,
        )

    def _measured(
        self, asked: CheckedGrader, groups: Sequence[ProbeGroup]
    ) -> tuple[ProbeResult, list[Finding], set[str]]:
        """Return the probe's result, the findings of the further checks, and which of these could not be tried."""
        with Progress("probing", total=len(groups)) as bar:
            measured = []
            for row in measured_groups(asked.scored, groups):
                measured.append(row)
                bar.update()
        further: list[Finding] = []
        skipped = {name for name in CHECKS_OF_GRADERS if not tried(name, asked)}
        for name, check in CHECKS_OF_GRADERS.items():
            before = asked.scored.grader.behaviour.troubles["not_asked"]
            seen = [*check(asked)] if name not in skipped else []
            further += seen
            if not seen and asked.scored.grader.behaviour.troubles["not_asked"] > before:
                skipped.add(name)  # a grader that was given up was not asked for it
        rule = replace(self.rule, noisy=any(finding.check == "determinism" for finding in further))
        wrong = {row.sample.id for row, _ in unpaid(asked)}  # what ties with these proves nothing
        kept = [row for row in measured if row.honest.total is not None and row.sample.id not in wrong]
        dropped = sum(row.first for row in measured) - sum(row.first for row in kept)
        if dropped:
            lost = f"{counted(dropped, 'honest completion')} got no score, or less than others"
            self.say(f"warning: {lost}; their rows count nowhere")
        sliced = [("all", kept), *slices(kept, self.by)]
        parts = [ProbeSlice(name=name, rows=rows, verdicts=verdicts(rows, rule)) for name, rows in sliced]
        floor = floor_of(parts[0].verdicts, self.margin)
        known = {family: self.known[family] for family in FAMILIES if family in self.known}
        probed = ProbeResult(total=self.target, slices=parts, known=known, floor=floor, dropped=dropped)
        return probed, further, skipped


def _without_right_ones(probe: ProbeRow) -> ProbeRow:
    """Return a row without the words in the place of an answer that are its answer: yes, for {"answer": "yes"}."""
    right = {text.casefold() for text in probe.row.given}
    said = {each.text: response_parts(each.text).answer or each.text for each in probe.attempts}
    attempts = [
        each for each in probe.attempts if each.family != "no_answer" or said[each.text].casefold() not in right
    ]
    return replace(probe, attempts=attempts)


def _refuse_target(target: str) -> None:
    """Raise a UserError if a target names no function, or a file that is not there."""
    place, _, name = target.partition(":")
    if not place or not name:
        raise UserError("names no function; write package.module:function, or file.py:function", where=target)
    if place.endswith(".py") and not Path(place).is_file():
        raise UserError(f"no such file in {Path.cwd()}", where=place)


def _refuse_unscored(scored: ScoredTexts, rows: Sequence[HonestRow]) -> None:
    """Raise a JobError if no honest completion gets a score: the grader lacks something, or is asked wrongly."""
    results = [scored.ask(row.sample, [row.honest])[0] for row in rows]
    if not any(result.values and result.values[0] is not None for result in results):
        last = results[-1].why or "it returns None"
        raise JobError(f"none of {counted(len(rows), 'honest completion')} gets a score; last: {last}")


def probe_callable(target: str, rows: Any, **options: Any) -> CallableReport:
    """Probe a grader that is a function, and return the report on it.

        report = probe_callable("my_rewards:exact", "rows.jsonl", deadline=5)

    Args:
        rows: a file, or the rows themselves, each with an honest completion.
        options: the other fields of `CallableProbe`: signature, python, path, deadline, memory, network, known, ...

    Raises a UserError if it cannot be imported or the rows lack what it needs, a JobError if it scores no honest
    completion.
    """
    with file_of(rows, options.get("say", lambda text: None)) as (file, say):
        assert file is not None
        return CallableProbe(target=target, rows=file, **{**options, "say": say}).run()
