"""Columns that are read together: one click in the chooser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.domain.sentence import N_

_WHAT = ("accelerator_label", "accelerator_count", "provider", "purchase_option")


@dataclass(frozen=True, slots=True)
class ColumnSet:
    """`names` of the columns, in order; `needs_run` sets are of use with a training run alone."""

    title: str
    names: tuple[str, ...]
    needs_run: bool = False


COLUMN_SETS: Mapping[str, ColumnSet] = {
    "prices": ColumnSet(
        N_("Prices and terms"),
        (
            *_WHAT, "price_usd_per_hour", "price_usd_per_accelerator_hour", "usd_per_pflop_hour", "term_months",
            "upfront_option", "upfront_usd", "hourly_price_native", "quoted_currency", "minimum_term_hours",
            "billing_increment_s", "price_change", "price_changed_at", "country", "region", "observed_at",
        ),
    ),
    "hardware": ColumnSet(
        N_("Accelerator"),
        (
            *_WHAT, "price_usd_per_hour", "memory_gib_per_accelerator", "total_memory_gib",
            "memory_bandwidth_gbytes_per_s", "bf16_tflops", "fp8_tflops", "vendor", "architecture", "form_factor",
            "accelerator_tier", "compute_capability", "instance_type",
        ),
    ),
    "links": ColumnSet(
        N_("Links and network"),
        (
            *_WHAT, "price_usd_per_hour", "intra_node_link", "intra_node_gbytes_per_s", "link_domain",
            "peer_to_peer", "fabric", "fabric_gbps", "cluster_nodes", "instance_type", "region",
        ),
    ),
    "host": ColumnSet(
        N_("Host"),
        (
            *_WHAT, "price_usd_per_hour", "vcpus", "vcpus_per_accelerator", "ram_gib", "ram_gib_per_accelerator",
            "local_disk_gb", "stock", "instance_type", "country", "region",
        ),
    ),
    "run": ColumnSet(
        N_("Training run"),
        (
            *_WHAT, "total_usd", "total_usd_low", "total_usd_high", "hours", "verdict", "headroom_gib", "nodes", "plan",
            "tokens_per_s", "mfu", "host_check", "price_usd_per_hour", "why",
        ),
        needs_run=True,
    ),
}  # fmt: skip
