"""Raw answers kept on disk, secrets stripped, and played back in place of the network.

A recording is a folder: `exchanges.jsonl`, one exchange a line, and one `NNNN.body` file an answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import msgspec

_STRIPPED = "***"
_KEPT_HEADERS = ("content-type", "last-modified", "etag", "retry-after")
_SECRET_FIELD = re.compile(
    r"""(["']?(?:access_token|refresh_token|client_secret|api[_-]?key|token|password|signature)["']?\s*[:=]\s*["']?)[^"'&,\s}]+""",
    re.IGNORECASE,
)


class Exchange(msgspec.Struct, frozen=True):
    """One request and where its answer lies; `request` is the body that was sent, stripped."""

    method: str
    url: str
    request: str
    status: int
    headers: dict[str, str]
    body: str


class Stripper:
    """Takes secrets out of text: the values it was given, and whatever stands in a field named like one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets = sorted({secret for secret in secrets if len(secret) >= 4}, key=len, reverse=True)

    def text(self, text: str) -> str:
        """The text without secrets."""
        for secret in self._secrets:
            text = text.replace(secret, _STRIPPED)
        return _SECRET_FIELD.sub(rf"\g<1>{_STRIPPED}", text)

    def bytes(self, data: bytes) -> bytes:
        """The same for bytes; what is not UTF-8 text (an archive) holds no keys of ours and stays as it is."""
        try:
            return self.text(data.decode()).encode()
        except UnicodeDecodeError:
            return data


class Recorder:
    """Writes exchanges as they happen. A stream is written line by line, so its size does not matter."""

    def __init__(self, folder: Path, secrets: Iterable[str] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._strip = Stripper(secrets)
        self._count = 0
        (folder / "exchanges.jsonl").write_bytes(b"")

    @contextmanager
    def exchange(
        self, request: httpx2.Request, response: httpx2.Response
    ) -> Iterator[Callable[[bytes], object]]:
        """Gives a function that writes (a whole answer, or line after line) of the answer's body."""
        self._count += 1
        body = f"{self._count:04}.body"
        with (self._folder / body).open("wb") as file:
            yield lambda data: file.write(self._strip.bytes(data))
        self._note(request, response, body)

    def _note(self, request: httpx2.Request, response: httpx2.Response, body: str) -> None:
        exchange = Exchange(
            method=request.method,
            url=self._strip.text(str(request.url)),
            request=self._strip.text(request.content.decode(errors="replace")),
            status=response.status_code,
            headers={name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers},
            body=body,
        )
        with (self._folder / "exchanges.jsonl").open("ab") as index:
            index.write(msgspec.json.encode(exchange) + b"\n")


class ReplayTransport(httpx2.AsyncBaseTransport):
    """Answers from a recording: the first exchange not yet played with the same method, address and body.

    A request that was not recorded is answered 599, which the client reports as unreachable.
    """

    def __init__(self, folder: Path, secrets: Iterable[str] = ()) -> None:
        lines = (folder / "exchanges.jsonl").read_bytes().splitlines()
        self._waiting = [msgspec.json.decode(line, type=Exchange) for line in lines]
        self._folder = folder
        self._strip = Stripper(secrets)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Play one exchange."""
        url, body = self._strip.text(str(request.url)), self._strip.text((await request.aread()).decode())
        for exchange in self._waiting:
            if (exchange.method, exchange.url, exchange.request) == (request.method, url, body):
                self._waiting.remove(exchange)
                content = (self._folder / exchange.body).read_bytes()
                return httpx2.Response(exchange.status, headers=exchange.headers, content=content)
        return httpx2.Response(599, content=b"not in the recording")
