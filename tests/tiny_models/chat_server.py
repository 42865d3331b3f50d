"""An OpenAI-compatible server on the loopback whose answers a function gives, each request in a thread of its own."""

import contextlib
import json
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class ChatServer(ThreadingHTTPServer):
    """The server. reply: a function of a request, as a dict, that returns the answer's text."""

    daemon_threads = True
    request_queue_size = 256

    def __init__(self, reply, port=0, latency=0.0):
        super().__init__(("127.0.0.1", port), _Handler)
        self.reply, self.latency = reply, latency

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request, client_address):
        """Whoever asked may have gone away; anything else is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an answer goes out in two writes

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.path.endswith("/chat/completions"):
            return self._send(404, {"error": {"message": f"no {self.path}"}})
        try:
            text = self.server.reply(json.loads(body))
        except (ValueError, KeyError, TypeError) as error:
            return self._send(400, {"error": {"message": f"no chat request: {error!r}"}})
        time.sleep(self.server.latency)
        message = {"role": "assistant", "content": text}
        usage = {"prompt_tokens": len(body) // 4, "completion_tokens": len(text) // 4}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return self._send(200, {"object": "chat.completion", "choices": [choice], "usage": usage})

    def _send(self, status, body):
        data = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        """Nothing: a line for each of thousands of questions tells nobody anything."""


def serve_until_interrupted(server, told):
    """Say where the server is, and serve until Ctrl-C."""
    with server:
        print(f"{told} at {server.url}; Ctrl-C ends it", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
