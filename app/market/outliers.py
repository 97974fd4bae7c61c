"""Prices that look wrong beside everybody else's, and the words for every flag."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

import msgspec

from app.domain.record import OfferRecord
from app.domain.sentence import N_

OUTSIDE = 4.0
"""Factor around the median of an accelerator beyond which a price is flagged; at 3, two large clouds' H100 would be
flagged every day (lessons)."""
PROVIDERS_NEEDED = 3
"""A median over fewer providers says nothing."""
PLAUSIBLE_USD = (0.03, 60.0)
"""Per accelerator-hour, where no median is to be had (the sanity rules of comparable catalogs)."""

FLAGS = {
    "price_outlier": N_("More than 4 times above or below the usual price of this accelerator"),
    "price_implausible": N_("A price per accelerator that is hardly possible"),
    "price_moved": N_("The price moved by half or more since the scrape before"),
    "spot_above_on_demand": N_("Spot costs as much as on demand, or more"),
    "reserved_above_on_demand": N_("The commitment costs more than on demand"),
    "price_is_lower_bound": N_("The page says “from”: a lower bound, not a price that everybody gets"),
    "inference_only": N_("Rented for inference only"),
    "sources_disagree": N_("Sources disagree about the price"),
}
"""Flag → what it means. Flags of a source's own stand beside these."""


def flag_outliers(records: Sequence[OfferRecord]) -> list[OfferRecord]:
    """The same records in the same order, doubtful prices flagged.

    Usual price = median of the providers' medians per accelerator and purchase option, so that one large list does
    not outvote everybody else.
    """
    usual = usual_prices(records)
    return [_flagged(record, usual) for record in records]


def usual_prices(records: Iterable[OfferRecord]) -> dict[tuple[str, str], float]:
    """(card, purchase option) → USD per accelerator-hour, where at least three providers have a price. A card is a
    catalog key; where the name is ambiguous, all that it may mean; where it is unknown, the name itself."""
    told: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        if record.accelerator_status != "slice" and record.price_usd_per_hour:
            price = record.price_usd_per_hour / record.accelerator_count
            told[_card(record), record.purchase_option][record.provider].append(price)
    return {
        key: median(median(prices) for prices in by_provider.values())
        for key, by_provider in told.items()
        if len(by_provider) >= PROVIDERS_NEEDED
    }


def _card(record: OfferRecord) -> str:
    return record.accelerator or "|".join(record.candidates) or record.accelerator_label.lower()


def _flagged(record: OfferRecord, usual: dict[tuple[str, str], float]) -> OfferRecord:
    if record.price_usd_per_hour is None or record.accelerator_status == "slice":
        return record
    price = record.price_usd_per_hour / record.accelerator_count
    normal = usual.get((_card(record), record.purchase_option))
    if normal is not None:
        flag = None if normal / OUTSIDE <= price <= normal * OUTSIDE else "price_outlier"
    else:
        flag = None if PLAUSIBLE_USD[0] <= price <= PLAUSIBLE_USD[1] else "price_implausible"
    if flag is None or flag in record.flags:
        return record
    return msgspec.structs.replace(record, flags=(*record.flags, flag))
