"""What people read for the short codes of the columns of words."""

from __future__ import annotations

from itertools import combinations

from app.domain.sentence import N_
from app.training.host import HOST_TROUBLES

PURCHASE_LABELS = {
    "on_demand": N_("on demand"),
    "spot": N_("spot"),
    "reserved": N_("reserved"),
    "block": N_("block"),
    "savings_plan": N_("savings plan"),
}
UPFRONT_LABELS = {"none": N_("nothing upfront"), "partial": N_("part upfront"), "all": N_("all upfront")}
STOCK_LABELS = {"in_stock": N_("in stock"), "low": N_("low stock"), "out": N_("out of stock")}
STATUS_LABELS = {
    "known": N_("known"),
    "ambiguous": N_("ambiguous name"),
    "unknown": N_("unknown name"),
    "slice": N_("part of a card"),
}
TIER_LABELS = {"datacenter": N_("data centre"), "workstation": N_("workstation"), "consumer": N_("consumer")}
SOURCE_LABELS = {
    "api": N_("provider's API"),
    "page": N_("provider's page"),
    "catalog": N_("published catalog"),
    "aggregator": N_("aggregator"),
    "snapshot": N_("bundled snapshot"),
    "hand_kept": N_("kept by hand"),
}
OWN_SOURCES = (N_("Bundled snapshot"), N_("Price pages, read by hand"))
"""Names of sources that are words, not names."""
REFUSALS = (
    N_("bad count"), N_("bad currency"), N_("bad price"), N_("bad term"), N_("bad text"), N_("duplicate"),
    N_("unknown accelerator"), N_("no usable answer"), N_("the same offer at another price"),
    N_("the same offer again"), N_("not in the shape we know"), N_("a price that we cannot name"),
    N_("not an accelerator"), N_("no identity"),
    N_("no accelerator count"), N_("a unit other than the hour"), N_("price of zero or less"),
    N_("no accelerator name"), N_("an unknown kind of price"), N_("a size we do not know"),
    N_("a part without a price"), N_("a figure that is not a number"), N_("second line of a reservation"),
    N_("neither on demand nor reserved"), N_("named again on the page"),
    N_("an older price of the same thing"), N_("a region without accelerated lines"),
    N_("a price of an extra"), N_("a node like a cheaper one"), N_("two kinds of accelerator in one machine"),
    N_("price that no accelerator costs"), N_("outlier: data-centre price for a gaming card"),
    N_("one price where there should be two"), N_("one figure for on demand and spot: a floor of bids"),
    N_("no price"), N_("no price of an hour"), N_("no price in the price book"),
    N_("no pay-as-you-go price in USD"), N_("no currency"), N_("half of a reservation is missing"),
    N_("a unit other than dollars and hours"), N_("a unit of time we do not know"),
    N_("a row needs one price, of the accelerator or of the whole"), N_("a reservation without a term"),
    N_("a reservation at two prices"), N_("a quote without a span or a price"),
    N_("a price without its unit"), N_("a price in another currency than the page's"),
    N_("a pair of prices in another order"), N_("a name without an accelerator"),
    N_("a name longer than any"), N_("a card we do not know"), N_("a GPU part that no known shape uses"),
)  # fmt: skip
"""Why a row is refused or left out, without the underscores of the codes."""
FORM_LABELS = {"consumer": N_("consumer"), "chip": N_("chip"), "superchip": N_("superchip")}
"""Form factors that are words; the others (SXM, PCIe, OAM) are names."""
HARDWARE_NAMES = {
    "nvidia": "NVIDIA", "amd": "AMD", "intel": "Intel", "google": "Google", "aws": "AWS",
    "pcie": "PCIe", "sxm": "SXM", "oam": "OAM", "nvl": "NVL", "apu-sh5": "APU SH5",
    "kepler": "Kepler", "maxwell": "Maxwell", "pascal": "Pascal", "volta": "Volta", "turing": "Turing",
    "ampere": "Ampere", "ada": "Ada Lovelace", "hopper": "Hopper", "blackwell": "Blackwell",
    "blackwell-ultra": "Blackwell Ultra", "cdna1": "CDNA 1", "cdna2": "CDNA 2", "cdna3": "CDNA 3", "cdna4": "CDNA 4",
    "rdna3": "RDNA 3", "ponte-vecchio": "Ponte Vecchio", "gaudi1": "Gaudi", "gaudi2": "Gaudi 2", "gaudi3": "Gaudi 3",
    "neuroncore-v2": "NeuronCore v2", "neuroncore-v3": "NeuronCore v3", "neuroncore-v4": "NeuronCore v4",
    "tpu-v2": "TPU v2", "tpu-v3": "TPU v3", "tpu-v4": "TPU v4", "tpu-v5e": "TPU v5e", "tpu-v5p": "TPU v5p",
    "tpu-v6e": "TPU v6e", "tpu7x": "TPU7x",
}  # fmt: skip
"""Vendors, form factors and architectures as their makers write them; names, the same in every language."""
CONFIDENCE_LABELS = {
    "high": N_("high confidence"),
    "medium": N_("medium confidence"),
    "low": N_("low confidence"),
}
VERDICT_LABELS = {
    "fits": N_("fits"),
    "tight": N_("tight"),
    "does_not_fit": N_("does not fit"),
    "link_too_slow": N_("link too slow"),
    "unknown": N_("unknown"),
}
HOST_LABELS = {"ok": N_("nothing in the way")} | {
    "+".join(codes): ", ".join(HOST_TROUBLES[code] for code in codes)
    for size in range(1, len(HOST_TROUBLES) + 1)
    for codes in combinations(HOST_TROUBLES, size)
}
AREA_LABELS = {
    "US East": N_("US East"),
    "US Central": N_("US Central"),
    "US West": N_("US West"),
    "Canada": N_("Canada"),
    "Europe": N_("Europe"),
    "APAC": N_("Asia and the Pacific"),
    "LATAM": N_("Latin America"),
    "Middle East": N_("Middle East"),
    "Africa": N_("Africa"),
}
CONTINENT_LABELS = {
    "Africa": N_("Africa"),
    "Asia": N_("Asia"),
    "Europe": N_("Europe"),
    "North America": N_("North America"),
    "Oceania": N_("Oceania"),
    "South America": N_("South America"),
}
