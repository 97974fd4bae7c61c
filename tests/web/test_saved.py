"""A saved estimate: its link keeps the day, and the page shows then beside now."""

from __future__ import annotations

import html as entities
import re
from datetime import timedelta
from pathlib import Path

from fastapi.testclient import TestClient

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.market.service import Market
from tests.scraped import NOON, current, scraped, take_in
from tests.web.site import make_app

RUN = "model=llama-3.1-8b&tokens=5e7"


def offer(market: Market) -> str:
    return next(r.id for r in market.board.records if r.instance_type == "gpu_8x_h100_sxm5")


def kept(client: TestClient, market: Market) -> str:
    html = client.get(f"/offers/{offer(market)}?{RUN}").text
    link = re.search(r'id="keep"><a href="([^"]+)"[^>]*data-bookmark data-title="[^"]+"', html)
    assert link
    return entities.unescape(link[1])


def test_the_link_keeps_day_price_time_total_and_method(client: TestClient, market: Market) -> None:
    link = kept(client, market)
    for part in ("as_of=2026-11-30", "then_usd_per_hour=", "then_hours=", "then_total_usd=", "then_method="):
        assert part in link, part


def test_opened_again_the_page_shows_then_beside_now(client: TestClient, market: Market) -> None:
    html = client.get(kept(client, market)).text
    assert "Saved on 2026-11-30, beside today" in html
    assert "Nothing moved." in html
    later = client.get(re.sub(r"then_total_usd=[\d.]+", "then_total_usd=1", kept(client, market))).text
    assert "the link says 1.00" in later
    assert "Time and total of that day are what the link says" in later


def test_without_a_run_there_is_nothing_to_save(client: TestClient, market: Market) -> None:
    assert 'id="keep"' not in client.get(f"/offers/{offer(market)}").text


def test_a_day_to_come_is_refused(client: TestClient, market: Market) -> None:
    shown = client.get(f"/offers/{offer(market)}?{RUN}&as_of=2027-01-01")
    assert shown.status_code == 422
    assert "still to come" in shown.text
    early = client.get(f"/offers/{offer(market)}?{RUN}&as_of=2024-01-01")
    assert early.status_code == 422
    assert "first seen on" in early.text


def test_an_offer_that_was_withdrawn_still_has_its_page_which_says_so(tmp_path: Path) -> None:
    engine = make_engine(f"sqlite:///{tmp_path / 'gone.sqlite3'}")
    upgrade(engine)
    take_in(engine, scraped("10.00"), scraped("11.00", region="west"))
    key = next(record.id for record in current(engine) if record.region == "us-east-1")
    for hours in (24, 48):
        take_in(engine, scraped("11.00", region="west"), hours=hours)
    market = Market.open(load_catalog(), engine, lambda: NOON + timedelta(days=3))
    gone = TestClient(make_app(market))
    shown = gone.get(f"/offers/{key}?{RUN}&as_of=2026-11-30")
    assert shown.status_code == 200
    assert "Withdrawn on 2026-12-0" in shown.text
    assert shown.text.count(">withdrawn<") == 3
    assert 'id="keep"' not in shown.text
    assert "withdrawn on 2026-12-0" in gone.get(f"/compare?offer={key}").text
    engine.dispose()
