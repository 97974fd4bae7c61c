"""Ingest on SQLite and PostgreSQL: what is written, what stays, who said so."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Engine, func, select, update

from app.catalog import load_catalog
from app.db.copying import WORTHWHILE
from app.db.leases import acquire, register
from app.db.offers import board_version
from app.db.tables import hold, offer, price_point, scrape_run
from app.domain.errors import LeaseLost, NotFound
from app.domain.offer import Parsed, Reject, ScrapedOffer
from app.market.history import price_points
from app.market.ingest import ingest, record_failure, record_skip, release, seed
from app.market.rates import store_rates
from app.market.status import status
from app.providers.card import ProviderCard
from tests.postgres import empty
from tests.scraped import LIST, MARKET, NOON, RESELLER, current, many, prices, scraped, take_in


def version(engine: Engine) -> int:
    with engine.connect() as connection:
        return board_version(connection)


def count(engine: Engine, table: object) -> int:
    with engine.connect() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def test_first_scrape_becomes_offers_with_age_source_and_run(engine: Engine) -> None:
    report = take_in(engine, scraped(vcpus=208.0, source_url="https://lambda.example/types"))
    (record,) = current(engine)
    assert (report.outcome, report.added, report.changed) == ("ok", 1, 0)
    assert record.observed_at == record.first_seen == NOON
    assert record.accelerator == "h100-sxm5-80gb"
    assert record.price_usd_per_hour == 10.0
    assert record.source == "Lambda"
    assert record.source_kind == "api"
    assert record.vcpus == 208.0


def test_id_is_the_same_in_every_database_and_for_every_price(
    sqlite_engine: Engine, tmp_path: object
) -> None:
    take_in(sqlite_engine, scraped("10"))
    (first,) = current(sqlite_engine)
    take_in(sqlite_engine, scraped("11"), hours=1)
    (second,) = current(sqlite_engine)
    assert first.id == second.id == "937b38ddafa2e38c"


def test_unchanged_scrape_moves_only_the_age(engine: Engine) -> None:
    take_in(engine, *many(3))
    before = current(engine)
    report = take_in(engine, *many(3), hours=6)
    after = current(engine)
    assert (report.added, report.changed, report.withdrawn) == (0, 0, 0)
    assert {record.observed_at for record in after} == {NOON + timedelta(hours=6)}
    assert [record.first_seen for record in after] == [record.first_seen for record in before]
    assert count(engine, price_point) == 3


def test_price_point_is_appended_on_change_only(engine: Engine) -> None:
    for hour, price in enumerate(["10", "10", "11", "11", "10"]):
        take_in(engine, scraped(price), hours=hour)
    (record,) = current(engine)
    points = price_points(engine, record.id)
    assert [(point.at, point.usd_per_hour) for point in points] == [
        (NOON, 10.0),
        (NOON + timedelta(hours=2), 11.0),
        (NOON + timedelta(hours=4), 10.0),
    ]
    assert record.previous_price_usd_per_hour == 11.0
    assert record.price_changed_at == NOON + timedelta(hours=4)


def test_large_batches_are_written_like_small_ones(engine: Engine) -> None:
    """PostgreSQL takes them by COPY."""
    assert take_in(engine, *many(WORTHWHILE + 1)).added == WORTHWHILE + 1
    report = take_in(engine, *many(WORTHWHILE + 1, "11.00"), hours=1)
    assert (report.outcome, report.added, report.changed) == ("ok", 0, WORTHWHILE + 1)
    assert take_in(engine, *many(WORTHWHILE + 1, "11.00"), hours=2).changed == 0
    records = current(engine)
    assert {(r.price_usd_per_hour, r.previous_price_usd_per_hour, r.first_seen) for r in records} == {
        (11.0, 10.0, NOON)
    }
    assert {r.observed_at for r in records} == {NOON + timedelta(hours=2)}
    assert [point.hourly for point in price_points(engine, records[-1].id)] == [10.0, 11.0]


def test_change_of_anything_but_the_price_leaves_the_history_alone(engine: Engine) -> None:
    take_in(engine, scraped(stock="in_stock"))
    report = take_in(engine, scraped(stock="out", ram_gib=1800.0), hours=1)
    (record,) = current(engine)
    assert report.changed == 1
    assert (record.stock, record.ram_gib, record.price_changed_at) == ("out", 1800.0, NOON)
    assert count(engine, price_point) == 1


def test_offer_that_is_no_longer_listed_is_withdrawn_and_returns_with_its_past(engine: Engine) -> None:
    take_in(engine, *many(10))
    gone = take_in(engine, *many(9), hours=1)
    assert gone.withdrawn == 1
    assert len(current(engine)) == 9
    back = take_in(engine, *many(10), hours=2)
    assert back.added == 1
    record = next(record for record in current(engine) if record.region == "region-9")
    assert record.first_seen == NOON
    assert count(engine, price_point) == 10


def test_the_whole_identity_keeps_offers_apart(engine: Engine) -> None:
    take_in(
        engine,
        scraped("10"),
        scraped("9", zone="a"),
        scraped("8", purchase_option="reserved", term_months=12, upfront_option="none"),
        scraped("7", purchase_option="reserved", term_months=36, upfront_option="none"),
        scraped("6", purchase_option="reserved", term_months=36, upfront_option="all", upfront=Decimal(100)),
        scraped("5", tier="community"),
        scraped("4", native_id="1"),
        scraped("3", native_id="2"),
        scraped("2", region="eu"),
    )
    assert len({record.id for record in current(engine)}) == 9


def test_same_identity_twice_keeps_the_first_and_lists_the_second(engine: Engine) -> None:
    report = take_in(engine, scraped("10"), scraped("12"))
    assert prices(engine) == {"us-east-1": 10.0}
    assert report.rejected == 1
    (source,) = status(engine).sources
    assert [reject.reason for reject in source.rejects] == ["duplicate"]
    take_in(engine, scraped("10"), scraped("10"), hours=1)
    assert status(engine).sources[0].runs[0].ignored == {"the same offer again": 1}


def test_failed_fetch_changes_no_age_and_is_on_the_status(engine: Engine) -> None:
    take_in(engine, scraped())
    later = NOON + timedelta(days=3)
    record_failure(engine, LIST, "answered 500", started_at=later, now=later)
    (record,) = current(engine)
    (source,) = status(engine).sources
    assert record.observed_at == NOON
    assert (source.last_success, source.last_attempt, source.last_error) == (NOON, later, "answered 500")
    assert (source.failures, source.runs[0].outcome) == (1, "failed")


def test_missing_key_is_no_failure(engine: Engine) -> None:
    record_skip(engine, LIST, "set LAMBDA_API_KEY to refresh this provider")
    (source,) = status(engine).sources
    assert (source.failures, source.last_attempt) == (0, None)
    assert source.last_error == "set LAMBDA_API_KEY to refresh this provider"


def test_rejects_are_kept_with_reason_and_counted_together(engine: Engine) -> None:
    refused = Reject(provider="lambda", reason="unparsable", detail="no price", raw='{"x": 1}')
    report = take_in(engine, scraped(), rejects=(refused, refused), ignored={"cpu only": 7})
    (source,) = status(engine).sources
    (reject,) = source.rejects
    assert (report.rejected, reject.rows, reject.raw) == (2, 2, '{"x": 1}')
    assert source.runs[0].ignored == {"cpu only": 7}
    take_in(engine, scraped(), hours=1)
    assert status(engine).sources[0].rejects == ()


def test_row_refused_today_does_not_withdraw_what_stood_yesterday(engine: Engine) -> None:
    take_in(engine, *many(10))
    broken = [*many(9), scraped("-1", region="region-9")]
    report = take_in(engine, *broken, hours=1)
    assert (report.withdrawn, report.rejected) == (0, 1)
    record = next(record for record in current(engine) if record.region == "region-9")
    assert (record.price_usd_per_hour, record.observed_at) == (10.0, NOON)


def test_held_batch_leaves_everything_and_shows_its_difference(engine: Engine) -> None:
    take_in(engine, *many(10))
    report = take_in(engine, *many(5), hours=1)
    assert report.outcome == "held"
    assert len(current(engine)) == 10
    assert {record.observed_at for record in current(engine)} == {NOON}
    (source,) = status(engine).sources
    (held,) = source.holds
    assert (held.reason, held.whole, held.difference.before, held.difference.now) == ("shrunken", True, 10, 5)
    assert held.difference.gone == 5
    assert str(held.why) == "5 offers after 10: 50% of the offers or prices are gone"
    assert source.last_success == NOON


def test_hold_of_an_earlier_version_still_says_why(engine: Engine) -> None:
    take_in(engine, *many(10))
    take_in(engine, *many(5), hours=1)
    with engine.begin() as connection:
        connection.execute(update(hold).values(why="half of {them} is gone"))
    (held,) = status(engine).sources[0].holds
    assert str(held.why) == "half of {them} is gone"


def test_next_agreeing_scrape_releases_a_held_batch(engine: Engine) -> None:
    take_in(engine, *many(10))
    take_in(engine, *many(5), hours=1)
    report = take_in(engine, *many(5), hours=2)
    assert (report.outcome, report.withdrawn) == ("ok", 5)
    assert status(engine).sources[0].holds == ()


def test_recovered_source_closes_its_hold(engine: Engine) -> None:
    take_in(engine, *many(10))
    take_in(engine, *many(5), hours=1)
    report = take_in(engine, *many(10), hours=2)
    assert (report.outcome, report.withdrawn) == ("ok", 0)
    assert status(engine).sources[0].holds == ()


def test_operator_releases_a_held_batch_at_its_own_age(engine: Engine) -> None:
    take_in(engine, *many(10))
    take_in(engine, hours=1)
    assert len(current(engine)) == 10
    report = release(engine, LIST, now=NOON + timedelta(hours=9), catalog=load_catalog())
    assert (report.withdrawn, current(engine)) == (10, [])
    with pytest.raises(NotFound):
        release(engine, LIST, now=NOON + timedelta(hours=9), catalog=load_catalog())


def test_released_part_does_not_withdraw_the_rest(engine: Engine) -> None:
    take_in(engine, *many(10))
    moved = [*many(9), scraped("30", region="region-9")]
    report = take_in(engine, *moved, hours=1)
    assert report.outcome == "partial"
    assert prices(engine)["region-9"] == 10.0
    (change,) = status(engine).sources[0].holds[0].difference.moved_listed
    assert (change.what, change.before, change.now) == (
        "gpu_8x_h100_sxm5 · region-9 · on demand",
        Decimal(10),
        Decimal(30),
    )
    release(engine, LIST, now=NOON + timedelta(hours=2), catalog=load_catalog())
    assert len(current(engine)) == 10
    record = next(record for record in current(engine) if record.region == "region-9")
    assert (record.price_usd_per_hour, record.observed_at) == (30.0, NOON + timedelta(hours=1))


def test_moved_list_price_waits_while_the_rest_gets_fresh(engine: Engine) -> None:
    take_in(engine, *many(10))
    take_in(engine, *many(9, "10.50"), scraped("20", region="region-9"), hours=1)
    by_region = {record.region: record for record in current(engine)}
    assert by_region["region-0"].price_usd_per_hour == 10.5
    assert by_region["region-9"].price_usd_per_hour == 10.0
    assert by_region["region-9"].observed_at == NOON
    take_in(engine, *many(9, "10.50"), scraped("20", region="region-9"), hours=2)
    by_region = {record.region: record for record in current(engine)}
    assert by_region["region-9"].price_usd_per_hour == 20.0
    assert "price_moved" in by_region["region-9"].flags
    take_in(engine, *many(9, "10.50"), scraped("20", region="region-9"), hours=3)
    assert all(record.flags == () for record in current(engine))


def test_unanswered_region_ages_alone(engine: Engine) -> None:
    take_in(engine, *many(3))
    report = take_in(engine, *many(2), hours=1, unanswered=("region-2",))
    ages = {record.region: record.observed_at for record in current(engine)}
    assert (report.outcome, report.withdrawn) == ("ok", 0)
    assert ages == {
        "region-0": NOON + timedelta(hours=1),
        "region-1": NOON + timedelta(hours=1),
        "region-2": NOON,
    }


def test_source_of_many_providers_is_judged_provider_by_provider(engine: Engine) -> None:
    vast = [scraped("3", provider="vast", region=f"r{number}") for number in range(10)]
    take_in(engine, *many(10), *vast, card=RESELLER)
    report = take_in(engine, *many(10, "10.1"), card=RESELLER, hours=1)
    assert report.outcome == "partial"
    assert set(report.held) == {"vast"}
    assert len(current(engine)) == 20
    report = take_in(engine, *many(10, "10.1"), card=RESELLER, hours=2, unanswered=("vast",))
    assert (report.outcome, len(current(engine))) == ("ok", 20)
    report = take_in(engine, *many(10, "10.1"), card=RESELLER, hours=3)
    assert (report.outcome, report.withdrawn) == ("ok", 10)


def test_price_without_a_rate_stays_native_and_gets_a_dollar_price_with_the_rate(engine: Engine) -> None:
    take_in(engine, scraped("10", currency="EUR"))
    (record,) = current(engine)
    assert (record.price_usd_per_hour, record.hourly_price_native, record.currency) == (None, 10.0, "EUR")
    before = version(engine)
    store_rates(engine, NOON.date(), {"EUR": Decimal("1.10")}, "ECB")
    (record,) = current(engine)
    assert (record.price_usd_per_hour, record.rate_date) == (11.0, NOON.date())
    assert version(engine) > before


def test_every_committed_change_raises_the_board_version(engine: Engine) -> None:
    before = version(engine)
    take_in(engine, scraped())
    assert version(engine) == before + 1


def test_worker_whose_lease_was_taken_over_writes_nothing(engine: Engine) -> None:
    register(engine, ["lambda"])
    old = acquire(engine, "lambda", "a", NOON, timedelta(seconds=10))
    new = acquire(engine, "lambda", "b", NOON + timedelta(seconds=11), timedelta(seconds=10))
    assert old is not None and new is not None and new > old
    parsed = Parsed(offers=(scraped(),))
    with pytest.raises(LeaseLost):
        ingest(engine, LIST, parsed, started_at=NOON, now=NOON, catalog=load_catalog(), fence=old)
    with pytest.raises(LeaseLost):
        record_failure(engine, LIST, "late", started_at=NOON, now=NOON, fence=old)
    assert (current(engine), count(engine, scrape_run)) == ([], 0)
    ingest(engine, LIST, parsed, started_at=NOON, now=NOON, catalog=load_catalog(), fence=new)
    assert len(current(engine)) == 1


def test_live_scrape_takes_the_place_of_the_provider_s_snapshot_rows(engine: Engine) -> None:
    report = seed(engine, load_catalog(), NOON)
    if report is None or report.offers == 0:
        pytest.fail("the catalog has no snapshot")
    assert seed(engine, load_catalog(), NOON) is None
    told = current(engine)
    lambda_before = [record for record in told if record.provider == "lambda"]
    assert lambda_before
    assert all(record.observed_at < NOON for record in told)
    take_in(engine, scraped())
    after = current(engine)
    assert [record.source_kind for record in after if record.provider == "lambda"] == ["api"]
    assert len(after) == len(told) - len(lambda_before) + 1


def test_file_kept_by_hand_stands_beside_the_snapshot_and_replaces_nothing(engine: Engine) -> None:
    seed(engine, load_catalog(), NOON)
    before = current(engine)
    kept = ProviderCard("hand_kept", "Kept by hand", "hand_kept", "list_price", homepage="")
    take_in(engine, scraped(instance_type="by hand", observed_at=NOON - timedelta(days=60)), card=kept)
    assert len(current(engine)) == len(before) + 1


def test_row_s_own_date_counts_only_where_it_is_older_than_the_scrape(engine: Engine) -> None:
    take_in(
        engine,
        scraped(region="old", observed_at=NOON - timedelta(days=9)),
        scraped(region="future", observed_at=NOON + timedelta(days=9)),
    )
    ages = {record.region: record.observed_at for record in current(engine)}
    assert ages == {"old": NOON - timedelta(days=9), "future": NOON}


def test_provider_spelled_in_other_ways_is_one_provider(engine: Engine) -> None:
    take_in(engine, scraped(provider="lambda_labs"))
    assert [record.provider for record in current(engine)] == ["lambda"]


@pytest.mark.postgres
def test_sources_of_the_same_offers_at_once_do_not_lock_each_other_out(postgres_engine: Engine) -> None:
    empty(postgres_engine)
    cards = [ProviderCard(f"source_{n}", "S", "catalog", "list_price", homepage="") for n in range(4)]
    offers = [scraped(instance_type=f"type-{n}") for n in range(60)]

    def take(number: int) -> str:
        ordered = offers if number % 2 else offers[::-1]
        return take_in(postgres_engine, *ordered, card=cards[number % 4], hours=number).outcome

    with ThreadPoolExecutor(4) as pool:
        assert set(pool.map(take, range(12))) == {"ok"}
    assert len(current(postgres_engine)) == 60


def test_finer_prices_than_the_database_keeps_do_not_look_changed(engine: Engine) -> None:
    take_in(engine, scraped("1.234567891234"))
    assert take_in(engine, scraped("1.234567891234"), hours=1).changed == 0


def test_marketplace_machines_come_and_go_without_a_hold(engine: Engine) -> None:
    def machines(first: int) -> list[object]:
        return [scraped("3", provider="vast", native_id=str(number)) for number in range(first, first + 10)]

    take_in(engine, *machines(0), card=MARKET)
    report = take_in(engine, *machines(7), card=MARKET, hours=1)
    assert (report.outcome, report.added, report.withdrawn) == ("ok", 7, 7)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.dictionaries(st.integers(0, 7), st.decimals("1", "2", places=2).map(str), min_size=1),
        min_size=1,
        max_size=5,
    )
)
def test_whatever_a_marketplace_says_the_last_word_is_what_stands(
    sqlite_engine: Engine, scrapes: list[dict[int, str]]
) -> None:
    empty(sqlite_engine)
    accepted: dict[str, float] = {}
    for hour, told in enumerate(scrapes):
        offers = [scraped(price, provider="vast", region=f"m{key}") for key, price in told.items()]
        if take_in(sqlite_engine, *offers, card=MARKET, hours=hour).outcome == "ok":
            accepted = {f"m{key}": float(price) for key, price in told.items()}
    assert prices(sqlite_engine) == accepted
    for record in current(sqlite_engine):
        points = price_points(sqlite_engine, record.id)
        assert points[-1].usd_per_hour == record.price_usd_per_hour
        assert all(one.usd_per_hour != two.usd_per_hour for one, two in pairwise(points))


def test_every_offer_and_price_points_to_the_run_that_said_so(engine: Engine) -> None:
    take_in(engine, *many(2))
    report = take_in(engine, scraped(region="region-0"), scraped("12", region="region-1"), hours=1)
    with engine.connect() as connection:
        assert set(connection.execute(select(offer.c.run_id)).scalars()) == {report.run_id}
        newest = select(price_point.c.run_id).order_by(price_point.c.at.desc()).limit(1)
        assert connection.execute(newest).scalar_one() == report.run_id


AMOUNT = st.none() | st.decimals(allow_nan=True, allow_infinity=True).filter(
    lambda amount: not amount.is_snan()
)
COUNT = st.none() | st.integers(-5, 2**40)
FIGURE = st.none() | st.floats(0, 1e9)
TEXT = st.text(max_size=8)
ODD = st.builds(
    scraped,
    st.none() | st.decimals("0", "99", places=3).map(str),
    instance_type=TEXT,
    accelerator_name=TEXT | st.sampled_from(["H100", "A100", "GH200", "L4", "MI300X", "CPU"]),
    accelerator_count=st.floats(),
    region=TEXT,
    zone=st.none() | TEXT,
    native_id=st.none() | TEXT,
    tier=st.none() | TEXT,
    purchase_option=st.sampled_from(["on_demand", "spot", "reserved", "block", "savings_plan"]),
    upfront=AMOUNT,
    term_months=COUNT,
    stock_units=COUNT,
    currency=st.sampled_from(["USD", "EUR", "usd", "", "USDC"]),
    memory_hint_gb=FIGURE,
    vcpus=FIGURE,
    raw=TEXT,
)


@settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(ODD, min_size=1, max_size=6))
def test_no_row_however_odd_stops_the_others_and_every_row_is_accounted_for(
    sqlite_engine: Engine, postgres_engine: Engine, offers: list[ScrapedOffer]
) -> None:
    for engine in (sqlite_engine, postgres_engine):
        empty(engine)
        good = scraped(region="good region", instance_type="good type", accelerator_name="H100 SXM5 80GB")
        report = take_in(engine, good, *offers, card=MARKET)
        assert "good region" in prices(engine)
        run = status(engine).sources[0].runs[0]
        unknown = sum(
            one.rows for one in status(engine).sources[0].rejects if one.reason == "unknown_accelerator"
        )
        assert report.offers + report.rejected - unknown + sum(run.ignored.values()) == len(offers) + 1
