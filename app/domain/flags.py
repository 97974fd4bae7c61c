"""What may be said of an offer beside its price: the one vocabulary of doubts and notes.

A doubt says that the price may be wrong or not for the taking: "cheapest" leaves it out. A note only explains. Both
travel as short codes in `flags` of a scraped offer; a code that is in neither list counts as a doubt.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.domain.sentence import N_

DOUBTS = {
    "price_outlier": N_("More than 4 times above or below the usual price of this accelerator"),
    "price_implausible": N_("A price per accelerator that is hardly possible"),
    "price_moved": N_("The price moved by half or more since the scrape before"),
    "spot_above_on_demand": N_("Spot costs as much as on demand, or more"),
    "reserved_above_on_demand": N_("The commitment costs more than on demand"),
    "sources_disagree": N_("Sources disagree about the price"),
    "outlier_low": N_("Far below what others asked on the day it was gathered"),
    "outlier_high": N_("Far above what others asked on the day it was gathered"),
    "lowest_bid": N_("The lowest of past bids: a statistic, not an offer that can be taken"),
    "gpu_only_price": N_("The price of the accelerator alone: vCPUs and host memory cost extra"),
    "estimated": N_("Somebody's estimate of the price, not a quote"),
    "inference_only": N_("An endpoint for inference: nothing can be trained on it"),
}
"""Code → what is doubtful, as a sentence without its full stop."""

NOTES = {
    "price_is_lower_bound": N_("The page says “from”: a lower bound, not a price that everybody gets"),
    "rate_is_old": N_(
        "Turned into dollars at an exchange rate that is more than a week older than the price"
    ),
    "marketplace": N_("A machine of a marketplace: its owner sets the price"),
    "marketplace_min": N_("The lowest price among the machines of a marketplace"),
    "all_regions_list_price": N_("One list price for every region of the provider"),
    "price_confirmed_by_price_list": N_("The provider's price list says the same"),
    "region_list_stale": N_("The list of regions behind it is older than the price"),
    "local_zone": N_("In a zone near a city, apart from the large regions"),
    "wavelength_zone": N_("In a zone inside a mobile network"),
    "specs_are_host_max": N_(
        "The most vCPUs and host memory that can be chosen, not what comes with the price"
    ),
    "mem_filled": N_("Accelerator memory filled in from its data sheet"),
    "mem_label_fixed_by_source": N_("The source corrected the memory in the accelerator's name"),
    "gpu_count_fixed": N_("The source's number of accelerators was wrong and is corrected"),
    "gpu_name_fixed": N_("The source's name of the accelerator was wrong and is corrected"),
    "gpu_mislabelled": N_("The source's name of the accelerator is not the usual one"),
    "gpu_unknown": N_("The source does not name the accelerator"),
}
"""Code → what is worth knowing, as a sentence without its full stop."""


def doubts_of(flags: Iterable[str]) -> tuple[str, ...]:
    """The codes that speak against the price."""
    return tuple(flag for flag in flags if flag not in NOTES)


def notes_of(flags: Iterable[str]) -> tuple[str, ...]:
    """The codes that only explain."""
    return tuple(flag for flag in flags if flag in NOTES)
