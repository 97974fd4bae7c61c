"""AWS: providers.md 4; behaviour G03, G05, G06, G17, P09, P10, F06."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from app.providers._aws_families import accelerators_of
from app.providers.aws import _accelerated_lines
from app.providers.port import Http
from tests.providers.fetching import offers, only, parsed
from tests.providers.internet import payload


@pytest.mark.parametrize(
    ("instance_type", "name", "count", "memory_gb"),
    [
        ("p5e.48xlarge", "H200 SXM", 8, 141),
        ("p5en.48xlarge", "H200 SXM", 8, 141),
        ("p5.48xlarge", "H100 SXM", 8, 80),
        ("p5.4xlarge", "H100 SXM", 1, 80),
        ("p4de.24xlarge", "A100 SXM 80GB", 8, 80),
        ("p6e-gb200.36xlarge", "GB200", 4, 186),
        ("g6f.large", "L4", 0.125, 24),
        ("g6f.xlarge", "L4", 0.125, 24),
        ("g6f.2xlarge", "L4", 0.25, 24),
        ("g6f.4xlarge", "L4", 0.5, 24),
        ("gr6f.4xlarge", "L4", 0.5, 24),
        ("g7.2xlarge", "RTX PRO 4500", 1, 32),
        ("g6e.24xlarge", "L40S", 4, 48),
        ("g6e.48xlarge", "L40S", 8, 48),
        ("g4dn.metal", "T4", 8, 16),
    ],
)
def test_the_family_says_the_accelerator_whatever_the_price_list_counts(
    instance_type: str, name: str, count: float, memory_gb: float
) -> None:
    assert accelerators_of(instance_type) == (name, count, memory_gb)


def test_a_family_without_accelerators_has_none() -> None:
    assert accelerators_of("t3.micro") is None
    assert accelerators_of("p3.9xlarge") is None


def test_on_demand_is_linux_shared_and_in_use() -> None:
    node = only("aws", instance_type="p5.48xlarge", purchase_option="on_demand")
    assert (node.price_per_hour, node.ram_gib, node.local_disk_gb) == (Decimal("55.04"), 2048, 30_720)
    assert only("aws", instance_type="g6f.large").price_per_hour == Decimal("0.2026")


def test_an_upfront_and_an_hourly_line_are_one_offer() -> None:
    """Behaviour P09."""
    partial = only("aws", instance_type="g5.12xlarge", upfront_option="partial")
    assert (partial.price_per_hour, partial.upfront, partial.term_months) == (
        Decimal("1.25"),
        Decimal(5000),
        12,
    )
    assert only("aws", instance_type="p5.48xlarge", upfront_option="all").price_per_hour is None


def test_one_year_does_not_overwrite_three_and_neither_is_free() -> None:
    """Behaviour P10."""
    node = offers("aws", instance_type="g5.48xlarge", upfront_option="all")
    assert {(o.term_months, o.upfront, o.price_per_hour) for o in node} == {
        (12, Decimal(12000), None),
        (36, Decimal(18000), None),
    }


def test_half_a_reservation_is_refused() -> None:
    assert [reject.reason for reject in parsed("aws").rejects] == ["half of a reservation is missing"]


def test_convertible_reservations_and_capacity_blocks_are_kept_apart() -> None:
    assert only("aws", instance_type="g5.12xlarge", upfront_option="none").tier == "convertible"
    block = only("aws", instance_type="p5e.48xlarge")
    assert (block.purchase_option, block.minimum_term_hours) == ("block", 24)


def test_a_region_that_does_not_answer_leaves_the_others() -> None:
    """Behaviour F06."""
    assert parsed("aws").unanswered == ("me-south-1",)
    assert {offer.region for offer in parsed("aws").offers} == {"us-east-2", "eu-west-1"}


def test_a_large_file_is_read_in_bounded_memory() -> None:
    text = next(a["text"] for a in payload("aws")["answers"] if "us-east-2/index.csv" in a["url"])
    head, other = text.splitlines()[:8], '"CCC","JRT","OnDemand","' + "x" * 900 + '","t3.micro"'

    class Long:
        async def lines(self, url: str) -> AsyncIterator[str]:
            for line in head:
                yield line
            for _ in range(100_000):
                yield other

    async def read() -> str:
        http: Http = Long()  # type: ignore[assignment]
        return await _accelerated_lines(http, "https://example.org/index.csv")

    tracemalloc.start()
    kept = asyncio.run(read())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept.count("\n") == 3
    assert peak < 2_000_000, f"{peak} bytes for a file of 90 MB"
