"""Offers side by side: the same lines for each, what differs, what is best."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.db.engine import make_engine
from app.db.migrate import upgrade
from app.domain.errors import BadInput
from app.market.comparison import MOST, Comparison, Line, compare
from app.market.service import Market
from tests.market.runs import run
from tests.market.samples import market_of, offer
from tests.scraped import NOON, scraped, take_in

IDS = [f"{number:016x}" for number in range(1, 10)]


def line(told: Comparison, name: str) -> Line:
    return next(line for _, lines in told.groups for line in lines if line.name == name)


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Market:
    """Three offers over an empty database, so that prices have no history."""
    engine = make_engine(f"sqlite:///{tmp_path_factory.mktemp('compare') / 'empty.sqlite3'}")
    upgrade(engine)
    made = market_of(
        offer(1),
        offer(2, price_usd_per_hour=40.0, vcpus=96.0, region="eu-west-1"),
        offer(3, price_usd_per_hour=None, provider="lambda", provider_name="Lambda"),
    )
    return Market(made.catalog, made.holder, engine, made.clock)


def test_lines_say_whether_they_differ_and_which_is_best(market: Market) -> None:
    told = compare(market, IDS[:3], None)
    price = line(told, "price_usd_per_hour")
    assert price.values == (55.04, 40.0, None)
    assert (price.best, price.differs) == (frozenset({1}), True)
    assert line(told, "vcpus").best == frozenset({0, 2})
    memory = line(told, "memory_gib_per_accelerator")
    assert (memory.best, memory.differs) == (frozenset(), False)


def test_offers_come_once_each_in_the_order_that_was_asked(market: Market) -> None:
    told = compare(market, [IDS[1], IDS[0], IDS[1]], None)
    assert [item.id for item in told.offers] == [IDS[1], IDS[0]]


def test_an_id_that_nobody_knows_is_named_and_spoils_nothing(market: Market) -> None:
    told = compare(market, [IDS[0], IDS[8]], None)
    assert ([item.id for item in told.offers], told.missing) == ([IDS[0]], (IDS[8],))


def test_a_seventh_offer_is_refused_with_a_sentence(market: Market) -> None:
    with pytest.raises(BadInput, match="at most 6 offers") as caught:
        compare(market, IDS[: MOST + 1], None)
    assert caught.value.field == "offer"


def test_a_run_adds_the_same_figures_as_the_offers_own_page(market: Market) -> None:
    asked = run(tokens=5e7)
    told = compare(market, IDS[:2], asked)
    for place, key in enumerate(IDS[:2]):
        alone = market.explain(key, asked)
        assert alone.cost is not None
        assert line(told, "total_usd").values[place] == alone.cost.total_usd
        assert alone.memory is not None
        assert line(told, "high").values[place] == alone.memory.high
    assert line(told, "total_usd").best == frozenset({1})
    assert line(told, "verdict").values == ("fits", "fits")


def test_what_cannot_be_priced_is_unknown_and_never_best(market: Market) -> None:
    told = compare(market, IDS[:3], run(tokens=5e7))
    total = line(told, "total_usd")
    assert total.values[2] is None
    assert 2 not in total.best


def test_a_withdrawn_offer_is_dated_keeps_its_figures_and_is_never_best(engine: Engine) -> None:
    take_in(engine, scraped("10.00"), scraped("11.00", region="west"))
    catalog = load_catalog()
    ids = {record.region: record.id for record in Market.open(catalog, engine, lambda: NOON).board.records}
    for hours in (24, 48):
        take_in(engine, scraped("11.00", region="west"), hours=hours)
    market = Market.open(catalog, engine, lambda: NOON)
    told = compare(market, [ids["us-east-1"], ids["west"]], run(tokens=5e7))
    gone, stands = told.offers
    assert gone.withdrawn_at is not None
    assert gone.withdrawn_at > NOON
    assert stands.withdrawn_at is None
    total = line(told, "total_usd")
    assert total.values[0] < total.values[1]
    assert total.best == frozenset()
    assert gone.points[0].usd_per_hour == 10.0
