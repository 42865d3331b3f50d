"""Models by their names on the hub, with a hub on the loopback that refuses, has another kind of model, or is down."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import pytest

pytestmark = pytest.mark.slow  # starts processes that load huggingface_hub, one of them torch

ANSWERS = {
    "org/gated": (401, None),
    "org/none": (404, None),
    "org/plain": (200, {"id": "org/plain", "siblings": [{"rfilename": "config.json"}]}),
    "org/good": (200, {"id": "org/good", "siblings": [{"rfilename": "modules.json"}]}),
}
ASK = "import sys; from rewardlab_embed.hub import cached_folder; print(cached_folder(sys.argv[1]))"
BUILD = """
import json, sys
from rewardlab_embed.embedding_worker import build
settings = {"model": sys.argv[1], "max_tokens": None, "batch_size": 2, "dtype": "auto", "trust_remote_code": False}
print(json.dumps(build(settings, {"device": "cpu"}).answer([{"a": "x", "b": "x"}])))
"""


class Hub(BaseHTTPRequestHandler):
    asked: ClassVar[list[str]] = []

    def do_HEAD(self):
        self.asked.append(self.path)
        self.send_error(404)

    def do_GET(self):
        self.asked.append(self.path)
        status, body = ANSWERS.get(self.path.removeprefix("/api/models/").partition("?")[0], (404, None))
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        """Log nothing."""


@pytest.fixture(scope="module")
def hub():
    with HTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def run(code, name, folder, port=9):  # nobody listens on port 9
    place = {"HF_ENDPOINT": f"http://127.0.0.1:{port}", "HF_HUB_OFFLINE": "0", "HF_HOME": str(folder)}
    command = [sys.executable, "-c", code, name]
    done = subprocess.run(command, cwd=folder, env=os.environ | place, capture_output=True, text=True, timeout=300)
    return (done.stdout or done.stderr).strip().splitlines()[-1]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("org/gated", "the hub refuses model 'org/gated' (HTTP 401): it is gated, private or does not exist;"),
        ("org/none", "the hub refuses model 'org/none' (HTTP 404); nor is there a folder of that name below "),
        ("org/plain", "'org/plain' has no modules.json on the hub: it is not a sentence-transformers model"),
        ("org/good", "None"),
    ],
)
def test_the_hub_is_asked_what_it_has(name, message, hub, tmp_path):
    shown = run(ASK, name, tmp_path, hub)
    assert message in shown
    assert ("HF_TOKEN" in shown) == (name == "org/gated")


@pytest.mark.nightly
def test_a_hub_that_is_down_is_reported_in_a_sentence_and_at_once(tmp_path):
    begin = time.monotonic()
    shown = run(BUILD, "org/none", tmp_path)
    assert "model 'org/none' is not in this machine's cache and the hub cannot be reached" in shown
    assert f"nor is there a folder of that name below {tmp_path}; name a folder, or download it first" in shown
    assert time.monotonic() - begin < 120, "each of many files was tried for 23 s"


def test_a_model_in_the_cache_needs_no_hub(tiny_model, tmp_path, hub):
    cache, commit = tmp_path / "hub" / "models--org--tiny", "0" * 40
    shutil.copytree(tiny_model, cache / "snapshots" / commit)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text(commit)
    Hub.asked.clear()
    (answer,) = json.loads(run(BUILD, "org/tiny", tmp_path, hub))
    assert answer["cosine"] == pytest.approx(1.0, abs=1e-6)
    assert [path for path in Hub.asked if "tiny" in path] == []
