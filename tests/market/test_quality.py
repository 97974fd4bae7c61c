"""Accept, hold, refuse, flag: the rules at their edges."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.market.quality import (
    Standing,
    contradictions,
    judge,
    median_move,
    names_nothing,
    refusal,
    standing_of,
)
from tests.scraped import scraped


def batch(
    n: int, price: str | None = "10", currency: str = "USD", option: str = "on_demand"
) -> dict[str, Standing]:
    amount = None if price is None else Decimal(price)
    return {str(number): Standing(amount, currency, option) for number in range(n)}


def test_an_equal_batch_is_accepted_whole() -> None:
    judgement = judge(batch(10), batch(10), "list_price", None)
    assert (judgement.reason, judgement.held, judgement.flagged) == (None, frozenset(), frozenset())


def test_first_batch_is_accepted() -> None:
    assert not judge({}, batch(1), "list_price", None).holds


@pytest.mark.parametrize("kind", ["list_price", "marketplace", "aggregator"])
def test_a_fifth_may_go_and_no_more(kind: str) -> None:
    assert not judge(batch(100), batch(80), kind, None).holds
    assert judge(batch(100), batch(79), kind, None).reason == "shrunken"


@pytest.mark.parametrize("rows", [1, 9, 60])
def test_shrunken_batch_is_believed_when_the_next_scrape_agrees(rows: int) -> None:
    assert judge(batch(100), batch(rows), "list_price", None).reason == "shrunken"
    assert not judge(batch(100), batch(rows), "list_price", batch(rows)).holds


def test_batch_that_shrinks_on_agrees_with_none_before_it() -> None:
    assert judge(batch(100), batch(30), "list_price", batch(60)).reason == "shrunken"


@pytest.mark.parametrize("kind", ["list_price", "marketplace", "aggregator"])
def test_an_empty_batch_is_never_believed_on_repetition(kind: str) -> None:
    assert judge(batch(100), {}, kind, {}).reason == "empty"


@pytest.mark.parametrize("rows", [0, 1])
def test_provider_that_is_sold_out_at_a_reseller_is_believed_on_repetition(rows: int) -> None:
    first = judge(batch(20), batch(rows), "aggregator", None, others_answer=True)
    assert first.reason == ("shrunken" if rows else "empty")
    assert not judge(batch(20), batch(rows), "aggregator", batch(rows), others_answer=True).holds


def test_prices_that_vanish_count_like_offers_that_vanish() -> None:
    without = {key: Standing(None, one.currency, one.purchase_option) for key, one in batch(30).items()}
    assert judge(batch(100), batch(100) | without, "list_price", None).reason == "shrunken"


def test_a_list_that_names_all_its_offers_anew_is_held_and_a_marketplace_is_not() -> None:
    renamed = {f"new-{key}": one for key, one in batch(100).items()}
    assert judge(batch(100), renamed, "list_price", None).reason == "shrunken"
    assert not judge(batch(100), renamed, "list_price", renamed).holds
    assert not judge(batch(100), renamed, "marketplace", None).holds


@pytest.mark.parametrize(
    ("price", "held"), [("14.99", False), ("15", True), ("6.67", False), ("6.66", True), ("100", True)]
)
def test_list_price_moved_by_half_is_held_alone(price: str, held: bool) -> None:
    judgement = judge(batch(10), batch(10) | batch(1, price), "list_price", None)
    assert judgement.reason is None
    assert judgement.held == (frozenset({"0"}) if held else frozenset())


def test_moved_price_is_believed_when_the_next_scrape_says_the_same() -> None:
    judgement = judge(batch(10), batch(10) | batch(1, "20"), "list_price", batch(1, "20.1"))
    assert (judgement.held, judgement.flagged) == (frozenset(), {"0"})
    assert judge(batch(10), batch(10) | batch(1, "20"), "list_price", batch(1, "25")).held == {"0"}


def test_whole_batch_is_held_when_more_than_a_fifth_of_the_prices_moved() -> None:
    assert judge(batch(10), batch(10) | batch(2, "20"), "list_price", None).reason is None
    assert judge(batch(10), batch(10) | batch(3, "20"), "list_price", None).reason == "moved"


@pytest.mark.parametrize("kind", ["marketplace", "aggregator"])
def test_moves_at_marketplaces_are_flagged_and_believed(kind: str) -> None:
    judgement = judge(batch(10), batch(10) | batch(3, "20"), kind, None)
    assert (judgement.reason, judgement.held, judgement.flagged) == (None, frozenset(), {"0", "1", "2"})


def test_spot_moves_are_flagged_even_at_a_list_price_provider() -> None:
    judgement = judge(batch(10, option="spot"), batch(10, "20", option="spot"), "list_price", None)
    assert not judgement.holds
    assert len(judgement.flagged) == 10


def test_currency_change_is_held_until_the_next_scrape_agrees() -> None:
    euro = batch(10, currency="EUR")
    assert judge(batch(10), euro, "marketplace", None).reason == "currency"
    assert not judge(batch(10), euro, "marketplace", euro).holds


@given(st.integers(1, 60), st.integers(0, 60), st.sampled_from(["list_price", "marketplace", "aggregator"]))
def test_an_accepted_batch_never_lost_more_than_a_fifth(before: int, now: int, kind: str) -> None:
    judgement = judge(batch(before), batch(now), kind, None)
    assert judgement.holds == (now < before * 0.8 or now == 0)


@given(st.decimals("0.01", "1000", places=2), st.decimals("0.01", "1000", places=2))
def test_judging_a_move_is_the_same_up_and_down(one: Decimal, other: Decimal) -> None:
    low, high = batch(10, str(one)), batch(10, str(other))
    assert judge(low, high, "list_price", None).holds == judge(high, low, "list_price", None).holds


def test_median_that_moved_a_quarter_is_noted() -> None:
    assert median_move(batch(9), batch(9, "12.4")) is None
    move = median_move(batch(9), batch(9, "12.6"))
    assert move == pytest.approx(0.26)
    assert median_move(batch(9), batch(9, None)) is None


@pytest.mark.parametrize(
    "name", ["", " ", "1", "8x", "CPU", "cpu_4x_general", "GPU", "GPU (unspecified)", "none", "N/A"]
)
def test_text_that_names_no_accelerator(name: str) -> None:
    assert names_nothing(name)


@pytest.mark.parametrize(
    "name", ["H100", "GH200", "B200", "MI300X", "L4", "T4", "A10", "Gaudi2", "CPX-1000 GPU"]
)
def test_text_that_names_an_accelerator_known_or_not(name: str) -> None:
    assert not names_nothing(name)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"price_per_hour": Decimal("-1")}, "bad_price"),
        ({"price_per_hour": Decimal("NaN")}, "bad_price"),
        ({"price_per_hour": Decimal("Infinity")}, "bad_price"),
        ({"price_per_hour": Decimal(10**9)}, "bad_price"),
        ({"upfront": Decimal("-5")}, "bad_price"),
        ({"accelerator_count": 19.71}, "bad_count"),
        ({"accelerator_count": 0.0}, "bad_count"),
        ({"accelerator_count": float("nan")}, "bad_count"),
        ({"currency": "$"}, "bad_currency"),
        ({"term_months": 0}, "bad_term"),
        ({"stock_units": 2**31}, "bad_count"),
        ({"instance_type": ""}, "no_identity"),
        ({"tier": "\0"}, "bad_text"),
        ({"region": "a\0b"}, "bad_text"),
    ],
)
def test_row_that_cannot_stand_is_refused_with_a_reason(changes: dict[str, object], reason: str) -> None:
    refused = refusal(
        scraped(**changes) if "price_per_hour" not in changes else _priced(changes["price_per_hour"])
    )
    assert refused is not None
    assert refused[0] == reason


def test_fractions_of_a_card_and_whole_cards_stand() -> None:
    assert refusal(scraped(accelerator_count=0.125)) is None
    assert refusal(scraped(accelerator_count=8.0)) is None


def test_spot_at_the_on_demand_price_and_dear_commitments_are_flagged() -> None:
    offers = {
        "usual": scraped("10"),
        "spot": scraped("10", purchase_option="spot"),
        "cheap": scraped("9.99", purchase_option="spot"),
        "year": scraped("10.01", purchase_option="reserved", term_months=12),
        "same": scraped("10", purchase_option="reserved", term_months=36),
        "elsewhere": scraped("99", purchase_option="spot", region="eu"),
    }
    told = {key: (offer, standing_of(offer)) for key, offer in offers.items()}
    assert contradictions(told) == {"spot": "spot_above_on_demand", "year": "reserved_above_on_demand"}


def test_upfront_is_spread_over_the_term_before_comparing() -> None:
    standing = standing_of(scraped(None, purchase_option="reserved", term_months=12, upfront=Decimal(42066)))
    assert standing.price is not None
    assert float(standing.price) == pytest.approx(42066 / 8760)


def _priced(price: object) -> object:
    import msgspec

    return msgspec.structs.replace(scraped(), price_per_hour=price)


def test_spot_of_a_tier_without_on_demand_is_compared_with_on_demand_of_no_tier() -> None:
    offers = {
        "usual": scraped("10"),
        "low": scraped("11", purchase_option="spot", tier="low-priority"),
        "secure": scraped("12", tier="secure"),
        "spot": scraped("11", purchase_option="spot", tier="secure"),
    }
    told = {key: (offer, standing_of(offer)) for key, offer in offers.items()}
    assert contradictions(told) == {"low": "spot_above_on_demand"}


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (batch(425), {}, "an empty list, after 425 offers"),
        (batch(1), {}, "an empty list, after 1 offer"),
        (batch(1100), batch(660), "660 offers after 1,100: 40% of the offers or prices are gone"),
        (batch(100), batch(1), "1 offer after 100: 99% of the offers or prices are gone"),
        (batch(1), batch(1, currency="EUR"), "1 offer changed its currency"),
        (batch(2), batch(2, "30"), "2 list prices moved by a factor of 1.5 or more"),
    ],
)
def test_a_held_batch_says_why_in_a_counted_sentence(
    before: dict[str, Standing], now: dict[str, Standing], said: str
) -> None:
    assert str(judge(before, now, "list_price", None).why) == said
