"""One source end to end: fetch, parse, take in. A failure is written down and harms nobody else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Engine

from app.catalog import Catalog
from app.domain.errors import LeaseLost, NotAsked, SwitchedOff, UpstreamFault
from app.domain.offer import Parsed
from app.market.ingest import IngestReport, ingest, record_failure, record_skip
from app.market.retention import DEFAULT, Retention
from app.providers.port import Http, Provider

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Scraper:
    """What every scrape needs: an HTTP client, the environment for keys, database, catalog and clock. `longest_s`
    replaces the time that each source's card allows; `keep` says what the daily tidying leaves; `off` are the slugs of
    sources that are not asked."""

    http: Http
    environment: Mapping[str, str]
    engine: Engine
    catalog: Catalog
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    longest_s: float | None = None
    keep: Retention = DEFAULT
    off: frozenset[str] = frozenset()

    async def scrape_provider(self, provider: Provider, fence: int | None = None) -> IngestReport | None:
        """Ask a source and take in what it says; None when that failed, which is then on the status page.

        Raises:
            LeaseLost: another worker has taken over; nothing was written.
        """
        slug, started_at, parsed = provider.card.slug, self.clock(), None
        longest_s = self.longest_s or provider.card.longest_s
        try:
            parsed = await asyncio.wait_for(self._ask(provider), longest_s)
            return await self._ingest(provider, parsed, started_at, fence)
        except LeaseLost:
            raise
        except NotAsked as error:
            await asyncio.to_thread(record_skip, self.engine, provider.card, str(error), fence=fence)
        except UpstreamFault as error:
            await self._fail(provider, str(error), started_at, fence)
        except TimeoutError:
            await self._fail(provider, f"no end after {longest_s:.0f} s", started_at, fence)
        except Exception as error:  # a bug on an answer nobody foresaw must not stop the other sources
            log.exception("%s: could not be %s", slug, "read" if parsed is None else "taken in")
            what = "the reader failed" if parsed is None else "it could not be taken in"
            await self._fail(provider, f"{what}: {error!r}", started_at, fence)
        return None

    async def _ask(self, provider: Provider) -> Parsed:
        if provider.card.slug in self.off:
            raise SwitchedOff
        payload = await provider.fetch(self.http, self.environment)
        return await asyncio.to_thread(provider.parse, payload)

    async def _ingest(
        self, provider: Provider, parsed: Parsed, started_at: datetime, fence: int | None
    ) -> IngestReport:
        report = await asyncio.to_thread(
            ingest,
            self.engine,
            provider.card,
            parsed,
            started_at=started_at,
            now=self.clock(),
            catalog=self.catalog,
            fence=fence,
        )
        log.info(
            "%s: %s, %d offers, %d new, %d changed, %d withdrawn, %d rejected",
            report.source, report.outcome, report.offers, report.added, report.changed, report.withdrawn, report.rejected,
        )  # fmt: skip
        return report

    async def _fail(self, provider: Provider, error: str, started_at: datetime, fence: int | None) -> None:
        log.warning("%s: %s", provider.card.slug, error)
        await asyncio.to_thread(
            record_failure,
            self.engine,
            provider.card,
            error,
            started_at=started_at,
            now=self.clock(),
            fence=fence,
        )
