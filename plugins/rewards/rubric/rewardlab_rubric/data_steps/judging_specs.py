"""The specs of the data steps."""

from rewardlab import Ask, DatasetSpec
from rewardlab.laws import Laws

from rewardlab_rubric.data_steps.judging_options import AgreeingOptions, DistilledOptions, PreferencesOptions
from rewardlab_rubric.options import TranslatedTextsOptions

ROWS = "rewardlab_rubric.strategies.unasked_rows"


def judging_specs() -> list[DatasetSpec]:
    """Return the specs of all data steps of this plugin."""
    return [
        DatasetSpec(
            name="distilled",
            summary="rows to train a judge on: a teacher's thoughts and verdicts (a data step)",
            config=DistilledOptions,
            step=True,
            requires=_distilled_needs,
            abstains=f"{ROWS}:without_texts",
            needs_files=f"{ROWS}:texts_files",
            judges=("teacher", "translator"),
            calls=_distilled_calls,
            makes=lambda options, rows: rows * options.draws,
            question=_distilled_question,
            build="rewardlab_rubric.data_steps.distilled:DistilledRows",
            laws=Laws(examples="rewardlab_rubric.data_steps.judging_examples:distilled"),
        ),
        DatasetSpec(
            name="agreeing",
            summary="rows with right scores that are not too easy for a small model (a data step)",
            config=AgreeingOptions,
            step=True,
            requires=lambda options: [options.gold, *options.scores, *options.whole],
            judges=("judge",),
            calls=lambda options, rows: 0 if options.judge is None else rows * options.draws,
            build="rewardlab_rubric.data_steps.consensus_filter:AgreeingRows",
            laws=Laws(examples="rewardlab_rubric.data_steps.judging_examples:agreeing"),
        ),
        DatasetSpec(
            name="preferences",
            summary="pairs of chosen and rejected answers for dpo, by any judge (a data step)",
            config=PreferencesOptions,
            step=True,
            requires=_preferences_needs,
            abstains=f"{ROWS}:without_texts",
            needs_files=f"{ROWS}:texts_files",
            judges=("policy", "judge"),
            calls=_preferences_calls,
            question=_preferences_question,
            build="rewardlab_rubric.data_steps.preferences:PreferenceRows",
            laws=Laws(examples="rewardlab_rubric.data_steps.judging_examples:preferences"),
        ),
        DatasetSpec(
            name="translated_texts",
            summary="texts for questions in further languages, and a rubric's translations (a data step)",
            config=TranslatedTextsOptions,
            provides=("language", "texts", "rubric", "rubric_sha"),
            step=True,
            requires=lambda options: [options.language],
            judges=("translator",),
            calls="rewardlab_rubric.data_steps.translated_texts:calls",
            question="rewardlab_rubric.data_steps.translated_texts:first_question",
            makes="rewardlab_rubric.data_steps.translated_texts:makes",
            build="rewardlab_rubric.data_steps.translated_texts:TranslatedTexts",
            laws=Laws(examples="rewardlab_rubric.data_steps.translated_texts_examples:translated_texts"),
        ),
    ]


def _distilled_needs(options: DistilledOptions) -> list[str]:
    return options.needs


def _distilled_calls(options: DistilledOptions, rows: int) -> int:
    translated = 0 if options.translator is None else 2 * options.candidates  # thoughts and explanation
    return rows * options.draws * (1 + len(options.also) + translated)


def _distilled_question(options: DistilledOptions) -> dict[str, list[Ask]]:
    """Return the teacher's question by each strategy; the translator's are left out."""
    from rewardlab_rubric.first_question import first_question

    return {"teacher": [first_question(options.reward_by(strategy)) for strategy in (options.asked_by, *options.also)]}


def _preferences_question(options: PreferencesOptions) -> dict[str, Ask]:
    from rewardlab_rubric.first_question import first_question

    return {"judge": first_question(options.reward)}


def _preferences_needs(options: PreferencesOptions) -> list[str]:
    return options.needs


def _preferences_calls(options: PreferencesOptions, rows: int) -> int:
    from rewardlab_pairwise.pairwise_reward import most_calls

    size, reward = options.candidates, options.reward
    judged = size if options.asks != "pairwise" else most_calls(reward, size)
    return rows * (judged + (0 if options.policy is None else size))
