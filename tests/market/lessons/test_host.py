"""Lessons on storage and CPU: arithmetic by the stated constants, counts as the table has them."""

from __future__ import annotations

import pytest

from app.market.lessons import lesson
from app.market.lessons.host import BYTES_PER_TOKEN, CpuLesson, StorageLesson
from app.market.query import OfferQuery
from app.market.service import Market
from tests.market.samples import market_of


def test_a_checkpoint_is_bytes_times_trained_parameters(market: Market) -> None:
    told = lesson(market, "storage")
    assert isinstance(told, StorageLesson)
    for row in told.rows:
        assert row.checkpoint_gb == pytest.approx(told.bytes_each.value * row.trained / 1e9)
        assert row.write_s == pytest.approx(row.checkpoint_gb / told.write.value)
        assert row.fast_s < row.write_s < row.slow_s
        assert row.disk_gb == pytest.approx(told.kept.value * row.checkpoint_gb)
    lora, full, large = told.rows
    assert lora.checkpoint_gb < full.checkpoint_gb / 50
    assert full.small_disks.n == 2
    assert large.trained > 8 * full.trained
    assert told.disks.n == 2


def test_reading_is_that_of_the_fastest_offer(market: Market) -> None:
    told = lesson(market, "storage")
    page = market.list_offers(
        OfferQuery.parse("model=qwen2.5-14b&method=lora&tokens=5e7&sort=tokens_per_s&order=desc")
    )
    assert told.reading.offer == page.rows[0].record
    assert told.reading.text_gbytes_per_s == pytest.approx(
        page.rows[0]["tokens_per_s"] * BYTES_PER_TOKEN / 1e9
    )
    assert lesson(market_of(), "storage").reading is None


def test_cores_are_counted_where_they_are_known(market: Market) -> None:
    told = lesson(market, "cpu")
    assert isinstance(told, CpuLesson)
    by_tier = {row.tier: row for row in told.rows}
    consumer, centre = by_tier["consumer"], by_tier["data centre"]
    assert (consumer.known, consumer.few, consumer.middle) == (2, 2, 3.0)
    assert centre.few == 2, "eight L40S with twenty vCPUs"
    assert by_tier["workstation"].middle is None


def test_every_offer_that_holds_the_run_is_in_the_host_check(market: Market) -> None:
    told = lesson(market, "cpu")
    assert told.troubles["few_vcpus"].n > 0
    assert max(basis.n for basis in told.troubles.values()) <= told.holding.n
    assert sum(basis.n for basis in told.troubles.values()) + told.unknown >= told.holding.n
