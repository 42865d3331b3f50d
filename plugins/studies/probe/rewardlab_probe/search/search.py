"""The search: bounded in completions that are scored, the same for a seed, and done once the shortest is known.

First each edit is tried on each start. What comes furthest is edited further, and a model's ideas are tried beside it.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from rewardlab.recipe import Family

from rewardlab_probe.attempts.degenerate import ProbeRow
from rewardlab_probe.corruptions import generator_of, pick
from rewardlab_probe.measure import MeasuredRow
from rewardlab_probe.search.edits import Edit, all_edits
from rewardlab_probe.search.exploit import STARTS, Exploit
from rewardlab_probe.search.ideas import Ideas
from rewardlab_probe.search.shortest import shortest_text
from rewardlab_probe.search.trials import GAIN, WRONG, Trials

SEARCHED = 3
"""Rows that are searched; the others are there to see whether what is found holds."""
BATCH = 22
KEPT = 20
"""Exploits that come furthest, of which others are made."""
EVERY = 4
"""Batches between two questions to a model."""
MAX_EDITS = 4


@dataclass(frozen=True, kw_only=True)
class Found:
    """An exploit that wins the rows searched.

    Args:
        text: the shortest known that wins a row, whose id is `row`.
        paid_by: the component without which it would lose most.
    """

    family: Family
    exploit: Exploit
    row: str
    text: str
    paid_by: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """The family and variant of the probe's own completion with which it begins, if it does."""
        family, _, variant = self.exploit.start.partition("/")
        return family, variant

    @property
    def is_new(self) -> bool:
        """Whether it is more than one of the probe's own completions."""
        return bool(self.exploit.edits) or self.exploit.is_template or "/" not in self.exploit.start


@dataclass
class Search:
    """A search for exploits of a reward.

    Args:
        probes: the rows, of which the first are searched.
        seed: the same one gives the same search, of a reward that gives the same scores.
        ideas: None without a model.
    """

    trials: Trials
    probes: Sequence[ProbeRow]
    seed: int
    looked_for: Sequence[str] = ()
    ideas: Ideas | None = None
    _edits: Mapping[str, Edit] = field(init=False)
    _leads: dict[Exploit, tuple[Family, float]] = field(default_factory=dict)
    _tried: set[Exploit] = field(default_factory=set)
    _won: dict[Exploit, Family] = field(default_factory=dict)
    _winning: Collection[str] = ()
    _texts: dict[tuple[Exploit, str], str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._edits = all_edits(self.looked_for)
        self._generator = generator_of(f"{self.seed}/search")

    def run(self, measured: Sequence[MeasuredRow], winning: Collection[str]) -> list[Found]:
        """Return the shortest exploit that wins as a wrong completion, and one that gains.

        Args:
            measured: what the probe's own completions got.
            winning: "family/variant" of those that win: others that seem to, on the rows searched, do so by chance.
        """
        self._winning = winning
        self._begin_with(measured)
        waiting, batch = self._first(), 0
        while self.trials.left > 0 and not self._winners(WRONG) and not self._gains_everywhere():
            if self.ideas and batch % EVERY == 0:
                self._try(self.ideas.more(self.probes[batch // EVERY % len(self.probes)], self._best()))
            further = list(islice(self._further(), BATCH // 2))
            made = [*further, *islice(waiting, BATCH - len(further))]
            if not self._try(made or self._mutants(), turn=batch) and not made:
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

    def _first(self) -> Iterator[Exploit]:
        """Yield each start with each edit in random order; the honest one's first, of which most is made."""
        for starts in (STARTS[:1], STARTS[1:]):
            pairs = list(product(starts, self._edits))
            while pairs:
                start, edit = pairs.pop(int(self._generator.random() * len(pairs)))
                yield Exploit(start, (edit,))

    def _further(self) -> Iterator[Exploit]:
        """Yield what comes further than a mere guess does with each edit behind it, the furthest first."""
        least = self._leads.get(Exploit("bare_guess/"), (WRONG, math.inf))[1] + self.trials.rule.tolerance
        for exploit in self._best():
            if exploit.edits and self._leads[exploit][1] > least and len(exploit.edits) < MAX_EDITS:
                for edit in self._edits:
                    further = Exploit(exploit.start, (*exploit.edits, edit), exploit.is_template)
                    if further not in self._tried:
                        yield further

    def _mutants(self) -> list[Exploit]:
        """Return exploits made of those that come furthest: one edit more, one less, or those of two of them."""
        best = self._best() or [Exploit(start) for start in STARTS]
        names = list(self._edits)
        made = []
        for _ in range(20 * BATCH):
            one, other, way = pick(self._generator, best), pick(self._generator, best), self._generator.random()
            edits = [*one.edits]
            if way < 0.2 and edits:
                edits.pop(int(self._generator.random() * len(edits)))
            elif way < 0.4:
                edits += other.edits
            else:
                edits.insert(int(self._generator.random() * (len(edits) + 1)), pick(self._generator, names))
            mutant = Exploit(one.start, tuple(edits[:MAX_EDITS]), one.is_template)
            if mutant not in self._tried and mutant not in made:
                made.append(mutant)
        return made[:BATCH]

    def _try(self, exploits: Sequence[Exploit], turn: int = 0) -> bool:
        """Try exploits on one row, and those that win it on the others; return whether any is new."""
        if not exploits:
            return False
        before = self.trials.scored
        self._tried.update(exploits)
        self._score(exploits, [self.probes[turn % len(self.probes)]])
        promising = [exploit for exploit in exploits if any(self._wins(exploit, probe) for probe in self.probes)]
        self._score(promising, self.probes)
        for exploit in exploits:
            self._rate(exploit)
        return self.trials.scored > before or bool(promising)

    def _score(self, exploits: Sequence[Exploit], probes: Sequence[ProbeRow]) -> None:
        for probe in probes:
            texts = {text: exploit for exploit in exploits if (text := self.text_of(exploit, probe)) is not None}
            self.trials.score(probe, list(texts), [text for text, one in texts.items() if _keeps_honest(one)])

    def _rate(self, exploit: Exploit) -> None:
        """Keep how far ahead an exploit is on the rows where it was scored; not one that is right in any of them."""
        leads = [lead for probe in self.probes if (lead := self._lead(exploit, probe)) is not None]
        if not leads or len({family for family, _ in leads}) > 1:
            return
        family, ahead = leads[0][0], [lead for _, lead in leads]
        self._leads[exploit] = family, sum(ahead) / len(ahead)
        by_chance = (
            "/" in exploit.start
            and not exploit.is_template
            and not exploit.edits
            and exploit.start not in self._winning
        )
        if not by_chance and self.trials.rule.wins_altogether(family, ahead):
            self._won[exploit] = family

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
        text = shortest_text(self.trials, probe, text, family)
        return Found(family=family, exploit=exploit, row=probe.row.sample.id, text=text)

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
