"""What is found ahead is what readers ask for: afterwards they wait for nothing of it."""

from __future__ import annotations

from pathlib import Path

from app.domain.offer import PURCHASE_OPTIONS
from app.market.ahead import ahead
from app.market.lessons import LESSONS, lesson
from app.market.price_report import PriceQuestion, price_report
from app.market.service import Market
from tests.web.site import make_market


def missed(market: Market) -> int:
    """How often something kept with the board had to be worked out."""
    return sum(kept.cache_info().misses for kept in market.board.kept.values())  # type: ignore[attr-defined]


def test_what_is_found_ahead_is_not_worked_out_again(tmp_path: Path) -> None:
    market = make_market(tmp_path)
    for piece in ahead(market):
        piece()
    found = missed(market)
    assert found >= len(LESSONS) + len(PURCHASE_OPTIONS)
    for slug in LESSONS:
        lesson(market, slug)
    for option in PURCHASE_OPTIONS:
        price_report(market, PriceQuestion(option))
    assert missed(market) == found
    market.engine.dispose()
