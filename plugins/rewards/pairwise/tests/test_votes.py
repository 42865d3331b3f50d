"""Which of two named responses a judge's last words are for: the winner of their grammar, or none, never the loser."""

import re
from pathlib import Path

from helpers.each_case import each_case
from helpers.growth import refuse_growth
from rewardlab_pairwise.verdicts import verdict

FOR_A = [
    r"The better response is \boxed{A}; \boxed{B} has an error.",
    r"Not the error-free one: the weaker answer is \boxed{B}, so \boxed{A}.",
    r"My verdict is \boxed{A}, not \boxed{B}.",
    r"Better: \boxed{A}. Worse: \boxed{B}.",
    r"Worse: \boxed{B}. Better: \boxed{A}.",
    r"Ranking: \boxed{A} is better than \boxed{B}",
    r"\boxed{B} is worse than \boxed{A}.",
    r"\boxed{B} loses to \boxed{A}.",
    r"\boxed{B} loses against \boxed{A}.",
    r"I choose \boxed{A} over \boxed{B}.",
    r"I prefer \boxed{A} to \boxed{B}.",
    r"\boxed{A} beats \boxed{B}.",
    r"\boxed{A} rather than \boxed{B}.",
    r"Instead of \boxed{B}, I choose \boxed{A}.",
    r"I pick \boxed{A} instead of \boxed{B}.",
    r"\boxed{A} outperforms \boxed{B} by far.",
    r"\boxed{B} is outperformed by \boxed{A}.",
    r"\boxed{B} would be wrong, so I choose \boxed{A}.",
    r"At first \boxed{B} looks right, but A shows its work. \boxed{A}",
    "At first \\boxed{B} looks right, but A shows its work.\n\\boxed{A}",
    r"The winner is \boxed{A}.",
    r"Winner: \boxed{A}; loser: \boxed{B}",
    r"Winner: \boxed{A}, loser: \boxed{B}",
    "**Better:** \\boxed{A}\n**Worse:** \\boxed{B}",
    r"\boxed{Response A} is better than \boxed{B}.",
    r"[[A]] is better than \boxed{B}.",
    r"\boxed{A} [[A]]",
    r"我选择\boxed{A}，而不是\boxed{B}。",
    r"Daher ist \boxed{A} besser.",
    r"因此，我选择\boxed{A}。",
    r"La meilleure réponse est \boxed{A}.",
    r'{"winner": "\\boxed{A}", "loser": "\\boxed{B}"}',
    r"Response B is better written than most, but wrong. Verdict: \boxed{A}",
    r"Although B does not show its work, the better one is not B. \boxed{A}",
    r"B is the loser: \boxed{A}",
    r"The better one is the first: \boxed{A}",
    r"It is \boxed{A} and not \boxed{B}.",
    r"\boxed{A} (not \boxed{B})",
    r"\boxed{A}, not B.",
    r"I would rather choose \boxed{A} than \boxed{B}.",
    r"\boxed{A} is superior to \boxed{B}.",
    r"\boxed{B} is inferior to \boxed{A}.",
    r"\boxed{A} is preferable to \boxed{B}.",
    r"\boxed{A} is more accurate than \boxed{B}.",
    r"\boxed{B} is less accurate than \boxed{A}.",
    r"\boxed{A} is stronger, while \boxed{B} is weaker.",
    r"\boxed{A} is right and \boxed{B} is wrong.",
    r"\boxed{A} wins, \boxed{B} loses.",
    r"Response \boxed{A} wins over response \boxed{B}.",
    r"B is worse than \boxed{A}.",
    r"Final verdict: \boxed{A} (better than \boxed{B})",
    r"Is it A or B? \boxed{A}",
    "The verdict:\n\\boxed{A}",
    "I compared them.\n\n\\boxed{A}",
    r"Therefore, response \boxed{A} is the better one.",
    r"**Verdict: \boxed{A}**",
    r"$$\boxed{A}$$",
    r"So the final answer is \boxed{A}. Response B made an error in step 3.",
    r"\boxed{A} is better, since B's answer \boxed{7} is wrong.",
    r"Response A gives \boxed{4}, response B gives \boxed{5}. The right one is 4. \boxed{A}",
    r"\boxed{A} edges out \boxed{B}.",
    r"I vote for \boxed{A} against \boxed{B}.",
    r"\boxed{A} instead of \boxed{B}",
    r"Unlike \boxed{B}, \boxed{A} answers the question.",
    r"\boxed{A}, as opposed to \boxed{B}.",
    r"Compared with \boxed{B}, \boxed{A} is clearer.",
    r"First: \boxed{A}, second: \boxed{B}",
    r"My choice: \boxed{A}. Runner-up: \boxed{B}.",
    r"Preferred: \boxed{A} | Rejected: \boxed{B}",
    r"\boxed{A} is the winner; \boxed{B} comes second.",
    r"The worse response is B, so the better response is \boxed{A}.",
    r"\boxed{B} fails; \boxed{A} wins.",
    r"\boxed{A} is good, but \boxed{B} is worse.",
    r"As I said above, \boxed{B} is wrong, \boxed{A} right.",
    r"Choose \boxed{A}; do not choose \boxed{B}.",
    r"\boxed{B} is not as good as \boxed{A}.",
    r"A has 4 points, B has 3 points. \boxed{A}",
    r"It's a close call, but I'd go with \boxed{A}.",
    r"Judgement: response \boxed{A} is preferred over response \boxed{B}.",
    r"The final decision goes to \boxed{A}.",
    r"Based on this, \boxed{A} is the better response than \boxed{B}.",
    "Chosen: \\boxed{A}\nRejected: \\boxed{B}",
    r"\boxed{A} clearly wins against \boxed{B}.",
]

FOR_B = [
    r"\boxed{A}, no: \boxed{B}",
    "It is \ue000 \\boxed{\n\n B \n}",
    r"\boxed{B} has no errors.",
    r"\boxed{B}, no doubt.",
    r"My verdict is \boxed{B}, not \boxed{A}.",
    r"\boxed{B} is better than \boxed{A}.",
    r"not \boxed{A} but \boxed{B}",
    r"\boxed{A}不如\boxed{B}。",
    r"Ich wähle \boxed{B}.",
    r'{"analysis": "A says \\boxed{7},\nB \\boxed{A}.", "verdict": "\\boxed{B}"}',
    r'{"verdict": "\\boxed{B}"}',
    r"The better one is the second: \boxed{B}",
    r"Response A is not correct, so \boxed{B}.",
    r"If \boxed{A} were correct I would choose it, but it is not, so \boxed{B}.",
    r"\boxed{A} is good, but \boxed{B} is better.",
    r"\boxed{A} is the worse one, \boxed{B} the better.",
    r"Do not choose \boxed{A}, choose \boxed{B}.",
    r"The correct verdict isn't \boxed{A}, it's \boxed{B}.",
    r"Response A is weak and incorrect, \boxed{B}",
]

FOR_NEITHER = [
    r"\boxed{B} is nicer, yet A wins",
    r"\boxed{B}? No. A.",
    r"Had it shown its work, I would have chosen \boxed{B}.",
    r"I was tempted to say \boxed{B}, but the answer is A.",
    r"Die schlechtere Antwort ist \boxed{B}",
    r"La peor es \boxed{B}",
    r"较差的是 \boxed{B}",
    r"败者：\boxed{B}",
    r"No elijo \boxed{B}",
    r"Я не выбираю \boxed{B}",
    r"\boxed{B} should lose.",
    r"\boxed{B} deserves no credit.",
    r"\boxed{B} finishes last.",
    r"Nobody would pick \boxed{B}",
    r"The error is in \boxed{B}",
    r"\boxed{A} > \boxed{B}",
    r"\boxed{A} ≻ \boxed{B}",
    r"$\boxed{A} \succ \boxed{B}$",
    r"\boxed{A} < \boxed{B}",
    r"\boxed{A} or \boxed{B}",
    r"\boxed{A} and \boxed{B} are equally good.",
    r"\boxed{A} = \boxed{B}",
    r"\boxed{A} \boxed{B}",
    r"Neither \boxed{A} nor \boxed{B}.",
    r"Between \boxed{A} and \boxed{B}, the latter.",
    r"I do not choose \boxed{B}.",
    r"The loser is \boxed{B}.",
    r"Not \boxed{B}.",
    r"\boxed{B} is worse.",
    r"\boxed{B} loses.",
    r"Worse: \boxed{B}",
    "Better response:\n\\boxed{A}\nWorse response:\n\\boxed{B}",
    "Better response:\n\\boxed{A}\n\nWorse response:\n\\boxed{B}",
    "1. \\boxed{A}\n2. \\boxed{B}",
    r"1. \boxed{A} 2. \boxed{B}",
    r"Response A: \boxed{A}. Response B: \boxed{B}.",
    "Response A: \\boxed{A}\nResponse B: \\boxed{B}",
    r"\boxed{A} vs. \boxed{B}",
    r"\boxed{A} vs. \boxed{B}: \boxed{A}",
    r"[[A]] > \boxed{B}",
    r"\boxed{A} [[B]]",
    "\\boxed{A}\n[[B]]",
    "\\boxed{B}\n\nFinal: \\boxed{Response A}",
    r"\boxed{A} ist besser als \boxed{B}.",
    r"Besser: \boxed{A}. Schlechter: \boxed{B}.",
    r"Nicht \boxed{B}.",
    r"\boxed{A}比\boxed{B}更好。",
    r"\boxed{A} es mejor que \boxed{B}.",
    r"\boxed{A} est meilleure que \boxed{B}.",
    r"\boxed{A} лучше, чем \boxed{B}.",
    r"\boxed{A} は \boxed{B} より優れている。",
    r"\boxed{A}가 \boxed{B}보다 낫다.",
    r"I cannot choose \boxed{B}.",
    r"I would not pick \boxed{B}.",
    r"I reject \boxed{B}.",
    r"It is not the case that \boxed{B} is better.",
    r"I do not think \boxed{B} is better.",
    r"\boxed{A} is not better than \boxed{B}.",
    r"\boxed{A} is no better than \boxed{B}.",
    r"\boxed{A} is not worse than \boxed{B}.",
    r"\boxed{A} has fewer errors than \boxed{B}.",
    r"\boxed{B} makes more mistakes than \boxed{A}.",
    r"**\boxed{A}** > B",
    r"A is better than \boxed{B}.",
    r"A beats \boxed{B}.",
    r"Is it \boxed{A} or \boxed{B}?",
    r"The runner-up is \boxed{B}.",
    r"The worse response is \boxed{B}.",
    r"\boxed{A} never loses to \boxed{B}.",
    r"\boxed{A} did not lose to \boxed{B}.",
    r"It would be wrong to say \boxed{A} is better than \boxed{B}.",
    r"\boxed{A} is second to none, \boxed{B} is fine.",
    r"\boxed{A} does not make the error that \boxed{B} makes.",
    r"\boxed{B} does not answer the question.",
    r"It would be wrong to choose \boxed{B}.",
    r"\boxed{A} improves on answer \boxed{B}.",
    r"\boxed{A} does not have that flaw, \boxed{B} has.",
    r"\boxed{A} isn't wrong, \boxed{B} is.",
    r"\boxed{A} is as good as \boxed{B}.",
    r"I favor neither \boxed{A} nor \boxed{B}.",
    r"Rejected: \boxed{B}",
    r"\boxed{A} could be better than \boxed{B}.",
    r"Some may say \boxed{A} beats \boxed{B}.",
    r"\boxed{A} was my first choice, but on reflection I pick \boxed{B}.",
    r"\boxed{A} has it right whereas \boxed{B} has it wrong.",
]


UNDECIDED = [
    r"Both are equal. \boxed{A}",
    r"Both responses are equally good. \boxed{A}",
    r"They are equally correct and clear, so \boxed{A}.",
    r"The two answers are of the same quality. Verdict: \boxed{A}",
    "Response A and Response B are identical.\n\n\\boxed{A}",
    "Overall, both are on par.\n\n**Final verdict:** \\boxed{A}",
    r"A and B are tied: \boxed{A}",
    r"Both are equal in every respect. \boxed{A}",
    r"They are the same in overall quality, so \boxed{A}.",
    r"It is a tie. \boxed{A}",
    r"It's a draw, hence \boxed{A}",
    r"I think this is a toss-up. \boxed{A}",
    r"Neither is better. \boxed{A}",
    r"Neither of the two responses is clearly better than the other. \boxed{A}",
    r"There is no clear winner. \boxed{A}",
    r"I see no difference between them. \boxed{A}",
    r"I cannot decide. \boxed{A}",
    r"I can't tell them apart. \boxed{A}",
    r"As an AI language model, I cannot judge this. \boxed{A}",
    r"I don't know which is better. \boxed{A}",
    r"Beide Antworten sind gleich gut. \boxed{A}",
    r"Ambas son iguales. \boxed{A}",
    r"两个回答一样好。\boxed{A}",
    r"平局。\boxed{A}",
    r"\boxed{A} I cannot decide.",
    r"\boxed{A}, but I can't choose between the two.",
    "\\boxed{A}\n\nI am unable to judge this question.",
    "\\boxed{A}\nSorry, I cannot help with that.",
    r"\boxed{A}. However, I would rather not say.",
    r"\boxed{A} As an AI, I cannot make a judgement.",
    r"\boxed{A} I refuse.",
    r"\boxed{A}. I must decline to answer.",
    r"\boxed{A}; I have no preference.",
    r"\boxed{A} Scratch that.",
    "\\boxed{A}\nIgnore the above.",
    r"\boxed{A}. This is not a vote.",
    r"\boxed{A} I abstain.",
    r"\boxed{A} Ich kann mich nicht entscheiden.",
    r"\boxed{A} 我无法判断。",
]
DECIDED = [
    r"Both are equally good, but A is clearer. \boxed{A}",
    r"Both are good. \boxed{A}",
    r"Both are correct. \boxed{A}",
    r"Both sides are equal. \boxed{A}",
    r"Both angles are equal to 30 degrees. \boxed{A}",
    r"A is clearer. In their results, both are equal. \boxed{A}",
    r"A is better explained. Both are equally correct. \boxed{A}",
    "Both are equally correct.\nA is clearer.\n\\boxed{A}",
    r"They are equally good, but \boxed{A} is shorter, hence better.",
    r"Neither is perfect. \boxed{A}",
    r"Neither is correct, yet \boxed{A} is better.",
    r"It is not a tie. \boxed{A}",
    r"There is no difference in the results, but A is clearer. \boxed{A}",
    r"I cannot find an error in A. \boxed{A}",
    r"I cannot choose B. \boxed{A}",
    r"I cannot say that B is better. \boxed{A}",
    r"I cannot tell where B gets this from. \boxed{A}",
    r"B refuses to answer. \boxed{A}",
    r"\boxed{A} I cannot find an error in it.",
    r"\boxed{A}. I cannot recommend Response B.",
    r"\boxed{A}, because B says that it cannot decide.",
    r"\boxed{A} I will not choose B.",
    r"\boxed{A}. I have no doubt.",
    r"\boxed{A}. This is not a close call.",
    r"A is right and B makes an error. Both are equal in length. \boxed{A}",
    r"B fails to answer. They are of the same quality in formatting. \boxed{A}",
    "A has the correct result, B has not.\nBoth are the same in style.\n**Verdict:** \\boxed{A}",
    "\\boxed{A}\nIgnore that B is longer.",
]


@each_case("reply", UNDECIDED)
def test_a_box_beside_words_that_prefer_neither_response_is_no_vote(reply):
    assert verdict(reply) is None


@each_case("reply", DECIDED)
def test_words_that_only_resemble_these_leave_the_vote(reply):
    assert verdict(reply) == "A"


FOR_A_TIE = [
    r"\boxed{tie}",
    r"**\boxed{Tie}**",
    r"Neither is better: \boxed{tie}",
    r"\boxed{A} ... \boxed{tie}",
    r"\boxed{A} and \boxed{B} are equally good, so \boxed{tie}.",
    "A: all right.\nB: all right.\n\\boxed{tie}",
    r"I cannot tell them apart. \boxed{tie}",
    r"It is a \boxed{\text{tie}}.",
    r"Unentschieden: \boxed{tie}",
    r"平局：\boxed{tie}",
    r"<think>\boxed{A}?</think>\boxed{tie}",
    r"\boxed{tie} since both A and B err in the same step.",
]
FOR_NO_TIE = [
    r"This is not a \boxed{tie}.",
    r"No \boxed{tie}",
    r"Is it a \boxed{tie}?",
    r"\boxed{tie}, but B is better.",
    r"\boxed{tie}: [[A]]",
    "\\boxed{tie}\n[[B]]",
    "\\boxed{tie}\n\\boxed{Response A}",
    "\\boxed{tie} B.",
    r"<think>perhaps \boxed{tie}",
    r"<think>\boxed{tie}</think> I cannot say.",
]


@each_case("reply", FOR_A_TIE)
def test_a_tie(reply):
    assert verdict(reply) == "tie"


@each_case("reply", FOR_NO_TIE)
def test_a_tie_that_is_denied_asked_or_only_thought_is_none(reply):
    assert verdict(reply) is None


def test_a_quoted_tie_is_none():
    text = r"Nobody can tell, hence they are all the same to me and I say \boxed{tie}"
    assert verdict(f"B wrote: {text}", (text,)) is None
    assert verdict(f"B wrote: {text}\n\\boxed{{A}}", (text,)) == "A"
    assert verdict(f"B wrote: {text}\n\\boxed{{tie}}", (text,)) == "tie"


@each_case("reply", FOR_A)
def test_a_vote_for_a(reply):
    assert verdict(reply) == "A"


@each_case("reply", FOR_B)
def test_a_vote_for_b(reply):
    assert verdict(reply) == "B"


@each_case("reply", FOR_NEITHER)
def test_words_that_do_not_say_clearly_who_wins_are_no_vote(reply):
    assert verdict(reply) is None


def lines(name):
    """The replies of a file, one a line."""
    text = (Path(__file__).parent / "data" / name).read_text(encoding="utf-8")
    return [re.sub(r"\\n(?=[A-Z\\])", "\n", line) for line in text.splitlines()]


@each_case("reply", lines("votes_for_a.txt"))
def test_the_ways_in_which_judges_close_are_votes(reply):
    assert verdict(reply) == "A"
    assert verdict(f"I compared them.\n\n{reply}") == "A"


@each_case("reply", lines("votes_never_for_b.txt"))
def test_no_words_against_a_response_are_a_vote_for_it(reply):
    assert verdict(reply) in ("A", None)
    assert verdict(f"I compared them.\n\n{reply}") in ("A", None)


@each_case("reply", [*FOR_A, *FOR_B, *FOR_NEITHER, *FOR_A_TIE, *FOR_NO_TIE, *UNDECIDED, *DECIDED])
def test_the_same_words_with_the_letters_exchanged_are_for_the_other_one(reply):
    exchanged = re.sub(r"\b[AB]\b", lambda letter: {"A": "B", "B": "A"}[letter[0]], reply)
    assert verdict(exchanged) == {"A": "B", "B": "A"}.get(verdict(reply), verdict(reply))


@each_case(
    "reply, expected",
    [
        (r"A ends with \boxed{A}. My verdict is \boxed{B}.", "B"),
        ("First, A says:\n> It must be \\boxed{A}\n\\boxed{B}", "B"),
        (r"It must be \boxed{A}, not \boxed{B}.", "A"),
    ],
)
def test_what_a_response_says_is_not_what_the_judge_says_of_it(reply, expected):
    shown = "I multiply 17 by 23 and get 381, as anyone can see who does the same. It must be \\boxed{A}"
    assert verdict(reply, (shown, "It is 391.")) == expected


def test_words_far_from_the_vote_say_nothing_of_it():
    assert verdict("Not \\boxed{B}, I thought.\n" + "But then I added. " * 60 + "\n\\boxed{B}") == "B"


def test_hostile_words_before_a_box_are_read_in_linear_time():
    pieces = ("so, ", "both are ", "equally and ", "i cannot ", "!? ", "the ", "- ")
    for piece in pieces:
        refuse_growth(
            piece, verdict, lambda length, piece=piece: piece * (length // len(piece)) + r"\boxed{A} " + piece * 100
        )
