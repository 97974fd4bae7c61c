"""Providers: canonical slugs, names, and the terms that move the true cost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, cast

from app.catalog.accelerators import CONFIDENCES
from app.catalog.files import Row, read_table
from app.catalog.interruptions import InterruptionBand, band_of, read_interruption_bands
from app.catalog.reading import letters_and_digits
from app.domain.accelerator import Confidence

Clusters = Literal["yes", "no", "by_request"]
Stopped = Literal["disk", "full", "never"]
Kept = Literal["volumes", "nothing"]
PROVIDER_COLUMNS = ("slug", "name", "aliases", "hardware_of")
TERMS_COLUMNS = (
    "provider",
    "billing_increment_s",
    "minimum_s",
    "spot",
    "notice_s",
    "persistent_volumes",
    "stopped",
    "kept_when_reclaimed",
    "multi_node",
    "cluster_nodes_min",
    "cluster_nodes_max",
    "egress_usd_per_gb",
    "storage_usd_per_gb_month",
    "source",
    "as_of",
    "confidence",
)
_SPONSORED = re.compile(r"[ _-]+(?:our[ _-]+)?sponsor(?:ed)?$")
_COMPANY = re.compile(r"\.(?:ai|io|com|cloud|sh|co|gg)$|[ ,]+(?:inc\.?|ltd\.?|llc|gmbh|cloud|gpu)$")
"""What a name may end in beside the name: its domain, its legal form, what it sells."""
_YES = {"yes": True, "no": False, "": None}


@dataclass(frozen=True, slots=True)
class ProviderTerms:
    """Billing and interruption terms; None = unknown. Seconds, USD per decimal GB.

    `stopped`: what a stopped instance still costs (its disks, all of it, or it cannot be stopped). `kept_when_reclaimed`:
    what is left when a spot instance is taken away. `multi_node`: whether several nodes can be rented as one cluster by
    oneself, `cluster_nodes_min` to `cluster_nodes_max` of them. `as_of`: newest date that the source states (2026-08).
    """

    provider: str
    billing_increment_s: float | None = None
    minimum_s: float | None = None
    spot: bool | None = None
    notice_s: float | None = None
    persistent_volumes: bool | None = None
    stopped: Stopped | None = None
    kept_when_reclaimed: Kept | None = None
    multi_node: Clusters | None = None
    cluster_nodes_min: int | None = None
    cluster_nodes_max: int | None = None
    egress_usd_per_gb: float | None = None
    storage_usd_per_gb_month: float | None = None
    source: str = ""
    as_of: str | None = None
    confidence: Confidence = "low"
    interruptions: tuple[InterruptionBand, ...] = ()

    def interruption_band(self, instance_type: str) -> InterruptionBand | None:
        """What is published on how often spot instances of a type are taken back; None where nothing is."""
        return band_of(self.interruptions, instance_type)


class Providers:
    """Canonical slugs and what is known of each provider."""

    def __init__(
        self, names: Mapping[str, str], slugs: Mapping[str, str], hardware: Mapping[str, str]
    ) -> None:
        self.names = names
        self._slugs = slugs
        self._hardware = hardware

    def slug(self, text: str) -> str:
        """The canonical slug of a provider as anybody writes it: `google cloud` → `gcp`,
        `runpod_our_sponsor` → `runpod`, `jarvislabs.ai` → `jarvislabs`; an unknown one keeps its letters with `_` between words."""
        bare = _SPONSORED.sub("", text.strip().lower())
        known = self._slugs.get(letters_and_digits(bare)) or self._slugs.get(
            letters_and_digits(_COMPANY.sub("", bare))
        )
        return known or re.sub(r"[^a-z0-9]+", "_", bare).strip("_")

    def name(self, slug: str) -> str:
        """The name for people; an unknown provider's own slug."""
        return self.names.get(self.slug(slug), slug)

    def hardware_slug(self, slug: str) -> str:
        """Whose instance types a provider sells (`aws-cn` sells those of `aws`)."""
        return self._hardware.get(slug, slug)


def read_providers(folder: Path) -> Providers:
    """Slugs, names and aliases from `providers.csv`.

    Raises:
        CatalogError: malformed, a slug twice, an alias of two providers, hardware of an unknown provider.
    """
    names: dict[str, str] = {}
    slugs: dict[str, str] = {}
    hardware: dict[str, str] = {}
    for row in read_table(folder / "providers.csv", PROVIDER_COLUMNS):
        slug = row.required("slug")
        if slug in names:
            raise row.fail("slug", "is there twice")
        names[slug] = row.required("name")
        for spelling in (slug, row.text("name"), *row.words("aliases")):
            if slugs.setdefault(letters_and_digits(spelling), slug) != slug:
                raise row.fail("aliases", f"{spelling!r} already means {slugs[letters_and_digits(spelling)]}")
        if parent := row.optional("hardware_of"):
            hardware[slug] = row.choice("hardware_of", tuple(names)) and parent
    return Providers(names, slugs, hardware)


def read_terms(folder: Path, providers: Providers) -> dict[str, ProviderTerms]:
    """Slug → terms from `terms.csv`, with the published interruptions of `interruption_bands.csv`.

    Raises:
        CatalogError: malformed, an unknown provider, a provider twice.
    """
    found: dict[str, ProviderTerms] = {}
    for row in read_table(folder / "terms.csv", TERMS_COLUMNS):
        slug = row.choice("provider", tuple(providers.names))
        if slug in found:
            raise row.fail("provider", "is there twice")
        found[slug] = _terms(slug, row)
    for slug, bands in read_interruption_bands(folder, tuple(providers.names)).items():
        found[slug] = replace(found.get(slug) or ProviderTerms(slug), interruptions=bands)
    return found


def _terms(slug: str, row: Row) -> ProviderTerms:
    clusters = row.choice("multi_node", ("yes", "no", "by_request", ""))
    stopped = row.choice("stopped", ("disk", "full", "never", ""))
    kept = row.choice("kept_when_reclaimed", ("volumes", "nothing", ""))
    return ProviderTerms(
        provider=slug,
        billing_increment_s=row.number("billing_increment_s"),
        minimum_s=row.number("minimum_s"),
        spot=_YES[row.choice("spot", tuple(_YES))],
        notice_s=row.number("notice_s"),
        persistent_volumes=_YES[row.choice("persistent_volumes", tuple(_YES))],
        stopped=cast(Stopped, stopped) if stopped else None,
        kept_when_reclaimed=cast(Kept, kept) if kept else None,
        multi_node=cast(Clusters, clusters) if clusters else None,
        cluster_nodes_min=row.integer("cluster_nodes_min"),
        cluster_nodes_max=row.integer("cluster_nodes_max"),
        egress_usd_per_gb=row.number("egress_usd_per_gb"),
        storage_usd_per_gb_month=row.number("storage_usd_per_gb_month"),
        source=row.required("source"),
        as_of=row.optional("as_of"),
        confidence=cast(Confidence, row.choice("confidence", CONFIDENCES)),
    )
