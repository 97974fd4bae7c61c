"""The board of the lessons, built once."""

from __future__ import annotations

import pytest

from app.market.service import Market
from tests.market.lessons.offers import lesson_market


@pytest.fixture(scope="session")
def market() -> Market:
    """A market with something for every lesson."""
    return lesson_market()
