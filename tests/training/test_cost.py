"""Cost to finish: every term, and the laws that any bill obeys."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.errors import BadInput
from app.training.cost import BillingTerms, CostTable, Prices, Work, breakdown, cost_of, prices_of

SECOND = BillingTerms(
    increment_s=1, minimum_s=0, start_s=60, storage_usd_per_gb_month=0.1, egress_usd_per_gb=0.05
)


def work(**changes: Any) -> Work:
    base = Work(
        tokens=1e9,
        tokens_per_s=np.asarray([5e4]),
        low_tokens_per_s=np.asarray([4e4]),
        high_tokens_per_s=np.asarray([6e4]),
        state_gb=100.0,
        load_gb=16.0,
        dataset_gb=50.0,
        egress_gb=16.0,
    )
    return replace(base, **changes)


def prices(price: float = 20.0, terms: BillingTerms = SECOND, nodes: int = 1, spot: bool = False) -> Prices:
    one = np.asarray([float(nodes)])
    return prices_of([terms], np.asarray([price]), one, 8 * one, np.asarray([spot]))


def total(table: CostTable) -> float:
    return float(table.total_usd[0])


@given(price=st.floats(0.01, 500), factor=st.floats(0, 20), spot=st.booleans())
@settings(deadline=None)
def test_cost_is_linear_in_the_price(price: float, factor: float, spot: bool) -> None:
    once, scaled = (cost_of(work(idle_hours=3.0), prices(p, spot=spot)) for p in (price, price * factor))
    for name in ("compute_usd", "interruption_usd", "idle_usd"):
        assert getattr(scaled, name)[0] == pytest.approx(factor * getattr(once, name)[0], abs=1e-6, rel=1e-9)
    for name in ("storage_usd", "egress_usd"):
        assert getattr(scaled, name)[0] == getattr(once, name)[0]


@given(increment=st.floats(1, 4000), coarser=st.integers(1, 30), tokens=st.floats(1e5, 1e12))
@settings(deadline=None)
def test_a_coarser_increment_never_costs_less(increment: float, coarser: int, tokens: float) -> None:
    fine, coarse = (
        total(cost_of(work(tokens=tokens), prices(terms=replace(SECOND, increment_s=increment * k))))
        for k in (1, coarser)
    )
    assert coarse >= fine - 1e-6


@given(
    tokens=st.floats(1e5, 1e13),
    longer=st.floats(1, 100),
    spot=st.booleans(),
    increment=st.sampled_from([1.0, 60.0, 3600.0, 86_400.0]),
    term=st.sampled_from([0.0, 730.0]),
)
@settings(deadline=None)
def test_a_longer_run_never_costs_less_nor_ends_sooner(
    tokens: float, longer: float, spot: bool, increment: float, term: float
) -> None:
    charged = replace(
        prices(terms=replace(SECOND, increment_s=increment), spot=spot), term_hours=np.asarray([term])
    )
    short, long = (cost_of(work(tokens=tokens * k), charged) for k in (1.0, longer))
    assert long.hours[0] >= short.hours[0] * (1 - 1e-9)
    assert total(long) >= total(short) * (1 - 1e-9)


@given(
    tokens=st.floats(1e5, 1e12),
    nodes=st.integers(1, 16),
    price=st.floats(0.01, 500),
    minutes=st.one_of(st.none(), st.floats(1, 1000)),
)
@settings(deadline=None)
def test_spot_that_is_never_taken_back_is_billed_as_on_demand(
    tokens: float, nodes: int, price: float, minutes: float | None
) -> None:
    calm = work(tokens=tokens, checkpoint_minutes=minutes, interruptions_per_hour=0.0)
    spot, plain = (breakdown(calm, prices(price, nodes=nodes, spot=kind)) for kind in (True, False))
    for field in fields(CostTable):
        if field.name != "on_time":
            assert getattr(spot, field.name) == pytest.approx(getattr(plain, field.name)), field.name


@given(
    name=st.sampled_from(["dataset_gb", "egress_gb", "idle_hours", "state_gb", "load_gb"]),
    some=st.floats(0, 1e4),
    more=st.floats(0, 1e5),
    spot=st.booleans(),
)
@settings(deadline=None)
def test_carrying_keeping_or_waiting_more_never_costs_less(
    name: str, some: float, more: float, spot: bool
) -> None:
    light, heavy = (
        total(cost_of(replace(work(), **{name: x}), prices(spot=spot))) for x in (some, some + more)
    )
    assert heavy >= light - 0.02


@given(least=st.floats(0, 5000), more=st.floats(0, 5000), tokens=st.floats(1e5, 1e12))
@settings(deadline=None)
def test_a_larger_minimum_never_costs_less(least: float, more: float, tokens: float) -> None:
    for name in ("minimum_hours", "minimum_s", "term_hours"):
        low, high = (
            total(cost_of(work(tokens=tokens), replace(prices(), **{name: np.asarray([x])})))
            for x in (least, least + more)
        )
        assert high >= low - 1e-6, name


@given(
    rate=st.floats(0, 1), more=st.floats(0, 1), notice=st.sampled_from([0.0, 120.0]), nodes=st.integers(1, 8)
)
@settings(deadline=None)
def test_spot_time_and_cost_grow_with_the_interruption_rate(
    rate: float, more: float, notice: float, nodes: int
) -> None:
    calm, harsh = (
        cost_of(
            work(),
            prices(terms=replace(SECOND, interruptions_per_hour=r, notice_s=notice), nodes=nodes, spot=True),
        )
        for r in (rate, rate + more)
    )
    assert harsh.hours[0] >= calm.hours[0] * (1 - 1e-9)
    assert harsh.interruption_usd[0] >= calm.interruption_usd[0] - 0.02


@given(
    st.lists(
        st.tuples(st.floats(0.1, 300), st.integers(1, 16), st.booleans(), st.floats(1e3, 1e7)),
        min_size=1,
        max_size=6,
    )
)
@settings(deadline=None, max_examples=40)
def test_many_offers_at_once_cost_the_same_to_the_cent(offers: list[tuple[float, int, bool, float]]) -> None:
    price, nodes, spot, rate = (np.asarray(column) for column in zip(*offers, strict=True))
    many = prices_of([SECOND] * len(offers), price, nodes * 1.0, nodes * 8.0, spot)
    speeds = {"tokens_per_s": rate, "low_tokens_per_s": rate * 0.8, "high_tokens_per_s": rate * 1.2}
    whole = work(**speeds, deadline_hours=48.0)
    table = cost_of(whole, many)
    for i in range(len(offers)):
        one = breakdown(whole, many, i)
        for field in fields(CostTable):
            assert getattr(one, field.name) == pytest.approx(getattr(table, field.name)[i], abs=0.005), (
                field.name
            )


@given(
    price=st.floats(0.1, 300),
    nodes=st.integers(1, 8),
    spot=st.booleans(),
    idle=st.floats(0, 100),
    term=st.sampled_from([0.0, 3.0, 8760.0]),
)
@settings(deadline=None)
def test_the_parts_add_up_and_low_expected_high_are_in_order(
    price: float, nodes: int, spot: bool, idle: float, term: float
) -> None:
    charged = replace(prices(price, nodes=nodes, spot=spot), term_hours=np.asarray([term]))
    table = cost_of(work(idle_hours=idle), charged)
    parts = sum(
        getattr(table, f"{name}_usd")[0]
        for name in ("compute", "interruption", "idle", "storage", "egress", "unused")
    )
    assert parts == pytest.approx(total(table))
    assert table.low_usd[0] <= table.total_usd[0] + 0.01 and table.total_usd[0] <= table.high_usd[0] + 0.01
    assert table.low_hours[0] <= table.hours[0] <= table.high_hours[0]


def test_a_ten_minute_job_on_an_hourly_biller_pays_the_hour() -> None:
    short = work(tokens=5e4 * 60)
    hourly = prices(12.0, replace(SECOND, increment_s=3600))
    assert cost_of(short, hourly).billed_hours[0] == 1.0
    assert cost_of(short, hourly).compute_usd[0] == 12.0


def test_every_node_is_paid() -> None:
    one, four = (cost_of(work(load_gb=0.0), prices(nodes=n)) for n in (1, 4))
    assert four.compute_usd[0] == pytest.approx(4 * one.compute_usd[0], rel=0.01)


def test_a_prepaid_minimum_is_paid_even_by_a_short_run() -> None:
    block = replace(prices(30.0), minimum_hours=np.asarray([24.0]))
    assert cost_of(work(tokens=1e6), block).billed_hours[0] == 24.0


def test_a_reservation_shows_what_it_binds_to() -> None:
    reserved = replace(prices(10.0), term_hours=np.asarray([8760.0]))
    assert cost_of(work(), reserved).committed_usd[0] == 87_600.0


@given(term=st.floats(0, 20_000), tokens=st.floats(1e6, 1e12))
@settings(deadline=None)
def test_a_whole_commitment_is_owed_and_a_longer_run_pays_no_more_for_it(term: float, tokens: float) -> None:
    free, bound = prices(10.0), replace(prices(10.0), term_hours=np.asarray([term]))
    by_the_hour, owed = cost_of(work(tokens=tokens), free), cost_of(work(tokens=tokens), bound)
    rented = by_the_hour.billed_hours[0] * 10.0
    assert total(owed) == pytest.approx(total(by_the_hour) - rented + max(rented, term * 10.0))


def test_unknown_price_or_speed_stays_unknown() -> None:
    assert np.isnan(total(cost_of(work(), prices(float("nan")))))
    table = cost_of(work(tokens_per_s=np.asarray([np.nan])), prices())
    assert np.isnan(table.hours[0]) and np.isnan(table.total_usd[0])


def test_unknown_terms_take_the_stated_assumption() -> None:
    assert prices(terms=BillingTerms()).increment_s[0] == 60.0
    assert prices(terms=BillingTerms(), spot=True).stops[0] == 0.05
    assert prices(terms=BillingTerms(), nodes=4).start_s[0] > prices(terms=BillingTerms()).start_s[0]


def test_on_demand_is_likelier_to_meet_a_tight_deadline_than_harsh_spot() -> None:
    terms = replace(SECOND, interruptions_per_hour=0.5, notice_s=0.0)
    sure, shaky = (
        cost_of(work(deadline_hours=7.0), prices(terms=terms, spot=spot)).on_time[0] for spot in (False, True)
    )
    assert sure > 0.95 > shaky
    assert np.isnan(cost_of(work(), prices()).on_time[0])


def test_ones_own_checkpoint_interval_is_used() -> None:
    assert cost_of(work(checkpoint_minutes=30.0), prices(spot=True)).checkpoint_minutes[0] == pytest.approx(
        30.0
    )


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"tokens": 0.0}, "tokens"),
        ({"deadline_hours": -1.0}, "deadline_hours"),
        ({"checkpoint_minutes": 0.0}, "checkpoint_minutes"),
        ({"idle_hours": -1.0}, "idle_hours"),
        ({"dataset_gb": -1.0}, "dataset_gb"),
    ],
)
def test_bad_work_is_refused_by_the_name_of_its_field(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(BadInput) as caught:
        cost_of(work(**changes), prices())
    assert caught.value.field == field


def test_a_negative_price_is_refused() -> None:
    with pytest.raises(BadInput, match="price_usd_per_hour"):
        prices(-1.0)


def test_a_reservation_is_owed_whole_unless_other_work_uses_the_rest() -> None:
    reserved = replace(prices(10.0), term_hours=np.asarray([8760.0]))
    owed, spread = (cost_of(work(spread_commitment=spread), reserved) for spread in (False, True))
    assert owed.unused_usd[0] + owed.compute_usd[0] == pytest.approx(87_600.0)
    assert spread.unused_usd[0] == 0.0
    assert spread.total_usd[0] == total(cost_of(work(), prices(10.0)))
