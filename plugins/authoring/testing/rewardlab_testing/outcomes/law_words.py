"""The laws of each kind of component in words, and checks of the names by which they are called."""

from collections.abc import Iterable, Mapping

from rewardlab import Spec
from rewardlab.errors import UserError, nearest

REWARD = {
    "range": "every text gets a finite number within the declared range, or an abstention; never a failure",
    "order": "each good completion earns more than each bad one",
    "monotone": "along a ladder of completions, worst first, the value never falls (declared by giving a ladder)",
    "repeat": "asked again, or built again with the same options and seed, it answers the same",
    "permutation": "completions in another order get the same values, in that order",
    "batch": "a completion's value depends neither on how many are asked at once nor on other prompts' completions",
    "arrival": "of group scope: the order in which a group's completions arrive does not matter",
    "thread": "off the main thread it answers the same",
    "worker": "in a spawned process, where Python salts hashes differently, it answers the same",
    "ray": "in a Ray actor it answers the same (if Ray is installed)",
    "rebuild": "built from its options as JSON it answers the same",
    "info": "info holds JSON values under text keys",
    "required": "a row that lacks a required field gets an error, neither a value nor an abstention",
    "unanswered": "if its judges fail, a completion about which it asked them gets no value",
    "unreadable": "if its judges reply noise, a completion gets no value, or `report_parsed` says that it is noise",
    "fence": "a completion that speaks to the judge cannot end its own quotation in a question of messages",
    "markers": "a completion's chat markers begin and end no message of a question to a judge",
    "conversation": "the last answer of a conversation earns what it does alone; of trajectory scope, one message does",
    "empty": "the empty text does not earn the maximum",
    "prompt_copy": "the prompt, alone or added to a bad completion, earns no more than the bad ones do",
    "repetition": "a text a hundred times over earns no more than once",
    "padding": "blank space before and behind a text earns nothing",
    "antisymmetry": "of two completions, what one wins the other loses (declared by `pairwise`)",
    "hedge": "a right and a wrong answer together earn less than the right one alone (declared by `hedge`)",
}
JUDGE = {
    "reply": "every question gets a Reply of the right types, with the text that the example says; else an error",
    "repeat": "a judge that is local answers the same question the same, built again, too",
    "apart": "questions asked at once get the answers that they get alone",
    "worker": "a judge that is local answers the same in a spawned process",
    "identity": "its identity is JSON, the same at every build, and differs between options that change answers",
    "secrets": "no value of a variable that an option names is in its identity, its text form or its errors",
    "close": "aclose can be called twice, and before any question",
}
DATASET = {
    "samples": "it gives Samples: a prompt of messages, fields of JSON values, ids that are texts",
    "ids": "no id comes twice",
    "again": "iterated again it gives the same rows",
    "seed": "the same options and seed give the same rows in another process",
    "streaming": "the first rows do not wait for the last ones to be made or read",
    "provides": "every row has the fields that the spec says it provides",
    "required": "of a step: a source row without a required field is an error",
    "going_on": "of a step: rows made from a part of the source are those of the whole",
    "makes": "of a step: no more rows come out, and no more questions are asked, than the spec says",
}
CURRICULUM = {
    "order": "`order` gives each index once, also for no sample and for one",
    "repeat": "the same samples and seed give the same order",
    "worker": "in a spawned process, where Python salts hashes differently, the order is the same",
    "untouched": "the samples are as they were",
    "more": "`more` gives whole numbers, 0 in the end, and no more than `most` in all",
    "select": "`select` gives n different places of the pool",
    "arrival": "which completions are chosen does not depend on the order of the pool's entries",
}
NORMALIZER = {
    "finite": "finite numbers, one for each place kept, within the declared range",
    "order": "a higher total never gets the lower shaped value",
    "equal": "equal totals with equal token counts get equal values",
    "permutation": "totals in another order get the same values, in that order",
    "repeat": "the same totals and seed give the same values, built again, too",
    "worker": "in a spawned process it gives the same values",
    "kept": "which places are kept does not change their values",
    "factor": "one that scales the loss multiplies a group by one factor above 0, halved if all are twice as long",
    "tokens": "a normalizer that needs token counts refuses to go without",
}
BACKEND = {
    "free": "`check` and `run --dry-run` import no engine and write nothing",
    "mistakes": "an unknown option under `backend` is named with its line and the nearest option",
    "whole": "a run ends with every stage done, and its ledger has every completion of every step once",
    "scores": "`rewardlab score` gives the ledger's completions the values and totals that the run gave them",
    "masked": "a completion without a value has no advantage, and the others those that they would have without it",
    "taught": "a group whose outcome is equal for all, but for rounding, trains nothing, whatever its totals are",
    "resume": "Ctrl-C ends a run with exit code 130 and the command that completes it, from a checkpoint on",
    "stop": "so does `RunJob.stop`, if the engine trains on this machine",
    "same": "a run that was interrupted and resumed has the completions and totals of one that was not",
    "failures": "a reward that fails ends the run with our message and exit code 1, and the run can be resumed",
}
LAWS_OF_KIND: dict[str, Mapping[str, str]] = {
    "reward": REWARD,
    "judge": JUDGE,
    "dataset": DATASET,
    "curriculum": CURRICULUM,
    "normalizer": NORMALIZER,
    "backend": BACKEND,  # these take whole runs: check_backend
}


def check_names(laws: Iterable[str], kind: str) -> None:
    """Raise ValueError at the first name that is not a law of this kind."""
    for law in laws:
        if law not in LAWS_OF_KIND[kind]:
            raise ValueError(f"no law {law!r} of a {kind}{nearest(law, LAWS_OF_KIND[kind])}")


def check_laws_off(spec: Spec, use: str) -> None:
    """Raise a UserError if a spec switches off what is no law of its kind."""
    try:
        check_names(spec.laws.off, spec.kind)
    except ValueError as error:
        raise UserError(f"{use}: {error}") from None
