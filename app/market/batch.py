"""One scrape while it is being taken in: described, judged provider by provider, and accounted for at the end."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

import msgspec
from sqlalchemy import Connection, RowMapping, select

from app.catalog import Catalog
from app.db import offers as store
from app.db import runs
from app.db.tables import offer
from app.domain.money import effective_hourly
from app.domain.offer import Parsed
from app.domain.sentence import N_, Sentence
from app.market import holds, quality
from app.market.apply import Accepted, Applied, Run, apply, supersede_snapshot, write_instance_types
from app.market.describe import Described, Describer, Refused
from app.market.quality import Judgement, Standing
from app.providers.card import ProviderCard

Outcome = Literal["ok", "partial", "held", "failed"]
_LONGEST_RAW = 2_000
_NOT_LIVE = ("snapshot", "hand_kept")
"""Kinds of source that come with the program; they are dated, and no scrape of the provider."""
_REJECTS_LISTED = 500
"""Different rejects that are listed per run, the most frequent first; all are counted."""


@dataclass(frozen=True, slots=True)
class IngestReport:
    """What one run did. `held` says, per provider, why a batch or a part of it is held."""

    run_id: int
    source: str
    outcome: Outcome
    offers: int
    added: int
    changed: int
    withdrawn: int
    rejected: int
    held: Mapping[str, Sentence] = field(default_factory=dict)


class Batch:
    """The offers of one scrape by provider; `settle_all` or `release`, then `finish`."""

    def __init__(self, run: Run, card: ProviderCard, parsed: Parsed, catalog: Catalog) -> None:
        self._run = run
        self._card = card
        self._parsed = parsed
        self._unanswered = set(parsed.unanswered) | {
            catalog.provider_slug(text) for text in parsed.unanswered
        }
        self._describer = Describer(catalog, card.source_kind, card.name)
        self._described: dict[str, dict[str, Described]] = defaultdict(dict)
        self._refused: dict[str, set[str]] = defaultdict(set)
        self._rejects: Counter[tuple[str, str, str]] = Counter()
        self._raw: dict[tuple[str, str, str], str] = {}
        self._repeated = 0
        self._held: dict[str, Sentence] = {}
        self._notes: list[Sentence] = []
        self._applied: dict[str, Applied] = {}
        for reject in parsed.rejects:
            self._reject(reject.provider, reject.reason, reject.detail, reject.raw)
        for scraped in parsed.offers:
            self._take(self._describer.describe(scraped, run.started_at))

    @classmethod
    def open(
        cls,
        connection: Connection,
        card: ProviderCard,
        parsed: Parsed,
        times: tuple[datetime, datetime],
        catalog: Catalog,
    ) -> Batch:
        """A batch under a new scrape run; `times` = when the source was asked, and now."""
        run_id = runs.open_run(connection, card.slug, *times)
        rates = store.read_rates(connection)
        return cls(Run(connection, run_id, card.slug, *times, rates), card, parsed, catalog)

    def settle_all(self) -> None:
        """Judge the offers of every provider that the batch speaks of or should, and apply or hold them. A provider
        that could not be asked is left alone."""
        query = select(offer.c.provider).where(offer.c.via == self._card.slug, offer.c.withdrawn_at.is_(None))
        before = set(self._run.connection.execute(query.distinct()).scalars())
        found = (before | self._described.keys()) or {self._card.slug}
        for provider in sorted(found - self._unanswered):
            self._settle(provider)

    def release(self, provider: str, whole: bool) -> None:
        """Apply a provider's offers without judging them; `whole` = what is not among them is withdrawn."""
        before = self._before(provider)
        if not whole:
            before = {key: row for key, row in before.items() if key in self._described[provider]}
        self._apply(provider, Judgement(None, None), before)

    def finish(self, keep_rejects: bool = False) -> IngestReport:
        """Account for the run: outcome, rejects, state of the source, and a new version of the board."""
        run, report = self._run, self._report()
        rejects = [
            {"provider": provider, "reason": reason, "detail": detail, "raw": self._raw[key], "rows": rows}
            for key, rows in self._rejects.most_common(_REJECTS_LISTED)
            for provider, reason, detail in [key]
        ]
        if not keep_rejects:
            runs.replace_rejects(run.connection, run.via, run.id, rejects)
        note = "; ".join(str(sentence) for sentence in (*self._held.values(), *self._notes))
        figures = {
            name: getattr(report, name)
            for name in ("outcome", "offers", "added", "changed", "withdrawn", "rejected")
        }
        repeated = {"the same offer again": self._repeated} if self._repeated else {}
        ignored = msgspec.json.encode(self._parsed.ignored | repeated).decode()
        runs.close_run(
            run.connection, run.id, figures | {"held": len(self._held), "ignored": ignored, "note": note}
        )
        state: dict[str, Any] = {
            "last_attempt": run.now,
            "failures": 0,
            "last_error": note if self._held else None,
        }
        if self._applied:
            state["last_success"] = run.started_at
        runs.set_provider(run.connection, run.via, state)
        store.raise_version(run.connection)
        return report

    def _settle(self, provider: str) -> None:
        before = self._before(provider)
        judged = {key: _standing(row) for key, row in before.items() if row.region not in self._unanswered}
        now = {key: one.standing for key, one in self._described[provider].items()}
        waiting = runs.open_hold(self._run.connection, self._card.slug, provider)
        held = holds.standings(waiting["batch"]) if waiting else None
        others = any(group for name, group in self._described.items() if name != provider)
        reseller = self._card.source_kind == "aggregator"
        judgement = quality.judge(judged, now, self._card.kind, held, others_answer=reseller and others)
        self._close(provider, judgement, judged, now, waiting)
        if judgement.holds:
            self._hold(provider, judgement, judged)
        if judgement.reason is None:
            self._note_median(provider, judged, now)
            self._apply(provider, judgement, before)

    def _take(self, one: Described | Refused) -> None:
        provider = one.offer.provider
        if isinstance(one, Refused):
            self._refused[provider].add(one.id)
            self._reject(provider, one.reason, one.detail, one.offer.raw)
            return
        earlier = self._described[provider].setdefault(one.id, one)
        if earlier is not one and earlier.standing == one.standing:
            self._repeated += 1
        elif earlier is not one:
            where = {"type": one.offer.instance_type, "region": one.offer.region or "?"}
            detail = Sentence(N_("{type} in {region} is listed twice with different prices"), where)
            self._reject(provider, "duplicate", detail, one.offer.raw)
        if one.unknown is not None:
            said = {"name": repr(one.offer.accelerator_name), "why": one.unknown}
            detail = Sentence(N_("{name}: {why} (the offer is kept)"), said)
            self._reject(provider, "unknown_accelerator", detail, one.offer.raw)

    def _reject(self, provider: str, reason: str, detail: Sentence | str, raw: str) -> None:
        kept = holds.keep_sentence(detail) if isinstance(detail, Sentence) else detail
        key = provider, reason, kept.replace("\0", "�")
        self._rejects[key] += 1
        self._raw.setdefault(key, raw[:_LONGEST_RAW].replace("\0", "�"))

    def _before(self, provider: str) -> dict[str, store.Stood]:
        rows = store.read_standing(self._run.connection, self._card.slug, provider)
        return {row.id: row for row in rows}

    def _close(
        self,
        provider: str,
        judgement: Judgement,
        before: Mapping[str, Standing],
        now: Mapping[str, Standing],
        waiting: RowMapping | None,
    ) -> None:
        if waiting is None:
            return
        if judgement.holds:
            by = "replaced"
        else:
            by = "agreement" if quality.judge(before, now, self._card.kind, None).holds else "recovery"
        runs.close_holds(self._run.connection, self._card.slug, provider, self._run.now, by)

    def _hold(self, provider: str, judgement: Judgement, before: Mapping[str, Standing]) -> None:
        whole = judgement.reason is not None
        kept = self._described[provider]
        held = kept if whole else {key: kept[key] for key in judgement.held}
        why = judgement.why
        assert why is not None
        seen = before if whole else {key: before[key] for key in held}
        runs.add_hold(
            self._run.connection,
            {
                "run_id": self._run.id,
                "via": self._card.slug,
                "provider": provider,
                "reason": judgement.reason or "moved",
                "why": holds.keep_sentence(why),
                "whole": whole,
                "diff": msgspec.json.encode(holds.difference(seen, held)).decode(),
                "batch": holds.pack(held.values()),
                "held_at": self._run.started_at,
            },
        )
        self._held[provider] = why

    def _apply(self, provider: str, judgement: Judgement, before: Mapping[str, store.Stood]) -> None:
        batch = {key: one for key, one in self._described[provider].items() if key not in judgement.held}
        spared = judgement.held | self._refused[provider]
        gone = [
            key
            for key, row in before.items()
            if not (key in batch or key in spared or row.region in self._unanswered)
        ]
        flags: dict[str, list[str]] = defaultdict(list)
        for key in judgement.flagged:
            flags[key].append("price_moved")
        told = {key: (one.offer, one.standing) for key, one in batch.items()}
        for key, flag in quality.contradictions(told).items():
            flags[key].append(flag)
        used = {one.values["instance_type_id"] for one in batch.values()}
        write_instance_types(self._run, self._describer.instance_types, used)
        self._applied[provider] = apply(self._run, Accepted(provider, batch, flags, before, gone))
        if self._card.source_kind not in _NOT_LIVE:
            supersede_snapshot(self._run, provider)

    def _note_median(
        self, provider: str, before: Mapping[str, Standing], now: Mapping[str, Standing]
    ) -> None:
        move = quality.median_move(before, now)
        if move is not None:
            words = {"provider": provider, "share": f"{move:+.0%}"}
            self._notes.append(Sentence("{provider}: the median on-demand price moved by {share}", words))

    def _report(self) -> IngestReport:
        outcome: Outcome = "ok"
        if self._held:
            outcome = "partial" if self._applied else "held"
        return IngestReport(
            run_id=self._run.id,
            source=self._card.slug,
            outcome=outcome,
            offers=sum(len(group) for group in self._described.values()),
            added=sum(one.added for one in self._applied.values()),
            changed=sum(one.changed for one in self._applied.values()),
            withdrawn=sum(one.withdrawn for one in self._applied.values()),
            rejected=sum(self._rejects.values()),
            held=dict(self._held),
        )


def _standing(row: store.Stood) -> Standing:
    price = effective_hourly(row.price_per_hour, row.upfront, row.term_months)
    return Standing(price, row.currency, row.purchase_option)
