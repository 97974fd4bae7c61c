"""Live counts beside the filters."""

from __future__ import annotations

from tests.market.samples import ask, market_of, offer


def test_a_filter_counts_among_what_the_other_filters_leave() -> None:
    market = market_of(
        offer(1),
        offer(2, provider="gcp", country="DE"),
        offer(3, provider="gcp", country="US"),
        offer(4, provider="azure", country=None),
    )
    facets = ask(market, "provider=gcp", facets=True).facets
    assert {option.value: option.count for option in facets["provider"]} == {"aws": 1, "azure": 1, "gcp": 2}
    assert {option.value: option.count for option in facets["country"]} == {"DE": 1, "US": 1}
    assert [option.value for option in facets["provider"] if option.selected] == ["gcp"]
    whole = ask(market, facets=True).facets
    assert whole["country"][-1].value == "unknown"
