"""Movers are the offers of now that the same source priced differently before the week."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from app.catalog import load_catalog
from app.market import board as boards
from app.market.movers import Movers, movers
from tests.scraped import MARKET, NOON, current, many, scraped, take_in

TWO_WEEKS = -24 * 14


def week(engine: Engine, hours: float = 1) -> Movers:
    board = boards.build(current(engine), load_catalog(), "1")
    return movers(engine, board, NOON + timedelta(hours=hours))


def test_the_largest_change_comes_first_with_both_prices_and_their_days(engine: Engine) -> None:
    old = [scraped("8", provider="vast", instance_type=name) for name in ("halved", "dearer", "same")]
    new = [
        scraped(price, provider="vast", instance_type=name)
        for name, price in (("halved", "4"), ("dearer", "12"), ("same", "8"))
    ]
    take_in(engine, *old, card=MARKET, hours=TWO_WEEKS)
    take_in(engine, *new, card=MARKET)
    take_in(engine, *new, card=MARKET, hours=1)
    found = week(engine, hours=2)
    told = [(m.record.instance_type, m.old, m.new, m.change) for m in found.largest]
    assert told == [("halved", 1.0, 0.5, pytest.approx(-0.5)), ("dearer", 1.0, 1.5, pytest.approx(0.5))]
    first = found.largest[0]
    assert (first.old_at, first.new_at, first.via) == (NOON + timedelta(hours=TWO_WEEKS), NOON, "vast")
    assert (found.moved, found.flagged) == (2, 0)
    assert found.until - found.since == timedelta(days=7)


def test_alike_changes_in_several_regions_are_one_line(engine: Engine) -> None:
    take_in(engine, *many(5, "16"), hours=TWO_WEEKS)
    take_in(engine, *many(5, "14"))
    (only,) = week(engine).largest
    assert (only.offers, only.old, only.new) == (5, 2.0, 1.75)


def test_a_flagged_mover_is_counted_and_left_out(engine: Engine) -> None:
    take_in(engine, scraped("8", provider="vast"), card=MARKET, hours=TWO_WEEKS)
    take_in(engine, scraped("16", provider="vast"), card=MARKET)
    found = week(engine)
    assert (found.largest, found.moved, found.flagged) == ((), 1, 1)


def test_what_is_new_withdrawn_or_moved_earlier_is_no_mover(engine: Engine) -> None:
    take_in(engine, *many(9, "16"), scraped("16", instance_type="gone"), hours=2 * TWO_WEEKS)
    take_in(engine, *many(9, "14"), scraped("14", instance_type="gone"), hours=TWO_WEEKS)
    take_in(engine, *many(9, "14"), scraped("9", instance_type="new"))
    assert week(engine) == Movers(NOON + timedelta(days=-7, hours=1), NOON + timedelta(hours=1), (), 0, 0)
