"""The collected cases of comparable catalogs that ingest must answer; the ids are those of the list of cases."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import timedelta
from decimal import Decimal
from pathlib import Path

import pytest
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.domain.errors import Unreachable
from app.domain.offer import Parsed
from app.domain.offer_table import OfferTable
from app.market.history import price_points
from app.market.ingest import record_failure
from app.market.outliers import flag_outliers
from app.market.rates import store_rates
from app.market.status import status
from app.providers import discover
from app.providers.card import ProviderCard
from app.providers.port import Http, Part, Payload, Provider
from app.workers.jobs import Foreman
from app.workers.schedule import jobs_of, run_now
from app.workers.scrape import Scraper
from tests.scraped import LIST, MARKET, NOON, RESELLER, current, many, scraped, take_in
from tests.workers.crew import Nowhere

RUNPOD = ProviderCard("runpod", "RunPod", "api", "list_price", homepage="")
AZURE = ProviderCard("azure", "Azure", "api", "list_price", homepage="")


def test_f01_empty_list_after_425_rows_loses_nothing_and_says_so(engine: Engine) -> None:
    take_in(engine, *many(425))
    for hour in range(1, 4):
        report = take_in(engine, hours=hour)
        assert report.outcome == "held"
    records = current(engine)
    assert len(records) == 425
    assert {record.observed_at for record in records} == {NOON}
    (source,) = status(engine).sources
    assert source.last_success == NOON
    assert source.last_error is not None
    assert [held.reason for held in source.holds] == ["empty"]


def test_f03_failed_fetch_keeps_last_success_and_records_the_attempt(engine: Engine) -> None:
    take_in(engine, scraped())
    late = NOON + timedelta(hours=7)
    record_failure(engine, LIST, "no answer", started_at=late, now=late)
    (source,) = status(engine).sources
    assert (source.last_success, source.last_attempt, source.last_error) == (NOON, late, "no answer")


def test_f04_and_g29_unknown_card_is_kept_and_listed_and_what_is_no_card_is_refused(engine: Engine) -> None:
    take_in(
        engine,
        scraped(),
        scraped(instance_type="gpu_1x_hx9000", accelerator_name="HX9000", accelerator_count=1.0),
        scraped(instance_type="cpu_4x_general", accelerator_name="cpu_4x_general", accelerator_count=1.0),
        scraped(instance_type="a", accelerator_name="1", accelerator_count=1.0),
        scraped(instance_type="b", accelerator_name="CPU", accelerator_count=1.0),
        scraped(instance_type="c", accelerator_name="GPU (unspecified)", accelerator_count=1.0),
    )
    by_type = {record.instance_type: record for record in current(engine)}
    assert set(by_type) == {"gpu_8x_h100_sxm5", "gpu_1x_hx9000"}
    unknown = by_type["gpu_1x_hx9000"]
    assert (unknown.accelerator, unknown.accelerator_status) == (None, "unknown")
    assert "hx9000" in unknown.accelerator_label.lower()
    rejects = status(engine).sources[0].rejects
    assert sorted(reject.reason for reject in rejects) == ["not_an_accelerator"] * 4 + ["unknown_accelerator"]
    assert any("HX9000" in str(reject.detail) for reject in rejects)


def test_f05_one_source_that_fails_leaves_the_others(sqlite_engine: Engine) -> None:
    def source(slug: str, error: Exception | None) -> Provider:
        async def fetch(_http: Http, _settings: Mapping[str, str]) -> Payload:
            if error:
                raise error
            return Payload(parts=())

        card = ProviderCard(slug, slug, "api", "list_price", homepage="")
        return Provider(card, fetch, lambda _payload: Parsed(offers=(scraped(provider=slug),)))

    errors = {"one": None, "two": Unreachable("timed out"), "three": ValueError("bug"), "four": None}
    sources = {slug: source(slug, error) for slug, error in errors.items()}
    worker = Scraper(Nowhere(), {}, sqlite_engine, load_catalog())
    jobs = jobs_of(worker, sources)
    asyncio.run(run_now(Foreman(sqlite_engine, "test"), [jobs[slug] for slug in sources]))
    assert sorted(record.provider for record in current(sqlite_engine)) == ["four", "one"]
    state = status(sqlite_engine)
    assert {one.slug: one.failures for one in state.sources} == {"one": 0, "two": 1, "three": 1, "four": 0}


def test_f06_region_that_is_down_ages_while_the_others_move_on(engine: Engine) -> None:
    take_in(engine, scraped(region="us-east-1"), scraped(region="me-south-1"))
    take_in(engine, scraped(region="us-east-1"), hours=2, unanswered=("me-south-1",))
    ages = {record.region: record.observed_at for record in current(engine)}
    assert ages == {"us-east-1": NOON + timedelta(hours=2), "me-south-1": NOON}


def test_f10_direct_price_wins_blanks_are_filled_and_both_sources_stay(engine: Engine) -> None:
    plain = {"instance_type": "h100.x8", "region": "fin-1", "provider": "somecloud"}
    direct = ProviderCard("somecloud", "Some Cloud", "api", "list_price", homepage="")
    take_in(engine, scraped("10.0", **plain), card=direct)
    take_in(engine, scraped("11.0", fabric="infiniband-ndr", fabric_gbps=3200.0, **plain), card=RESELLER)
    (record,) = current(engine)
    assert (record.price_usd_per_hour, record.source) == (10.0, "Some Cloud")
    assert (record.fabric, record.fabric_gbps) == ("infiniband-ndr", 3200.0)
    assert record.other_sources == ("Reseller: 11.0000 USD/h (2026-11-30)",)
    assert "sources_disagree" in record.flags
    assert {point.via for point in price_points(engine, record.id)} == {"somecloud", "reseller"}


@pytest.mark.parametrize(("type_", "count"), [("g6f.large", 0.125), ("g6f.4xlarge", 0.5)])
def test_g05_count_of_zero_is_the_slice_that_the_instance_type_is(
    engine: Engine, type_: str, count: float
) -> None:
    aws = ProviderCard("aws", "AWS", "api", "list_price", homepage="")
    row = scraped(provider="aws", instance_type=type_, accelerator_name="L4", accelerator_count=0.0)
    take_in(engine, row, card=aws)
    (record,) = current(engine)
    assert (record.accelerator_status, record.accelerator_count) == ("slice", count)


def test_g08_wrong_count_of_the_source_is_corrected_by_the_instance_type(engine: Engine) -> None:
    row = scraped(
        provider="azure",
        instance_type="Standard_ND96isr_H100_v5",
        accelerator_name="H100",
        accelerator_count=12.0,
    )
    take_in(engine, row, card=AZURE)
    (record,) = current(engine)
    assert (record.accelerator, record.accelerator_count) == ("h100-sxm5-80gb", 8.0)


def test_p03_tiers_are_two_offers(engine: Engine) -> None:
    common = {"provider": "runpod", "instance_type": "2x A6000", "accelerator_name": "RTX A6000"}
    offers = [scraped(price, tier=tier, accelerator_count=2.0, **common) for tier, price in
              (("community", "0.98"), ("secure", "1.52"))]  # fmt: skip
    take_in(engine, *offers, card=RUNPOD)
    assert {record.tier: record.price_usd_per_hour for record in current(engine)} == {
        "community": 0.98,
        "secure": 1.52,
    }


@pytest.mark.parametrize("nothing", [None, "0", "0.00"])
def test_p06_and_p31_missing_and_zero_prices_are_unknown_and_never_free(
    engine: Engine, nothing: str | None
) -> None:
    take_in(engine, scraped("10"), scraped(nothing, purchase_option="spot"))
    spot = next(record for record in current(engine) if record.purchase_option == "spot")
    assert (spot.price_usd_per_hour, spot.hourly_price_native) == (None, None)


def test_p07_total_paid_upfront_has_no_hourly_part_and_an_effective_price(engine: Engine) -> None:
    total = scraped(
        None,
        provider="azure",
        instance_type="Standard_NC48ads_A100_v4",
        accelerator_name="A100 80GB PCIe",
        accelerator_count=2.0,
        purchase_option="reserved",
        term_months=12,
        upfront_option="all",
        upfront=Decimal(42066),
    )
    take_in(engine, total, card=AZURE)
    (record,) = current(engine)
    assert record.hourly_price_native is None
    assert record.upfront_usd == 42066
    assert record.price_usd_per_hour == pytest.approx(4.802, abs=0.001)
    assert record.upfront_usd / record.accelerator_count == 21033


def test_p09_partial_upfront_is_spread_and_added(engine: Engine) -> None:
    partial = scraped(
        "1.25", purchase_option="reserved", term_months=12, upfront_option="partial", upfront=Decimal(5000)
    )
    take_in(engine, partial)
    (record,) = current(engine)
    assert (record.hourly_price_native, record.upfront_usd) == (1.25, 5000)
    assert record.price_usd_per_hour == pytest.approx(1.821, abs=0.001)


def test_p10_terms_are_two_offers_and_neither_is_free(engine: Engine) -> None:
    common = {"purchase_option": "reserved", "upfront_option": "all"}
    year = scraped("0", term_months=12, upfront=Decimal(12000), **common)
    three = scraped("0", term_months=36, upfront=Decimal(18000), **common)
    take_in(engine, year, three)
    found = {record.term_months: record.price_usd_per_hour for record in current(engine)}
    assert found == {12: pytest.approx(12000 / 8760), 36: pytest.approx(18000 / 26280)}


def test_p13_count_that_is_a_price_is_refused(engine: Engine) -> None:
    take_in(engine, scraped("49.24"), scraped("6.16", instance_type="mobile", accelerator_count=19.71))
    assert [record.price_usd_per_hour for record in current(engine)] == [49.24]
    assert status(engine).sources[0].rejects[0].reason == "bad_count"


def test_p19_price_far_above_the_others_is_flagged(engine: Engine) -> None:
    for number in range(4):
        card = ProviderCard(f"cloud_{number}", "Cloud", "api", "list_price", homepage="")
        price = "55.83" if number == 3 else "0.10"
        card_row = {"accelerator_name": "GTX 1070 Ti", "accelerator_count": 1.0, "instance_type": "1x"}
        take_in(engine, scraped(price, provider=card.slug, **card_row), card=card)
    judged = flag_outliers(OfferTable.of(current(engine)))
    flags = {record.provider: record.flags for record in judged.records()}
    assert flags == {"cloud_0": (), "cloud_1": (), "cloud_2": (), "cloud_3": ("price_outlier",)}


def test_p21_and_u12_currency_is_kept_and_dollars_need_a_rate(engine: Engine) -> None:
    take_in(engine, scraped("1.08", currency="EUR"))
    (record,) = current(engine)
    assert (record.currency, record.hourly_price_native, record.price_usd_per_hour) == ("EUR", 1.08, None)
    store_rates(engine, NOON.date(), {"EUR": Decimal("1.16")}, "ECB")
    (record,) = current(engine)
    assert record.price_usd_per_hour == pytest.approx(1.2528)
    assert (record.currency, record.hourly_price_native, record.rate_date) == ("EUR", 1.08, NOON.date())


def test_p23_spot_above_on_demand_is_flagged(engine: Engine) -> None:
    common = {
        "provider": "runpod",
        "instance_type": "A40",
        "accelerator_name": "A40",
        "accelerator_count": 1.0,
    }
    take_in(engine, scraped("0.44", **common), scraped("0.49", purchase_option="spot", **common), card=RUNPOD)
    flags = {record.purchase_option: record.flags for record in current(engine)}
    assert flags == {"on_demand": (), "spot": ("spot_above_on_demand",)}


def test_p25_monthly_commitment_is_an_offer_of_its_own(engine: Engine) -> None:
    common = {"provider": "vast", "accelerator_name": "RTX 4090", "accelerator_count": 1.0, "native_id": "7"}
    take_in(
        engine,
        scraped("0.58", **common),
        scraped("0.41", purchase_option="reserved", term_months=1, **common),
        card=MARKET,
    )
    assert {(record.purchase_option, record.price_usd_per_hour) for record in current(engine)} == {
        ("on_demand", 0.58),
        ("reserved", 0.41),
    }


@pytest.mark.parametrize(
    ("spelled", "slug"),
    [("runpod_our_sponsor", "runpod"), ("packet.ai_sponsored", "packet_ai"), ("lambda_labs", "lambda"), ("google cloud", "gcp")],
)  # fmt: skip
def test_r05_provider_has_one_name_however_it_is_spelled(
    sqlite_engine: Engine, spelled: str, slug: str
) -> None:
    take_in(sqlite_engine, scraped(provider=spelled), card=RESELLER)
    (record,) = current(sqlite_engine)
    assert record.provider.replace("_", "") == slug.replace("_", "")


@pytest.mark.shared
def test_catalog_file_that_shrank_to_its_header_loses_nothing(
    sqlite_engine: Engine, shared_dir: Path
) -> None:
    skypilot = discover()["skypilot"]

    def parsed(name: str) -> Parsed:
        text = (shared_dir / "upstream" / f"anycloud_lambda_vms_{name}.csv").read_text()
        return skypilot.parse(Payload((Part("lambda", "file", text), *others)))

    others = (Part("paperspace", "file", PAPERSPACE),)
    before = parsed("2026-05-07_before")
    take_in(sqlite_engine, *before.offers, card=skypilot.card)
    stood = current(sqlite_engine)
    assert len(stood) > 100
    broken = parsed("2026-05-07_header_only")
    take_in(sqlite_engine, *broken.offers, card=skypilot.card, hours=6, unanswered=broken.unanswered)
    after = {record.id: record for record in current(sqlite_engine)}
    assert set(after) == {record.id for record in stood}
    assert {one.observed_at for one in after.values() if one.provider == "lambda"} == {NOON}
    repaired = parsed("2026-05-20")
    report = take_in(sqlite_engine, *repaired.offers, card=skypilot.card, hours=12)
    assert report.source == "skypilot"
    fresh = [one for one in current(sqlite_engine) if one.observed_at == NOON + timedelta(hours=12)]
    assert fresh, "the repaired file was taken in"


PAPERSPACE = """InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,Price,SpotPrice
H100x8,128,1600,H100,8,,East Coast (NY2),47.6,
"""
