"""A judge that thinks and is mostly right, for the miniature of R3: an OpenAI-compatible server, no model.

    python tests/tiny_models/teacher.py [--port 8766]

It is shown a question of data/arithmetic and a response to it, in fences (rubric/pointwise and those that ask as it
does), and scores the response by the rubric of recipes/r3_miniature_policy.yaml. It thinks aloud: in which language the
question is, in which each sentence of the response, and whether there is a box. A share of its scores, chosen by a hash
of model, question, response and `seed`, is one level off: 15% of the model "teacher", 40% of "small". Shown a question
alone (rubric/rubrics), it writes that rubric.
"""

import argparse
import hashlib
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from chat_server import ChatServer, serve_until_interrupted
from judged_pairs import LANGUAGES
from rewardlab_data.judged_response import LEVELS
from translator import FENCE, SENTENCE, patterns

PORT = 8766
WRONG = {"teacher": 0.15, "small": 0.4}
RUBRIC = {
    "description": "Say how far the response keeps to the form that is wanted.",
    "scoring": {
        "1": "It is not in the language of the question throughout, and has no box.",
        "2": "It has a box, but is not in the language of the question throughout.",
        "3": "It is in the language of the question throughout, but has no box.",
        "4": "It is in the language of the question throughout, and has a box.",
    },
}
"""what it writes for every task"""
NAMES = {"en": "English", "es": "Spanish", "de": "German", "fr": "French"}


def language_of(text, part):
    """The language one of whose questions or steps the text is; None where it is none."""
    for language in LANGUAGES:
        if any(pattern.fullmatch(text.strip()) for *_, pattern, _ in patterns(language, part)):
            return language
    return None


def verdict(question, response, draw=0, model="teacher"):
    """The thoughts of a model and its verdict on a response."""
    asked = language_of(question, "questions")
    written = [language_of(sentence, "steps") for sentence in SENTENCE.split(response)]
    boxed, kept = r"\boxed{" in response, set(written) == {asked}
    score = 1 + boxed + 2 * kept
    digest = hashlib.sha256(f"{model}/{question}/{response}/{draw}".encode()).digest()
    if int.from_bytes(digest[:8], "big") / 2**64 < WRONG[model]:
        score += -1 if score == max(LEVELS) or (score > min(LEVELS) and digest[8] % 2) else 1
    named = [NAMES.get(language, "no language that I know") for language in (asked, *written)]
    thoughts = f"The question is in {named[0]}. The response is in {', '.join(named[1:])}. "
    thoughts += "It has a box." if boxed else "It has no box."
    why = f"{'The' if kept else 'Not the'} language of the question, {'a' if boxed else 'no'} box."
    return f"<think>{thoughts}</think>\n{json.dumps({'explanation': why, 'score': str(score)})}"


def reply(request):
    """The text of an answer to one request."""
    shown = {
        found["label"]: found["text"] for found in FENCE.finditer("\n".join(m["content"] for m in request["messages"]))
    }
    if "INPUT" in shown and "RESPONSE" not in shown:
        return json.dumps(RUBRIC)
    if not {"INPUT", "RESPONSE"} <= set(shown):
        return "ready"
    return verdict(shown["INPUT"], shown["RESPONSE"], request.get("seed", 0), request["model"])


class Server(ChatServer):
    """The server."""

    def __init__(self, port=0):
        super().__init__(reply, port)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=PORT)
    given = parser.parse_args()
    serve_until_interrupted(Server(given.port), "teacher")


if __name__ == "__main__":
    main()
