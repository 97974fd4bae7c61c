"""One offer told by several sources: the best-placed source speaks, the others fill its blanks and stay named."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt

from app.domain.coded import Coded, FloatArray, Listed, Mask, RowArray, Words
from app.domain.offer import SourceKind
from app.domain.offer_table import ListColumn, OfferTable

RANK: dict[SourceKind, int] = {
    "api": 0,
    "page": 1,
    "catalog": 2,
    "hand_kept": 3,
    "aggregator": 4,
    "snapshot": 5,
}
"""Who is believed first: the provider's own API, its own page, an open catalog, a file kept by hand, a reseller's
list, the bundled snapshot."""

DISAGREEMENT = 0.02
"""Two sources of one offer may differ by this share before the offer is flagged (rounding and exchange rates)."""

_FILLABLE = (
    "zone",
    "country",
    "continent",
    "vcpus",
    "ram_gib",
    "local_disk_gb",
    "memory_gib_per_accelerator",
    "intra_node_link",
    "intra_node_gbytes_per_s",
    "peer_to_peer",
    "fabric",
    "fabric_gbps",
    "max_nodes",
    "stock",
    "stock_units",
    "reliability",
    "minimum_term_hours",
)
_OF_A_KNOWN_NAME = (
    "accelerator",
    "accelerator_label",
    "accelerator_status",
    "candidates",
    "memory_gib_per_accelerator",
)


@dataclass(frozen=True, slots=True, eq=False)
class Cited:
    """Who else told of an offer, at what price and when, written out only where somebody looks. Group `g` of `groups`
    (n,) is the rows from `starts[g]` to before `starts[g + 1]` of what was told."""

    groups: RowArray
    starts: RowArray
    sources: Coded
    prices: FloatArray
    moments: FloatArray

    def get(self, row: int) -> Words:
        """The other sources of one offer with their prices."""
        group = self.groups[row]
        return tuple(map(self._cite, range(self.starts[group] + 1, self.starts[group + 1])))

    def take(self, rows: RowArray) -> Cited:
        """The same of these offers, in their order."""
        return Cited(self.groups[rows], self.starts, self.sources, self.prices, self.moments)

    def words(self) -> Coded:
        """The names of the other sources as one text, for sorting; unknown where there is none."""
        codes, starts = self.sources.codes.tolist(), self.starts.tolist()
        told = [""] * (len(starts) - 1)
        for group in np.flatnonzero(np.diff(self.starts) > 1).tolist():
            others = codes[starts[group] + 1 : starts[group + 1]]
            told[group] = " ".join(self.sources.names[code] for code in others if code >= 0)
        return Coded.of(told).take(self.groups)

    def _cite(self, at: int) -> str:
        price = "?" if np.isnan(self.prices[at]) else f"{self.prices[at]:.4f} USD/h"
        day = datetime.fromtimestamp(self.moments[at], UTC).date()
        return f"{self.sources.get(at) or ''}: {price} ({day})"


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """Rows of one offer after each other, the best-placed first: `starts` (g + 1,) of the groups among `rows` rows."""

    starts: RowArray
    rows: int

    @property
    def leads(self) -> RowArray:
        """The row of each group that speaks, (g,)."""
        return self.starts[:-1]

    def first(self, known: Mask) -> RowArray:
        """The first row of each group that is `known` (rows,), else the one that speaks, (g,)."""
        at = np.where(known, np.arange(self.rows), self.rows)
        found = np.minimum.reduceat(at, self.leads)
        return np.where(found < self.rows, found, self.leads)


def merge(told: OfferTable) -> OfferTable:
    """One row an offer out of what each source says of it, ordered by id.

    The price, its currency and its age always come from one source, the best ranked and then the newest that has
    a price: prices are never mixed or averaged. `other_sources` names the rest with their prices.
    """
    rows = told.take(_ranked(told))
    firsts = (
        np.flatnonzero(np.append(True, rows.ids[1:] != rows.ids[:-1])) if len(rows) else np.empty(0, np.intp)
    )
    if len(firsts) == len(rows):
        return rows
    groups = _Groups(np.append(firsts, len(rows)), len(rows))
    lead = rows.take(groups.leads)
    picks = {name: groups.first(_known(rows, name)) for name in _FILLABLE}
    known = rows.words["accelerator_status"].where(lambda status: status == "known")
    nameless = (lead.words["accelerator"].codes < 0) & ~lead.words["accelerator_status"].where(_is_slice)
    by_name = np.where(nameless, groups.first(known), groups.leads)
    found = known[by_name] & nameless
    for name in _OF_A_KNOWN_NAME:
        picks[name] = np.where(found, by_name, picks.get(name, groups.leads))
    lists: dict[str, ListColumn] = {
        **lead.lists,
        "candidates": rows.lists["candidates"].take(picks["candidates"]),
    }
    lists["flags"] = _flagged(rows, groups)
    lists["other_sources"] = Cited(
        np.arange(len(firsts)), groups.starts, rows.words["source"], rows.numbers["price_usd_per_hour"],
        rows.numbers["observed_at"],
    )  # fmt: skip
    numbers = {name: column[picks.get(name, groups.leads)] for name, column in rows.numbers.items()}
    numbers["first_seen"] = np.minimum.reduceat(rows.numbers["first_seen"], groups.leads)
    words = {name: column.take(picks.get(name, groups.leads)) for name, column in rows.words.items()}
    return OfferTable(lead.ids, words, numbers, lists)


def _ranked(told: OfferTable) -> RowArray:
    """Rows by offer, and of one offer the best-placed first."""
    unpriced = np.isnan(told.numbers["price_usd_per_hour"]) & np.isnan(told.numbers["hourly_price_native"])
    rank = told.words["source_kind"].numbers(lambda kind: RANK[kind])  # type: ignore[index]
    return np.lexsort((told.words["source"].codes, -told.numbers["observed_at"], rank, unpriced, told.ids))


def _known(rows: OfferTable, name: str) -> npt.NDArray[np.bool_]:
    return rows.words[name].codes >= 0 if name in rows.words else ~np.isnan(rows.numbers[name])


def _flagged(rows: OfferTable, groups: _Groups) -> ListColumn:
    """The flags of those who speak, and of the offers whose sources disagree one more."""
    prices = rows.numbers["price_usd_per_hour"]
    high, low = np.fmax.reduceat(prices, groups.leads), np.fmin.reduceat(prices, groups.leads)
    flags = rows.lists["flags"].take(groups.leads)
    assert isinstance(flags, Listed)
    return flags.with_word("sources_disagree", high > low * (1 + DISAGREEMENT))


def _is_slice(status: str) -> bool:
    return status == "slice"
