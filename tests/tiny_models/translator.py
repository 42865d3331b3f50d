"""A translator and an expert for the miniature of PB-RLSVR: an OpenAI-compatible server on the loopback, no model.

    python tests/tiny_models/translator.py [--port 8765] [--latency 0.0] [--ill-formed 0.1]

It knows data/arithmetic's sentences, in all their languages, and nothing else. Who asks shows a text in a fence, or
bare, as models that only translate want it: a line that ends in "into LANGUAGE", then the text behind the name of its
language, then the other language and a colon:

  a QUESTION (data/expert)   is solved, as <think>...</think><answer>...</answer>; a share of them, chosen by a hash of
                             question and draw, is answered without the tags, as experts do now and then
  an English question        is put into the language that the messages name (language/translated)
  anything else              is put into English sentence by sentence; what it does not know stays as it is

Temperature and the other parameters do nothing, but for `seed`: draws differ in which are ill-formed.
"""

import argparse
import hashlib
import re
import sys
import threading
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # also where a test loads this file by its path

from chat_server import ChatServer, serve_until_interrupted
from rewardlab_data.wording import WordProblem, names, wordings

PORT = 8765
FENCE = re.compile(
    r"=== BEGIN (?P<label>[A-Z ]+) (?P<key>[0-9a-f]{16}) ===\n(?P<text>.*?)\n=== END (?P=label) (?P=key) ===", re.S
)
BARE = re.compile(r"[^\n]*\binto (?P<target>\w+)[^\n]*\n[^\n:]+: (?P<text>.*?)\s*\n(?P=target)[^\n:]*:\s*", re.S)
LANGUAGES = {
    "Spanish": "es",
    "Indonesian": "id",
    "Swahili": "sw",
    "German": "de",
    "French": "fr",
    "Italian": "it",
    "Portuguese": "pt",
    "Turkish": "tr",
    "Vietnamese": "vi",
}
SENTENCE = re.compile(r"(?<=[.?])\s+")


@cache
def patterns(language, part):
    """(operation, index, pattern, template) of the questions or steps of a language."""
    wording = wordings()[language]
    templates = getattr(wording, part)
    return [
        (operation, index, _pattern(template, wording), template)
        for operation in ("add", "sub")
        for index, template in enumerate(templates[operation])
    ]


def _pattern(template, wording):
    """What matches a filled template; a placeholder that stands there twice has one value."""
    nouns = "|".join(sorted({re.escape(noun) for thing in wording.nouns for noun in thing}, key=len, reverse=True))
    values = {"name": "|".join(names()), "things": nouns, "a_things": nouns}
    seen, parts = set(), []
    for text, name in re.findall(r"([^{]*)(?:\{(\w+)\})?", template):
        parts.append(re.escape(text))
        if name:
            parts.append(f"(?P={name})" if name in seen else rf"(?P<{name}>{values.get(name, r'[^ ]+?')})")
            seen.add(name)
    return re.compile("".join(parts))


def thing_of(language, noun):
    """The index of a counted noun."""
    return next(index for index, thing in enumerate(wordings()[language].nouns) if noun in thing)


def problem_of(question, language):
    """The problem that a question of this language tells, or None."""
    for operation, index, pattern, _ in patterns(language, "questions"):
        if found := pattern.fullmatch(question.strip()):
            values = {"operation": operation, "template": index, "language": language, "name": found["name"]}
            thing = thing_of(language, found["things"])
            return WordProblem(a=int(found["a"]), b=int(found["b"]), noun=thing, **values)
    return None


def solved(question):
    """(reasoning, answer) of an English question, or None."""
    problem = problem_of(question, "en")
    if problem is None or problem.result <= 0:
        return None
    return problem.reasoning(["en"] * 4, problem.result, boxed=False), str(problem.result)


def in_english(text):
    """The text with every sentence that is one of data/arithmetic's put into English."""
    return " ".join(map(sentence_in_english, SENTENCE.split(text)))


@cache
def sentence_in_english(sentence):
    """One sentence in English; as it is where no language has it."""
    english = wordings()["en"]
    for language in wordings():
        for operation, index, pattern, _ in patterns(language, "steps"):
            if found := pattern.fullmatch(sentence):
                values = found.groupdict()
                if noun := values.get("a_things") or values.get("things"):
                    one, many = english.nouns[thing_of(language, noun)]
                    values |= {"things": many, "a_things": one if values.get("a") == "1" else many}
                return english.steps[operation][index].format(**values)
    return sentence


def into(language, question):
    """An English question in another language, or None where it is not one of data/arithmetic's."""
    problem = problem_of(question, "en")
    if problem is None:
        return None
    values = {name: getattr(problem, name) for name in ("operation", "template", "a", "b", "name", "noun")}
    return WordProblem(language=language, **values).question()


def reply(request, ill_formed):
    """The text of an answer to one request, and what it was asked for: expert, into or english."""
    messages = [message["content"] for message in request["messages"]]
    found = FENCE.search("\n".join(messages))
    if found is None:
        bare = BARE.fullmatch(messages[-1])
        return translated(bare["text"], bare["target"]) if bare else ("ready", "other")
    text = found["text"]
    if found["label"] == "QUESTION":
        return expert(text, request.get("seed", 0), ill_formed), "expert"
    outside = FENCE.sub("", "\n".join(messages))
    return translated(text, next((name for name in LANGUAGES if f"into {name}" in outside), "English"))


def translated(text, language):
    """The text in the language of this English name, and which way it was translated."""
    if language in LANGUAGES:
        return into(LANGUAGES[language], text) or text, "into"
    return in_english(text), "english"


def expert(question, draw, ill_formed):
    """The expert's reply; ill-formed for the given share of questions and draws."""
    found = solved(question)
    if found is None:
        return "I cannot solve that."
    reasoning, answer = found
    digest = hashlib.sha256(f"{question}/{draw}".encode()).digest()
    if int.from_bytes(digest[:8], "big") / 2**64 < ill_formed:
        return f"{reasoning} So it is {answer}."
    return f"<think>{reasoning}</think>\n<answer>{answer}</answer>"


class Server(ChatServer):
    """The server; `asked` counts the questions by what was asked for."""

    def __init__(self, port=0, latency=0.0, ill_formed=0.1):
        super().__init__(self._answer, port, latency)
        self.ill_formed = ill_formed
        self.asked = {"expert": 0, "into": 0, "english": 0, "other": 0}
        self.counting = threading.Lock()

    def _answer(self, request):
        text, kind = reply(request, self.ill_formed)
        with self.counting:
            self.asked[kind] += 1
        return text


def listening(given):
    """The server on the port that was named; ends the program with a sentence where it cannot be had."""
    try:
        return Server(given.port, given.latency, given.ill_formed)
    except (OSError, OverflowError) as error:
        sys.exit(
            f"port {given.port}: {getattr(error, 'strerror', None) or 'no port'}. Take another one with --port, 0 for "
            "any that is free, and name the address that is shown then in PB_TRANSLATOR_URL for the recipe"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=PORT)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds that an answer takes")
    parser.add_argument("--ill-formed", type=float, default=0.1, help="share of the expert's replies without tags")
    given = parser.parse_args()
    serve_until_interrupted(listening(given), "translator and expert")


if __name__ == "__main__":
    main()
