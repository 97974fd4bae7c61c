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
