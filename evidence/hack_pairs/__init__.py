"""Rewards that can be hacked beside ones that cannot: 228 pairs with the same task, after published collections.

    tasks           rows, right and careless completions
    lines           tasks of lines with labels, and what has them
    short_answers   verifiers of short answers
    countdown       verifiers of the countdown game, after Countdown-Code (2603.07084)
    programs        verifiers of programs, after djinn's kinds of exploits
    judged          judges with a bias, after CHERRL (2606.04923)
    form            the sound component beside each
    pairs           the first list: task, weak reward, sound reward, and the exploit that a policy may find
    recipes         the recipe of either half of a pair
    learner         a policy over ways to answer, trained by GRPO's advantages
    trial           one pair: probed, then trained, with alarms
    second, third, fourth, fifth   fifteen pairs more each, by four others
    sixth           63 pairs more, of which the author of 33 kept away from what people name first
    seventh         60 pairs more, likewise of 30
    frozen          brings the files of these two into the form of the others
    neutral         their rewards without a name or a comment that says what is weak
    sets            which pairs were known when the probe was made, and which not

As a plugin it is called `hacks`; `installed` puts it where rewardlab finds it.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rewardlab import RewardSpec, hookimpl

from hack_pairs import countdown, fifth, form, fourth, judged, programs, second, short_answers, third
from hack_pairs.judged import JUDGED
from hack_pairs.seventh import SEVENTH
from hack_pairs.sixth import SIXTH

VERIFIERS = (
    countdown,
    form,
    programs,
    short_answers,
    *second.VERIFIERS,
    *third.VERIFIERS,
    *fourth.VERIFIERS,
    *fifth.VERIFIERS,
)
judged.BIASES.update({**second.BIASES, **third.BIASES, **fourth.BIASES, **fifth.BIASES})
judged.SOUND.update({**second.SOUND, **fourth.SOUND, **fifth.SOUND})


@hookimpl
def rewardlab_rewards() -> Sequence[RewardSpec]:
    """Offer the verifiers, the form, and the reward that asks a judge."""
    found = [value for module in VERIFIERS for value in vars(module).values()]
    return [JUDGED, *SIXTH.rewards, *SEVENTH.rewards, *(value for value in found if isinstance(value, RewardSpec))]


@contextmanager
def installed(name: str = "hacks", module: str = "hack_pairs") -> Iterator[None]:
    """Have rewardlab find this package, or a module of it, as the plugin `name`."""
    with tempfile.TemporaryDirectory() as folder:
        about = Path(folder) / f"{name}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(f"[rewardlab]\n{name} = {module}\n")
        sys.path.insert(0, folder)
        try:
            yield
        finally:
            sys.path.remove(folder)
