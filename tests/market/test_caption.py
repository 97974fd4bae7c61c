"""The question in words."""

from __future__ import annotations

import pytest

from tests.market.samples import NOW, ask, market_of, offer


@pytest.mark.parametrize(
    "text, caption",
    [
        ("", "every accelerator: 2 offers"),
        (
            "accelerator=h100&accelerator_count=8&purchase_option=on_demand&price_max=60",
            "8× H100, on demand, ≤ 60 USD/h: 1 offer",
        ),
        ("provider=aws&continent=Europe", "AWS, Europe: 0 offers"),
        ("provider=!aws", "not AWS: 1 offer"),
        ("memory_gib_min=40&max_age_days=7", "Memory ≥ 40 GiB, seen within 7 days: 1 offer"),
        ("q=h100+us", "“h100”, “us”: 2 offers"),
        ("q=8xh100+-spot+<60", "8× “h100”, not spot, <60 USD/h: 1 offer"),
        ("flagged=0&instance_type=p5", "Instance type contains “p5”, Flagged: no: 2 offers"),
    ],
)
def test_the_caption_says_the_question(text: str, caption: str) -> None:
    market = market_of(
        offer(1), offer(2, provider="gcp", price_usd_per_hour=90.0, observed_at=NOW.replace(year=2025))
    )
    assert str(ask(market, text).caption) == caption
