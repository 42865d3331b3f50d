"""A critic that is always right, for the miniature of AMRO: an OpenAI-compatible server, no model.

    python tests/tiny_models/critic.py [--port 8768]

It is shown a question of data/arithmetic and an answer to it, in fences (checklist/answer and checklist/critiques), and
examines the answer by the checklist of recipes/amro_miniature.yaml. It quotes the beginning of the first sentence that
is in another language, else that of the answer, and what stands in the box.
"""

import argparse
import json
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from chat_server import ChatServer, serve_until_interrupted
from teacher import NAMES, language_of
from translator import FENCE, SENTENCE

PORT = 8768
BOX = re.compile(r"\\boxed\{[^{}]*\}")
QUOTED = 2
"""words of a sentence that are quoted"""


def critique(question, answer):
    """What the critic says of an answer, by dimension."""
    asked = language_of(question, "questions")
    sentences = [(one, language_of(one, "steps")) for one in SENTENCE.split(answer) if one.strip()]
    foreign = [one for one, language in sentences if language != asked]
    shown = (foreign or [answer])[0].split()[:QUOTED]
    named = [NAMES.get(language, "another") for _, language in sentences]
    box = BOX.findall(answer)
    return {
        "Language": {
            "evidence": [" ".join(shown)],
            "why": f"{NAMES.get(asked, 'another')}: {', '.join(named)}.",
            "score": "1" if sentences and not foreign else "0",
        },
        "Box": {"evidence": box[:1], "why": "A box." if box else "No box.", "score": "1" if box else "0"},
    }


def reply(request):
    """The text of an answer to one request."""
    asked = "\n".join(message["content"] for message in request["messages"])
    shown = {found["label"]: found["text"] for found in FENCE.finditer(asked)}
    if not {"QUESTION", "ANSWER"} <= set(shown):
        return "ready"
    return json.dumps({"answer": critique(shown["QUESTION"], shown["ANSWER"])}, ensure_ascii=False)


class Server(ChatServer):
    """The server."""

    def __init__(self, port=0):
        super().__init__(reply, port)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=PORT)
    given = parser.parse_args()
    serve_until_interrupted(Server(given.port), "critic")


if __name__ == "__main__":
    main()
