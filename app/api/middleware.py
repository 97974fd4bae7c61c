"""What every answer gets: a bounded request, security headers, compression. Plain ASGI, about twenty lines each."""

from __future__ import annotations

import zlib
from typing import Any, Protocol

import brotli
import orjson
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SECURITY_HEADERS = {
    "content-security-policy": (
        "default-src 'self'; img-src 'self' data:; style-src 'self'; script-src 'self'; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
COMPRESSIBLE = ("text/", "application/json", "application/javascript", "image/svg+xml")
SMALLEST_BYTES = 600
BROTLI_QUALITY, GZIP_LEVEL = 4, 5


class SecurityHeaders:
    """Adds the security headers that an answer does not set itself."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, with_headers if scope["type"] == "http" else send)


class HeadAsGet:
    """Answers HEAD wherever GET is answered; the body is left out here."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self.app(scope, receive, send)
            return

        async def without_body(message: Message) -> None:
            await send({**message, "body": b""} if message["type"] == "http.response.body" else message)

        await self.app({**scope, "method": "GET"}, receive, without_body)


class BodyLimit:
    """Refuses request bodies above `most` bytes, announced or not, before anything parses them."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self.app, self.most = app, most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self.app(scope, receive, send)
            return
        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > self.most:
                await _refuse(send, self.most)
                return
        await self.app(scope, _replay(body, receive), send)


def _replay(body: bytes, receive: Receive) -> Receive:
    waiting = [{"type": "http.request", "body": body, "more_body": False}]

    async def replayed() -> Message:
        return waiting.pop() if waiting else await receive()

    return replayed


async def _refuse(send: Send, most: int) -> None:
    error = {"code": "too_large", "field": None, "message": f"the request body is larger than {most} bytes"}
    body = orjson.dumps({"error": error})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send(
        {"type": "http.response.start", "status": 413, "headers": [*headers, (b"connection", b"close")]}
    )
    await send({"type": "http.response.body", "body": body})


class Compressor(Protocol):
    """Turns pieces of a body into pieces of a compressed body."""

    def process(self, data: bytes) -> bytes: ...
    def finish(self) -> bytes: ...


class Gzip:
    """gzip with the interface of brotli's compressor."""

    def __init__(self) -> None:
        self._deflate = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, zlib.MAX_WBITS | 16)

    def process(self, data: bytes) -> bytes:
        """Compress a piece."""
        return self._deflate.compress(data)

    def finish(self) -> bytes:
        """The last piece."""
        return self._deflate.flush()


class Compress:
    """Compresses text with brotli or gzip, as the client prefers; streams stay streams."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        accepted = Headers(scope=scope).get("accept-encoding", "") if scope["type"] == "http" else ""
        encoding = "br" if "br" in accepted else "gzip" if "gzip" in accepted else ""
        await self.app(scope, receive, _Compressing(send, encoding) if encoding else send)


class _Compressing:
    def __init__(self, send: Send, encoding: str) -> None:
        self._send, self._encoding = send, encoding
        self._start: Message | None = None
        self._compressor: Any = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
            return
        body, more = message.get("body", b""), message.get("more_body", False)
        if self._start is not None:
            await self._begin(self._start, body, more)
            self._start = None
        if self._compressor is not None:
            body = self._compressor.process(body) + (b"" if more else self._compressor.finish())
        await self._send({**message, "body": body})

    async def _begin(self, start: Message, body: bytes, more: bool) -> None:
        headers = MutableHeaders(scope=start)
        text = headers.get("content-type", "").startswith(COMPRESSIBLE)
        if text and "content-encoding" not in headers and (more or len(body) >= SMALLEST_BYTES):
            self._compressor = brotli.Compressor(quality=BROTLI_QUALITY) if self._encoding == "br" else Gzip()
            headers["content-encoding"] = self._encoding
            del headers["content-length"]
        if text:
            headers.add_vary_header("accept-encoding")
        await self._send(start)
