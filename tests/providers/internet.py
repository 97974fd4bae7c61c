"""A synthetic internet on loopback: self-written answers of every provider, served over real HTTP.

`payloads/<slug>.yaml` holds what a provider answers: `settings` (variables it needs) and `answers`, each with `url`
(host and path; a query is matched by `match`), `method`, and one of `json`, `text`, `zip` (member name → text). A
request to `{origin}/{host}/{path}` gets the first answer whose url is equal and whose `match` (a list of texts) is found
in the query or body. Anything else is a 404. `weather` replaces answers of chosen hosts by faults.
"""

from __future__ import annotations

import io
import json
import threading
import time
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

FOLDER = Path(__file__).parent / "payloads"


@dataclass(frozen=True)
class Reply:
    """What the server says. `drip_s` is the pause between bytes; `cut` closes the connection half-way."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    drip_s: float = 0.0
    cut: bool = False


FAULTS = (
    Reply(500),
    Reply(429, headers={"Retry-After": "7200"}),
    Reply(200, b"<!DOCTYPE html><html><body>We are down for maintenance</body></html>"),
    Reply(200, b""),
    Reply(200, b'{"data": [], "items": [], "offers"', cut=True),
    Reply(200, b"[" + b" " * 400 + b"]", drip_s=0.05),
    Reply(200, b"{}"),
    Reply(403),
)
"""What goes wrong on a bad day."""


@dataclass
class Internet:
    """The running server: `origin` for `Manners.via`, `asked` = (method, host and path) in order of arrival."""

    origin: str
    answers: list[dict[str, Any]]
    weather: dict[str, Reply | list[Reply]] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    agents: set[str] = field(default_factory=set)

    def reply(self, method: str, target: str, body: str) -> Reply:
        """The answer to one request."""
        place, _, query = target.partition("?")
        self.asked.append((method, place))
        storm = self.weather.get(place.partition("/")[0])
        if isinstance(storm, list):
            storm = storm.pop(0) if storm else None
        if storm is not None:
            return storm
        sent = unquote(query.replace("+", " ")) + body
        for answer in self.answers:
            same = answer["url"] == place and answer.get("method", "GET") == method
            if same and all(text in sent for text in answer.get("match", ())):
                return Reply(answer.get("status", 200), _body(answer), answer.get("headers", {}))
        return Reply(404, b"no such page")


def payload(slug: str) -> dict[str, Any]:
    """Settings and answers of one provider."""
    content: dict[str, Any] = yaml.safe_load((FOLDER / f"{slug}.yaml").read_text())
    return content


def bad_day(slugs: Iterable[str]) -> dict[str, Reply | list[Reply]]:
    """A weather in which every host of these providers misbehaves, one fault after the other."""
    hosts = {answer["url"].partition("/")[0] for slug in slugs for answer in payload(slug)["answers"]}
    return dict(zip(sorted(hosts), cycle(FAULTS), strict=False))


@contextmanager
def served(*slugs: str) -> Iterator[Internet]:
    """The answers of these providers, on a free port of the loopback."""
    answers = [answer for slug in slugs for answer in payload(slug)["answers"]]
    server = _Server(("127.0.0.1", 0), _Handler)
    internet = Internet(f"http://127.0.0.1:{server.server_address[1]}", answers)
    server.internet = internet  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield internet
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256  # every source connects at once; what overflows is reset, or waits for seconds

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is part of the weather."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer("GET")

    def do_POST(self) -> None:
        self._answer("POST")

    def log_message(self, format: str, *args: object) -> None:
        """Quiet: tests look at `asked`."""

    def _answer(self, method: str) -> None:
        internet: Internet = self.server.internet  # type: ignore[attr-defined]
        internet.agents.add(self.headers.get("User-Agent", ""))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        reply = internet.reply(method, self.path.lstrip("/"), body)
        etag = reply.headers.get("ETag")
        if etag and self.headers.get("If-None-Match") == etag:
            reply = Reply(304, b"", reply.headers)
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status != 304:
            self.send_header("Content-Length", str(len(reply.body)))
        self.end_headers()
        self._send(reply)

    def _send(self, reply: Reply) -> None:
        try:
            if reply.cut:
                self.wfile.write(reply.body[: len(reply.body) // 2])
                self.close_connection = True
                self.connection.close()
            elif reply.drip_s:
                for byte in reply.body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(reply.drip_s)
            else:
                self.wfile.write(reply.body)
        except OSError:
            self.close_connection = True


def _body(answer: dict[str, Any]) -> bytes:
    if "json" in answer:
        return json.dumps(answer["json"]).encode()
    if "zip" in answer:
        file = io.BytesIO()
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in answer["zip"].items():
                archive.writestr(name, text)
        return file.getvalue()
    return str(answer["text"]).encode()
