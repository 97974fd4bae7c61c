"""Values of filters: what nothing has and nothing could have is refused with what is near, never a silent blank table."""

from __future__ import annotations

import pytest

from app.domain.errors import UnknownValue
from tests.market.samples import ask, market_of, offer


@pytest.mark.parametrize(
    "text, field, near",
    [
        ("provider=nobody", "provider", None),
        ("provider=amazn", "provider", None),
        ("provider=awss", "provider", "aws"),
        ("accelerator=h100-sxm5-80g", "accelerator", "h100-sxm5-80gb"),
        ("accelerator=h1oo", "accelerator", None),
        ("quoted_currency=XXX", "quoted_currency", None),
        ("region=us-east-11", "region", "us-east-1"),
        ("country=ZZ", "country", None),
        ("continent=Atlantis", "continent", None),
        ("fabric=warp", "fabric", None),
        ("provider=!nobody", "provider", None),
    ],
)
def test_a_value_that_does_not_exist_is_refused_with_near_ones(
    text: str, field: str, near: str | None
) -> None:
    with pytest.raises(UnknownValue) as caught:
        ask(market_of(offer(1)), text)
    assert caught.value.field == field
    if near is not None:
        assert near in caught.value.near
        assert near in caught.value.message


@pytest.mark.parametrize(
    "text",
    [
        "provider=lambda", "provider=AWS", "accelerator=b200", "accelerator=rtx-4090-24gb", "accelerator=slice",
        "accelerator=ambiguous", "country=DE", "continent=Europe", "tier=unknown", "intra_node_link=nvlink",
        "region=unknown", "id=ffffffffffffffff",
    ],
)  # fmt: skip
def test_what_exists_but_is_not_on_offer_finds_nothing_without_an_error(text: str) -> None:
    assert ask(market_of(offer(1)), text).total in (0, 1)


def test_what_stands_between_a_question_and_an_answer_is_counted() -> None:
    market = market_of(offer(1), offer(2, provider="gcp"), offer(3, provider="gcp", price_usd_per_hour=1.0))
    page = ask(market, "provider=aws&price_max=5&q=h100")
    assert page.total == 0
    told = {getattr(one.condition, "parameter", "word"): one.offers for one in page.removals}
    assert told == {"provider": 1, "price_max": 1}
    assert ask(market, "provider=aws").removals == ()
