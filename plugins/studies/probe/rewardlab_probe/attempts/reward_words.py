"""The words that a reward's own code looks for: its texts and patterns, as a policy would find them by chance one day.

A verifier that pays for a word, a file or a variable of the environment has its name in its code. Read are the
functions of a plugin in this process; a model, a judge and a worker in another environment have none to read.
"""

import os
import re
from collections.abc import Iterable
from itertools import islice

from rewardlab import redact
from rewardlab.plan import Plan

from rewardlab_probe.code_texts import code_texts

MAX_WORDS, MAX_LENGTH = 40, 80
"""How many words are taken, and how long each is at most."""
_KEY = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])\S{20}|://")
MIN_VALUE = 6
"""Characters of a value of the environment that is kept back."""


def reward_words(plan: Plan) -> list[str]:
    """Return words that the code of the total's components has, in the order of the code, without repetitions."""
    names = plan.expression.names if plan.expression else ()
    specs = [plan.components[name].spec for name in names if name in plan.components]
    return words_among(text for spec in specs for text in code_texts(getattr(spec, "function", spec.build)))


def words_among(texts: Iterable[str]) -> list[str]:
    """Return the texts of code that are words, without repetitions and what may be secret."""
    fit = (text.strip() for text in texts if re.search(r"\w", text) and text.isprintable())
    plain = (text for text in fit if 2 <= len(text) <= MAX_LENGTH and not _may_be_secret(text))
    return list(islice(dict.fromkeys(plain), MAX_WORDS))


def _may_be_secret(text: str) -> bool:
    """Return whether a text looks like a key, an address or a value of the environment, which no judge may be shown."""
    return bool(_KEY.search(text)) or redact(text) != text or (len(text) >= MIN_VALUE and text in os.environ.values())
