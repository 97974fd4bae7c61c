"""One offer, several sources: who speaks, what is filled, what is shown of the others."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from app.db.merge import DISAGREEMENT, RANK
from app.db.merge import merge as merge_table
from app.domain.offer_table import OfferTable
from app.domain.record import OfferRecord
from tests.scraped import NOON

ONE = OfferRecord(
    id="0" * 16,
    provider="lambda",
    provider_name="Lambda",
    instance_type="gpu_8x",
    accelerator="h100-sxm5-80gb",
    accelerator_label="H100 SXM",
    accelerator_status="known",
    accelerator_count=8,
    region="us",
    purchase_option="on_demand",
    source="Lambda API",
    source_kind="api",
    observed_at=NOON,
    first_seen=NOON,
    price_usd_per_hour=10.0,
    hourly_price_native=10.0,
)


def told(**changes: object) -> OfferRecord:
    return msgspec.structs.replace(ONE, **changes)


def merge(records: Sequence[OfferRecord]) -> OfferRecord:
    """The one offer that these sources tell of."""
    (one,) = merge_table(OfferTable.of(records)).records()
    return one


RESOLD = told(source="Reseller", source_kind="aggregator", price_usd_per_hour=11.0, hourly_price_native=11.0)


def test_single_source_stays_as_it_is() -> None:
    assert merge([ONE]) == ONE


def test_direct_price_wins_and_blanks_are_filled_from_the_other() -> None:
    merged = merge([msgspec.structs.replace(RESOLD, fabric_gbps=3200.0, zone="us-a"), ONE])
    assert (merged.price_usd_per_hour, merged.source, merged.source_kind) == (10.0, "Lambda API", "api")
    assert (merged.fabric_gbps, merged.zone) == (3200.0, "us-a")
    assert merged.other_sources == ("Reseller: 11.0000 USD/h (2026-11-30)",)


def test_disagreement_is_flagged_and_not_averaged() -> None:
    assert merge([ONE, RESOLD]).flags == ("sources_disagree",)
    near = msgspec.structs.replace(RESOLD, price_usd_per_hour=10.1)
    assert merge([ONE, near]).flags == ()


def test_source_without_a_price_does_not_hide_one_that_has_it() -> None:
    unpriced = told(price_usd_per_hour=None, hourly_price_native=None, vcpus=208.0)
    merged = merge([unpriced, RESOLD])
    assert (merged.price_usd_per_hour, merged.source, merged.vcpus) == (11.0, "Reseller", 208.0)


def test_of_equal_rank_the_newer_speaks() -> None:
    newer = told(observed_at=NOON + timedelta(hours=1), price_usd_per_hour=9.9)
    assert merge([ONE, newer]).price_usd_per_hour == 9.9


def test_unknown_accelerator_is_named_by_a_source_that_knows_it() -> None:
    unknown = told(accelerator=None, accelerator_status="unknown", accelerator_label="HX-1")
    merged = merge([unknown, RESOLD])
    assert (merged.accelerator, merged.accelerator_status) == ("h100-sxm5-80gb", "known")


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(sorted(RANK)), st.integers(0, 99), st.floats(1, 99)), min_size=1, max_size=5
    )
)
def test_order_of_the_sources_does_not_matter(sources: list[tuple[str, int, float]]) -> None:
    records = [
        told(
            source=str(number),
            source_kind=kind,
            observed_at=NOON + timedelta(hours=age),
            price_usd_per_hour=price,
        )
        for number, (kind, age, price) in enumerate(sources)
    ]
    one, other = merge(records), merge(records[::-1])
    assert (one.source_kind, one.observed_at) == (other.source_kind, other.observed_at)
    assert RANK[one.source_kind] == min(RANK[record.source_kind] for record in records)
    assert len(one.other_sources) == len(records) - 1


PLAIN = ("vcpus", "fabric", "stock", "country", "memory_gib_per_accelerator")
"""Some of the fields that are filled one by one."""


@settings(deadline=None)
@given(
    st.lists(
        st.builds(
            told,
            id=st.sampled_from(["0" * 16, "f" * 16, "0123456789abcdef"]),
            source=st.sampled_from(["a", "b", "c"]),
            source_kind=st.sampled_from(sorted(RANK)),
            observed_at=st.integers(0, 3).map(lambda hours: NOON + timedelta(hours=hours)),
            price_usd_per_hour=st.sampled_from([None, 10.0, 10.1, 11.0]),
            hourly_price_native=st.sampled_from([None, 9.0]),
            accelerator=st.sampled_from([None, "h100-sxm5-80gb"]),
            accelerator_status=st.sampled_from(["known", "unknown", "slice"]),
            vcpus=st.sampled_from([None, 8.0, 16.0]),
            fabric=st.sampled_from([None, "efa", "infiniband"]),
            stock=st.sampled_from([None, "low"]),
            country=st.sampled_from([None, "US", "DE"]),
            memory_gib_per_accelerator=st.sampled_from([None, 79.6]),
            flags=st.sampled_from([(), ("odd",), ("sources_disagree",)]),
        ),
        max_size=12,
    )
)
def test_all_offers_at_once_merge_as_each_would_alone(records: list[OfferRecord]) -> None:
    merged = {record.id: record for record in merge_table(OfferTable.of(records)).records()}
    assert list(merged) == sorted({record.id for record in records})
    for key, one in merged.items():
        ranked = sorted((record for record in records if record.id == key), key=_standing)
        first, prices = ranked[0], [r.price_usd_per_hour for r in ranked if r.price_usd_per_hour]
        named = next((r for r in ranked if r.accelerator_status == "known"), None)
        takes_name = named and first.accelerator is None and first.accelerator_status != "slice"
        for name in PLAIN:
            if takes_name and name.startswith("memory"):
                assert one.memory_gib_per_accelerator == named.memory_gib_per_accelerator
            else:
                known = [value for r in ranked if (value := getattr(r, name)) is not None]
                assert getattr(one, name) == next(iter(known), None)
        speaker = named if takes_name else first
        assert (one.accelerator, one.accelerator_status) == (speaker.accelerator, speaker.accelerator_status)
        differ = bool(prices) and max(prices) > min(prices) * (1 + DISAGREEMENT)
        assert one.flags == tuple(dict.fromkeys((*first.flags, *["sources_disagree"] * differ)))
        assert (one.price_usd_per_hour, one.source) == (first.price_usd_per_hour, first.source)
        assert [cited.split(":")[0] for cited in one.other_sources] == [r.source for r in ranked[1:]]


def _standing(record: OfferRecord) -> tuple[object, ...]:
    unpriced = record.price_usd_per_hour is None and record.hourly_price_native is None
    return unpriced, RANK[record.source_kind], -record.observed_at.timestamp(), record.source
