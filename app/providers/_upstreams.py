"""Slugs of the clouds that resellers name in their own spelling."""

from __future__ import annotations

import re

_SPELLINGS = {
    "amazon": "aws",
    "crusoecloud": "crusoe",
    "cudocompute": "cudo",
    "datacrunch": "verda",
    "denvrcloud": "denvr",
    "googlecloud": "gcp",
    "lambdalabs": "lambda",
    "latitudesh": "latitude",
    "oracle": "oci",
    "ovhcloud": "ovh",
    "runpodoursponsor": "runpod",
    "vastai": "vast",
}
KNOWN = (
    "akash", "aws", "azure", "crusoe", "cudo", "denvr", "digitalocean", "gcp", "hotaisle", "hyperstack", "jarvislabs",
    "lambda", "latitude", "massedcompute", "nebius", "novita", "oci", "ovh", "runpod", "scaleway", "tensordock",
    "together", "vast", "verda", "voltagepark", "vultr",
)  # fmt: skip


def slug_of(spelling: str) -> str | None:
    """Our slug of a cloud as a reseller spells it; None for one we do not know."""
    plain = re.sub(r"[^a-z0-9]", "", spelling.lower())
    slug = _SPELLINGS.get(plain, plain)
    return slug if slug in KNOWN else None
