"""Groups: counts, prices of one accelerator, order of the best offer, and links that show the offers."""

from __future__ import annotations

import csv
import io

from app.market.query import OfferQuery
from tests.market.samples import ask, market_of, offer


def market() -> object:
    return market_of(
        offer(1, price_usd_per_hour=24.0),
        offer(2, price_usd_per_hour=16.0, provider="gcp"),
        offer(3, price_usd_per_hour=None, provider="gcp"),
        offer(4, accelerator="l4-24gb", accelerator_count=1, price_usd_per_hour=0.5, region="eu-west-1", country="IE"),
        offer(5, accelerator=None, accelerator_status="unknown", price_usd_per_hour=None, country=None),
    )  # fmt: skip


def test_a_group_counts_its_offers_and_says_between_which_prices_of_one_accelerator() -> None:
    groups = {group.value: group for group in ask(market(), "group=accelerator").groups}
    h100 = groups["h100-sxm5-80gb"]
    assert (h100.offers, h100.providers, h100.low, h100.median, h100.high) == (3, 2, 2.0, 2.5, 3.0)
    assert (groups["unknown"].offers, groups["unknown"].low) == (1, None)
    assert sum(group.offers for group in groups.values()) == 5


def test_groups_stand_in_the_order_of_their_best_offer_and_filters_hold() -> None:
    def order(text: str) -> list[str]:
        return [group.value for group in ask(market(), text).groups]

    assert order("group=accelerator") == ["l4-24gb", "h100-sxm5-80gb", "unknown"]
    assert order("group=accelerator&order=desc") == ["h100-sxm5-80gb", "l4-24gb", "unknown"]
    assert order("group=provider&provider=gcp") == ["gcp"]
    assert order("") == []


def test_the_lowest_price_of_one_accelerator_rises_from_group_to_group_in_the_order_by_price() -> None:
    many = market_of(
        offer(1, accelerator_count=8, price_usd_per_hour=8.0),
        offer(2, accelerator="l4-24gb", accelerator_count=1, price_usd_per_hour=2.0),
        offer(3, accelerator="l40s-48gb", accelerator_count=2, price_usd_per_hour=3.0),
        offer(4, accelerator="b200-192gb", price_usd_per_hour=None),
    )
    for units in ("", "&price_of=accelerator", "&price_per=month", "&currency=EUR"):
        lows = [group.low for group in ask(many, f"group=accelerator{units}").shown_groups]
        assert lows[-1] is None and lows[:-1] == sorted(low for low in lows if low is not None), units
    highs = [group.high for group in ask(many, "group=accelerator&order=desc").shown_groups][:-1]
    assert highs == sorted(highs, reverse=True)


def test_figures_of_groups_are_rounded_like_all_others() -> None:
    uneven = market_of(offer(1, accelerator_count=3, price_usd_per_hour=10.0), offer(2, accelerator_count=7, price_usd_per_hour=3.0))  # fmt: skip
    (group,) = ask(uneven, "group=provider").groups
    for figure in (group.low, group.median, group.high):
        assert figure is not None and figure == round(figure, 6)


def test_the_offers_of_a_group_are_those_that_its_filter_finds() -> None:
    for by in ("accelerator", "provider", "region", "country"):
        page = ask(market(), f"group={by}")
        for group in page.groups:
            alone = page.query.with_(**{"group": None, by: [group.value]})
            assert market().list_offers(alone).total == group.offers, (by, group.value)


def test_the_export_of_a_grouped_view_is_its_groups() -> None:
    text = "".join(market().export_csv(OfferQuery.parse("group=provider")))
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["value"] for row in rows] == ["aws", "gcp"]
    assert rows[1]["price_usd_per_accelerator_hour_low"] == "2.0"
    assert "total_usd_low" not in rows[0]
