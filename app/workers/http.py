"""The polite client: every request of every provider goes through here.

It names itself, keeps a pace per host, waits as long as it is told to, gives up in good time, asks again only for
what changed, refuses answers without end, and can write down or play back what it heard.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar
from urllib.robotparser import RobotFileParser

import httpx2
import orjson
import stamina

from app.domain.errors import ShapeDrift, Unreachable
from app.providers.port import Part
from app.workers.kept import KeptAnswers
from app.workers.manners import PRODUCT, Gate, Manners, http_date, own_pace, seconds_asked
from app.workers.recording import Recorder

_RETRIED_STATUS = frozenset({408, 425, 429, 500, 502, 503, 504})
_Result = TypeVar("_Result")


class _Busy(Exception):
    """An answer that says "later"; `wait_s` is what it asks for, if it says."""

    def __init__(self, status: int, wait_s: float | None) -> None:
        super().__init__(f"answered {status}")
        self.wait_s = wait_s


class PoliteClient:
    """Implements `providers.port.Http` with httpx2. Use as an async context manager.

    `cache` keeps answers with their validators between runs; `recorder` writes down every exchange; `gate` replaces
    the pace per host that this process keeps by itself; `transport` replaces the network (replay, tests).
    """

    def __init__(
        self,
        manners: Manners | None = None,
        *,
        cache: Path | None = None,
        recorder: Recorder | None = None,
        gate: Gate | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        self.manners = manners or Manners()
        self._kept = KeptAnswers(cache) if cache else None
        self._recorder = recorder
        self._gate = gate or own_pace(self.manners)
        self._busy_hosts: dict[str, asyncio.Semaphore] = {}
        self._robots: dict[str, RobotFileParser] = {}
        self._client = httpx2.AsyncClient(
            transport=transport,
            timeout=self.manners.timeout_s,
            headers={"User-Agent": self.manners.user_agent},
            max_redirects=5,
        )

    async def __aenter__(self) -> Self:
        await self._client.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.__aexit__(kind, error, trace)

    async def get(
        self,
        url: str,
        *,
        name: str = "answer",
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> Part:
        """GET of a text. See `Http`."""
        target = str(httpx2.URL(url).copy_merge_params(dict(params))) if params else url
        content, as_of = await self._whole("GET", target, headers=headers, timeout_s=timeout_s)
        return Part(name=name, url=target, text=_text(content, name), as_of=as_of)

    async def get_bytes(self, url: str, *, headers: Mapping[str, str] | None = None) -> bytes:
        """GET of a binary file. See `Http`."""
        content, _ = await self._whole("GET", url, headers=headers)
        return content

    async def page(self, url: str, *, name: str = "page") -> Part:
        """GET of a page for people, if robots.txt allows. See `Http`."""
        rules = await self._robots_of(url)
        if not rules.can_fetch(PRODUCT, url):
            raise Unreachable(f"{url}: robots.txt asks not to read this page")
        return await self.get(url, name=name)

    async def post(
        self, url: str, body: object, *, name: str = "answer", headers: Mapping[str, str] | None = None
    ) -> Part:
        """POST of a JSON body. See `Http`."""
        content, _ = await self._whole("POST", url, body=body, headers=headers)
        return Part(name=name, url=url, text=_text(content, name))

    async def lines(self, url: str, *, headers: Mapping[str, str] | None = None) -> AsyncIterator[str]:
        """Lines of a large text as they arrive. See `Http`."""
        request = self._request("GET", url, None, headers or {}, None)
        async with AsyncExitStack() as stack:
            response = await self._retried(url, lambda: self._opened(stack, request, follow=not headers))
            write = stack.enter_context(self._noted(response))
            try:
                ends = asyncio.get_running_loop().time() + self.manners.stream_s
                async for line in response.aiter_lines():
                    if asyncio.get_running_loop().time() > ends:
                        raise Unreachable(f"{url}: still sending after {self.manners.stream_s:g} s")
                    data = line.encode() + b"\n"
                    write(data)
                    self._tell(request, len(data))
                    yield line
            except httpx2.HTTPError as fault:
                raise _unreachable(url, fault) from fault

    async def _whole(
        self,
        method: str,
        url: str,
        *,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        timeout_s: float | None = None,
    ) -> tuple[bytes, datetime | None]:
        kept = self._kept if method == "GET" and not headers else None
        sent = {**(headers or {}), **(kept.validators(url) if kept else {})}
        request = self._request(method, url, body, sent, timeout_s)

        async def once() -> tuple[bytes, datetime | None]:
            async with AsyncExitStack() as stack:
                response = await self._opened(stack, request, follow=method == "GET" and not headers)
                if response.status_code == 304 and kept:
                    return kept.content(url)
                async with asyncio.timeout(max(self.manners.total_s, timeout_s or 0)):
                    content = await self._bounded(response)
                with self._noted(response) as write:
                    write(content)
                as_of = http_date(response.headers.get("last-modified"))
                if kept:
                    kept.keep(url, content, response.headers, as_of)
                return content, as_of

        return await self._retried(url, once)

    async def _retried(self, url: str, attempt: Callable[[], Awaitable[_Result]]) -> _Result:
        manners = self.manners
        try:
            async for trial in stamina.retry_context(
                on=self._wait_after,
                attempts=manners.attempts,
                timeout=None,
                wait_initial=manners.first_wait_s,
                wait_jitter=manners.first_wait_s,
                wait_max=manners.longest_wait_s,
            ):
                with trial:
                    return await attempt()
        except (httpx2.HTTPError, TimeoutError, _Busy) as fault:
            raise _unreachable(url, fault) from fault
        raise Unreachable(f"{url}: no attempt allowed")

    def _wait_after(self, fault: Exception) -> bool | float:
        """Whether to try again, and how long the host asked us to wait; longer than we wait is a no."""
        if isinstance(fault, _Busy) and fault.wait_s:
            return fault.wait_s if fault.wait_s <= self.manners.longest_wait_s else False
        return isinstance(fault, _Busy | httpx2.TransportError | TimeoutError)

    def _request(
        self, method: str, url: str, body: object, headers: Mapping[str, str], timeout_s: float | None
    ) -> httpx2.Request:
        target = httpx2.URL(url)
        if self.manners.via:
            target = httpx2.URL(f"{self.manners.via}/{target.host}{target.raw_path.decode()}")
        content = None if body is None else orjson.dumps(body)
        typed = {"Content-Type": "application/json", **headers} if content else dict(headers)
        timeout = httpx2.Timeout(timeout_s or self.manners.timeout_s)
        return self._client.build_request(
            method,
            target,
            content=content,
            headers=typed,
            timeout=timeout,
            extensions={"host": httpx2.URL(url).host},
        )

    async def _opened(self, stack: AsyncExitStack, request: httpx2.Request, follow: bool) -> httpx2.Response:
        """The answer with its body still to be read. Keys never follow a redirect to another place."""
        host = str(request.extensions.get("host", request.url.host))
        slots = self._busy_hosts.setdefault(host, asyncio.Semaphore(self.manners.concurrency))
        async with AsyncExitStack() as own:
            await own.enter_async_context(slots)
            await self._gate(host)
            async with asyncio.timeout(self.manners.total_s):
                response = await self._client.send(request, stream=True, follow_redirects=follow)
            own.push_async_callback(response.aclose)
            if response.status_code in _RETRIED_STATUS:
                raise _Busy(response.status_code, seconds_asked(response.headers.get("retry-after")))
            if response.status_code != 304 and not response.is_success:
                raise Unreachable(
                    f"{host} answered {response.status_code} to {request.method} {request.url.path}"
                )
            stack.push_async_callback(own.pop_all().aclose)
            return response
        raise Unreachable(f"{host}: no answer")

    async def _bounded(self, response: httpx2.Response) -> bytes:
        """The whole body, decompressed, up to the size limit."""
        limit = int(self.manners.max_mib * 2**20)
        chunks = bytearray()
        async for chunk in response.aiter_bytes():
            chunks += chunk
            self._tell(response.request, len(chunk))
            if len(chunks) > limit:
                raise ShapeDrift(
                    f"{response.request.url.host}: an answer of more than {self.manners.max_mib:g} MiB"
                )
        return bytes(chunks)

    def _tell(self, request: httpx2.Request, size: int) -> None:
        if self.manners.heard:
            self.manners.heard(str(request.extensions.get("host", request.url.host)), size)

    @contextmanager
    def _noted(self, response: httpx2.Response) -> Iterator[Callable[[bytes], object]]:
        if self._recorder is None:
            yield lambda data: None
            return
        with self._recorder.exchange(response.request, response) as write:
            yield write

    async def _robots_of(self, url: str) -> RobotFileParser:
        """The rules of a host, asked once; a host without the file (4xx) allows everything."""
        target = httpx2.URL(url)
        if target.host not in self._robots:
            rules = RobotFileParser()
            try:
                text = (await self.get(f"{target.scheme}://{target.host}/robots.txt", name="robots.txt")).text
            except Unreachable as fault:
                if " answered 4" not in str(fault):
                    raise
                text = ""
            rules.parse(text.splitlines())
            self._robots[target.host] = rules
        return self._robots[target.host]


def _unreachable(url: str, fault: BaseException) -> Unreachable:
    place = httpx2.URL(url)
    said = str(fault) or type(fault).__name__
    return Unreachable(f"{place.host}{place.path}: {said}")


def _text(content: bytes, name: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ShapeDrift(f"{name}: not UTF-8 text") from None
