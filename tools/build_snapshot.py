"""Builds the bundled snapshot of offers from gathered rows.

    python tools/build_snapshot.py ../shared/offers/snapshot_rows.csv

Writes `app/catalog/data/snapshot/offers.csv` and `sources.csv` and prints what was left out and why. Facts are
carried over (price, shape, place, date); purchase option, term and tier are split; a reservation's whole-term total
becomes an upfront payment; a generated label such as "1x NVIDIA L40S PCIe [on-demand] 48GB" becomes "1x NVIDIA L40S".
"""

from __future__ import annotations

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from app.catalog import Catalog, load_catalog
from app.catalog.files import DATA
from app.catalog.snapshot import OFFER_COLUMNS, SOURCE_COLUMNS

OPTIONS: Mapping[str, tuple[str, int | None, str | None]] = {
    "on_demand": ("on_demand", None, None),
    "spot": ("spot", None, None),
    "low_priority": ("spot", None, "low-priority"),
    "reserved_1y": ("reserved", 12, None),
    "reserved_3y": ("reserved", 36, None),
    "reserved_5y": ("reserved", 60, None),
}
TIERS = ("community", "secure", "prototyping", "production")
STOCK = {"true": "in_stock", "false": "out", "": ""}
DERIVED = frozenset(
    {"per_gpu", "per_gpu_x_count", "spec_joined", "partial_gpu", "mem_was_total", "monthly_div_730"}
)
RENAMED = {"spot_ge_on_demand": "spot_above_on_demand", "spot_same_as_on_demand": "spot_above_on_demand"}
BIDDING = frozenset({"akash"})
"""Providers whose lowest price is the least of past bids, which nobody can take; elsewhere it is a machine's asking
price."""
WHOLE_TERM = "reservation_total_div"
LEFT_OUT = {*DERIVED, WHOLE_TERM}
IDENTITY = ("provider", "instance_type", "region", "purchase_option", "term_months", "upfront_option", "tier")
_LABEL = re.compile(r"^\d+x ")
_ADDRESS = re.compile(r"^([\w.-]+/[\w.-]+)@(\w+):(\S+)$")

Row = dict[str, Any]


def main(path: Path) -> None:
    """Read, convert, settle doubles, write, report."""
    catalog = load_catalog()
    with path.open(newline="", encoding="utf-8") as handle:
        gathered = list(csv.DictReader(handle))
    left_out = Counter[str]()
    sources: dict[tuple[str, str, str], str] = {}
    rows = []
    for line in gathered:
        if line["purchase_option"] == "serverless":
            left_out["serverless: a rate per call, not a rentable instance"] += 1
            continue
        rows.append(convert(line, catalog, sources))
    kept = settle(rows, catalog, left_out)
    write(DATA / "snapshot" / "offers.csv", OFFER_COLUMNS, kept)
    write(DATA / "snapshot" / "sources.csv", SOURCE_COLUMNS, [describe(key, sources[key]) for key in sources])
    print(f"{len(gathered)} rows read, {len(kept)} written")
    for reason, number in left_out.items():
        print(f"{number} left out: {reason}")


def convert(line: Mapping[str, str], catalog: Catalog, sources: dict[tuple[str, str, str], str]) -> Row:
    """One gathered row in our columns, with `as_of` beside them."""
    option, months, tier = OPTIONS[line["purchase_option"]]
    provider = catalog.provider_slug(line["provider"])
    flags = flags_of(line, provider)
    place = catalog.place(provider, line["region"])
    total = line["price_original"] if WHOLE_TERM in flags else ""
    key = (line["source"], line["licence"], line["as_of_date"])
    return {
        "provider": provider,
        "instance_type": instance_type(line),
        "accelerator_name": "" if line["gpu_raw_name"] == "(blank)" else line["gpu_raw_name"],
        "accelerator_count": count(line["gpu_count"]),
        "memory_gb": line["gpu_memory_gb"],
        "region": line["region"],
        "country": "" if place.country else line["country"],
        "purchase_option": option,
        "term_months": months or "",
        "upfront_option": "all" if total else "",
        "tier": tier or tier_of(line["instance_type"]) or "",
        "price_per_hour": "" if total else line["price_usd_per_hour"],
        "upfront": total,
        "currency": line["currency_original"],
        "vcpus": line["vcpus"],
        "ram_gib": line["ram_gb"],
        "local_disk_gb": line["disk_gb"],
        "stock": STOCK[line["available"]],
        "flags": ";".join(dict.fromkeys(flag for flag in flags if flag not in LEFT_OUT)),
        "source": sources.setdefault(key, f"s{len(sources) + 1}"),
        "as_of": line["as_of_date"],
    }


def flags_of(line: Mapping[str, str], provider: str) -> list[str]:
    """The gatherers' doubts and notes in our words."""
    words = RENAMED | ({"marketplace_min": "lowest_bid"} if provider in BIDDING else {})
    return [words.get(flag, flag) for flag in line["flags"].split(";") if flag]


def instance_type(line: Mapping[str, str]) -> str:
    """The provider's own type; for rows that only name a card, count and card."""
    given = line["instance_type"]
    return f"{line['gpu_count']}x {line['gpu_raw_name']}" if _LABEL.match(given) else given


def tier_of(label: str) -> str | None:
    """The tier in a generated label, in brackets."""
    return next((tier for tier in TIERS if re.search(rf"[\[(]{tier}[\])]", label)), None)


def count(text: str) -> str:
    """Accelerators; rounded fractions of a card made exact to six places."""
    share = Fraction(text)
    if share < 1:
        share = share.limit_denominator(32)
    return f"{float(share):.6f}".rstrip("0").rstrip(".")


def settle(rows: Iterable[Row], catalog: Catalog, left_out: Counter[str]) -> list[Row]:
    """One row an identity, the newest, then the cheapest; and of rows that only name a card without a place, the
    newest per provider, card, count, option and tier."""
    newest = sorted(rows, key=lambda row: (row["as_of"], -float(row["price_per_hour"] or 0)), reverse=True)
    first = distinct(newest, lambda row: tuple(row[name] for name in IDENTITY))
    left_out["same identity as a newer or cheaper row"] += len(newest) - len(first)
    kept: list[Row] = []
    latest: dict[Any, str] = {}
    for row in first:
        key = card_key(row, catalog)
        if key is not None and latest.setdefault(key, row["as_of"]) > row["as_of"]:
            left_out["older list of a provider that names the same card without a place"] += 1
            continue
        kept.append(row)
    return sorted(kept, key=lambda row: tuple(str(row[name]) for name in OFFER_COLUMNS))


def distinct(rows: Iterable[Row], key: Any) -> list[Row]:
    """The first row of every key."""
    found: dict[Any, Row] = {}
    for row in rows:
        found.setdefault(key(row), row)
    return list(found.values())


def card_key(row: Row, catalog: Catalog) -> tuple[Any, ...] | None:
    """What makes two rows without a place and with a generated type the same offer; None for all others."""
    if row["region"] or not _LABEL.match(row["instance_type"]):
        return None
    memory = float(row["memory_gb"]) if row["memory_gb"] else None
    found = catalog.resolve(row["accelerator_name"], row["provider"], row["instance_type"], memory)
    card = found.key or found.candidates
    if not card:
        return None
    return row["provider"], card, row["accelerator_count"], row["purchase_option"], row["tier"]


def describe(key: tuple[str, str, str], short: str) -> Row:
    """A source with its address, where it is a file of a public repository."""
    source, licence, as_of = key
    match = _ADDRESS.match(source)
    url = "https://github.com/{}/blob/{}/{}".format(*match.groups()) if match else ""
    return {"id": short, "source": source, "url": url, "licence": licence, "as_of": as_of}


def write(path: Path, columns: Iterable[str], rows: Iterable[Row]) -> None:
    """A CSV file with these columns."""
    names = tuple(columns)
    with path.open("w", newline="", encoding="utf-8") as handle:
        writer = csv.writer(handle, lineterminator="\n")
        writer.writerow(names)
        writer.writerows([row[name] for name in names] for row in rows)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
