"""Prices that look wrong beside everybody else's, and those that rest on an old exchange rate."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import numpy.typing as npt

from app.domain.coded import Coded, FloatArray, Listed, Mask, RowArray, distinct_rows, word_key
from app.domain.offer_table import OfferTable

OUTSIDE = 4.0
"""Factor around the median of an accelerator beyond which a price is flagged; at 3, two large clouds' H100 would be
flagged every day (lessons)."""
PROVIDERS_NEEDED = 3
"""A median over fewer providers says nothing."""
PLAUSIBLE_USD = (0.03, 60.0)
"""Per accelerator-hour, where no median is to be had (the sanity rules of comparable catalogs)."""

SECONDS_PER_DAY = 86_400
_MACHINE = ("provider", "instance_type", "region", "native_id", "currency")
_ROUNDING = 1e-9
"""What spreading an upfront payment and turning it into dollars may leave of two equal prices."""
OLD_RATE_DAYS = 7
"""A rate may be older than the price by so much: the central bank rests on weekends and holidays."""


def flag_outliers(offers: OfferTable) -> OfferTable:
    """The same offers in the same order, doubtful prices flagged and old exchange rates noted.

    Usual price = median of the providers' medians per accelerator and purchase option, so that one large list does
    not outvote everybody else. Spot and commitments are compared with on demand as `quality.contradictions` does within
    one list, here whichever source told of either.
    """
    price, whole = _prices(offers)
    usual = usual_prices(offers)
    low, high = PLAUSIBLE_USD
    outside = whole & ((price < usual / OUTSIDE) | (price > usual * OUTSIDE))
    impossible = whole & np.isnan(usual) & ~((price >= low) & (price <= high))
    flags, notes = offers.lists["flags"], offers.lists["notes"]
    assert isinstance(flags, Listed) and isinstance(notes, Listed)
    flags = flags.with_word("price_outlier", outside).with_word("price_implausible", impossible)
    spot, committed = _dearer_than_on_demand(offers)
    flags = flags.with_word("spot_above_on_demand", spot).with_word("reserved_above_on_demand", committed)
    notes = notes.with_word("rate_is_old", _on_an_old_rate(offers))
    return replace(offers, lists={**offers.lists, "flags": flags, "notes": notes})


def usual_prices(offers: OfferTable) -> FloatArray:
    """USD per accelerator-hour that is usual for each offer's card and purchase option, (n,); NaN where fewer than
    three providers have a price. A card is a catalog key; where the name is ambiguous, all that it may mean; where it
    is unknown, the name itself."""
    usual = np.full(len(offers), np.nan)
    price, whole = _prices(offers)
    rows = np.flatnonzero(whole & (price > 0))
    if not len(rows):
        return usual
    kinds = distinct_rows([_card_key(offers), word_key(offers.words["purchase_option"])])[1]
    own, of_price = distinct_rows(
        [(kinds[rows], int(kinds.max()) + 1), word_key(offers.words["provider"].take(rows))]
    )
    medians = group_medians(of_price, price[rows])
    kind_of_own = kinds[rows][own]
    told = np.bincount(kind_of_own, minlength=int(kinds.max()) + 1)
    found = np.full(len(told), np.nan)
    found[np.unique(kind_of_own)] = group_medians(np.unique(kind_of_own, return_inverse=True)[1], medians)
    return np.where(told >= PROVIDERS_NEEDED, found, np.nan)[kinds]


def group_medians(groups: npt.NDArray[np.intp], values: FloatArray) -> FloatArray:
    """The median of the `values` (n,) of each group 0, 1, 2 … (n,), (groups,); every group has a value."""
    order = np.lexsort((values, groups))
    sizes = np.bincount(groups)
    starts: RowArray = np.cumsum(sizes) - sizes
    ordered = values[order]
    middle: FloatArray = (ordered[starts + (sizes - 1) // 2] + ordered[starts + sizes // 2]) / 2
    return middle


def _prices(offers: OfferTable) -> tuple[FloatArray, Mask]:
    """USD per accelerator-hour, and which offers are whole cards with a price."""
    with np.errstate(divide="ignore", invalid="ignore"):
        price = offers.numbers["price_usd_per_hour"] / offers.numbers["accelerator_count"]
    part = offers.words["accelerator_status"].where(lambda status: status == "slice")
    return price, ~part & ~np.isnan(offers.numbers["price_usd_per_hour"])


def _dearer_than_on_demand(offers: OfferTable) -> tuple[Mask, Mask]:
    """Spot at or above the on-demand price of the same machine in its tier (else in none), and commitments above it."""
    words, price = offers.words, offers.numbers["price_usd_per_hour"]
    machine = distinct_rows([word_key(words[name]) for name in _MACHINE])[1]
    tiered = distinct_rows([(machine, len(offers) + 1), word_key(words["tier"])])[1]
    on_demand = words["purchase_option"].where("on_demand".__eq__) & ~np.isnan(price)
    usual = _least(tiered, on_demand, price)
    usual = np.where(np.isinf(usual), _least(machine, on_demand & (words["tier"].codes < 0), price), usual)
    spot = words["purchase_option"].where("spot".__eq__)
    committed = words["purchase_option"].where(("reserved", "savings_plan").__contains__)
    return spot & (price >= usual * (1 - _ROUNDING)), committed & (price > usual * (1 + _ROUNDING))


def _least(groups: RowArray, rows: Mask, price: FloatArray) -> FloatArray:
    """For every offer the least price among the `rows` of its group, (n,); infinite where there is none."""
    least = np.full(len(groups), np.inf)
    np.minimum.at(least, groups[rows], price[rows])
    found: FloatArray = least[groups]
    return found


def _on_an_old_rate(offers: OfferTable) -> Mask:
    """Unknown days compare as not older: dollars need no rate."""
    day_of_price = np.floor(offers.numbers["observed_at"] / SECONDS_PER_DAY) + date(1970, 1, 1).toordinal()
    old: Mask = offers.numbers["rate_date"] < day_of_price - OLD_RATE_DAYS
    return old


def _card_key(offers: OfferTable) -> tuple[npt.NDArray[np.integer], int]:
    accelerator, label = offers.words["accelerator"], offers.words["accelerator_label"]
    candidates = offers.lists["candidates"]
    assert isinstance(candidates, Listed)
    firsts, numbers = distinct_rows(
        [word_key(accelerator), word_key(label), (candidates.codes, len(candidates.values))]
    )
    names = [
        accelerator.get(row) or "|".join(candidates.get(row)) or (label.get(row) or "").lower()
        for row in firsts
    ]
    return word_key(Coded.of(names).take(numbers))
