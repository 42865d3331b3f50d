"""The data steps by which a judge is trained: rubrics, wrong answers, a teacher's verdicts, filters, pairs.

written_rubrics, rubric_reply, nearest       rubrics that a model writes, beside the nearest known ones
negatives, other_option                      wrong answers beside right ones
distilled, summarised, lengths               a teacher's thoughts and verdicts, shortened if they are too long
agreeing                                     rows with right scores that are not too easy
preferences                                  pairs of answers for dpo
translated_texts, translation_question       texts for questions in further languages
asking                                       shared parts of steps that ask a judge
judged_specs, writing_specs; data_options, step_options; judging_examples, writing_examples, translated_texts_examples
                                             the specs, their options, and the examples for the laws
"""
