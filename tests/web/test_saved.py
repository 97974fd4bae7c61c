"""A saved estimate: its link keeps the day, and the page shows then beside now."""

from __future__ import annotations

import html as entities
import re

from fastapi.testclient import TestClient

from app.market.service import Market

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
    assert "it said 1.00" in later


def test_without_a_run_there_is_nothing_to_save(client: TestClient, market: Market) -> None:
    assert 'id="keep"' not in client.get(f"/offers/{offer(market)}").text


def test_a_day_to_come_is_refused(client: TestClient, market: Market) -> None:
    shown = client.get(f"/offers/{offer(market)}?{RUN}&as_of=2027-01-01")
    assert shown.status_code == 422
    assert "still to come" in shown.text
