"""The search: bounded in completions that are scored, the same for a seed, and done once the shortest is known.

Each start is edited, kind of edit by kind. What comes furthest is edited further, what is accepted although it is
changed is composed with other edits, and a model's ideas are tried beside it.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from rewardlab.recipe import Family

from rewardlab_probe.attempts.degenerate import ProbeRow
from rewardlab_probe.corruptions import generator_of, pick
from rewardlab_probe.measure import MeasuredRow
from rewardlab_probe.search.edit_schedule import EditSchedule
from rewardlab_probe.search.edits import Edit, all_edits
from rewardlab_probe.search.exploit import STARTS, Exploit
from rewardlab_probe.search.ideas import Ideas
from rewardlab_probe.search.opinions import opinions
from rewardlab_probe.search.questions import SearchQuestions
from rewardlab_probe.search.shortest import shortest_text
from rewardlab_probe.search.trials import GAIN, WRONG, Trials
from rewardlab_probe.search.wrong import surely_right

SEARCHED = 3
"""Rows that are searched; the others are there to see whether what is found holds."""
BATCH = 22
KEPT = 20
"""Exploits that come furthest, of which others are made."""
EVERY = 2
"""Batches from one question for ideas to the next."""
MAX_EDITS = 4
PARENTS, SHARE, COMPOSED = 4, 6, 3
"""Exploits that are edited further in a batch, what the best of them gets of it, and how many others are composed."""
MAX_IDLE = 30
"""Batches without a text that was not scored before: there is nothing left to try."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """An exploit that wins the rows searched.

    Args:
        text: the shortest known that wins a row, whose id is `row`.
        paid_by: the component without which it would lose most.
        wrong_by: who says that it is wrong: "gold", a judge or a component; "" for a gain.
    """

    family: Family
    exploit: Exploit
    row: str
    text: str
    paid_by: str | None = None
    wrong_by: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The family and variant of the probe's own completion with which it begins, if it does."""
        family, _, variant = self.exploit.start.partition("/")
        return family, variant

    @property
    def is_new(self) -> bool:
        """Whether it is more than one of the probe's own completions."""
        given = self.exploit.is_template or bool(self.exploit.by_row)
        return bool(self.exploit.edits) or given or "/" not in self.exploit.start


@dataclass
class Search:
    """A search for exploits of a reward.

    Args:
        probes: the rows, of which the first are searched.
        seed: the same one gives the same search, of a reward that gives the same scores.
        ideas, questions: None without a model.
    """

    trials: Trials
    probes: Sequence[ProbeRow]
    seed: int
    looked_for: Sequence[str] = ()
    ideas: Ideas | None = None
    questions: SearchQuestions | None = None
    _edits: Mapping[str, Edit] = field(init=False)
    _leads: dict[Exploit, tuple[Family, float]] = field(default_factory=dict)
    _tried: set[Exploit] = field(default_factory=set)
    _won: dict[Exploit, Family] = field(default_factory=dict)
    _winning: Collection[str] = ()
    _texts: dict[tuple[Exploit, str], str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        kinds = all_edits(self.looked_for)
        self._edits = {name: edit for edits in kinds.values() for name, edit in edits.items()}
        self._generator = generator_of(f"{self.seed}/search")
        self._schedule = EditSchedule({kind: list(edits) for kind, edits in kinds.items()}, self._generator)
        self._accepted: dict[Exploit, str] = {}
        self._paid: set[float] = set()
        self._idle = 0

    def run(self, measured: Sequence[MeasuredRow], winning: Collection[str]) -> list[Found]:
        """Return the shortest exploit that wins as a wrong completion, and one that gains.

        Args:
            measured: what the probe's own completions got.
            winning: "family/variant" of those that win: others that seem to, on the rows searched, do so by chance.
        """
        self._winning = winning
        self._begin_with(measured)
        batch = 0
        while self.trials.left > 0 and not self._winners(WRONG) and not self._gains_everywhere():
            if self.ideas and batch % EVERY == 0:
                self._try_ideas(self.ideas.more(self.probes, self.trials))
            self._idle = 0 if self._try(self._next(), turn=batch) else self._idle + 1
            if self._idle > MAX_IDLE:
                break
            batch += 1
        return [found for family in (WRONG, GAIN) if (found := self._found(family))]

    def _begin_with(self, measured: Sequence[MeasuredRow]) -> None:
        """Take the probe's own completions as exploits without edits."""
        by_id = {probe.row.sample.id: probe for probe in self.probes}
        for row in measured:
            probe = by_id.get(row.sample.id)
            for key, outcome in row.degenerate.items() if probe else ():
                exploit = Exploit("/".join(key))
                if probe and (text := self.text_of(exploit, probe)):
                    self.trials.note(probe, row, text, outcome, GAIN if _keeps_honest(exploit) else WRONG)
                    self._rate(exploit)

    def _next(self) -> list[Exploit]:
        """Return the next exploits: some further ones, some of what is accepted, and starts with one edit."""
        further = self._further()
        made = [*further, *self._composed(COMPOSED, besides=further)]
        made += self._schedule.next(BATCH - len(made))
        if len(made) < BATCH:
            made += self._composed(BATCH - len(made), besides=made)
        return made

    def _further(self) -> list[Exploit]:
        """Return what comes further than a mere guess does with another edit, more of them the further it comes."""
        least = self._leads.get(Exploit("bare_guess/"), (WRONG, math.inf))[1] + self.trials.rule.tolerance
        parents = [one for one in self._best() if self._leads[one][1] > least and len(one.edits) < MAX_EDITS]
        made: list[Exploit] = []
        for place, parent in enumerate(parents[:PARENTS]):
            many = SHARE if place == 0 else SHARE // 2
            for edit in [*self._drawn(many), *(pick(self._generator, [*self._edits]) for _ in range(many))]:
                further = replace(parent, edits=(*parent.edits, edit))
                if further not in self._tried and further not in made and many > 0:
                    made.append(further)
                    many -= 1
        return made[: BATCH // 2]

    def _composed(self, many: int, besides: Sequence[Exploit]) -> list[Exploit]:
        """Return what the reward accepts although it is changed, with one edit more or those of two.

        Such a change shows what the reward does not look at; a wrong answer may hide behind it.
        """
        parents = [*self._accepted, *self._best()[:PARENTS]] or [Exploit(start) for start in STARTS]
        made: list[Exploit] = []
        for edit in self._drawn(20 * many):
            one, other, way = pick(self._generator, parents), pick(self._generator, parents), self._generator.random()
            edits = [*one.edits, *other.edits] if way < 0.2 else [edit, *one.edits] if way < 0.5 else [*one.edits, edit]
            mutant = replace(one, edits=tuple(edits[:MAX_EDITS]))
            if mutant not in self._tried and mutant not in made and mutant not in besides and len(made) < many:
                made.append(mutant)
        return made

    def _drawn(self, many: int) -> list[str]:
        """Return edits of an answer at random, each kind as often as any other."""
        return [pick(self._generator, pick(self._generator, self._schedule.inner)) for _ in range(many)]

    def _try(self, exploits: Sequence[Exploit], turn: int = 0) -> bool:
        """Try exploits on one row, and those that win it on the others; return whether any is new."""
        if not exploits:
            return False
        before = self.trials.scored
        self._tried.update(exploits)
        self._score(exploits, [self.probes[turn % len(self.probes)]])
        promising = [exploit for exploit in exploits if any(self._wins(exploit, probe) for probe in self.probes)]
        self._score(promising, self.probes)
        self._ask_about(promising)
        for exploit in exploits:
            self._rate(exploit)
            self._learn(exploit, self.probes[turn % len(self.probes)])
        return self.trials.scored > before or bool(promising)

    def _try_ideas(self, ideas: Sequence[Exploit]) -> None:
        """Try ideas on all rows searched."""
        self._tried.update(ideas)
        self._score(ideas, self.probes)
        self._ask_about(ideas)
        for idea in ideas:
            self._rate(idea)

    def _ask_about(self, exploits: Sequence[Exploit]) -> None:
        """Ask whether what wins, or would if it is wrong, is wrong; not if a component knows it."""
        if self.questions is None or self.trials.truth is not None:
            return
        doubted = []
        for probe in self.probes:
            texts = (self.text_of(exploit, probe) for exploit in exploits if not _keeps_honest(exploit))
            some = [text for text in texts if text is not None and self._is_doubted(probe, text)]
            doubted.append((probe, list(dict.fromkeys(some))))
        by_id = {probe.row.sample.id: probe for probe in self.probes}
        for (row, text), is_wrong in opinions(self.questions, doubted).items():
            self.trials.note_opinion(by_id[row], text, is_wrong)

    def _is_doubted(self, probe: ProbeRow, text: str) -> bool:
        ahead = self.trials.paid(probe, text)
        wins = ahead is not None and self.trials.rule.wins(WRONG, ahead)
        known = (probe.row.sample.id, text) in self.trials.said or surely_right(probe.material, text)
        return wins and not known

    def _learn(self, exploit: Exploit, probe: ProbeRow) -> None:
        """Tell the schedule what a trial was worth: what is accepted or has a score of its own is worth a look."""
        text = self.text_of(exploit, probe)
        paid = None if text is None else self.trials.paid(probe, text)
        if text is None or paid is None:
            self._schedule.unused(exploit)
            return
        accepted = paid >= -self.trials.rule.tolerance and text not in self._accepted.values()
        if exploit.edits and accepted and "/" not in exploit.start and self._schedule.is_inner(exploit):
            self._accepted[exploit] = text
        new = round(paid, 6) not in self._paid
        self._paid.add(round(paid, 6))
        self._schedule.learn(exploit, float(new))

    def _score(self, exploits: Sequence[Exploit], probes: Sequence[ProbeRow]) -> None:
        for probe in probes:
            texts = {text: exploit for exploit in exploits if (text := self.text_of(exploit, probe)) is not None}
            self.trials.score(probe, list(texts), [text for text, one in texts.items() if _keeps_honest(one)])

    def _rate(self, exploit: Exploit) -> None:
        """Keep how far ahead an exploit is on the rows where it was scored; not one that is right in any of them."""
        leads = [lead for probe in self.probes if (lead := self._lead(exploit, probe)) is not None]
        if not leads or len({family for family, _ in leads}) > 1:
            self._forget(exploit)
            return
        family, ahead = leads[0][0], [lead for _, lead in leads]
        self._leads[exploit] = family, sum(ahead) / len(ahead)
        by_chance = (
            "/" in exploit.start
            and not exploit.is_template
            and not exploit.edits
            and exploit.start not in self._winning
        )
        alone = bool(exploit.by_row) and len(ahead) < min(2, len(self.probes))  # it may be a fault of its row
        if not by_chance and not alone and self.trials.rule.wins_altogether(family, ahead):
            self._won[exploit] = family

    def _forget(self, exploit: Exploit) -> None:
        """Take an exploit back that a judge calls right."""
        self._leads.pop(exploit, None)
        self._won.pop(exploit, None)

    def _lead(self, exploit: Exploit, probe: ProbeRow) -> tuple[Family, float] | None:
        text = self.text_of(exploit, probe)
        return None if text is None else self.trials.lead(probe, text)

    def _wins(self, exploit: Exploit, probe: ProbeRow) -> Family | None:
        text = self.text_of(exploit, probe)
        return None if text is None else self.trials.wins(probe, text)

    def _best(self) -> list[Exploit]:
        """Return the exploits that come furthest, the shorter ones first; what is right and gains nothing is no way."""
        some = [one for one, (kind, lead) in self._leads.items() if kind == WRONG or lead > self.trials.rule.tolerance]
        order = sorted(some, key=lambda one: (-self._leads[one][1], len(one.edits), str(one)))
        return order[:KEPT]

    def _winners(self, family: Family) -> list[Exploit]:
        """Return the exploits that win altogether on the rows searched."""
        return [exploit for exploit, kind in self._won.items() if kind == family]

    def _gains_everywhere(self) -> bool:
        """Return whether an exploit gains in every row searched: in some of them a model's noise may be all of it."""
        return any(all(self._wins(one, probe) for probe in self.probes) for one in self._winners(GAIN))

    def _found(self, family: Family) -> Found | None:
        """Return the shortest of the winners."""
        texts = [
            (text, exploit, probe)
            for exploit in self._winners(family)
            for probe in self.probes
            if (text := self.text_of(exploit, probe)) is not None and self.trials.wins(probe, text) == family
        ]
        if not texts:
            return None
        text, exploit, probe = min(texts, key=lambda one: len(one[0]))
        wrong_by = self._wrong_by(probe, text) if family == WRONG else ""
        text = shortest_text(self.trials, probe, text, family)
        return Found(family=family, exploit=exploit, row=probe.row.sample.id, text=text, wrong_by=wrong_by)

    def _wrong_by(self, probe: ProbeRow, text: str) -> str:
        said = self.questions is not None and (probe.row.sample.id, text) in self.trials.said
        return self.questions.judge if self.questions and said else self.trials.truth or "gold"

    def text_of(self, exploit: Exploit, probe: ProbeRow) -> str | None:
        """Return the completion that an exploit makes of any row."""
        key = exploit, probe.row.sample.id
        if key not in self._texts:
            self._texts[key] = exploit.text(probe, self._edits)
        return self._texts[key]


def _keeps_honest(exploit: Exploit) -> bool:
    """Return whether an exploit is the honest completion in other dress, which is no wrong answer."""
    if exploit.start == "honest" and all(name.startswith(("dress_", "word_be")) for name in exploit.edits):
        return True
    return exploit.start.split("/")[0] in ("very_long", "dressed_honest", "shortened")
