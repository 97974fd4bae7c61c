"""The lesson on links shows the step of the same run on each link."""

from __future__ import annotations

import pytest

from app.market.lessons import lesson
from app.market.lessons.links import BETWEEN, IN_NODE, LinkLesson
from app.market.service import Market
from tests.market.lessons.offers import on
from tests.market.samples import market_of


@pytest.fixture
def told(market: Market) -> LinkLesson:
    found = lesson(market, "interconnect")
    assert isinstance(found, LinkLesson)
    return found


def test_the_share_of_waiting_is_that_of_the_hardware_answer(told: LinkLesson, market: Market) -> None:
    for row in told.inside:
        time = on(market, row.machine, **IN_NODE).time
        assert time is not None
        assert row.waiting == pytest.approx(time["exposed_communication_s"] / time["step_s"])
        assert row.tokens_per_s == pytest.approx(time["tokens_per_s_per_accelerator"])


def test_a_bus_waits_longer_than_a_switch_and_a_free_layout_recovers_part(told: LinkLesson) -> None:
    by_link = {row.link: row for row in told.inside}
    assert set(by_link) == {"nvlink4+nvswitch", "nvlink5+nvswitch", "pcie4"}
    bus, switch = by_link["pcie4"], by_link["nvlink4+nvswitch"]
    assert bus.waiting > 3 * switch.waiting
    assert bus.verdict == "link_too_slow"
    assert bus.freed is not None
    assert bus.freed > bus.tokens_per_s


def test_a_slow_network_waits_longer_than_a_fast_one(told: LinkLesson, market: Market) -> None:
    by_network = {row.link: row for row in told.between}
    assert set(by_network) == {"efa", "ethernet"}
    assert by_network["ethernet"].waiting > by_network["efa"].waiting
    assert all(row.nodes > 1 for row in told.between)
    assert BETWEEN["model"] in told.between_query
    assert market.catalog.model(BETWEEN["model"]).name == told.between_model


def test_without_machines_of_eight_there_are_no_rows() -> None:
    told = lesson(market_of(), "interconnect")
    assert told.inside == told.between == ()
