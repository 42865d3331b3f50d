"""The language of a question to a judge, and of its thoughts: English, or the row's (`strategy` of the rewards).

`questions.py` chooses by strategy what makes a question's prompt and its rubric. `language_prompts.py` writes prompts
in the row's language from texts that `language_file.py` reads and `language_texts.py` finds; `rubric_translations.py`
finds rubrics.
"""
