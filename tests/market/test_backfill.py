"""Dated files add to the past and leave the present alone."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import orjson
import pytest
from sqlalchemy import Engine, select

from app.catalog import load_catalog
from app.db.tables import offer, price_point, provider
from app.market.backfill import BackfillReport, backfill
from app.market.dated import read_files
from app.market.history import accelerator_days, index_by_accelerator, price_points, provider_days, record_day
from app.market.ingest import seed
from app.market.price_report import PriceQuestion, price_report
from app.market.retention import compact
from app.market.service import Market
from app.providers.card import ProviderCard
from tests.market.test_dated import SKYPILOT, daily, write
from tests.scraped import NOON, current, scraped, take_in

CATALOG = load_catalog()
H100, A10 = "h100-sxm5-80gb", "a10-24gb"
DAY = date(2026, 8, 16)
RESELLER = ProviderCard("gpurentalprices", "gpurentalprices.com", "aggregator", "aggregator", homepage="")


def take(engine: Engine, *paths: Path) -> list[BackfillReport]:
    return [backfill(engine, dated, now=NOON, catalog=CATALOG) for dated in read_files(paths, None, NOON)]


def rows(engine: Engine, table: object) -> list[tuple[object, ...]]:
    with engine.connect() as connection:
        return sorted((tuple(row) for row in connection.execute(select(table))), key=repr)  # type: ignore[call-overload]


def live(engine: Engine, price: str) -> None:
    """The reseller as it is asked today, with the offer that its daily files name too."""
    told = {
        "instance_type": "1x h100-sxm",
        "accelerator_name": "h100-sxm",
        "accelerator_count": 1.0,
        "region": "",
    }
    take_in(engine, scraped(price, memory_hint_gb=80.0, **told), card=RESELLER)


def test_points_and_days_are_dated_by_the_file(engine: Engine, tmp_path: Path) -> None:
    (report,) = take(engine, write(tmp_path, "s.json", daily("2026-08-16", 2.5)))
    assert (report.offers, report.refused, report.points, report.day_rows) == (1, 0, 1, 1)
    ((key, via, at, *_),) = rows(engine, price_point)
    assert (via, str(at)[:10]) == ("gpurentalprices", "2026-08-16")
    (day,) = accelerator_days(engine, H100)
    assert (day.day, day.low_usd, day.backfilled) == (DAY, 2.5, True)
    assert [low.low_usd for low in provider_days(engine, "lambda")] == [2.5]
    assert [point.usd_per_hour for point in price_points(engine, str(key))] == [2.5]
    assert current(engine) == []


def test_the_present_is_left_alone(engine: Engine, tmp_path: Path) -> None:
    live(engine, "3.0")
    record_day(engine, NOON)
    before = [rows(engine, table) for table in (offer, provider)]
    (record,) = current(engine)
    take(engine, write(tmp_path, "s.json", daily("2026-08-16", 2.5)))
    assert [rows(engine, table) for table in (offer, provider)] == before
    assert current(engine) == [record]
    assert [point.usd_per_hour for point in price_points(engine, record.id)] == [2.5, 3.0]
    assert [day.low_usd for day in accelerator_days(engine, H100)] == [2.5, 3.0]


def test_the_same_file_twice_changes_nothing(engine: Engine, tmp_path: Path) -> None:
    files = [write(tmp_path, f"{day}.json", daily(day, price)) for day, price in
             (("2026-08-16", 2.5), ("2026-08-20", 2.5), ("2026-08-21", 2.0))]  # fmt: skip
    assert [report.points for report in take(engine, *files)] == [1, 0, 1]
    tables = (offer, price_point)
    before = [rows(engine, table) for table in tables], accelerator_days(engine, H100)
    again = take(engine, *files)
    assert [(report.points, report.day_rows) for report in again] == [(0, 1)] * 3
    assert ([rows(engine, table) for table in tables], accelerator_days(engine, H100)) == before


def test_whatever_the_order_of_files_the_days_are_the_same(engine: Engine, tmp_path: Path) -> None:
    files = [write(tmp_path, f"{day}.json", daily(day, price)) for day, price in
             (("2026-08-21", 2.0), ("2026-08-16", 2.5), ("2026-08-20", 2.5))]  # fmt: skip
    for file in files:
        take(engine, file)
    days = accelerator_days(engine, H100)
    assert [(day.day.day, day.low_usd) for day in days] == [(16, 2.5), (20, 2.5), (21, 2.0)]
    points = index_by_accelerator(engine, "on_demand", DAY)[H100]
    assert [point.value for point in points] == [100, pytest.approx(100), pytest.approx(80)]


def test_several_sources_of_one_day_are_summed_up_together(engine: Engine, tmp_path: Path) -> None:
    row = orjson.loads(daily("2026-05-20", 0.95))
    row["offers"][0] |= {"provider": "crusoe", "gpu": "a10", "vram_gb": 24}
    take(engine, write(tmp_path, "lambda_vms_2026-05-20.csv", SKYPILOT))
    take(engine, write(tmp_path, "s.json", orjson.dumps(row)))
    (day,) = accelerator_days(engine, A10)
    assert (day.low_usd, day.providers) == (0.75, 2)


def test_an_offer_of_the_past_comes_back_with_its_history(engine: Engine, tmp_path: Path) -> None:
    take(engine, write(tmp_path, "s.json", daily("2026-08-16", 2.5)))
    live(engine, "3.0")
    (record,) = current(engine)
    assert record.first_seen.date() == DAY
    assert record.previous_price_usd_per_hour == 2.5
    assert [point.usd_per_hour for point in price_points(engine, record.id)] == [2.5, 3.0]


def test_what_was_read_lately_is_not_forgotten_at_once(engine: Engine, tmp_path: Path) -> None:
    take(engine, write(tmp_path, "lambda_vms_2026-01-20.csv", SKYPILOT))
    assert compact(engine, NOON)["offer"] == 0
    assert compact(engine, NOON + timedelta(days=181))["offer"] == 1


@pytest.mark.shared
def test_published_days_become_a_history_that_is_linked(engine: Engine, shared_dir: Path) -> None:
    files = sorted((shared_dir / "upstream").glob("adriannutiu_snapshot_*.json"))
    take(engine, *files)
    days = sorted({day.day for day in accelerator_days(engine, H100)})
    assert [day.isoformat() for day in days] == [path.stem[-10:] for path in files]
    linked = index_by_accelerator(engine, "on_demand", days[0])
    assert sum(len(points) == len(files) for points in linked.values()) > 20
    assert all(50 < points[-1].value < 200 for points in linked.values())
    assert current(engine) == []


@pytest.mark.shared
def test_published_days_beside_the_bundled_snapshot_give_an_index_and_movers(
    engine: Engine, shared_dir: Path
) -> None:
    """What moved is told of offers that stand, by one source that said both prices."""
    seed(engine, CATALOG, NOON)
    take(engine, *(shared_dir / "upstream").glob("adriannutiu_*.json"))
    report = price_report(Market.open(CATALOG, engine, lambda: NOON), PriceQuestion())
    assert len(report.index) >= 30
    assert report.movers.largest
    for mover in report.movers.largest:
        assert mover.via == "gpurentalprices"
        assert mover.new == pytest.approx(mover.record.price_usd_per_hour / mover.record.accelerator_count)  # type: ignore[operator]
