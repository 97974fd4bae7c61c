"""The polite client against a real server on loopback, in good weather and bad."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from app.domain.errors import ShapeDrift, Unreachable
from app.workers.http import PoliteClient
from app.workers.manners import Manners
from app.workers.recording import Recorder, ReplayTransport
from tests.providers.internet import Internet, Reply, served

Talk = Callable[[PoliteClient], Awaitable[object]]
URL = "https://prices.example/list"


def _talk(internet: Internet, talk: Talk, **manners: object) -> object:
    quick = {
        "timeout_s": 2.0,
        "total_s": 4.0,
        "first_wait_s": 0.01,
        "requests_per_minute": 60_000.0,
        **manners,
    }

    async def conversation() -> object:
        async with PoliteClient(Manners(via=internet.origin, contact="ops@example.org", **quick)) as http:  # type: ignore[arg-type]
            return await talk(http)

    return asyncio.run(conversation())


async def _get(http: PoliteClient) -> str:
    return (await http.get(URL)).text


def test_it_names_itself_and_whom_to_write_to() -> None:
    with served() as internet:
        internet.weather["prices.example"] = Reply(200, b"fine")
        _talk(internet, _get)
    assert internet.agents == {"Rackrate/0.1 (+ops@example.org)"}


def test_it_tries_again_after_trouble_and_then_answers() -> None:
    with served() as internet:
        internet.weather["prices.example"] = [
            Reply(500),
            Reply(429, headers={"Retry-After": "0"}),
            Reply(200, b"fine"),
        ]
        assert _talk(internet, _get) == "fine"
    assert len(internet.asked) == 3


@pytest.mark.parametrize("status", [401, 403, 404, 410])
def test_a_refusal_is_not_asked_twice(status: int) -> None:
    with served() as internet:
        internet.weather["prices.example"] = Reply(status)
        with pytest.raises(Unreachable, match=str(status)):
            _talk(internet, _get)
    assert len(internet.asked) == 1


def test_a_wait_longer_than_its_patience_ends_the_attempt_at_once() -> None:
    with served() as internet:
        internet.weather["prices.example"] = Reply(429, headers={"Retry-After": "7200"})
        with pytest.raises(Unreachable, match="429"):
            _talk(internet, _get)
    assert len(internet.asked) == 1


def test_it_waits_as_long_as_it_is_told_to() -> None:
    async def timed(http: PoliteClient) -> float:
        before = asyncio.get_running_loop().time()
        await http.get(URL)
        return asyncio.get_running_loop().time() - before

    with served() as internet:
        internet.weather["prices.example"] = [Reply(503, headers={"Retry-After": "1"}), Reply(200, b"fine")]
        waited = _talk(internet, timed)
    assert isinstance(waited, float) and waited >= 1.0


def test_an_answer_cut_half_way_is_unreachable_not_half_a_list() -> None:
    with served() as internet:
        internet.weather["prices.example"] = Reply(200, b"x" * 1000, cut=True)
        with pytest.raises(Unreachable):
            _talk(internet, _get)
    assert len(internet.asked) == 3


def test_a_slow_drip_ends_in_good_time() -> None:
    with served() as internet:
        internet.weather["prices.example"] = Reply(200, b"x" * 1000, drip_s=0.05)
        with pytest.raises(Unreachable, match="TimeoutError"):
            _talk(internet, _get, total_s=0.3, attempts=1)


def test_an_answer_without_end_is_refused() -> None:
    with served() as internet:
        internet.weather["prices.example"] = Reply(200, b"x" * 200_000)
        with pytest.raises(ShapeDrift, match="MiB"):
            _talk(internet, _get, max_mib=0.1)


def test_a_small_file_that_unpacks_to_a_large_one_counts_unpacked() -> None:
    packed = gzip.compress(b"0" * 5_000_000)
    with served() as internet:
        internet.weather["prices.example"] = Reply(200, packed, {"Content-Encoding": "gzip"})
        with pytest.raises(ShapeDrift, match="MiB"):
            _talk(internet, _get, max_mib=1)


def test_what_is_not_text_is_another_shape() -> None:
    with served() as internet:
        internet.weather["prices.example"] = Reply(200, b"\xff\xfe\x00price")
        with pytest.raises(ShapeDrift):
            _talk(internet, _get)


def test_keys_do_not_follow_a_redirect() -> None:
    async def with_key(http: PoliteClient) -> object:
        return await http.get(URL, headers={"X-API-KEY": "secret-value"})

    with served() as internet:
        internet.weather["prices.example"] = Reply(
            302, headers={"Location": f"{internet.origin}/thief.example/"}
        )
        with pytest.raises(Unreachable, match="302"):
            _talk(internet, with_key)
    assert internet.asked == [("GET", "prices.example/list")]


def test_a_host_keeps_its_pace() -> None:
    async def seven(http: PoliteClient) -> float:
        before = asyncio.get_running_loop().time()
        await asyncio.gather(*(http.get(URL) for _ in range(15)))
        return asyncio.get_running_loop().time() - before

    with served() as internet:
        internet.weather["prices.example"] = Reply(200, b"fine")
        spent = _talk(internet, seven, requests_per_minute=600)
    assert isinstance(spent, float) and spent >= 0.4


def test_lines_arrive_one_by_one_and_a_broken_stream_is_told() -> None:
    async def read(http: PoliteClient) -> list[str]:
        return [line async for line in http.lines(URL)]

    with served() as internet:
        internet.weather["prices.example"] = [Reply(503), Reply(200, b"one\ntwo\r\nthree")]
        assert _talk(internet, read) == ["one", "two", "three"]
        internet.weather["prices.example"] = Reply(200, b"line\n" * 1000, cut=True)
        with pytest.raises(Unreachable):
            _talk(internet, read)


def test_every_piece_that_arrives_is_told_by_host() -> None:
    told: dict[str, int] = {}

    def heard(host: str, size: int) -> None:
        told[host] = told.get(host, 0) + size

    async def read(http: PoliteClient) -> None:
        await http.get(URL)
        assert [line async for line in http.lines(URL)] == ["a" * 99] * 3

    with served() as internet:
        internet.weather["prices.example"] = [Reply(200, b"x" * 50), Reply(200, (b"a" * 99 + b"\n") * 3)]
        _talk(internet, read, heard=heard)
    assert told == {"prices.example": 350}


def test_robots_are_asked_before_a_page() -> None:
    async def page(http: PoliteClient) -> str:
        return (await http.page("https://prices.example/pricing")).text

    with served() as internet:
        internet.weather["prices.example"] = [
            Reply(200, b"User-agent: *\nDisallow: /pricing"),
            Reply(200, b"no"),
        ]
        with pytest.raises(Unreachable, match="robots"):
            _talk(internet, page)
        internet.weather["prices.example"] = [Reply(404), Reply(200, b"welcome")]
        assert _talk(internet, page) == "welcome"


def test_an_unchanged_answer_is_asked_for_by_its_validator_and_keeps_its_age(tmp_path: Path) -> None:
    async def twice() -> tuple[str, str, object, object]:
        async with PoliteClient(Manners(via=internet.origin), cache=tmp_path) as http:
            first, second = await http.get(URL), await http.get(URL)
            return first.text, second.text, first.as_of, second.as_of

    with served() as internet:
        headers = {"ETag": '"v1"', "Last-Modified": "Sun, 29 Nov 2026 06:00:00 GMT"}
        internet.weather["prices.example"] = Reply(200, b"prices", headers)
        first, second, age, kept_age = asyncio.run(twice())
    assert (first, second) == ("prices", "prices")
    assert age == kept_age is not None


def test_a_kept_answer_that_was_damaged_is_fetched_anew(tmp_path: Path) -> None:
    async def get() -> str:
        async with PoliteClient(Manners(via=internet.origin), cache=tmp_path) as http:
            return (await http.get(URL)).text

    with served() as internet:
        internet.weather["prices.example"] = Reply(200, b"prices", {"ETag": '"v1"'})
        asyncio.run(get())
        next(tmp_path.glob("*.body")).write_bytes(b"pri")
        assert asyncio.run(get()) == "prices"


def test_a_recording_holds_no_secret_and_plays_back(tmp_path: Path) -> None:
    key = "sk-live-12345678"

    async def talk(http: PoliteClient) -> tuple[str, list[str]]:
        await http.post("https://prices.example/token", {"client_id": "me", "client_secret": key})
        part = await http.get("https://prices.example/list", params={"key": key})
        return part.text, [line async for line in http.lines(URL)]

    async def record(internet: Internet) -> object:
        recorder = Recorder(tmp_path, [key])
        async with PoliteClient(Manners(via=internet.origin), recorder=recorder) as http:
            return await talk(http)

    async def replay(internet: Internet) -> object:
        transport = ReplayTransport(tmp_path, [key])
        async with PoliteClient(Manners(via=internet.origin, attempts=1), transport=transport) as http:
            return await talk(http)

    with served() as internet:
        answers = [b'{"access_token": "tok-abcdef"}', b'{"price": 1}', b"a\nb"]
        internet.weather["prices.example"] = [Reply(200, body) for body in answers]
        live = asyncio.run(record(internet))
        heard = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert key.encode() not in heard and b"tok-abcdef" not in heard
        asked = len(internet.asked)
        assert asyncio.run(replay(internet)) == live == ('{"price": 1}', ["a", "b"])
        assert len(internet.asked) == asked
