"""Dated files of offers: the product's own snapshot format, and what others publish and a source of ours can read."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

import msgspec
import orjson

from app.catalog.snapshot import OFFER_COLUMNS, read_dated
from app.domain.errors import BadInput, ShapeDrift
from app.domain.offer import Parsed
from app.domain.sentence import N_, Sentence
from app.market.ingest import SNAPSHOT_CARD
from app.providers import discover, skypilot
from app.providers.card import ProviderCard
from app.providers.port import Part, Payload

_DAY = re.compile(r"(?<!\d)(20\d\d-\d\d-\d\d)(?!\d)")
_ZONES_HEADER = "NAME;ZONE"


@dataclass(frozen=True, slots=True)
class Dated:
    """What a file says: `card` is the source that it comes from, and every offer of `parsed` has its `observed_at`."""

    name: str
    card: ProviderCard
    parsed: Parsed

    @property
    def days(self) -> list[date]:
        """The days that the file speaks of, oldest first."""
        return sorted({offer.observed_at.date() for offer in self.parsed.offers if offer.observed_at})


@dataclass(frozen=True, slots=True)
class _File:
    """A file as it was found, the source that reads it, and the part of that source's answer that it is."""

    path: Path
    source: str
    part: str
    text: str
    as_of: datetime | None


def read_files(paths: Sequence[Path], day: date | None, now: datetime) -> list[Dated]:
    """What the files say, the oldest first.

    Args:
        day: the day of files that state none, neither in their rows nor in their names.

    Raises:
        BadInput: a file that is not there or in no format that is known, without a day, or of a day to come.
        CatalogError: a malformed file in the snapshot's own format.
    """
    found = [_find(path, day) for path in paths]
    own = [_read_own(file) for file in found if file.source == SNAPSHOT_CARD.slug]
    read = own + [_read_parts(parts, now) for parts in _together(found)]
    return sorted(read, key=lambda dated: dated.days[:1])


def _find(path: Path, day: date | None) -> _File:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("FILE", Sentence("{name} cannot be read", {"name": path})) from error
    source, part, text = _recognise(path, text)
    told = _DAY.search(path.name)
    named = _day_of(told.group(1), path) if told else day
    return _File(path, source, part, text, None if named is None else datetime.combine(named, time(), UTC))


def _day_of(text: str, path: Path) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInput("FILE", Sentence("{name} has no date that exists", {"name": path.name})) from None


def _recognise(path: Path, text: str) -> tuple[str, str, str]:
    """(source, part, text as the source knows it)."""
    first = text.partition("\n")[0].strip()
    header = next(csv.reader([first]), [])
    if header == list(OFFER_COLUMNS):
        return SNAPSHOT_CARD.slug, "", text
    if {"InstanceType", "AcceleratorName", "Price"} <= set(header):
        return "skypilot", _cloud_of(path), text
    if {"snapshot_ts", "pricing_type", "gpu_name"} <= set(header):
        return "opencomputeprices", path.stem, text
    if first.startswith(_ZONES_HEADER):
        return "gcp", "zones", text
    if {"name", "region", "cpus"} <= set(header):
        return "gcp", "zones", _zones(text)
    return _recognise_tree(path, text)


def _recognise_tree(path: Path, text: str) -> tuple[str, str, str]:
    if path.suffix in (".yml", ".yaml"):
        return "gcp", "prices", text
    try:
        tree: Any = orjson.loads(text)
    except orjson.JSONDecodeError:
        tree = None
    if isinstance(tree, Mapping):
        if isinstance(tree.get("offers"), list) and "generated_at" in tree:
            return "gpurentalprices", "latest", text
        if isinstance(tree.get("Items"), list) and "BillingCurrency" in tree:
            return "azure", "Standard 1", text
        if isinstance(tree.get("instance"), Mapping):
            whole = {"about": {}, "compute": {"instance": tree["instance"]}}
            return "gcp", "prices", orjson.dumps(whole).decode()
    raise BadInput("FILE", Sentence("{name} is in no format that is known here", {"name": path.name}))


def _cloud_of(path: Path) -> str:
    """The cloud of a file of the SkyPilot catalog: a word of its name, or the folder that it lies in."""
    words = [*re.split(r"[_\-. ]", path.stem), path.parent.name]
    for word in words:
        if word in skypilot.FOLDERS:
            return word
    raise BadInput(
        "FILE", Sentence("{name} names no cloud of the SkyPilot catalog, such as aws", {"name": path.name})
    )


def _zones(text: str) -> str:
    """Machine types by region, as an extract of the list of zones, in that list's own form."""
    rows = csv.DictReader(io.StringIO(text))
    return "\n".join((_ZONES_HEADER, *(f"{row['name']};{row['region']}-a" for row in rows), ""))


def _together(files: Sequence[_File]) -> Iterator[list[_File]]:
    """Files that one source reads together: Google's prices and zones of one day; all others one by one."""
    pairs: dict[datetime | None, list[_File]] = {}
    for file in files:
        if file.source == "gcp":
            pairs.setdefault(file.as_of, []).append(file)
        elif file.source != SNAPSHOT_CARD.slug:
            yield [file]
    for parts in pairs.values():
        if {file.part for file in parts} != {"prices", "zones"}:
            why = N_(
                "{name} needs its other half: the prices of Google Cloud and the zones of its machine types"
            )
            raise BadInput("FILE", Sentence(why, {"name": parts[0].path.name}))
        yield parts


def _read_own(file: _File) -> Dated:
    return Dated(file.path.name, SNAPSHOT_CARD, Parsed(offers=tuple(read_dated(file.path))))


def _read_parts(files: Sequence[_File], now: datetime) -> Dated:
    """The source's own reader over the files, each offer dated by its row, else by the file."""
    provider, name = discover()[files[0].source], files[0].path.name
    parts = tuple(Part(file.part, "", file.text, file.as_of) for file in files)
    try:
        parsed = provider.parse(Payload(parts))
    except ShapeDrift as drift:
        raise BadInput("FILE", Sentence("{name}: {why}", {"name": name, "why": str(drift)})) from drift
    offers = []
    for offer in parsed.offers:
        at = offer.observed_at or files[0].as_of
        if at is None:
            raise BadInput("--date", Sentence("{name} states no day; give one", {"name": name}))
        if at > now:
            raise BadInput("--date", Sentence("{name} is of a day to come", {"name": name}))
        offers.append(msgspec.structs.replace(offer, observed_at=at))
    return Dated(name, provider.card, msgspec.structs.replace(parsed, offers=tuple(offers)))
