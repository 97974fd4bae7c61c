"""How fresh everything is: sources, what they last said, what was refused and what is held."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Engine, func, select

from app.db.tables import exchange_rate, hold, offer, provider, reject, scrape_run
from app.domain.sentence import Sentence
from app.market.holds import Difference, read_sentence, read_text

_RUNS_LISTED = 10


@dataclass(frozen=True, slots=True)
class RunStatus:
    """One scrape run. `ignored` counts rows left out on purpose, by reason."""

    id: int
    started_at: datetime
    finished_at: datetime
    outcome: str
    offers: int
    added: int
    changed: int
    withdrawn: int
    rejected: int
    ignored: dict[str, int]
    note: str


@dataclass(frozen=True, slots=True)
class RejectStatus:
    """Alike rows that the newest run of a source refused (or kept with an unknown accelerator). `detail` is a sentence
    where it is ours, a plain text where the source was quoted."""

    provider: str
    reason: str
    detail: Sentence | str
    raw: str
    rows: int


@dataclass(frozen=True, slots=True)
class HoldStatus:
    """A batch that waits for the next agreeing scrape or the operator."""

    provider: str
    reason: str
    why: Sentence
    whole: bool
    held_at: datetime
    difference: Difference


@dataclass(frozen=True, slots=True)
class SourceStatus:
    """One source of offers; times are None where that never happened. `newest` is when the newest of its offers was
    last said so, which for dated rows is their own day, however lately they were read."""

    slug: str
    last_attempt: datetime | None
    last_success: datetime | None
    last_error: str | None
    failures: int
    next_due: datetime | None
    offers: int
    newest: datetime | None = None
    runs: tuple[RunStatus, ...] = ()
    rejects: tuple[RejectStatus, ...] = ()
    holds: tuple[HoldStatus, ...] = ()


@dataclass(frozen=True, slots=True)
class Status:
    """Everything that `/status` shows. `rates` = day of the newest exchange rate by currency."""

    sources: tuple[SourceStatus, ...]
    rates: dict[str, date] = field(default_factory=dict)

    def source(self, slug: str) -> SourceStatus | None:
        """The source of that slug, if it was ever asked."""
        return next((source for source in self.sources if source.slug == slug), None)


def status(engine: Engine) -> Status:
    """The state of every source that was ever asked, by slug."""
    with engine.connect() as connection:
        offers = _offers(connection)
        runs = _grouped(_runs(connection))
        rejects = _grouped(_rejects(connection))
        holds = _grouped(_holds(connection))
        rows = connection.execute(select(provider).order_by(provider.c.slug)).mappings().all()
        newest = select(exchange_rate.c.currency, func.max(exchange_rate.c.day)).group_by(
            exchange_rate.c.currency
        )
        rates = {row[0]: row[1] for row in connection.execute(newest)}
    names = ("slug", "last_attempt", "last_success", "last_error", "failures", "next_due")
    sources = tuple(
        SourceStatus(
            **{name: row[name] for name in names},
            **offers.get(row["slug"], {"offers": 0}),
            runs=tuple(runs[row["slug"]]),
            rejects=tuple(rejects[row["slug"]]),
            holds=tuple(holds[row["slug"]]),
        )
        for row in rows
    )
    return Status(sources, rates)


def _offers(connection: Connection) -> dict[str, dict[str, Any]]:
    newest = func.max(func.coalesce(offer.c.said_at, scrape_run.c.started_at))
    query = select(offer.c.via, func.count(), newest).join(scrape_run, scrape_run.c.id == offer.c.run_id)
    rows = connection.execute(query.where(offer.c.withdrawn_at.is_(None)).group_by(offer.c.via))
    return {row[0]: {"offers": row[1], "newest": row[2]} for row in rows}


def _grouped(pairs: Sequence[tuple[str, Any]]) -> dict[str, list[Any]]:
    grouped: dict[str, list[Any]] = defaultdict(list)
    for slug, value in pairs:
        grouped[slug].append(value)
    return grouped


def _runs(connection: Connection) -> list[tuple[str, RunStatus]]:
    run = scrape_run.c
    place = func.row_number().over(partition_by=run.provider, order_by=run.id.desc()).label("place")
    ranked = select(scrape_run, place).subquery()
    query = select(ranked).where(ranked.c.place <= _RUNS_LISTED).order_by(ranked.c.id.desc())
    names = (
        "id",
        "started_at",
        "finished_at",
        "outcome",
        "offers",
        "added",
        "changed",
        "withdrawn",
        "rejected",
        "note",
    )
    return [
        (
            row["provider"],
            RunStatus(**{n: row[n] for n in names}, ignored=msgspec.json.decode(row["ignored"])),
        )
        for row in connection.execute(query).mappings()
    ]


def _rejects(connection: Connection) -> list[tuple[str, RejectStatus]]:
    columns = (reject.c.provider, reject.c.reason, reject.c.detail, reject.c.raw, reject.c.rows)
    query = select(scrape_run.c.provider, *columns).join(scrape_run, scrape_run.c.id == reject.c.run_id)
    return [
        (slug, RejectStatus(provider, reason, read_text(detail), raw, rows))
        for slug, provider, reason, detail, raw, rows in connection.execute(
            query.order_by(reject.c.rows.desc(), reject.c.id)
        )
    ]


def _holds(connection: Connection) -> list[tuple[str, HoldStatus]]:
    columns = (
        hold.c.via,
        hold.c.provider,
        hold.c.reason,
        hold.c.why,
        hold.c.whole,
        hold.c.held_at,
        hold.c.diff,
    )
    query = select(*columns).where(hold.c.closed_at.is_(None)).order_by(hold.c.id)
    return [
        (slug, HoldStatus(provider, reason, read_sentence(why), whole, held_at, _difference(told)))
        for slug, provider, reason, why, whole, held_at, told in connection.execute(query)
    ]


def _difference(told: str) -> Difference:
    return msgspec.json.decode(told, type=Difference)
