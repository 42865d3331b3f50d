"""The server of a followed page: GET alone, for the page, its news, texts and questions, and nothing of the disk."""

import re
import socket
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from rewardlab.errors import one_line_at
from rewardlab_http import VisitorRules

from rewardlab_viewer.follow.live_page import LivePage

IDLE_S = 60
"""that a connection stays open between requests, and may take to send one"""
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
"""of each answer; the page itself has the rest of its policy"""
PARTS = re.compile(r"/(texts|questions)-(\d{1,4})-(\d{1,9})", re.ASCII)


class FollowServer(ThreadingHTTPServer):
    """A server of a page at a socket that listens; `serve_forever` ends by an interrupt."""

    daemon_threads = True

    def __init__(self, page: LivePage, rules: VisitorRules, listening: socket.socket) -> None:
        super().__init__(("", 0), _Request, bind_and_activate=False)
        self.socket.close()
        self.socket, self.page, self.rules = listening, page, rules

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Tell a fault of ours in a line; a browser that is gone is none."""
        error = sys.exception()
        if error is not None and not isinstance(error, OSError):
            print(f"error: a fault of the server: {one_line_at(error)}", file=sys.stderr, flush=True)


class _Request(BaseHTTPRequestHandler):
    server: FollowServer
    protocol_version = "HTTP/1.1"
    timeout = IDLE_S

    def parse_request(self) -> bool:
        """Read the head of a request, and answer it here if it may not pass."""
        if not super().parse_request():
            return False
        head = self.headers
        refused = self.server.rules.refusal(head.get("Host", ""), head.get("Origin"), head.get("Authorization", ""))
        if self.command not in ("GET", "HEAD"):
            self._refuse(HTTPStatus.METHOD_NOT_ALLOWED, "this server answers GET and HEAD", Allow="GET, HEAD")
        elif refused is not None and refused.status == HTTPStatus.UNAUTHORIZED:
            challenge = 'Basic realm="rewardlab: any name, and the token as the password"'
            self._refuse(refused.status, refused.message, **{"WWW-Authenticate": challenge})
        elif refused is not None:
            self._refuse(refused.status, refused.message)
        else:
            return True
        return False

    def do_GET(self) -> None:
        """Answer with the page, what is new of it, or texts."""
        asked = urlsplit(self.path)
        given = {name: values[0] for name, values in parse_qs(asked.query).items()}
        if asked.path == "/":
            self._page(())
        elif asked.path == "/update":
            self._page(given.get("have", "-").split(","))
        elif (match := PARTS.fullmatch(asked.path)) and (
            part := getattr(self.server.page, match[1])(int(match[2]), given.get("of", ""), int(match[3]))
        ):
            self._answer(HTTPStatus.OK, "text/plain", part)
        else:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such part of the page")

    def do_HEAD(self) -> None:
        """Answer as to GET, without the body."""
        self.do_GET()

    def _page(self, have: tuple[str, ...] | list[str]) -> None:
        tag, page = self.server.page.document(have, self.headers.get("If-None-Match"))
        if page is None:
            self._answer(HTTPStatus.NOT_MODIFIED, "text/html", "", ETag=tag)
        else:
            self._answer(HTTPStatus.OK, "text/html", page, ETag=tag)

    def _refuse(self, status: HTTPStatus, message: str, **headers: str) -> None:
        self.close_connection = True  # a body may follow, which nobody reads
        self._answer(status, "text/plain", f"{message}\n", Connection="close", **headers)

    def _answer(self, status: HTTPStatus, kind: str, text: str, **headers: str) -> None:
        body = text.encode("utf-8", "backslashreplace")
        self.send_response(status)
        length = {} if status == HTTPStatus.NOT_MODIFIED else {"Content-Length": str(len(body))}
        for name, value in {"Content-Type": f"{kind}; charset=utf-8", **length, **HEADERS, **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def version_string(self) -> str:
        """Return what the server says it is."""
        return "rewardlab"

    def log_message(self, *_: Any) -> None:
        """Print nothing."""
