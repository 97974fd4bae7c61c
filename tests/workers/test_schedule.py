"""The embedded schedule on SQLite, and one scrape end to end with every way it can fail."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.domain.errors import MissingKey, ShapeDrift, Unreachable
from app.domain.offer import Parsed
from app.market.status import status
from app.providers.port import Http, Part, Payload, Provider
from app.workers.chores import refresh_rates
from app.workers.jobs import Foreman, Job
from app.workers.schedule import jobs_of, run_embedded, run_now
from app.workers.scrape import Scraper
from tests.scraped import LIST, NOON, current, scraped, take_in
from tests.workers.crew import OFFERS, SOURCES, Nowhere, source

ECB_FILE = """<gesmes:Envelope><Cube><Cube time='2026-11-27'>
<Cube currency='USD' rate='1.1000'/><Cube currency='JPY' rate='165.00'/></Cube></Cube></gesmes:Envelope>"""


class Answers:
    """A client whose every answer is one text."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def get(self, url: str, **_: object) -> Part:
        return Part("answer", url, self.text)


def provider(error: Exception | None = None, seconds: float = 0) -> Provider:
    async def fetch(_http: Http, _settings: Mapping[str, str]) -> Payload:
        await asyncio.sleep(seconds)
        if error is not None:
            raise error
        return Payload(parts=())

    return Provider(LIST, fetch, lambda _payload: Parsed(offers=(scraped(),)))


def scraper(engine: Engine, longest_s: float = 5) -> Scraper:
    later = NOON + timedelta(days=1)
    return Scraper(Nowhere(), {}, engine, load_catalog(), lambda: later, longest_s)


def test_embedded_schedule_scrapes_every_source_and_stops_when_told(
    sqlite_engine: Engine, tmp_path: Path
) -> None:
    log = tmp_path / "log"
    sources = {one.card.slug: one for one in (source(number, "web", log, 0.01) for number in range(SOURCES))}
    worker = Scraper(Nowhere(), {}, sqlite_engine, load_catalog())
    jobs = jobs_of(worker, sources)

    async def serve() -> None:
        stop = asyncio.Event()
        task = asyncio.create_task(run_embedded(Foreman(sqlite_engine, "web"), jobs, stop, 0.05))
        while len(current(sqlite_engine)) < SOURCES * OFFERS:
            await asyncio.sleep(0.05)
        stop.set()
        await task

    asyncio.run(asyncio.wait_for(serve(), 20))
    begun = [line.split()[2] for line in log.read_text().splitlines() if "begin" in line]
    assert sorted(begun) == sorted(sources)


def test_bug_in_one_job_leaves_the_others_running(sqlite_engine: Engine) -> None:
    done: list[str] = []

    async def bug(_fence: int) -> None:
        raise ZeroDivisionError

    async def fine(_fence: int) -> None:
        done.append("fine")

    async def serve() -> None:
        stop = asyncio.Event()
        jobs = {"bug": Job("bug", 3600, bug), "fine": Job("fine", 3600, fine)}
        task = asyncio.create_task(run_embedded(Foreman(sqlite_engine, "web"), jobs, stop, 0.05))
        while not done:
            await asyncio.sleep(0.02)
        stop.set()
        await task

    asyncio.run(asyncio.wait_for(serve(), 10))
    assert done == ["fine"]


def test_a_card_says_how_long_its_source_may_take(sqlite_engine: Engine) -> None:
    slow = provider(seconds=5)
    card = replace(slow.card, longest_s=0.05)  # type: ignore[arg-type]
    worker = Scraper(Nowhere(), {}, sqlite_engine, load_catalog())
    asyncio.run(worker.scrape_provider(replace(slow, card=card)))
    (state,) = status(sqlite_engine).sources
    assert state.last_error == "no end after 0 s"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (Unreachable("answered 500 three times"), "answered 500 three times"),
        (ShapeDrift("not JSON but '<html>'"), "not JSON but '<html>'"),
        (KeyError("price"), "the reader failed: KeyError('price')"),
    ],
)
def test_failed_scrape_is_on_the_status_and_leaves_the_offers(
    sqlite_engine: Engine, error: Exception, words: str
) -> None:
    take_in(sqlite_engine, scraped())
    assert asyncio.run(scraper(sqlite_engine).scrape_provider(provider(error))) is None
    (state,) = status(sqlite_engine).sources
    assert (state.last_error, state.last_success, state.failures) == (words, NOON, 1)
    assert [record.observed_at for record in current(sqlite_engine)] == [NOON]


def test_answer_that_cannot_be_taken_in_is_on_the_status_too(sqlite_engine: Engine) -> None:
    broken = Provider(LIST, provider().fetch, lambda _payload: Parsed(offers=(None,)))  # type: ignore[arg-type]
    assert asyncio.run(scraper(sqlite_engine).scrape_provider(broken)) is None
    (state,) = status(sqlite_engine).sources
    assert state.last_error is not None and "could not be taken in" in state.last_error
    assert state.failures == 1


def test_source_without_end_is_given_up(sqlite_engine: Engine) -> None:
    assert asyncio.run(scraper(sqlite_engine, 0.05).scrape_provider(provider(seconds=5))) is None
    (state,) = status(sqlite_engine).sources
    assert state.last_error is not None and "no end after" in state.last_error


def test_missing_key_is_named_and_no_attempt_is_counted(sqlite_engine: Engine) -> None:
    asyncio.run(scraper(sqlite_engine).scrape_provider(provider(MissingKey("LAMBDA_API_KEY"))))
    (state,) = status(sqlite_engine).sources
    assert state.last_error is not None and "LAMBDA_API_KEY" in state.last_error
    assert (state.failures, state.last_attempt) == (0, None)


def test_good_scrape_is_as_old_as_the_question(sqlite_engine: Engine) -> None:
    report = asyncio.run(scraper(sqlite_engine).scrape_provider(provider()))
    assert report is not None and report.outcome == "ok"
    assert [record.observed_at for record in current(sqlite_engine)] == [NOON + timedelta(days=1)]


def test_refresh_by_hand_asks_sources_that_are_not_due(sqlite_engine: Engine) -> None:
    jobs = jobs_of(scraper(sqlite_engine), {"lambda": provider()})
    foreman = Foreman(sqlite_engine, "cli")
    assert asyncio.run(run_now(foreman, [jobs["lambda"]])) == []
    assert asyncio.run(run_now(foreman, [jobs["lambda"]])) == []
    assert len(status(sqlite_engine).sources[0].runs) == 2


def test_exchange_rates_are_kept_with_their_day(sqlite_engine: Engine) -> None:
    take_in(sqlite_engine, scraped("11", currency="EUR"), scraped("3000", currency="JPY", region="jp"))
    asyncio.run(refresh_rates(Scraper(Answers(ECB_FILE), {}, sqlite_engine, load_catalog())))
    by_currency = {record.currency: record for record in current(sqlite_engine)}
    assert by_currency["EUR"].price_usd_per_hour == pytest.approx(12.1)
    assert by_currency["JPY"].price_usd_per_hour == pytest.approx(3000 * 1.1 / 165)
    assert str(by_currency["JPY"].rate_date) == "2026-11-27"


def test_rates_that_cannot_be_read_leave_the_old_ones(sqlite_engine: Engine) -> None:
    worker = Scraper(Answers(ECB_FILE), {}, sqlite_engine, load_catalog())
    asyncio.run(refresh_rates(worker))
    asyncio.run(refresh_rates(Scraper(Answers("<html>"), {}, sqlite_engine, load_catalog())))
    state = status(sqlite_engine)
    assert str(state.rates["EUR"]) == "2026-11-27"
    source = state.source("exchange-rates")
    assert source is not None and source.failures == 1
